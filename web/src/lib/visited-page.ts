let visited: string | null = null

/** The page that the visitor is on: a path of ours, or origin and path of a site's. */
export function visitedPage(): string {
  return visited ?? location.pathname
}

/** In the frame of a site. */
export function setVisitedPage(page: string): void {
  visited = page
}
