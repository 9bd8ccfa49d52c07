import { SCOPE } from '../../lib/embedded-site.ts'
import type { TabStorage } from '../engine/tab.ts'

/**
 * Returns localStorage, with sessionStorage for what it refuses, so that a text typed into a browser whose storage is
 * full still survives a reload. Returns null if the browser forbids both.
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
    // A key in both was changed while localStorage was full, so the value in sessionStorage is newer.
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

/** Returns the part of a storage that belongs to this site, under its own names. */
function scoped(storage: Storage): TabStorage {
  if (SCOPE === '') return storage
  return {
    get length() {
      return storage.length
    },
    // The result is null for other sites' keys.
    key: (index) => withoutScope(storage.key(index)),
    getItem: (key) => storage.getItem(SCOPE + key),
    setItem: (key, value) => storage.setItem(SCOPE + key, value),
    removeItem: (key) => storage.removeItem(SCOPE + key),
  }
}

/** Returns a stored key's own name; null for other sites' keys. */
export function withoutScope(key: string | null): string | null {
  return key?.startsWith(SCOPE) ? key.slice(SCOPE.length) : null
}

function storageOf(name: 'localStorage' | 'sessionStorage'): TabStorage | null {
  try {
    return window[name] && scoped(window[name])
  } catch {
    // Reading the property throws if storage is forbidden.
    return null
  }
}
