const HEADING = 'h1, h2, h3, h4, h5, h6'
const USED = 'input, select, textarea, button, summary, iframe, [tabindex]:not([tabindex="-1"])'
const PICTURE = 'img, svg, video, canvas'
/** What belongs to the chat. */
const OWN = '.chat-card, .chat-launcher'
/** A small screen is full of text: there only words that lead somewhere count. The queries are those of `card.css`. */
const SMALL = '(max-width: 39.99em), (max-height: 29.99em)'

/** Whether an element stands over what the page is used with or, on a large screen, over any text or picture. */
export function coversContent(element: HTMLElement): boolean {
  const area = element.getBoundingClientRect()
  const isUnder = (rect: DOMRect) =>
    rect.right > area.left && rect.left < area.right && rect.bottom > area.top && rect.top < area.bottom
  const isSmall = matchMedia(SMALL).matches

  for (const found of document.querySelectorAll(isSmall ? USED : `${USED}, ${PICTURE}`)) {
    if (isUnder(found.getBoundingClientRect()) && isSeen(found)) return true
  }
  // A box may be wider than its words.
  const words = document.createRange()
  for (const found of document.querySelectorAll(isSmall ? `${HEADING}, a[href]` : 'body *')) {
    if (!isUnder(found.getBoundingClientRect()) || !isSeen(found)) continue
    for (const text of isSmall ? [found] : found.childNodes) {
      if (!isSmall && !(text instanceof Text && text.data.trim())) continue
      words.selectNodeContents(text)
      if ([...words.getClientRects()].some(isUnder)) return true
    }
  }
  return false
}

const isSeen = (found: Element) =>
  !found.closest(OWN) && found.checkVisibility?.({ visibilityProperty: true }) !== false
