/** Tells whoever keeps something made of posts and reviews that it is out of date. */
export interface ContentChanges {
  /** To be called once a change is stored and before it is answered: who then reads, reads the new. */
  tell(): void
  listen(listener: () => void): void
}

export function createContentChanges(): ContentChanges {
  const listeners: (() => void)[] = []
  return {
    tell() {
      for (const listener of listeners) listener()
    },
    listen(listener) {
      listeners.push(listener)
    },
  }
}
