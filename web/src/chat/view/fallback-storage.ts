import { SCOPE } from '../../lib/embedded-site.ts'
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

/** What belongs to this site of a storage, by its own names. */
function scoped(storage: Storage): TabStorage {
  if (SCOPE === '') return storage
  return {
    get length() {
      return storage.length
    },
    // Null for those of others.
    key: (index) => withoutScope(storage.key(index)),
    getItem: (key) => storage.getItem(SCOPE + key),
    setItem: (key, value) => storage.setItem(SCOPE + key, value),
    removeItem: (key) => storage.removeItem(SCOPE + key),
  }
}

/** The own name of a stored key; null for keys of other sites. */
export function withoutScope(key: string | null): string | null {
  return key?.startsWith(SCOPE) ? key.slice(SCOPE.length) : null
}

function storageOf(name: 'localStorage' | 'sessionStorage'): TabStorage | null {
  try {
    return window[name] && scoped(window[name])
  } catch {
    // Reading the property throws where storage is forbidden.
    return null
  }
}
