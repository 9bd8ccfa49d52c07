export interface ScrollLock {
  isLocked(): boolean
  /**
   * Stops the page from scrolling, or restores the styles that it found. Without an argument it repeats the last call,
   * for a page that has a new body.
   */
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
  // If the root has no overflow, the body's overflow scrolls the window. Changing the other element's would move the
  // content.
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
  // If the page has set only one axis, the shorthand would be empty.
  const unlockX = lockAxis(style, 'overflow-x')
  const unlockY = lockAxis(style, 'overflow-y')
  return () => {
    unlockX()
    unlockY()
    // The attribute stays if the page has set other styles in the meantime. Chromium keeps an attribute that nothing
    // has read.
    if (!hadStyle && !element.getAttribute('style')) element.removeAttribute('style')
  }
}

function lockAxis(style: CSSStyleDeclaration, axis: string): () => void {
  const value = style.getPropertyValue(axis)
  const priority = style.getPropertyPriority(axis)
  style.setProperty(axis, 'hidden', 'important')
  return () => style.setProperty(axis, value, priority)
}
