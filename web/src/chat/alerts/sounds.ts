import type { Howl } from 'howler'
import { create } from 'zustand'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'
import messageUrl from './sounds/message.mp3'
import unreadUrl from './sounds/unread.mp3'

const MUTED_KEY = 'muted'
const CHIMED_KEY = 'chimed'

export type Chime = 'message' | 'unread'

const URLS: Record<Chime, string> = { message: messageUrl, unread: unreadUrl }
const VOLUME = 0.6

/** A tab that nobody looks at lets the others go first. */
const HIDDEN_WAIT_MS = 300
/**
 * For this long after a chime no other of its kind is heard, in any tab. Tabs learn of an unread count up to one
 * polling interval apart.
 */
const REST_MS: Record<Chime, number> = { message: 1_000, unread: 5_500 }

/** Whether this browser's person wants no sounds; the same in all its tabs. */
export const useMuted = create(() => readStorage(MUTED_KEY) === 'true')

export function setMuted(muted: boolean): void {
  writeStorage(MUTED_KEY, muted ? 'true' : null)
  useMuted.setState(muted, true)
}

if (typeof window !== 'undefined') {
  window.addEventListener('storage', (event) => {
    if (event.key === MUTED_KEY) useMuted.setState(event.newValue === 'true', true)
  })
}

/**
 * Plays a short sound, in one tab of this browser, unless it is muted or nobody has touched the page yet (browsers
 * are silent before). `about` names what it is for: for the same thing it is not played twice, however late another
 * tab hears of it.
 */
export function playChime(chime: Chime, about?: string): void {
  if (useMuted.getState() || !wasTouched()) return
  // A sound that cannot be played is not worth a word.
  inTurn(chime, about).catch(() => {})
}

/** Says that a person sees it in this tab: no other has to be heard. */
export function skipChime(chime: Chime, about: string): void {
  writeStorage(CHIMED_KEY, `${chime}:${about}`)
}

async function inTurn(chime: Chime, about: string | undefined): Promise<void> {
  if (document.visibilityState === 'hidden') await delay(HIDDEN_WAIT_MS)
  if (!navigator.locks) return await play(chime, about)
  await navigator.locks.request(`chime:${chime}`, { ifAvailable: true }, async (lock) => {
    if (!lock) return
    await play(chime, about)
    await delay(REST_MS[chime])
  })
}

async function play(chime: Chime, about: string | undefined): Promise<void> {
  if (about !== undefined) {
    if (readStorage(CHIMED_KEY) === `${chime}:${about}`) return
    skipChime(chime, about)
  }
  const sound = await load(chime)
  sound.play()
}

const loading = new Map<Chime, Promise<Howl>>()

function load(chime: Chime): Promise<Howl> {
  const known = loading.get(chime)
  if (known) return known
  const sound = import('howler/dist/howler.core.min.js').then(
    ({ Howl }) => new Howl({ src: [URLS[chime]], volume: VOLUME }),
  )
  loading.set(chime, sound)
  // Offline: the next chime asks again.
  sound.catch(() => loading.delete(chime))
  return sound
}

/**
 * Gets the sounds ready at the next gesture. Safari plays only what was unlocked during one, so the library has to
 * be there before the first chime. Returns how to call it off.
 */
export function prepareChimes(): () => void {
  const prepare = () => {
    callOff()
    if (!useMuted.getState()) load('message').catch(() => {})
  }
  const callOff = () => {
    document.removeEventListener('pointerup', prepare)
    document.removeEventListener('keydown', prepare)
  }
  document.addEventListener('pointerup', prepare)
  document.addEventListener('keydown', prepare)
  return callOff
}

function wasTouched(): boolean {
  return navigator.userActivation?.hasBeenActive ?? true
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
