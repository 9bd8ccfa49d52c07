/**
 * Functions that run for each `popstate` before the router's own listener, which they can keep from it. Chromium calls
 * the window's listeners in the order in which they were added, also those that capture, so the page's entry imports this
 * module before it creates the router.
 */
export const beforeRouter = new Set<(event: PopStateEvent) => void>()

// The server has no window.
if (typeof window !== 'undefined') {
  window.addEventListener('popstate', (event) => {
    for (const listener of beforeRouter) listener(event)
  })
}
