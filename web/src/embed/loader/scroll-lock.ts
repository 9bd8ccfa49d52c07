export interface ScrollLock {
  isLocked(): boolean
  /** Stops the page from scrolling, or gives back what it found. By default again as it is, for a page with another body. */
  set(locked?: boolean): void
}

export function createScrollLock(): ScrollLock {
  let unlock: (() => void) | null = null
  const isLocked = () => unlock !== null
  return {
    isLocked,
    set(locked = isLocked()) {
      unlock?.()
      unlock = locked ? lockScroll() : null
    },
  }
}

function lockScroll(): () => void {
  const { documentElement: root, body } = document
  // The window scrolls by the overflow of the body where the root has none. The other one's would move the content.
  const scrolls = (element: Element) => getComputedStyle(element).overflowY !== 'visible'
  const unlockRoot = scrolls(root) ? lock(root) : null
  const unlockBody = scrolls(body) || !unlockRoot ? lock(body) : null
  return () => {
    unlockBody?.()
    unlockRoot?.()
  }
}

function lock(element: HTMLElement): () => void {
  const { style } = element
  const hadStyle = element.hasAttribute('style')
  // The shorthand would be empty where the page has set one axis only.
  const unlockX = lockAxis(style, 'overflow-x')
  const unlockY = lockAxis(style, 'overflow-y')
  return () => {
    unlockX()
    unlockY()
    // Unless the page has set others meanwhile. Chromium leaves an attribute that nothing has read.
    if (!hadStyle && !element.getAttribute('style')) element.removeAttribute('style')
  }
}

function lockAxis(style: CSSStyleDeclaration, axis: string): () => void {
  const value = style.getPropertyValue(axis)
  const priority = style.getPropertyPriority(axis)
  style.setProperty(axis, 'hidden', 'important')
  return () => style.setProperty(axis, value, priority)
}
