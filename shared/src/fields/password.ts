import { PASSWORD_MAX, PASSWORD_MIN } from '../limits.ts'

/** The form in which a password is counted, hashed and compared: one spelling of each letter. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC')
}

/** Why this password has the wrong length, as the end of a sentence; null when it has not. */
export function passwordLengthProblem(password: string): string | null {
  const length = [...normalizePassword(password)].length
  if (length < PASSWORD_MIN) return `it has fewer than ${PASSWORD_MIN} characters`
  return length > PASSWORD_MAX ? `it has more than ${PASSWORD_MAX} characters` : null
}

/** Shown beside a new password; `problem` is the end of the sentence. */
export function unusablePassword(problem: string): string {
  return `You can't use this password: ${problem}.`
}
