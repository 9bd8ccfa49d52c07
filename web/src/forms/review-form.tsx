import { paths } from '@proctorpass/shared/paths'
import type { Done } from '@proctorpass/shared/schemas/list'
import { callApi } from '../lib/api.ts'
import { useSiteConfig } from '../lib/site-config.ts'
import { type FormField, type FormValues, PlainForm } from './plain-form.tsx'

const required = (value: string) => (value.trim() === '' ? 'Required' : null)

const FIELDS: FormField[] = [
  {
    name: 'name',
    label: 'Name',
    type: 'text',
    autoComplete: 'name',
    problem: (value) => (value.trim() === '' ? 'Name is required' : null),
  },
  {
    name: 'star',
    label: 'Stars',
    type: 'number',
    hint: '1 to 5; a half is fine.',
    min: 1,
    max: 5,
    step: 0.5,
    problem: (value) =>
      required(value) ?? (Number(value) >= 1 && Number(value) <= 5 ? null : 'Please give 1 to 5 stars.'),
  },
  { name: 'review', label: 'Review', type: 'long', problem: required },
]

/** Sends what an admin then approves; where nobody does, it acknowledges and calls nothing. */
export function ReviewForm() {
  const { publicReviews } = useSiteConfig()
  return (
    <PlainForm
      action="/reviews"
      fields={FIELDS}
      submitLabel="Send review"
      send={publicReviews === 'moderated' ? submitReview : async () => 'Review sent successfully'}
    />
  )
}

async function submitReview({ star, ...texts }: FormValues): Promise<string> {
  const body = { ...texts, star: Number(star) }
  const { message } = await callApi<Done>(paths.reviewSubmit, { method: 'POST', body })
  return message
}
