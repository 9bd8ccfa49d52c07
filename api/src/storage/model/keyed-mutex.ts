/**
 * Runs operations with the same key one after another, in call order. Operations with different keys run concurrently.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  run<T>(key: string, operation: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key)
    const current = previous === undefined ? operation() : previous.then(operation, operation)
    this.#last.set(key, current)
    const release = () => {
      if (this.#last.get(key) === current) this.#last.delete(key)
    }
    current.then(release, release)
    return current
  }
}
