import { PASSKEY_NAME_MAX } from '../limits.ts'
import { lineProblem, textField } from './text.ts'

/** An admin's name for a passkey. */
export const PASSKEY_NAME_FIELD = textField('Name is required', (name) => lineProblem(name, PASSKEY_NAME_MAX))
