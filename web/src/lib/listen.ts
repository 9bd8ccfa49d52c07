type Events = DocumentEventMap & WindowEventMap

/**
 * Calls `listener` for events of these types, until the returned function is called. The window receives all events in
 * its capture phase, including the document's `visibilitychange`.
 */
export function listen<Type extends keyof Events>(
  target: EventTarget,
  types: readonly Type[],
  listener: (event: Events[Type]) => void,
  options?: AddEventListenerOptions,
): () => void {
  const abort = new AbortController()
  for (const type of types) {
    target.addEventListener(type, listener as EventListener, { ...options, signal: abort.signal })
  }
  return () => abort.abort()
}
