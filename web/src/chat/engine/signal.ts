export interface Signal<T> {
  emit(value: T): void
  /** Returns the function that unsubscribes. */
  on(listener: (value: T) => void): () => void
}

/** Notifies its listeners in the order in which they subscribed. */
export function createSignal<T = void>(): Signal<T> {
  const listeners = new Set<(value: T) => void>()
  return {
    emit(value) {
      for (const listener of listeners) listener(value)
    },
    on(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
