import { each } from './guard.ts'

/** Stops the page from scrolling. The returned function gives back what it found. */
export function lockScroll(): () => void {
  const { documentElement: root, body } = document
  // The window scrolls by the overflow of the body where the root has none. The other one's would move the content.
  const scrolls = (element: Element) => getComputedStyle(element).overflowY !== 'visible'
  const unlock = scrolls(body) || !scrolls(root) ? [lock(body)] : []
  if (scrolls(root)) unlock[unlock.length] = lock(root)
  return () => each(unlock, (back) => back())
}

function lock(element: HTMLElement): () => void {
  const { style } = element
  const hadStyle = element.hasAttribute('style')
  const value = style.getPropertyValue('overflow')
  const priority = style.getPropertyPriority('overflow')
  style.setProperty('overflow', 'hidden', 'important')
  return () => {
    style.setProperty('overflow', value, priority)
    // Unless the page has set others meanwhile.
    if (!hadStyle && style.length === 0) element.removeAttribute('style')
  }
}
