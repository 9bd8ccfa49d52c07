import { AppError } from '@proctorpass/shared/errors'

/** Returns a pause that doubles from `base` to `cap`, with jitter so that many browsers do not retry at once. */
export function backoff(failures: number, base: number, cap: number): number {
  const full = Math.min(cap, base * 2 ** Math.max(0, failures - 1))
  return full / 2 + (Math.random() * full) / 2
}

/** Returns the pause in milliseconds that the server asked for. */
export function retryAfter(error: unknown): number {
  return error instanceof AppError ? (error.retryAfterMs ?? 0) : 0
}

const FIRST_RETRY_MS = 1_000
const RETRY_CAP_MS = 30_000
/** After a connection that was shorter than this, pauses keep growing. */
const STABLE_MS = 5_000

/** Creates the schedule by which a browser reconnects. The first pause is a random part of a second. */
export function createReconnects() {
  let failures = 0
  return {
    /** Returns the pause in milliseconds after a connection that was up for `upMs`, 0 if it never was. */
    nextPause(upMs: number): number {
      if (upMs > STABLE_MS) failures = 0
      const pause =
        failures === 0 ? Math.random() * FIRST_RETRY_MS : backoff(failures, FIRST_RETRY_MS, RETRY_CAP_MS)
      failures++
      return pause
    },
    reset(): void {
      failures = 0
    },
  }
}
