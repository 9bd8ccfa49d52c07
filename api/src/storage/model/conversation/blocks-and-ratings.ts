import type { ActivityRecord, Conversation, ConversationRecord, ToStore } from './conversation.ts'
import { opens } from './visitor-keys.ts'

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
  /** `conversation`: null when its history was erased. `activity` is empty then, because it has no log. */
  | { outcome: 'stored'; conversation: ConversationRecord | null; activity: ActivityRecord[] }
  | { outcome: 'unchanged' }
  | { outcome: 'missing' }

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

/** A rating of the last resolve. `last`: the newest stored rating. */
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
  if (conversation.status !== 'resolved') return { outcome: 'not-open' }
  if (isBlocked(conversation.blockedUntil, at)) return { outcome: 'blocked' }
  const data = { score, words }
  return { outcome: 'stored', set: { rated: true }, entries: [{ kind: 'rating', by: null, at, data }] }
}

/** Ratings that are listed, and copied into an export. */
export const RATINGS_LISTED = 100

export function ratingOf({ at, data }: Pick<ActivityRecord, 'at' | 'data'>): RatingRecord {
  const { score, words } = data as Rating
  return { at, score, words }
}
