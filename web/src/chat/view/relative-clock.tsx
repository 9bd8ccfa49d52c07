import { useSyncExternalStore } from 'react'
import { relativeTime } from './relative-time.ts'

const TICK_MS = 60_000

// One clock for all times on the page: thousands of them change together, once a minute.
const listeners = new Set<() => void>()
let now = 0
let timer: ReturnType<typeof setInterval> | null = null

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

// A sleeping or hidden page runs its timers late; whoever comes back should not read old times.
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

/** The browser's language where times are worded in it (Chinese, or a kind of English), else English. */
export function timeLocale(): string {
  const language = navigator.language
  return /^(?:zh|en)\b/i.test(language) ? language : 'en'
}

/** How long ago `iso` was, kept current; the full local time on hover and for machines. */
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
