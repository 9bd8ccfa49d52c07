import { EXAM_SPAN_MS, PROFILE_NAME_MAX } from '../limits.ts'
import { CONTACT_FIELDS } from './contact.ts'
import { type Field, lineProblem, textField } from './text.ts'

/** A time of ISO 8601 with its offset: a local one is another moment in each time zone. */
const TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** What visitors may say about themselves, judged at `now` (milliseconds). */
export function profileFields(now: number) {
  return {
    name: textField('Name is required', (text) => lineProblem(text, PROFILE_NAME_MAX)),
    email: CONTACT_FIELDS.email,
    examAt: examAt(now),
  }
}

/** Exams of the recent past are taken too: people ask about their results. */
function examAt(now: number): Field {
  return {
    clean: (text) => (isTime(text) ? new Date(text).toISOString() : text),
    problem(text) {
      if (!isTime(text)) return 'Enter a date and time'
      return Math.abs(Date.parse(text) - now) > EXAM_SPAN_MS ? 'Enter a date within two years' : null
    },
  }
}

function isTime(text: string): boolean {
  const [, day] = TIME.exec(text) ?? []
  if (day === undefined || Number.isNaN(Date.parse(text))) return false
  // Date.parse takes February 30 for March 2.
  return new Date(day).toISOString().startsWith(day)
}
