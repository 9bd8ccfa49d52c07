import { type KeptTexts, roomyStorage } from './fallback-storage.ts'

/** What the engine needs of the browser tab it runs in. Tests give two tabs one storage and one set of locks. */
export interface Tab {
  /** Null where the browser forbids it. */
  storage: KeptTexts | null
  /** Null where the browser has none: old ones, and pages that are not served securely. */
  locks: Pick<LockManager, 'request'> | null
  /** The window. */
  events: EventTarget
  isOnline(): boolean
  isVisible(): boolean
}

export function thisTab(): Tab {
  return {
    storage: roomyStorage(),
    locks: navigator.locks ?? null,
    events: window,
    isOnline: () => navigator.onLine,
    isVisible: () => document.visibilityState === 'visible',
  }
}

/** Longer than anybody who is awake holds a lock. */
const LOCK_WAIT_MS = 30_000

/**
 * Runs `work` in one tab of this browser at a time. Where that cannot be had (no locks, or a frozen tab sits on
 * it) the work is done all the same: what it guards stays correct without, it only costs more.
 */
export async function withLock<T>(tab: Tab, name: string, work: () => Promise<T>): Promise<T> {
  if (tab.locks === null) return await work()
  let granted = false
  try {
    return await tab.locks.request(name, { signal: AbortSignal.timeout(LOCK_WAIT_MS) }, () => {
      granted = true
      return work()
    })
  } catch (error) {
    if (granted) throw error
    return await work()
  }
}
