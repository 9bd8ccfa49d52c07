import { SCOPE } from '../../lib/embedded-site.ts'
import type { Tab } from '../engine/tab.ts'
import { fallbackStorage, withoutScope } from './fallback-storage.ts'

/** Returns the engine's view of this browser tab. */
export function thisTab(): Tab {
  return {
    storage: fallbackStorage(),
    locks: ownLocks(),
    events: SCOPE === '' ? window : { addEventListener: listenInScope },
    isOnline: () => navigator.onLine,
    isVisible: () => document.visibilityState === 'visible',
  }
}

/** Returns this site's locks under their own names. */
function ownLocks(): Tab['locks'] {
  const { locks } = navigator
  if (!locks || SCOPE === '') return locks ?? null
  return {
    request: (name, options, work) => locks.request(SCOPE + name, options, work),
    async query() {
      const { held = [] } = await locks.query()
      return { held: held.map(({ name = '' }) => ({ name: withoutScope(name) ?? '' })) }
    },
  }
}

/**
 * Does what the window's `addEventListener` does, but passes on only changes in this site's storage, under their own
 * names.
 */
const listenInScope: Tab['events']['addEventListener'] = (type, listener, options) => {
  if (type !== 'storage' || typeof listener !== 'function') {
    window.addEventListener(type, listener as EventListener, options)
    return
  }
  const inScope = (event: Event) => {
    const { key } = event as StorageEvent
    const own = withoutScope(key)
    if (key === null || own !== null) listener(new StorageEvent('storage', { key: own }))
  }
  window.addEventListener(type, inScope, options)
}
