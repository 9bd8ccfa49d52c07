import { PUSH_LABEL_MAX } from '../limits.ts'
import { lineProblem, textField } from './text.ts'

/** An admin's name for a browser that receives notifications. */
export const PUSH_LABEL_FIELD = textField('A name is required', (label) => lineProblem(label, PUSH_LABEL_MAX))
