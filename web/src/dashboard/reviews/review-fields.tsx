import { REVIEW_FIELDS, STAR_HINT, starsFrom } from '@proctorpass/shared/fields/review'
import { STAR_MAX, STAR_MIN } from '@proctorpass/shared/limits'
import type { NewReview, Review } from '@proctorpass/shared/schemas/review'
import type { UseFormReturn } from 'react-hook-form'
import { Field } from '../ui/field.tsx'

/** As typed. */
export interface ReviewValues {
  name: string
  time: string
  star: string
  review: string
}

export const NO_REVIEW: ReviewValues = { name: '', time: '', star: '', review: '' }
export const REVIEW_FIELD_NAMES = ['name', 'time', 'star', 'review'] as const

export function valuesOf({ name, time, star, review }: Review): ReviewValues {
  return { name, time, star: String(star), review }
}

export function reviewOf({ name, time, star, review }: ReviewValues): NewReview {
  return { name, time, star: starsFrom(star), review }
}

interface ReviewFieldsProps {
  form: UseFormReturn<ReviewValues>
  order: readonly ('name' | 'time')[]
  starLabel: string
}

const LABELS = { name: 'Name', time: 'Time' }

export function ReviewFields({ form, order, starLabel }: ReviewFieldsProps) {
  const { errors } = form.formState
  const { star, review } = REVIEW_FIELDS
  return (
    <>
      {order.map((name) => (
        <Field key={name} label={LABELS[name]} error={errors[name]?.message}>
          {(shared) => (
            <input
              {...shared}
              {...form.register(name, { validate: (text) => REVIEW_FIELDS[name].problem(text) ?? true })}
              type="text"
              autoComplete="off"
            />
          )}
        </Field>
      ))}
      <Field label={starLabel} hint={STAR_HINT} error={errors.star?.message}>
        {(shared) => (
          <input
            {...shared}
            {...form.register('star', { validate: (typed) => star.problem(starsFrom(typed)) ?? true })}
            type="number"
            min={STAR_MIN}
            max={STAR_MAX}
            step="any"
          />
        )}
      </Field>
      <Field label="Review" error={errors.review?.message}>
        {(shared) => (
          <textarea
            {...shared}
            {...form.register('review', { validate: (text) => review.problem(text) ?? true })}
            rows={6}
          />
        )}
      </Field>
    </>
  )
}
