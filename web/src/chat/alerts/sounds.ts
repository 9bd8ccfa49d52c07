import type { Howl } from 'howler'
import { create } from 'zustand'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'
import { SCOPE } from '../../lib/embedded-site.ts'
import { listen } from '../../lib/listen.ts'
import messageUrl from './sounds/message.mp3'

const MUTED_KEY = 'muted'
const CHIMED_KEY = 'chimed'

export interface Chime {
  name: string
  url: string
  /**
   * Within this time, no tab plays a second chime of this kind. Tabs learn about an unread count up to one polling
   * interval apart.
   */
  cooldownMs: number
}

export const MESSAGE_CHIME: Chime = { name: 'message', url: messageUrl, cooldownMs: 1_000 }
const VOLUME = 0.6

/** A hidden tab waits this long, so that a visible tab plays the sound. */
const HIDDEN_WAIT_MS = 300

/** Whether sounds are muted, in all tabs of this browser. */
export const useMuted = create(() => readStorage(MUTED_KEY) === 'true')

export function setMuted(muted: boolean): void {
  writeStorage(MUTED_KEY, muted ? 'true' : null)
  useMuted.setState(muted, true)
}

if (typeof window !== 'undefined') {
  window.addEventListener('storage', (event) => {
    if (event.key === SCOPE + MUTED_KEY) useMuted.setState(event.newValue === 'true', true)
  })
}

/**
 * Plays a short sound in one of this browser's tabs, unless sounds are muted or the page has had no user gesture yet
 * (browsers block sound before). For the same `about`, such as a message's ID, the sound is played once in all tabs.
 */
export function playChime(chime: Chime, about?: string): void {
  if (useMuted.getState() || !hadGesture()) return
  inOneTab(chime, about).catch(() => {})
}

/** Marks `about` as announced, because this tab shows it. No tab plays its sound then. */
export function skipChime(chime: Chime, about: string): void {
  writeStorage(CHIMED_KEY, `${chime.name}:${about}`)
}

async function inOneTab(chime: Chime, about: string | undefined): Promise<void> {
  if (document.visibilityState === 'hidden') await delay(HIDDEN_WAIT_MS)
  if (!navigator.locks) return await play(chime, about)
  await navigator.locks.request(`chime:${chime.name}`, { ifAvailable: true }, async (lock) => {
    if (!lock) return
    await play(chime, about)
    await delay(chime.cooldownMs)
  })
}

async function play(chime: Chime, about: string | undefined): Promise<void> {
  if (about !== undefined) {
    if (readStorage(CHIMED_KEY) === `${chime.name}:${about}`) return
    skipChime(chime, about)
  }
  const sound = await loadSound(chime)
  sound.play()
}

const sounds = new Map<Chime, Promise<Howl>>()

function loadSound(chime: Chime): Promise<Howl> {
  const loaded = sounds.get(chime)
  if (loaded) return loaded
  const sound = import('howler/dist/howler.core.min.js').then(
    (howler) => new howler.Howl({ src: [chime.url], volume: VOLUME }),
  )
  sounds.set(chime, sound)
  // The browser may be offline. The next chime retries.
  sound.catch(() => sounds.delete(chime))
  return sound
}

/**
 * Loads the sounds at the next user gesture, because Safari plays only sounds that were unlocked during one. Returns a
 * function that cancels this.
 */
export function prepareChimes(): () => void {
  const cancel = listen(document, ['pointerup', 'keydown'], () => {
    cancel()
    if (!useMuted.getState()) loadSound(MESSAGE_CHIME).catch(() => {})
  })
  return cancel
}

function hadGesture(): boolean {
  return navigator.userActivation?.hasBeenActive ?? true
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
