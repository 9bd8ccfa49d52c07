import { AppError } from '@proctorpass/shared/errors'

/** What is wrong with an uploaded file, to be shown beside its field. */
export function wrongFile(message: string, cause?: unknown): AppError {
  return new AppError('invalid-input', message, { details: [{ field: 'file', message }], cause })
}
