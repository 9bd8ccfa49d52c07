import { AppError } from '@proctorpass/shared/errors'
import type { Words } from '../language/language.ts'

/** What to show after a failed call: the server's text, in English, or own words where there is none. */
export function failureText(error: unknown, words: Words['later']): string {
  if (!(error instanceof AppError)) return words.failed
  // With a cause: no server answered.
  if (error.cause === undefined) return error.message
  return navigator.onLine ? words.unreachable : words.offline
}
