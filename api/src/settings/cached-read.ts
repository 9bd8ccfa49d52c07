import { setTimeout as delay } from 'node:timers/promises'

/** How long calls wait for a read. A store that hangs answers seven seconds later. */
const WAIT_MS = 1_000

/**
 * Makes a read that callers share, and that is repeated at the next call once it is older than `maxAgeMs`. A call
 * resolves when the read has ended, or a second after the read began; the caller then uses what it knows. `read` must
 * not reject.
 */
export function cachedRead(read: () => Promise<void>, maxAgeMs: number): () => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  async function refresh(): Promise<void> {
    await read()
    readAt = performance.now()
    reading = null
  }

  return async () => {
    if (performance.now() - readAt <= maxAgeMs) return
    reading ??= Promise.race([refresh(), delay(WAIT_MS, undefined, { ref: false })])
    await reading
  }
}
