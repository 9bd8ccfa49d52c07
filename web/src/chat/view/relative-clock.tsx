import { useSyncExternalStore } from 'react'
import { relativeTime } from './relative-time.ts'

const TICK_MS = 60_000

// One timer for all times on the page.
const listeners = new Set<() => void>()
let now = 0
let timer: ReturnType<typeof setInterval> | null = null

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

// Timers of a hidden page run late.
function tickWhenVisible(): void {
  if (document.visibilityState === 'visible') tick()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === null) {
    timer = setInterval(tick, TICK_MS)
    document.addEventListener('visibilitychange', tickWhenVisible)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
    document.removeEventListener('visibilitychange', tickWhenVisible)
  }
}

function currentNow(): number {
  if (timer === null || now === 0) now = Date.now()
  return now
}

/** The browser's language when it is Chinese or English, else English. */
export function timeLocale(): string {
  const language = navigator.language
  return /^(?:zh|en)\b/i.test(language) ? language : 'en'
}

/** The relative time of `iso`, updated every minute, with the full time as title. */
export function RelativeTime({ iso }: { iso: string }) {
  const text = useSyncExternalStore(subscribe, () => relativeTime(iso, currentNow(), timeLocale()))
  return (
    <time dateTime={iso} title={fullTime(iso)}>
      {text}
    </time>
  )
}

let format: Intl.DateTimeFormat | null = null
function fullTime(iso: string): string {
  format ??= new Intl.DateTimeFormat(timeLocale(), { dateStyle: 'full', timeStyle: 'short' })
  return format.format(new Date(iso))
}
