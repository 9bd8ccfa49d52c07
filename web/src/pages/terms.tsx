import { termsCopy } from '../content/pages.ts'
import groups from '../content/terms.md?questions'
import { PolicyPage } from './policy.tsx'

export function TermsPage() {
  return <PolicyPage copy={termsCopy} groups={groups} />
}
