import { REVIEW_FIELDS, STAR_HINT, starsFrom } from '@proctorpass/shared/fields/review'
import { STAR_MAX, STAR_MIN } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { Done } from '@proctorpass/shared/schemas/list'
import { callApi } from '../lib/api.ts'
import { useSiteConfig } from '../lib/site-config.ts'
import type { FormField, FormValues } from './form-field.ts'
import { PlainForm } from './plain-form.tsx'

const FIELDS: FormField[] = [
  { ...REVIEW_FIELDS.name, name: 'name', label: 'Name', type: 'text', autoComplete: 'name' },
  {
    name: 'star',
    label: 'Stars',
    type: 'number',
    hint: STAR_HINT,
    min: STAR_MIN,
    max: STAR_MAX,
    step: 'any',
    problem: (value) => REVIEW_FIELDS.star.problem(starsFrom(value)),
  },
  { ...REVIEW_FIELDS.review, name: 'review', label: 'Review', type: 'long' },
]

/** Submits a review for approval. While PUBLIC_REVIEWS is off, it only acknowledges the review and calls nothing. */
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

async function submitReview({ star = '', ...texts }: FormValues): Promise<string> {
  const body = { ...texts, star: starsFrom(star) }
  const { message } = await callApi<Done>(paths.reviewSubmit, { method: 'POST', body })
  return message
}
