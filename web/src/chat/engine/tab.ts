/** The part of Web Storage that the engine uses. */
export interface TabStorage {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
  /** Whether this key's value outlives the tab. If missing, every value does. */
  isLasting?: ((key: string) => boolean) | undefined
}

/**
 * What the engine needs from the browser tab in which it runs. The page passes it in. Tests run in Node and give two
 * tabs one storage and one set of locks.
 */
export interface Tab {
  /** Null if the browser forbids storage. */
  storage: TabStorage | null
  /** Web Locks. Null in old browsers, and on pages that are not served securely. */
  locks: {
    request(
      name: string,
      options: { signal?: AbortSignal; mode?: 'shared' },
      work: () => Promise<unknown>,
    ): Promise<unknown>
    query(): Promise<{ held?: { name?: string }[] }>
  } | null
  /** The window. */
  events: Pick<EventTarget, 'addEventListener'>
  isOnline(): boolean
  isVisible(): boolean
}

/** Watches the window until the returned function is called. */
export function watchTab(
  tab: Tab,
  on: {
    /** Called when the tab is back: online, visible, or resumed. */
    onWake: () => void
    onOffline: () => void
    /** Called when another tab changed a key in localStorage, or all keys if the key is null. */
    onStorage: (key: string | null) => void
    /** Called when the page is left, perhaps for good. */
    onLeave: () => void
    /** Called when the page enters or leaves the back/forward cache. */
    onCached: () => void
    onRestored: () => void
  },
): () => void {
  const abort = new AbortController()
  const listeners: Record<string, (event: Event & { key?: string | null; persisted?: boolean }) => void> = {
    online: on.onWake,
    resume: on.onWake,
    visibilitychange: () => tab.isVisible() && on.onWake(),
    offline: on.onOffline,
    storage: ({ key = null }) => on.onStorage(key),
    pagehide({ persisted }) {
      on.onLeave()
      if (persisted) on.onCached()
    },
    pageshow: ({ persisted }) => persisted && on.onRestored(),
  }
  // The listeners capture, because some of these events are the document's and do not bubble to the window.
  for (const [type, listener] of Object.entries(listeners))
    tab.events.addEventListener(type, listener, { capture: true, signal: abort.signal })
  return () => abort.abort()
}

/** Longer than a running tab holds a lock. */
const LOCK_WAIT_MS = 30_000

/**
 * Runs `work` in one of this browser's tabs at a time. Without Web Locks, or while a frozen tab holds the lock, it runs
 * `work` anyway: the lock saves requests, but correctness does not depend on it. The lock does not order storage, so
 * `work` may not yet see what the previous tab wrote to localStorage.
 */
export async function withLock<T>(tab: Tab, name: string, work: () => Promise<T>): Promise<T> {
  if (tab.locks === null) return await work()
  let granted = false
  try {
    return (await tab.locks.request(name, { signal: AbortSignal.timeout(LOCK_WAIT_MS) }, () => {
      granted = true
      return work()
    })) as T
  } catch (error) {
    if (granted) throw error
    return await work()
  }
}
