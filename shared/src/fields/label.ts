import { LABEL_MAX, NOTE_MAX } from '../limits.ts'
import { indentedLines, lineProblem, textField, textProblem } from './text.ts'

export const LABEL_FIELD = textField('A label is required', (label) => lineProblem(label, LABEL_MAX))

export const NOTE_FIELD = textField('Note is required', (note) => textProblem(note, NOTE_MAX), indentedLines)
