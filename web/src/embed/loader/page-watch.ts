import { each, guarded } from './guard.ts'

/** A page whose scripts keep removing the launcher wins. */
const RETURNS_MAX = 20

type Stop = () => void

/** Collects what ends with the widget. */
export function createStops() {
  const stops: Stop[] = []
  return {
    add(stop: Stop): void {
      stops[stops.length] = stop
    },
    stopAll(): void {
      each(stops, (stop) => stop())
    },
  }
}

export function listen(target: EventTarget, type: string, work: () => unknown): Stop {
  const listener = guarded<unknown>(work)
  target.addEventListener(type, listener)
  return () => target.removeEventListener(type, listener)
}

/** Puts the element beside the body, where scripts that replace the body leave it, and again if they replace more. */
export function stayOnPage(element: Element): Stop {
  let returns = 0
  const place = () => {
    if (!element.isConnected && returns++ < RETURNS_MAX) document.documentElement.append(element)
  }
  const observer = new MutationObserver(guarded(watch))
  function watch(): void {
    // Another one after the whole document was replaced.
    observer.observe(document, { childList: true })
    observer.observe(document.documentElement, { childList: true })
    place()
  }
  watch()
  return () => observer.disconnect()
}

/** Calls `work` after each change of the address in the same document. */
export function watchAddress(work: () => unknown): Stop {
  const { navigation } = window as { navigation?: EventTarget }
  return listen(navigation ?? window, navigation ? 'currententrychange' : 'popstate', work)
}

/** Calls `work` after each change of the visible part of the page: by an on-screen keyboard, a zoom, a turned phone. */
export function watchViewport(work: () => void): Stop {
  const { visualViewport } = window
  if (!visualViewport) return () => {}
  const stop = listen(visualViewport, 'resize', work)
  const stopToo = listen(visualViewport, 'scroll', work)
  return () => {
    stop()
    stopToo()
  }
}
