import { type AppError, fieldError } from '@proctorpass/shared/errors'

/** An error of an uploaded file, shown beside its field. */
export function wrongFile(message: string, cause?: unknown): AppError {
  return fieldError('file', message, { cause })
}
