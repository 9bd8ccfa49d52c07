import { setTimeout as delay } from 'node:timers/promises'

/** How long calls wait for a read. A store that hangs answers seven seconds later. */
const WAIT_MS = 1_000

interface CachedRead {
  (): Promise<void>
  /** Makes the next call read again, also while a read is under way. */
  expire(): void
}

/**
 * Makes a read that callers share, and that is repeated at the next call once it is older than `maxAgeMs`. A call
 * resolves when the read has ended, or a second after the read began; the caller then uses what it knows. `read` must
 * not reject.
 */
export function cachedRead(read: () => Promise<void>, maxAgeMs: number): CachedRead {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  /** Counts how often the read expired. */
  let expired = 0

  async function refresh(): Promise<void> {
    const before = expired
    await read()
    if (expired !== before) return
    readAt = performance.now()
    reading = null
  }

  async function current(): Promise<void> {
    if (performance.now() - readAt <= maxAgeMs) return
    reading ??= Promise.race([refresh(), delay(WAIT_MS, undefined, { ref: false })])
    await reading
  }
  return Object.assign(current, {
    expire() {
      expired += 1
      readAt = Number.NEGATIVE_INFINITY
      reading = null
    },
  })
}
