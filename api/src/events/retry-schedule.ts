const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The pauses after each failed attempt but the tenth, by Standard Webhooks: 75 hours in all. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
]
/** Spreads the retries of events that failed together. */
const JITTER = 0.1

/**
 * Returns the pause after this many attempts; null if there is no further one. The pause is at least `askedMs`, which
 * Retry-After asks for.
 */
export function pauseAfter(attempts: number, askedMs: number | null, random = Math.random): number | null {
  const pause = PAUSES_MS[attempts - 1]
  if (pause === undefined) return null
  return Math.max(Math.round(pause * (1 + JITTER * random())), askedMs ?? 0)
}

/** Returns the time from the first of this many attempts to the last, by the schedule alone. */
export function scheduledMs(attempts: number): number {
  return PAUSES_MS.slice(0, attempts - 1).reduce((sum, pause) => sum + pause, 0)
}
