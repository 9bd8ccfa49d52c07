import { guarded } from './guard.ts'
import type { View } from './view.ts'

/** A page whose scripts keep removing the launcher wins. */
const RETURNS_MAX = 20

/** Until the signal is aborted. */
export function listen(target: EventTarget, type: string, work: () => unknown, signal: AbortSignal): void {
  target.addEventListener(type, guarded<unknown>(work), { signal })
}

/**
 * Puts the view beside the body, where scripts that replace the body leave it, and again if they replace more. `moved`:
 * children of the document changed. `erased`: the document was written again.
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
    // Another one after the whole document was replaced.
    observer.observe(document, { childList: true })
    observer.observe(document.documentElement, { childList: true })
    place()
  }
  watch()
  signal.onabort = () => observer.disconnect()
}

/** Whether React has begun to hydrate the whole document, and not ended: it marks the root element when it ends. */
export function isHydrating(): boolean {
  return has(document, '__reactContainer') && !has(document.documentElement, '__reactFiber')
}

function has(target: object, prefix: string): boolean {
  for (const key in target) if (key.indexOf(prefix) === 0) return true
  return false
}

/** Calls `work` after each change of the address in the same document. */
export function watchAddress(work: () => unknown, signal: AbortSignal): void {
  const { navigation } = window as { navigation?: EventTarget }
  listen(navigation ?? window, navigation ? 'currententrychange' : 'popstate', work, signal)
}

/** Calls `work` after each change of the visible part of the page: by an on-screen keyboard, a zoom, a turned phone. */
export function watchViewport(work: () => void, signal: AbortSignal): void {
  const viewport = window.visualViewport as VisualViewport
  listen(viewport, 'resize', work, signal)
  listen(viewport, 'scroll', work, signal)
}
