import type { TextPart } from '@proctorpass/shared/linkify'

/** A text with more characters or lines than this is folded … */
const LENGTH_MAX = 900
const LINES_MAX = 16
/** … to these. */
const FOLDED_LENGTH = 600
const FOLDED_LINES = 10
/** The most that is left out to end between two words. */
const WORD_MAX = 60

/** Where a folded text ends; null for one that is short enough. */
export function foldAt(text: string): number | null {
  const tenth = endOfLine(text, FOLDED_LINES)
  if (text.length <= LENGTH_MAX && endOfLine(text, LINES_MAX) === text.length) return null
  if (tenth <= FOLDED_LENGTH) return tenth
  const word = /\s\S*$/.exec(text.slice(FOLDED_LENGTH - WORD_MAX, FOLDED_LENGTH))
  if (word) return FOLDED_LENGTH - WORD_MAX + word.index
  // Not between the two halves of a character.
  return /[\uDC00-\uDFFF]/.test(text.charAt(FOLDED_LENGTH)) ? FOLDED_LENGTH - 1 : FOLDED_LENGTH
}

/** The first `length` characters. A link that is cut is no link. */
export function firstParts(parts: readonly TextPart[], length: number): TextPart[] {
  const first: TextPart[] = []
  let left = length
  for (const part of parts) {
    const text = typeof part === 'string' ? part : part.text
    if (text.length > left) {
      first.push(text.slice(0, left))
      break
    }
    first.push(part)
    left -= text.length
  }
  return first
}

/** The end of the nth line, or of the text. */
function endOfLine(text: string, line: number): number {
  let end = -1
  for (let count = 0; count < line; count++) {
    end = text.indexOf('\n', end + 1)
    if (end < 0) return text.length
  }
  return end
}
