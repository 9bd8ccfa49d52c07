/** A time further ahead comes from a clock that was wrong. */
const AHEAD_MAX_MS = 60_000

/**
 * When something is due that follows `afterMs` after a message. A message can be dated far ahead, because none is dated
 * before its predecessor: what follows it is due now.
 */
export function dueAfter(createdAt: string, afterMs: number, now: number): number {
  const at = Date.parse(createdAt)
  return at > now + AHEAD_MAX_MS ? now : at + afterMs
}
