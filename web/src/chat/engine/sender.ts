import { backoff, retryAfter } from './backoff.ts'
import { type Tab, withLock } from './tab.ts'

const RETRY_MS = 1_000
const RETRY_CAP_MS = 30_000

/**
 * Delivers what waits, the oldest first and one at a time, from one tab of the browser; tries again for as long
 * as it takes.
 */
export interface Sender {
  /** Something is waiting. */
  wake(): void
  /** The way may be free again: the pause after a failure is over, unless the server asked for it. */
  hurry(): void
  halt(): void
}

export function createSender<T>(options: {
  tab: Tab
  lock: string
  /** The oldest that may go, read anew from where the tabs share it. */
  next: () => T | undefined
  /** Afterwards it must not be next any more. Rejects when it is to be tried again later. */
  deliver: (item: T) => Promise<void>
  onFailure: (item: T | undefined, error: unknown) => void
}): Sender {
  const { tab, lock, next, deliver, onFailure } = options
  let running = false
  let again = false
  let halted = false
  let failures = 0
  /** By the monotonic clock. */
  let notBefore = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function run() {
    halted = false
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
          for (item = next(); item !== undefined && !halted; item = next()) {
            await deliver(item)
            failures = 0
          }
        })
      } while (again && !halted)
    } catch (error) {
      failures++
      notBefore = performance.now() + retryAfter(error)
      if (!halted) {
        timer = setTimeout(run, Math.max(retryAfter(error), backoff(failures, RETRY_MS, RETRY_CAP_MS)))
      }
      onFailure(item, error)
    } finally {
      running = false
    }
  }

  const mayRun = () => performance.now() >= notBefore

  return {
    wake() {
      if (mayRun()) void run()
    },
    hurry() {
      failures = 0
      if (mayRun()) void run()
    },
    halt() {
      halted = true
      clearTimeout(timer)
    },
  }
}
