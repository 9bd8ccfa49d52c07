const QUERY_MAX = 64

export interface MentionQuery {
  /** The position of the @. */
  from: number
  query: string
}

/** The text after an @ that begins a word, up to the caret; else null. */
export function mentionQuery(text: string, caret: number): MentionQuery | null {
  const from = text.lastIndexOf('@', caret - 1)
  if (caret === 0 || from < 0 || /[\p{L}\p{N}_]/u.test(text[from - 1] ?? '')) return null
  const query = text.slice(from + 1, caret)
  return /\s/.test(query) || query.length > QUERY_MAX ? null : { from, query }
}
