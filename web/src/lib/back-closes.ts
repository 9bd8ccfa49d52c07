// On a phone, Back closes the top layer over the page. Each layer has an entry of its own in the history, for the
// same page, with the state that the router gave the page's entry.

const MARK = 'layers'

/** What closes each open layer, the topmost last. */
const layers: (() => void)[] = []
/** Entries of layers below the present one, and itself. */
let depth = 0
/** The router's number of the page below the layers. */
let page: unknown
/** While entries of closed layers are left: what runs after it. */
let waiting: (() => void)[] | null = null
/** The page that the last step through the history led to; undefined after anything else. */
let steppedTo: unknown

/** Back calls `close`. The returned function ends it, and removes the entry from the history. */
export function closeOnBack(close: () => void): () => void {
  window.addEventListener('popstate', handlePopState, true)
  const layer = () => close()
  layers.push(layer)
  // Later: a layer that opens at once in place of another one takes its entry.
  queueMicrotask(match)
  return () => {
    const at = layers.indexOf(layer)
    if (at !== -1) layers.splice(at, 1)
    queueMicrotask(match)
  }
}

/** Runs what may navigate, once the entries of layers that were just closed are left. */
export function afterClosing(run: () => void): void {
  match()
  if (waiting === null) run()
  else waiting.push(run)
}

/** As many entries as layers. */
function match(): void {
  if (waiting !== null) return
  // None after a navigation.
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

/** Captures: before the router. */
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
    // The same page: nothing for the router to do.
    if (idx === page) event.stopImmediatePropagation()
    for (const close of layers.splice(mark).reverse()) close()
  } else if (mark > before) {
    // The entry of a layer that is closed: on, in the same direction.
    event.stopImmediatePropagation()
    depth = before
    history.go(forward ? 1 : -mark)
  }
}

function markOf(state: unknown): number {
  return typeof state === 'object' && state !== null && MARK in state ? Number(state[MARK]) : 0
}
