/** A time further ahead than this comes from a clock that was wrong. */
const AHEAD_MAX_MS = 60_000

/**
 * Returns when something is due that follows a message after `afterMs`. A message can be dated far ahead, because a
 * message is never dated before its predecessor; what follows such a message is due now.
 */
export function dueAfter(createdAt: string, afterMs: number, now: number): number {
  const at = Date.parse(createdAt)
  return at > now + AHEAD_MAX_MS ? now : at + afterMs
}
