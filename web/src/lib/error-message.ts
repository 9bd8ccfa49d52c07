import { AppError } from '@proctorpass/shared/errors'
import { KEEP_TRYING } from './api.ts'

/** What to tell somebody whose call failed and is not tried again by itself. */
export function failureMessage(error: unknown): string {
  if (!(error instanceof AppError)) return 'something went wrong'
  return error.message.replace(KEEP_TRYING, 'Please try again.')
}
