import { AppError } from '@proctorpass/shared/errors'
import { failureMessage } from '../../lib/error-message.ts'

const NO_WORDS = failureMessage(null)

/** What the server said about a failed call, or `otherwise` when it said nothing. */
export function failureWords(error: unknown, otherwise: string): string {
  const words = failureMessage(error)
  return words === NO_WORDS ? otherwise : words
}

/** The fields of a form that the server found wrong. */
export function wrongFields<Name extends string>(
  error: unknown,
  names: readonly Name[],
): { field: Name; message: string }[] {
  const details = error instanceof AppError ? (error.details ?? []) : []
  return details.flatMap(({ field, message }) => {
    const name = names.find((known) => known === field)
    return name === undefined ? [] : [{ field: name, message }]
  })
}
