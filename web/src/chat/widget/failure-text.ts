import { AppError } from '@proctorpass/shared/errors'
import type { Words } from '../language/words.ts'

/**
 * Returns what to show after a failed call: the server's text in English, or the widget's words if the server sent
 * none.
 */
export function failureText(error: unknown, words: Words['later']): string {
  if (!(error instanceof AppError)) return words.failed
  // An error with a cause means that no server answered.
  if (error.cause === undefined) return error.message
  return navigator.onLine ? words.unreachable : words.offline
}
