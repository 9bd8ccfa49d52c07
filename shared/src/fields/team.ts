import { DISPLAY_NAME_MAX, USER_NAME_MAX } from '../limits.ts'
import { CONTACT_FIELDS } from './contact.ts'
import { lineProblem, textField } from './text.ts'

/** A new admin's user name. */
export const USER_NAME_FIELD = textField(
  'Username is required',
  (text) => lineProblem(text, USER_NAME_MAX),
  (text) => text.normalize('NFKC').trim(),
)

/** What admins say about themselves. An empty value is refused: null says that there is none. */
export const PROFILE_FIELDS = {
  displayName: textField('Name is required', (text) => {
    const problem = lineProblem(text, DISPLAY_NAME_MAX)
    if (problem !== null) return problem
    // Otherwise a visitor would see no name at all.
    return /[\p{L}\p{N}\p{S}\p{P}]/u.test(text) ? null : 'Use at least one visible character'
  }),
  email: CONTACT_FIELDS.email,
}
