import { each } from './guard.ts'

/** Stops the page from scrolling. The returned function gives back what it found. */
export function lockScroll(): () => void {
  const unlock = [lock(document.documentElement), lock(document.body)]
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
