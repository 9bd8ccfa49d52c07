/**
 * Runs `work` in a frame right behind its layout, when reading the layout is free: in a task of its own, it could follow
 * a render that it would have to lay out. The returned function cancels it.
 */
export function afterFrame(work: () => void): () => void {
  // An observation begins with a report of the element.
  const observer = new ResizeObserver(() => {
    observer.disconnect()
    work()
  })
  // What was rendered now is painted first: browsers paint soon after an input.
  const timer = setTimeout(() => observer.observe(document.body))
  return () => {
    clearTimeout(timer)
    observer.disconnect()
  }
}
