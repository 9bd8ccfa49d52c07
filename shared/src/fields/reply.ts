import { REPLY_TEXT_MAX, SHORTCUT_PATTERN } from '../limits.ts'
import { unknownVariable } from '../reply-text.ts'
import { indentedLines, textField, textProblem } from './text.ts'

const SHORTCUT = new RegExp(SHORTCUT_PATTERN)
const SHOWN_MAX = 40

export const REPLY_FIELDS = {
  // The server does not trim the shortcut, because a changed one would not be what the admin typed.
  shortcut: textField(
    'Shortcut is required',
    (shortcut) =>
      SHORTCUT.test(shortcut)
        ? null
        : 'Use up to 40 lowercase letters, digits, and hyphens, without a hyphen first',
    (shortcut) => shortcut,
  ),
  text: textField(
    'Text is required',
    (text) => {
      const problem = textProblem(text, REPLY_TEXT_MAX)
      if (problem !== null) return problem
      const variable = unknownVariable(text)
      if (variable === null) return null
      const shown = variable.length > SHOWN_MAX ? `${variable.slice(0, SHOWN_MAX)}…` : variable
      return `There is no variable {{${shown.toWellFormed()}}}`
    },
    indentedLines,
  ),
}
