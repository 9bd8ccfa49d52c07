import { REVIEW_FIELDS, STAR_HINT, starsFrom } from '@proctorpass/shared/fields/review'
import { STAR_MAX, STAR_MIN } from '@proctorpass/shared/limits'
import type { NewReview, Review } from '@proctorpass/shared/schemas/review'
import { TextField } from '../ui/admin-form.tsx'
import type { AdminForm } from '../ui/use-admin-form.ts'

/** The fields' values as the admin types them. */
export interface ReviewValues {
  name: string
  time: string
  star: string
  review: string
}

export const NO_REVIEW: ReviewValues = { name: '', time: '', star: '', review: '' }

export function valuesOf({ name, time, star, review }: Review): ReviewValues {
  return { name, time, star: String(star), review }
}

export function reviewOf({ name, time, star, review }: ReviewValues): NewReview {
  return { name, time, star: starsFrom(star), review }
}

interface ReviewFieldsProps {
  form: AdminForm<ReviewValues>
  order: readonly ('name' | 'time')[]
  starLabel: string
}

const LABELS = { name: 'Name', time: 'Time' }
/** Admins type the time as text. */
const HINTS = { name: undefined, time: 'The date shown, for example “March 2026”.' }

export function ReviewFields({ form, order, starLabel }: ReviewFieldsProps) {
  const { star, review } = REVIEW_FIELDS
  return (
    <>
      {order.map((name) => (
        <TextField
          key={name}
          form={form}
          name={name}
          label={LABELS[name]}
          hint={HINTS[name]}
          rule={REVIEW_FIELDS[name]}
          type="text"
          autoComplete="off"
        />
      ))}
      <TextField
        form={form}
        name="star"
        label={starLabel}
        hint={STAR_HINT}
        rule={{ problem: (typed: string) => star.problem(starsFrom(typed)) }}
        type="number"
        min={STAR_MIN}
        max={STAR_MAX}
        step="any"
      />
      <TextField form={form} name="review" label="Review" rule={review} rows={6} />
    </>
  )
}
