import type { ActivityRecord, Conversation, ConversationRecord, ToStore } from './conversation.ts'
import { unmarkedStatus } from './spam.ts'
import { opens } from './visitor-keys.ts'

/** A permanent block's end, which is the last time that a Date can hold. */
export const FOREVER = 8.64e15

/** Returns whether a block with this end is in force. A block ends by itself. */
export function isBlocked(blockedUntil: number | null | undefined, at: number): boolean {
  return blockedUntil != null && blockedUntil > at
}

/** Returns a block's end as callers see it: ISO 8601, `forever`, or null when the block is not in force. */
export function blockEnd(blockedUntil: number | null, at: number): string | null {
  if (blockedUntil === null || !isBlocked(blockedUntil, at)) return null
  return blockedUntil >= FOREVER ? 'forever' : new Date(blockedUntil).toISOString()
}

export type Blocked =
  /** `conversation` is null when its history was erased. `activity` is then empty, because there is no log. */
  | { outcome: 'stored'; conversation: ConversationRecord | null; activity: ActivityRecord[] }
  | { outcome: 'unchanged'; conversation: ConversationRecord | null }
  | { outcome: 'missing' }

/** What a visitor says about a resolved conversation. It is already validated. */
export interface Rating {
  /** The score, 1 to 5. */
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
  /** The conversation is not resolved, or was rated since. */
  | { outcome: 'not-open' }
  | { outcome: 'missing' | 'wrong-key' | 'blocked' }

/** Decides on a rating of the last resolve. `last` is the newest stored rating. */
export function decideRating(
  conversation: Conversation,
  { score, words }: Rating,
  { at, keyHash, last }: { at: number; keyHash: string | null; last: Rating | undefined },
): Exclude<Rated, { outcome: 'stored' }> | ToStore<{ rated: true }> {
  if (!opens(conversation.keyHashes, keyHash)) return { outcome: 'wrong-key' }
  if (conversation.seq === 0) return { outcome: 'missing' }
  if (conversation.rated) {
    return { outcome: last?.score === score && last.words === words ? 'repeated' : 'not-open' }
  }
  if (unmarkedStatus(conversation) !== 'resolved') return { outcome: 'not-open' }
  if (isBlocked(conversation.blockedUntil, at)) return { outcome: 'blocked' }
  const data = { score, words }
  return { outcome: 'stored', set: { rated: true }, entries: [{ kind: 'rating', by: null, at, data }] }
}

/** The number of ratings that are listed and copied into a download. */
export const RATINGS_LISTED = 100

export function ratingOf({ at, data }: Pick<ActivityRecord, 'at' | 'data'>): RatingRecord {
  const { score, words } = data as Rating
  return { at, score, words }
}
