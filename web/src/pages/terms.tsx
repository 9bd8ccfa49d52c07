import groups from '../content/terms.md?questions'
import { PolicyPage } from './policy.tsx'

export function TermsPage() {
  return (
    <PolicyPage
      heading="Terms"
      lead="What you can expect of us, and what we expect of you."
      groups={groups}
    />
  )
}
