const QUERY_MAX = 60

export interface SlashQuery {
  /** The position of the slash. */
  from: number
  query: string
}

/**
 * The text after a slash at the beginning of a line, up to the caret, or null. A second slash makes it a
 * path.
 */
export function slashQuery(text: string, caret: number): SlashQuery | null {
  const from = text.lastIndexOf('\n', caret - 1) + 1
  if (caret <= from || text[from] !== '/') return null
  const query = text.slice(from + 1, caret)
  return query.includes('/') || query.length > QUERY_MAX ? null : { from, query }
}
