export type KeptTexts = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'> & {
  /** Whether what is under this key outlives the tab. Missing where all is kept alike. */
  isLasting?: ((key: string) => boolean) | undefined
}

/**
 * localStorage, and the tab's own sessionStorage for what it refuses to take: a text typed into a browser whose
 * storage is full still survives a reload. Null where the browser forbids both.
 */
export function roomyStorage(): KeptTexts | null {
  const shared = storageOf('localStorage')
  const own = storageOf('sessionStorage')
  if (shared === null || own === null) return shared ?? own
  return {
    get length() {
      return shared.length + own.length
    },
    key: (index) => (index < shared.length ? shared.key(index) : own.key(index - shared.length)),
    // What stands in both was changed when there was no room: the tab's is the newer.
    getItem: (key) => own.getItem(key) ?? shared.getItem(key),
    setItem(key, value) {
      try {
        shared.setItem(key, value)
        own.removeItem(key)
      } catch {
        own.setItem(key, value)
      }
    },
    isLasting: (key) => own.getItem(key) === null,
    removeItem(key) {
      shared.removeItem(key)
      own.removeItem(key)
    },
  }
}

function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[name]
  } catch {
    // Even the property throws where storage is forbidden.
    return null
  }
}
