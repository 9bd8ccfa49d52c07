import { listen } from '../../lib/listen.ts'

// On a phone, Back closes the newest layer: a menu or a dialog of the panel, then the panel's sheet. While it is open, each
// has an entry of its own in the history, which holds its number from 1 on.

const MARK = 'chatSheet'

const layers: { onBack: () => void }[] = []
let settling: ReturnType<typeof setTimeout> | undefined

function depthOf(state: unknown): number {
  return typeof state === 'object' && state !== null && MARK in state ? Number(state[MARK]) : 0
}

/** Whether an entry with this state is the open sheet's. */
export function isSheetEntry(state: unknown): boolean {
  return depthOf(state) > 0
}

/** Adds the sheet's entry, unless a reload or Forward led to it. The returned function removes it. */
export function enterSheet(onBack: () => void): () => void {
  const { idx } = history.state ?? {}
  const leave = enter(onBack)
  const handle = (event: PopStateEvent) => {
    const depth = depthOf(event.state)
    // One step back is the same page: nothing for the router to do.
    if (layers.length > depth && event.state?.idx === idx) event.stopImmediatePropagation()
    while (layers.length > depth) layers.pop()?.onBack()
    settle()
  }
  // Capture: before the router.
  const ignore = listen(window, ['popstate'], handle, { capture: true })
  return () => {
    ignore()
    leave()
  }
}

/** Back closes this before the sheet. The returned function removes its entry. Without an open sheet it does nothing. */
export function enterLayer(onBack: () => void): () => void {
  return layers.length > 0 ? enter(onBack) : () => {}
}

function enter(onBack: () => void): () => void {
  const layer = { onBack }
  const depth = layers.push(layer)
  if (depthOf(history.state) < depth) history.pushState({ ...history.state, [MARK]: depth }, '')
  settle()
  return () => {
    const index = layers.indexOf(layer)
    if (index >= 0) layers.splice(index, 1)
    settle()
  }
}

/** Goes back over the entries of closed layers. Later: what opens again at once keeps its entry. */
function settle(): void {
  clearTimeout(settling)
  settling = setTimeout(() => {
    const extra = depthOf(history.state) - layers.length
    if (extra <= 0) return
    window.addEventListener('popstate', (event) => event.stopImmediatePropagation(), {
      capture: true,
      once: true,
    })
    history.go(-extra)
  })
}
