const MENTION_MAX = 64
const SLASH_MAX = 60

export interface CaretQuery {
  /** The position of the character that begins it: @ or a slash. */
  from: number
  /** The text between that character and the caret. */
  query: string
}

/** The text after an @ that begins a word, up to the caret; else null. */
export function mentionQuery(text: string, caret: number): CaretQuery | null {
  const from = text.lastIndexOf('@', caret - 1)
  if (caret === 0 || from < 0 || /[\p{L}\p{N}_]/u.test(text[from - 1] ?? '')) return null
  const query = text.slice(from + 1, caret)
  return /\s/.test(query) || query.length > MENTION_MAX ? null : { from, query }
}

/** The text after a slash that begins a line, up to the caret; else null. A second slash makes it a path. */
export function slashQuery(text: string, caret: number): CaretQuery | null {
  const from = text.lastIndexOf('\n', caret - 1) + 1
  if (caret <= from || text[from] !== '/') return null
  const query = text.slice(from + 1, caret)
  return query.includes('/') || query.length > SLASH_MAX ? null : { from, query }
}
