import {
  blockEntry,
  isBlocked,
  isSameRating,
  RATINGS_LISTED,
  type RatingRecord,
  ratingOf,
} from '../blocks-and-ratings.ts'
import type { InboxRepository } from '../inbox.ts'
import { opens } from '../visitor-keys.ts'
import type { ActivityLog } from './activity-log.ts'
import type { MongoConnection } from './connection.ts'
import { type Collections, type ConversationDoc, inboxOf, keysOf, type MessageDoc } from './documents.ts'
import type { Projection } from './projection.ts'

/** Each change is one update, whose filter names the log that it was decided on. */
export function openBlocksAndRatings(
  { conversations, activity }: Pick<Collections, 'conversations' | 'activity'>,
  settled: MongoConnection['settled'],
  { write, newest, project }: Pick<Projection, 'write' | 'newest' | 'project'>,
  log: ActivityLog,
): Pick<InboxRepository, 'block' | 'rate' | 'ratings'> {
  /** The conversation at its newest message, and that; null for a missing conversation. */
  async function current(
    clientId: string,
  ): Promise<{ found: ConversationDoc; last: MessageDoc | null } | null> {
    const found = await conversations.findOne({ _id: clientId })
    if (found === null) return null
    const last = await newest(clientId, found.epoch)
    if (last === null || last.seq <= found.seq) return { found, last }
    return { found: (await project(last))?.conversation ?? found, last }
  }

  /** Newest first. Those of the last write may still be in the document. */
  async function newestRatings(found: ConversationDoc, limit: number): Promise<RatingRecord[]> {
    const { _id: clientId, epoch, pendingActivity = [] } = found
    const stored = await activity
      .find({ clientId, epoch, kind: 'rating' }, settled)
      .sort({ n: -1 })
      .limit(limit)
      .toArray()
    const ratings = new Map(stored.map((entry) => [entry.n, entry]))
    for (const entry of pendingActivity) if (entry.kind === 'rating') ratings.set(entry.n, entry)
    return [...ratings.values()]
      .sort((a, b) => b.n - a.n)
      .slice(0, limit)
      .map(ratingOf)
  }

  return {
    block: (clientId, until, { by, at }) =>
      write(clientId, async () => {
        const now = await current(clientId)
        if (now === null) return { outcome: 'missing' }
        const entry = blockEntry(now.found.blockedUntil ?? null, until, at)
        if (entry === null) return { outcome: 'unchanged' }
        const entries = now.last === null ? [] : [{ ...entry, by, at }]
        const stored = await log.store(now.found, { update: { $set: { blockedUntil: until } } }, entries)
        return stored === null ? undefined : { outcome: 'stored', activity: stored.activity[0] ?? null }
      }),

    rate: (clientId, { score, words }, { at, keyHash }) =>
      write(clientId, async () => {
        const now = await current(clientId)
        if (now === null) return { outcome: 'missing' }
        const { found, last } = now
        if (!opens(keysOf(found, last), keyHash)) return { outcome: 'wrong-key' }
        if (last === null) return { outcome: 'missing' }
        const data = { score, words }
        if (found.rated) {
          const [before] = await newestRatings(found, 1)
          return { outcome: before !== undefined && isSameRating(before, data) ? 'repeated' : 'not-open' }
        }
        if (inboxOf(found).status !== 'resolved') return { outcome: 'not-open' }
        if (isBlocked(found.blockedUntil, at)) return { outcome: 'blocked' }
        const stored = await log.store(found, { update: { $set: { rated: true } } }, [
          { kind: 'rating', data, by: null, at },
        ])
        const [added] = stored?.activity ?? []
        return added && { outcome: 'stored', activity: added }
      }),

    async ratings(clientId) {
      const found = await conversations.findOne({ _id: clientId }, settled)
      return found === null ? [] : newestRatings(found, RATINGS_LISTED)
    },
  }
}
