import { linkify, type TextPart } from '@proctorpass/shared/linkify'

/** A text with more characters than this is folded. */
const LENGTH_MAX = 900
const LINES_MAX = 16
/** The number of characters that a folded text shows. */
const FOLDED_LENGTH = 600
const FOLDED_LINES = 10
/** The most characters that are left out so that the text ends between two words. */
const WORD_MAX = 60

/** Returns where a folded text ends. Null for a text that is short enough. */
export function foldAt(text: string): number | null {
  const tenth = endOfLine(text, FOLDED_LINES)
  if (text.length <= LENGTH_MAX && endOfLine(text, LINES_MAX) === text.length) return null
  if (tenth <= FOLDED_LENGTH) return tenth
  const word = /\s\S*$/.exec(text.slice(FOLDED_LENGTH - WORD_MAX, FOLDED_LENGTH))
  if (word) return FOLDED_LENGTH - WORD_MAX + word.index
  // The text must not end between the two halves of a character.
  return FOLDED_LENGTH - Number((text.codePointAt(FOLDED_LENGTH - 1) ?? 0) > 0xffff)
}

/** Returns the parts of a text, or those before `end`. A link that may be cut is plain text. */
export function partsBefore(text: string, end: number | null): TextPart[] {
  const parts = linkify(text.slice(0, end ?? undefined))
  const last = parts.at(-1)
  if (end !== null && typeof last === 'object' && /\S/.test(text.charAt(end))) parts.splice(-1, 1, last.text)
  return parts
}

/** Returns the end of the nth line, or the text's end. */
const endOfLine = (text: string, line: number): number => text.split('\n', line).join('\n').length
