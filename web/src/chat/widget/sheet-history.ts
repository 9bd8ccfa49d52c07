// On a phone, Back closes the sheet: while it is open, it has an entry of its own in the history.

const MARK = 'chatSheet'

/** Whether an entry with this state is the open sheet's. */
export function isSheetEntry(state: unknown): boolean {
  return typeof state === 'object' && state !== null && MARK in state
}

let leaving: ReturnType<typeof setTimeout> | undefined

/** Adds the sheet's entry, unless a reload or Forward led to it. The returned function removes it. */
export function enterSheet(onBack: () => void): () => void {
  clearTimeout(leaving)
  const { state } = history
  if (!isSheetEntry(state)) history.pushState({ ...state, [MARK]: true }, '')
  const handle = (event: PopStateEvent) => {
    if (isSheetEntry(event.state)) return
    // One step back is the same page: nothing for the router to do.
    if (event.state?.idx === state?.idx) event.stopImmediatePropagation()
    onBack()
  }
  // Capture: before the router.
  window.addEventListener('popstate', handle, true)
  return () => {
    window.removeEventListener('popstate', handle, true)
    // Later: a sheet that opens again at once keeps its entry.
    leaving = setTimeout(leave)
  }
}

function leave(): void {
  if (!isSheetEntry(history.state)) return
  window.addEventListener('popstate', (event) => event.stopImmediatePropagation(), {
    capture: true,
    once: true,
  })
  history.back()
}
