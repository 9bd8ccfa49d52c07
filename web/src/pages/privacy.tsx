import groups from '../content/privacy.md?questions'
import { PolicyPage } from './policy.tsx'

export function PrivacyPage() {
  return (
    <PolicyPage
      heading="Privacy"
      lead="What this site stores about you, for how long, and how to remove it."
      groups={groups}
    />
  )
}
