import { PUSH_LABEL_MAX } from '../limits.ts'
import { lineProblem, textField } from './text.ts'

/** What an admin calls a browser that receives notifications. */
export const PUSH_LABEL_FIELD = textField('A name is required', (label) => lineProblem(label, PUSH_LABEL_MAX))
