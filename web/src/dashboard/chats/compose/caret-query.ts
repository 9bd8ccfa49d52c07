const MENTION_MAX = 64
const SLASH_MAX = 60

export interface CaretQuery {
  /** The position of the @ or slash with which the query begins. */
  from: number
  /** The text between that character and the caret. */
  query: string
}

/** Returns the text from an @ at the beginning of a word up to the caret, or null. */
export function mentionQuery(text: string, caret: number): CaretQuery | null {
  const from = text.lastIndexOf('@', caret - 1)
  if (caret === 0 || from < 0 || /[\p{L}\p{N}_]/u.test(text[from - 1] ?? '')) return null
  const query = text.slice(from + 1, caret)
  return /\s/.test(query) || query.length > MENTION_MAX ? null : { from, query }
}

/**
 * Returns the text from a slash at the beginning of a line up to the caret, or null. A second slash makes it a path.
 */
export function slashQuery(text: string, caret: number): CaretQuery | null {
  const from = text.lastIndexOf('\n', caret - 1) + 1
  if (caret <= from || text[from] !== '/') return null
  const query = text.slice(from + 1, caret)
  return query.includes('/') || query.length > SLASH_MAX ? null : { from, query }
}
