import { PASSWORD_MAX, PASSWORD_MIN } from '@proctorpass/shared/limits'
import { COMMON_PASSWORDS } from './common-passwords.ts'

/** The form in which a password is counted, hashed and compared: one spelling of each letter. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC')
}

/** Why this password may not be chosen, as the end of a sentence; null when it may. */
export function passwordProblem(password: string, userName: string): string | null {
  const chosen = normalizePassword(password)
  const length = [...chosen].length
  if (length < PASSWORD_MIN) return `it must have at least ${PASSWORD_MIN} characters`
  if (length > PASSWORD_MAX) return `it must have at most ${PASSWORD_MAX} characters`
  const lowered = chosen.toLowerCase()
  if (COMMON_PASSWORDS.has(lowered)) return 'it is one of the commonest passwords'
  if (lowered === userName.normalize('NFKC').toLowerCase()) return 'it is the user name'
  return null
}
