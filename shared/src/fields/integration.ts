import { INTEGRATION_NAME_MAX } from '../limits.ts'
import { lineProblem, textField } from './text.ts'

/** The name for an API key or an endpoint. */
export const INTEGRATION_NAME_FIELD = textField('Name is required', (name) =>
  lineProblem(name, INTEGRATION_NAME_MAX),
)
