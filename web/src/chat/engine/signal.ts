/** Notifies its listeners in the order in which they subscribed. */
export function createSignal<T = void>() {
  const listeners = new Set<(value: T) => void>()
  return {
    emit(value: T) {
      for (const listener of listeners) listener(value)
    },
    /** Subscribes. Returns a function that unsubscribes. */
    on(listener: (value: T) => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
