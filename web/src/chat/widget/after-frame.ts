/**
 * Runs `work` in a frame right after its layout, when reading the layout is free. In its own task, `work` could follow
 * a render and would have to cause its layout. The returned function cancels this.
 */
export function afterFrame(work: () => void): () => void {
  // The observer reports the element when the observation begins.
  const observer = new ResizeObserver(() => {
    observer.disconnect()
    work()
  })
  // The timer lets the browser first paint what was rendered now, because browsers paint soon after an input.
  const timer = setTimeout(() => observer.observe(document.body))
  return () => {
    clearTimeout(timer)
    observer.disconnect()
  }
}
