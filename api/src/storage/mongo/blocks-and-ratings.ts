import type { InboxRepository } from '../port/inbox.ts'
import {
  decideBlock,
  decideRating,
  RATINGS_LISTED,
  type RatingRecord,
  ratingOf,
} from '../rules/blocks-and-ratings.ts'
import type { ActivityLog } from './activity-log.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections, ConversationDoc } from './documents.ts'
import { conversationOf, type Projection } from './projection.ts'

/** Each change is one update, whose filter names the log that it was decided on. */
export function openBlocksAndRatings(
  { conversations, activity }: Pick<Collections, 'conversations' | 'activity'>,
  majority: MongoConnection['majority'],
  { write, current }: Pick<Projection, 'write' | 'current'>,
  log: ActivityLog,
): Pick<InboxRepository, 'block' | 'rate' | 'ratings'> {
  /** Newest first. Those of the last write may still be in the document. */
  async function newestRatings(found: ConversationDoc, limit: number): Promise<RatingRecord[]> {
    const { _id: clientId, epoch, pendingActivity = [] } = found
    const stored = await activity
      .find({ clientId, epoch, kind: 'rating' }, majority)
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
    block: (clientId, until, options) =>
      write(clientId, async () => {
        const found = await current(clientId)
        if (found === null) return { outcome: 'missing' }
        const decided = decideBlock(conversationOf(found), until, options)
        if (decided.outcome !== 'stored') return decided
        const stored = await log.store(found, decided)
        return stored === null ? undefined : { outcome: 'stored', activity: stored.activity[0] ?? null }
      }),

    rate: (clientId, rating, options) =>
      write(clientId, async () => {
        const found = await current(clientId)
        if (found === null) return { outcome: 'missing' }
        const last = found.rated ? (await newestRatings(found, 1))[0] : undefined
        const decided = decideRating(conversationOf(found), rating, { ...options, last })
        if (decided.outcome !== 'stored') return decided
        const [activity] = (await log.store(found, decided))?.activity ?? []
        return activity && { outcome: 'stored', activity }
      }),

    async ratings(clientId) {
      const found = await conversations.findOne({ _id: clientId }, majority)
      return found === null ? [] : newestRatings(found, RATINGS_LISTED)
    },
  }
}
