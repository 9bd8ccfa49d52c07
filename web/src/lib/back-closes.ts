import { beforeRouter } from './before-router.ts'

// On a phone, Back closes the top layer over the page. Each layer has its own history entry for the same page, with the
// state that the router gave the page's entry.

const MARK = 'layers'

/** Functions that close each open layer, with the topmost last. */
const layers: (() => void)[] = []
/** The number of layer entries up to the present entry. */
let depth = 0
/** The router's number for the page below the layers. */
let page: unknown
/** What runs once the closed layers' entries have been left. Null if there are no such entries. */
let waiting: (() => void)[] | null = null
/** The page to which the last step through the history led. Undefined after anything else. */
let steppedTo: unknown

/** Makes Back call `close`. The returned function ends this, and removes the entry from the history. */
export function closeOnBack(close: () => void): () => void {
  beforeRouter.add(handlePopState)
  const layer = () => close()
  layers.push(layer)
  // The microtask lets a layer that opens at once in place of another layer take over its entry.
  queueMicrotask(match)
  return () => {
    const at = layers.indexOf(layer)
    if (at !== -1) layers.splice(at, 1)
    queueMicrotask(match)
  }
}

/** Runs a function that may navigate, once the entries of layers that were just closed have been left. */
export function afterClosing(run: () => void): void {
  match()
  if (waiting === null) run()
  else waiting.push(run)
}

/** Makes the number of entries equal to the number of layers. */
function match(): void {
  if (waiting !== null) return
  // After a navigation, the present entry belongs to no layer.
  depth = markOf(history.state)
  page = history.state?.idx
  if (layers.length < depth) {
    waiting = []
    history.go(layers.length - depth)
  }
  for (; depth < layers.length; depth += 1) {
    history.pushState({ ...history.state, [MARK]: depth + 1 }, '')
    steppedTo = undefined
  }
}

/** Runs before the router. */
function handlePopState(event: PopStateEvent): void {
  const mark = markOf(event.state)
  const idx = event.state?.idx
  const before = depth
  depth = mark
  const forward = mark > 0 && idx === steppedTo
  steppedTo = mark === 0 ? idx : undefined
  if (waiting !== null) {
    if (idx === page) event.stopImmediatePropagation()
    const runs = waiting
    waiting = null
    match()
    for (const run of runs) afterClosing(run)
  } else if (mark < before) {
    // The page is the same, so the router has nothing to do.
    if (idx === page) event.stopImmediatePropagation()
    for (const close of layers.splice(mark).reverse()) close()
  } else if (mark > before) {
    // The entry belongs to a closed layer, so the browser goes on in the same direction.
    event.stopImmediatePropagation()
    depth = before
    history.go(forward ? 1 : -mark)
  }
}

function markOf(state: unknown): number {
  return typeof state === 'object' && state !== null && MARK in state ? Number(state[MARK]) : 0
}
