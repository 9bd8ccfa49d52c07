let visited: string | null = null

/** Returns the page that the visitor is on: one of our paths, or the origin and path of a site's page. */
export function visitedPage(): string {
  return visited ?? location.pathname
}

/** Sets the site's page around the frame that holds the chat. */
export function setVisitedPage(page: string): void {
  visited = page
}
