import type { ActivityRecord } from './inbox.ts'
import type { NewEntry } from './inbox-changes.ts'

/** The end of a block for good: the last time that a Date can hold. */
export const FOREVER = 8.64e15

/** Whether a block with this end is in force. It ends by itself. */
export function isBlocked(blockedUntil: number | null | undefined, at: number): boolean {
  return blockedUntil != null && blockedUntil > at
}

/** The end of a block as callers see it: ISO 8601, `forever`, or null when it is not in force. */
export function blockEnd(blockedUntil: number | null, at: number): string | null {
  if (blockedUntil === null || !isBlocked(blockedUntil, at)) return null
  return blockedUntil >= FOREVER ? 'forever' : new Date(blockedUntil).toISOString()
}

export type Blocked =
  /** `activity`: null for a conversation whose history was erased, which has no log. */
  { outcome: 'stored'; activity: ActivityRecord | null } | { outcome: 'unchanged' } | { outcome: 'missing' }

/** The entry of a change of the block; null when it changes nothing. */
export function blockEntry(before: number | null, until: number | null, at: number): NewEntry | null {
  if ((isBlocked(before, at) ? before : null) === until) return null
  return { kind: 'block', data: { until: blockEnd(until, at) } }
}

/** What a visitor says about a conversation that was resolved. Validated. */
export interface Rating {
  /** 1 to 5. */
  score: number
  words: string | null
}

export interface RatingRecord extends Rating {
  at: number
}

export type Rated =
  | { outcome: 'stored'; activity: ActivityRecord }
  /** The same rating was stored before. */
  | { outcome: 'repeated' }
  /** It is not resolved, or was rated since. */
  | { outcome: 'not-open' }
  | { outcome: 'missing' | 'wrong-key' | 'blocked' }

/** Ratings that are listed, and copied into an export. */
export const RATINGS_LISTED = 100

export function ratingOf({ at, data }: Pick<ActivityRecord, 'at' | 'data'>): RatingRecord {
  const { score, words } = data as Rating
  return { at, score, words }
}

export function isSameRating(a: Rating, b: Rating): boolean {
  return a.score === b.score && a.words === b.words
}
