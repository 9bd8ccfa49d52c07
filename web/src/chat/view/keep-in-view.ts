import { flushSync } from 'react-dom'

/**
 * Folds or unfolds a text, and keeps on the screen what the reader sees: the text above the button, or the button if
 * that text disappears.
 */
export function keepInView(button: HTMLElement, isOpen: boolean, setOpen: (isOpen: boolean) => void): void {
  const log = button.closest('.chat-log')
  const bubble = button.parentElement
  if (!log || !bubble) return
  const topOf = (element: Element) => element.getBoundingClientRect().top
  const fixed = isOpen && topOf(bubble) < topOf(log) ? button : bubble
  const before = topOf(fixed)
  flushSync(() => setOpen(!isOpen))
  log.scrollTop += topOf(fixed) - before
  // The event lets the list notice whether it is still at its end, before it would scroll there.
  log.dispatchEvent(new Event('scroll'))
}
