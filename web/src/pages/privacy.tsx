import { privacyCopy } from '../content/pages.ts'
import groups from '../content/privacy.md?questions'
import { PolicyPage } from './policy.tsx'

export function PrivacyPage() {
  return <PolicyPage copy={privacyCopy} groups={groups} />
}
