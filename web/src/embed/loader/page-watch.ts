import { guarded } from './guard.ts'
import type { View } from './view.ts'

/** If the page's scripts remove the launcher more often than this, it stays away. */
const RETURNS_MAX = 20

/** Listens until the signal is aborted. */
export function listen(target: EventTarget, type: string, work: () => unknown, signal: AbortSignal): void {
  target.addEventListener(type, guarded<unknown>(work), { signal })
}

/**
 * Puts the view beside the body, where scripts that replace the body leave it, and puts it back if they replace more.
 * `moved` is called when the document's children have changed, and `erased` when the document has been written again.
 */
export function stayOnPage(
  view: View,
  on: { moved: () => void; erased: () => void },
  signal: AbortSignal,
): void {
  let returns = 0
  const place = () => {
    if (!view.element.isConnected && returns++ < RETURNS_MAX) {
      if (!view.isAlive()) return on.erased()
      document.documentElement.append(view.element)
      view.fit()
    }
    on.moved()
  }
  const observer = new MutationObserver(guarded(watch))
  function watch(): void {
    // The root element is another one after the whole document has been replaced.
    observer.observe(document, { childList: true })
    observer.observe(document.documentElement, { childList: true })
    place()
  }
  watch()
  signal.onabort = () => observer.disconnect()
}

/**
 * Returns whether React has begun to hydrate the whole document and has not finished. It marks the root element when it
 * finishes.
 */
export function isHydrating(): boolean {
  return has(document, '__reactContainer') && !has(document.documentElement, '__reactFiber')
}

function has(target: object, prefix: string): boolean {
  for (const key in target) if (key.indexOf(prefix) === 0) return true
  return false
}

/** Calls `work` each time that the address changes within the same document. */
export function watchAddress(work: () => unknown, signal: AbortSignal): void {
  const { navigation } = window as { navigation?: EventTarget }
  listen(navigation ?? window, navigation ? 'currententrychange' : 'popstate', work, signal)
}

/** Calls `work` each time that the page's visible part changes: an on-screen keyboard, a zoom, or a turned phone. */
export function watchViewport(work: () => void, signal: AbortSignal): void {
  const viewport = window.visualViewport as VisualViewport
  listen(viewport, 'resize', work, signal)
  listen(viewport, 'scroll', work, signal)
}
