import {
  REVIEW_NAME_MAX,
  REVIEW_TEXT_MAX,
  REVIEW_TIME_MAX,
  STAR_MAX,
  STAR_MIN,
  STAR_STEP,
} from '@proctorpass/shared/limits'
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
export const REVIEW_FIELDS = ['name', 'time', 'star', 'review'] as const

export function valuesOf({ name, time, star, review }: Review): ReviewValues {
  return { name, time, star: String(star), review }
}

export function reviewOf({ name, time, star, review }: ReviewValues): NewReview {
  return { name: name.trim(), time: time.trim(), star: Number(star), review: review.trim() }
}

interface ReviewFieldsProps {
  form: UseFormReturn<ReviewValues>
  order: readonly ('name' | 'time')[]
  starLabel: string
  /** The one that is edited: samples have finer stars than may be given, and keep them. */
  stored?: ReviewValues
}

export function ReviewFields({ form, order, starLabel, stored }: ReviewFieldsProps) {
  const { errors } = form.formState
  const texts = {
    name: { label: 'Name', missing: 'Name is required', max: REVIEW_NAME_MAX },
    time: { label: 'Time', missing: 'Time is required', max: REVIEW_TIME_MAX },
  }
  return (
    <>
      {order.map((name) => (
        <Field key={name} label={texts[name].label} error={errors[name]?.message}>
          {(shared) => (
            <input
              {...shared}
              {...form.register(name, { validate: text(texts[name].missing, texts[name].max) })}
              type="text"
              autoComplete="off"
            />
          )}
        </Field>
      ))}
      <Field
        label={starLabel}
        hint={`${STAR_MIN} to ${STAR_MAX}; a half is fine.`}
        error={errors.star?.message}
      >
        {(shared) => (
          <input
            {...shared}
            {...form.register('star', {
              validate: (star) => star === stored?.star || starProblem(star) || true,
            })}
            type="number"
            min={STAR_MIN}
            max={STAR_MAX}
            step={STAR_STEP}
          />
        )}
      </Field>
      <Field label="Review" error={errors.review?.message}>
        {(shared) => (
          <textarea
            {...shared}
            {...form.register('review', { validate: text('Required', REVIEW_TEXT_MAX) })}
            rows={6}
          />
        )}
      </Field>
    </>
  )
}

function text(missing: string, max: number) {
  return (value: string) => {
    if (value.trim() === '') return missing
    return Array.from(value.trim()).length <= max || `${max} characters are the most.`
  }
}

function starProblem(star: string): string | null {
  if (star.trim() === '') return 'Required'
  const value = Number(star)
  const fits = value >= STAR_MIN && value <= STAR_MAX && Number.isInteger(value / STAR_STEP)
  return fits ? null : `Please give ${STAR_MIN} to ${STAR_MAX} stars, in halves.`
}
