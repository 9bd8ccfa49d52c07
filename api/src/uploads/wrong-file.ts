import { type AppError, fieldError } from '@proctorpass/shared/errors'

/** What is wrong with an uploaded file, to be shown beside its field. */
export function wrongFile(message: string, cause?: unknown): AppError {
  return fieldError('file', message, { cause })
}
