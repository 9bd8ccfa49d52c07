import { PASSWORD_MAX, PASSWORD_MIN } from '../limits.ts'

/** Returns the form in which a password is counted, hashed, and compared, with one spelling for each letter. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC')
}

/** Explains why this password has the wrong length, as the end of a sentence. Null if the length is right. */
export function passwordLengthProblem(password: string): string | null {
  const length = [...normalizePassword(password)].length
  if (length < PASSWORD_MIN) return `it has fewer than ${PASSWORD_MIN} characters`
  return length > PASSWORD_MAX ? `it has more than ${PASSWORD_MAX} characters` : null
}

/** Returns the error beside a new password. `problem` is the end of the sentence. */
export function unusablePassword(problem: string): string {
  return `You can't use this password: ${problem}.`
}
