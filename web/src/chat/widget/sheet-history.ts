import { beforeRouter } from '../../lib/before-router.ts'

// On a phone, Back closes the newest layer: one of the panel's menus or dialogs, then the panel's sheet. Each open
// layer has its own history entry, which holds its number, starting at 1.

const MARK = 'chatSheet'

const layers: { onBack: () => void }[] = []
let settling: ReturnType<typeof setTimeout> | undefined

function depthOf(state: unknown): number {
  return (state as { [MARK]?: number } | null)?.[MARK] ?? 0
}

/** Whether an entry with this state belongs to the open sheet. */
export function isSheetEntry(state: unknown): boolean {
  return depthOf(state) > 0
}

/** Adds the sheet's entry, unless a reload or Forward led to it. Returns a function that removes it. */
export function enterSheet(onBack: () => void): () => void {
  const { idx } = history.state ?? {}
  const leave = enter(onBack)
  const handle = (event: PopStateEvent) => {
    const depth = depthOf(event.state)
    // One step back leads to the same page, so the router must not handle it.
    if (layers.length > depth && event.state?.idx === idx) event.stopImmediatePropagation()
    while (layers.length > depth) layers.pop()?.onBack()
    settle()
  }
  beforeRouter.add(handle)
  return () => {
    beforeRouter.delete(handle)
    leave()
  }
}

/**
 * Adds a layer that Back closes before the sheet. Returns a function that removes its entry. Does nothing without an
 * open sheet.
 */
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

/** Goes back over closed layers' entries, but later, so that a layer that opens again at once keeps its entry. */
function settle(): void {
  clearTimeout(settling)
  settling = setTimeout(() => {
    const extra = depthOf(history.state) - layers.length
    if (extra <= 0) return
    beforeRouter.add(function ignore(event) {
      beforeRouter.delete(ignore)
      event.stopImmediatePropagation()
    })
    history.go(-extra)
  })
}
