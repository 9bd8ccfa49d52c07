import { SAVED_SEARCH_NAME_MAX } from '../limits.ts'
import { lineProblem, textField } from './text.ts'

export const SAVED_SEARCH_FIELDS = {
  name: textField('A name is required', (name) => lineProblem(name, SAVED_SEARCH_NAME_MAX)),
}
