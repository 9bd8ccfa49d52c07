import { backoff, retryAfter } from './backoff.ts'
import { type Tab, withLock } from './tab.ts'

const RETRY_MS = 1_000
const RETRY_CAP_MS = 30_000

/** Delivers items one at a time, oldest first, from one of the browser's tabs. Retries without end. */
export interface Sender {
  /** Call this after an item was added. */
  run(): void
  /** Ends the pause after a failure, unless the server asked for it. */
  retryNow(): void
  stop(): void
}

export function createSender<T>(options: {
  tab: Tab
  lock: string
  /** Returns the oldest item, read from the storage that the tabs share. */
  next: () => T | undefined
  /** Resolves once `next` no longer returns the item. If it rejects, the sender retries later. */
  deliver: (item: T) => Promise<void>
  onFailure: (item: T | undefined, error: unknown) => void
}): Sender {
  const { tab, lock, next, deliver, onFailure } = options
  let running = false
  let again = false
  let stopped = false
  let failures = 0
  /** A time of `performance.now()`. */
  let notBefore = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function deliverAll() {
    stopped = false
    clearTimeout(timer)
    if (running) {
      again = true
      return
    }
    running = true
    let item: T | undefined
    try {
      do {
        again = false
        if (next() === undefined) continue
        await withLock(tab, lock, async () => {
          for (item = next(); item !== undefined && !stopped; item = next()) {
            await deliver(item)
            failures = 0
          }
        })
      } while (again && !stopped)
    } catch (error) {
      failures++
      notBefore = performance.now() + retryAfter(error)
      if (!stopped) {
        timer = setTimeout(deliverAll, Math.max(retryAfter(error), backoff(failures, RETRY_MS, RETRY_CAP_MS)))
      }
      onFailure(item, error)
    } finally {
      running = false
    }
  }

  const mayRun = () => performance.now() >= notBefore

  return {
    run() {
      if (mayRun()) void deliverAll()
    },
    retryNow() {
      failures = 0
      if (mayRun()) void deliverAll()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
