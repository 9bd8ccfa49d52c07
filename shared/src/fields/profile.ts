import { parseIso } from '../iso-time.ts'
import { EXAM_SPAN_MS, PROFILE_NAME_MAX } from '../limits.ts'
import { CONTACT_FIELDS } from './contact.ts'
import { nameProblem } from './name.ts'
import { type Field, textField } from './text.ts'

/** Returns the fields that visitors may fill in about themselves, judged at `now` (milliseconds since 1970). */
export function profileFields(now: number) {
  return {
    name: textField('Name is required', (text) => nameProblem(text, PROFILE_NAME_MAX)),
    email: CONTACT_FIELDS.email,
    examAt: examAt(now),
  }
}

/** Past exams are accepted too, because people ask about their results. */
function examAt(now: number): Field {
  return {
    clean(text) {
      const time = parseIso(text)
      return time === null ? text : new Date(time).toISOString()
    },
    problem(text) {
      const time = parseIso(text)
      if (time === null) return 'Enter a date and time'
      return Math.abs(time - now) > EXAM_SPAN_MS ? 'Enter a date within two years' : null
    },
  }
}
