import type { SearchSnippet } from '@proctorpass/shared/schemas/search'
import type { Range } from './match.ts'

/** The UTF-16 units in a snippet, and how many of them precede the first match. */
const SNIPPET_MAX = 180
const BEFORE_MAX = 50
const MARKS_MAX = 20

/** Returns the text around the first match, with the matches in it. `ranges` are in order. */
export function snippetOf(text: string, ranges: readonly Range[]): SearchSnippet {
  const first = ranges[0]?.start ?? 0
  const start = text.length <= SNIPPET_MAX ? 0 : wordStart(text, Math.max(0, first - BEFORE_MAX), first)
  const end = start + SNIPPET_MAX >= text.length ? text.length : wordEnd(text, start + SNIPPET_MAX, first)
  const parts: SearchSnippet = []
  const add = (from: number, to: number, match: boolean) => {
    if (to > from) parts.push({ text: text.slice(from, to), match })
  }
  if (start > 0) parts.push({ text: '…', match: false })
  let at = start
  for (const range of ranges.slice(0, MARKS_MAX)) {
    if (range.start >= end) break
    add(at, range.start, false)
    add(range.start, Math.min(range.end, end), true)
    at = Math.min(range.end, end)
  }
  add(at, end, false)
  if (end < text.length) parts.push({ text: '…', match: false })
  return parts
}

/**
 * Returns the beginning of a word at or after `from`, if one follows soon and before `limit`. Never returns a place
 * inside a character.
 */
function wordStart(text: string, from: number, limit: number): number {
  if (from === 0) return 0
  const space = text.slice(from, Math.min(from + 20, limit)).search(/\s\S/)
  return space === -1 ? characterStart(text, from) : from + space + 1
}

/** Returns the end of a word at or shortly before `to`, and after `limit`. */
function wordEnd(text: string, to: number, limit: number): number {
  const from = Math.max(to - 20, limit + 1)
  const space = text.slice(from, to).search(/\s\S*$/)
  return space === -1 ? characterStart(text, to) : from + space
}

function characterStart(text: string, index: number): number {
  let at = index
  while (at > index - 8 && at > 0 && /^(?:\p{M}|[\udc00-\udfff])/u.test(text.slice(at, at + 1))) at -= 1
  return at
}
