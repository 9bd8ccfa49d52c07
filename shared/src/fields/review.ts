import { REVIEW_NAME_MAX, REVIEW_TEXT_MAX, REVIEW_TIME_MAX, STAR_MAX, STAR_MIN } from '../limits.ts'
import { type Field, lineProblem, textField, textProblem, trimmedLines } from './text.ts'

export const STAR_HINT = `${STAR_MIN} to ${STAR_MAX}, such as 4.5`

/** A number of stars in the range. 0 means that no stars were given. */
const star: Field<number> = {
  clean: (stars) => stars,
  problem(stars) {
    if (stars === 0) return 'Required'
    if (stars >= STAR_MIN && stars <= STAR_MAX) return null
    return `Enter a number from ${STAR_MIN} to ${STAR_MAX}`
  },
}

/**
 * Reads stars as typed into a form. Returns 0 for an empty field, and NaN for a typed 0 and for text that is not a
 * number.
 */
export function starsFrom(text: string): number {
  return text.trim() === '' ? 0 : Number(text) || Number.NaN
}

export const REVIEW_FIELDS = {
  name: textField('Name is required', (text) => lineProblem(text, REVIEW_NAME_MAX)),
  time: textField('Time is required', (text) => lineProblem(text, REVIEW_TIME_MAX)),
  star,
  review: textField('Required', (text) => textProblem(text, REVIEW_TEXT_MAX), trimmedLines),
}
