import type { TabStorage } from '../engine/tab.ts'

/**
 * localStorage, with sessionStorage for what it refuses: a text typed into a browser whose storage is full still
 * survives a reload. Null where the browser forbids both.
 */
export function fallbackStorage(): TabStorage | null {
  const shared = storageOf('localStorage')
  const own = storageOf('sessionStorage')
  if (shared === null || own === null) return shared ?? own
  return {
    get length() {
      return shared.length + own.length
    },
    key: (index) => (index < shared.length ? shared.key(index) : own.key(index - shared.length)),
    // A key in both was changed while localStorage was full: the value in sessionStorage is newer.
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
    // Reading the property throws where storage is forbidden.
    return null
  }
}
