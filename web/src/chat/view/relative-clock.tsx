import { useSyncExternalStore } from 'react'
import { listen } from '../../lib/listen.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { exactTime, fullTime, relativeTime } from './relative-time.ts'
import { useViewLanguage } from './view-language.ts'

const TICK_MS = 60_000

// All times on the page share one timer.
const listeners = new Set<() => void>()
let now = 0
let stop: (() => void) | null = null

function tick(): void {
  now = serverNow()
  for (const listener of listeners) listener()
}

function start(): () => void {
  const timer = setInterval(tick, TICK_MS)
  // A hidden page's timers run late, so the times are updated when it becomes visible.
  const ignore = listen(document, ['visibilitychange'], () => {
    if (document.visibilityState === 'visible') tick()
  })
  return () => {
    clearInterval(timer)
    ignore()
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  stop ??= start()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    stop?.()
    stop = null
  }
}

function currentNow(): number {
  if (stop === null) now = serverNow()
  return now
}

/** Returns a text that depends on the server's time, updated every minute. */
export function useClockText(textAt: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(currentNow()))
}

/** Shows how long ago `iso` was, updated every minute, with the full time as title; or shows the exact time. */
export function RelativeTime({ iso, exact = false }: { iso: string; exact?: boolean }) {
  const { locale, timeLang } = useViewLanguage()
  const relative = useClockText((now) => relativeTime(iso, now, locale))
  return (
    <time dateTime={iso} lang={timeLang} title={fullTime(iso, locale)}>
      {exact ? exactTime(iso, locale) : relative}
    </time>
  )
}
