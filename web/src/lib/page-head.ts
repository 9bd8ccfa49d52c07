/** What a route says about its page, in its `handle`. `{brand}` stands for the name of the business. */
export interface PageHandle {
  title: string
  description?: string
  /** Search engines stay away. */
  noindex?: true
  status?: 404
}

interface Match {
  handle?: unknown
}

/** The deepest route's that says anything. */
export function pageHandle(matches: readonly Match[]): PageHandle | undefined {
  const match = matches.findLast(({ handle }) => handle !== undefined)
  return match?.handle as PageHandle | undefined
}
