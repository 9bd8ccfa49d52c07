import { AppError, NO_MESSAGE } from '@proctorpass/shared/errors'
import { RETRY_NOTE } from './api.ts'

/**
 * Returns what to show after a failed call that is not retried: the error's message, or `otherwise` if no call failed.
 */
export function errorMessage(error: unknown, otherwise = NO_MESSAGE): string {
  if (!(error instanceof AppError)) return otherwise
  return error.message.replace(RETRY_NOTE, 'Try again.')
}

/** Returns the form's fields that the server refused. */
export function refusedFields<Name extends string>(
  error: unknown,
  names: readonly Name[],
): { field: Name; message: string }[] {
  const details = error instanceof AppError ? (error.details ?? []) : []
  return details.flatMap(({ field, message }) => {
    const name = names.find((known) => known === field)
    return name === undefined ? [] : [{ field: name, message }]
  })
}
