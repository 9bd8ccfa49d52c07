import { normalizePassword, passwordLengthProblem } from '@proctorpass/shared/fields/password'
import { isCommonPassword } from './common-passwords.ts'

/** Returns why this password is refused, as the end of a sentence; null if it is accepted. */
export function passwordProblem(password: string, userName: string): string | null {
  const wrongLength = passwordLengthProblem(password)
  if (wrongLength !== null) return wrongLength
  const lowered = normalizePassword(password).toLowerCase()
  if (isCommonPassword(lowered)) return "it's one of the most common passwords"
  if (lowered === userName.normalize('NFKC').toLowerCase()) return "it's the same as the username"
  return null
}
