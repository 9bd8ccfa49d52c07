const HEADING = 'h1, h2, h3, h4, h5, h6'
const USED = 'input, select, textarea, button, summary, iframe, [tabindex]:not([tabindex="-1"])'
const CONTENT = `${HEADING}, ${USED}, a[href]`
/** What belongs to the chat. */
const OWN = '.chat-card, .chat-launcher'

/** Whether an element stands over a heading, a link, a field or another thing that takes the focus. */
export function coversContent(element: HTMLElement): boolean {
  const area = element.getBoundingClientRect()
  const isUnder = (rect: DOMRect) =>
    rect.right > area.left && rect.left < area.right && rect.bottom > area.top && rect.top < area.bottom
  for (const found of document.querySelectorAll(CONTENT)) {
    if (!isUnder(found.getBoundingClientRect()) || found.closest(OWN)) continue
    if (found.checkVisibility?.({ visibilityProperty: true }) === false) continue
    // The box of a heading or a link may be wider than its words.
    const words = document.createRange()
    words.selectNodeContents(found)
    const rects = (found.matches(USED) ? found : words).getClientRects()
    if ([...rects].some(isUnder)) return true
  }
  return false
}
