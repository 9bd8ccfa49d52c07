import type { Tab } from '../engine/tab.ts'
import { fallbackStorage } from './fallback-storage.ts'

/** The engine's view of this browser tab. */
export function thisTab(): Tab {
  return {
    storage: fallbackStorage(),
    locks: navigator.locks ?? null,
    events: window,
    isOnline: () => navigator.onLine,
    isVisible: () => document.visibilityState === 'visible',
  }
}
