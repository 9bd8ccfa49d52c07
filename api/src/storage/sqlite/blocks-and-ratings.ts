import type { DatabaseSync } from 'node:sqlite'
import type { ActivityRecord, InboxRepository } from '../port/inbox.ts'
import {
  decideBlock,
  decideRating,
  RATINGS_LISTED,
  type Rating,
  ratingOf,
} from '../rules/blocks-and-ratings.ts'
import type { ConversationRows } from './conversation-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import type { WriteQueue } from './write-queue.ts'

export function openBlocksAndRatings(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
): Pick<InboxRepository, 'block' | 'rate' | 'ratings'> {
  const sql = db.prepare(
    `SELECT at, data FROM activity WHERE clientId = ? AND kind = 'rating' ORDER BY n DESC LIMIT ?`,
  )

  const newestRatings = (clientId: string, limit: number) =>
    (sql.all(clientId, limit) as { at: number; data: string }[]).map(({ at, data }) =>
      ratingOf({ at, data: JSON.parse(data) as Rating }),
    )

  return {
    block: (clientId, until, options) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row === undefined) return { outcome: 'missing' }
        const decided = decideBlock(row, until, options)
        if (decided.outcome !== 'stored') return decided
        const [activity = null] = inbox.store(row, decided).activity
        return { outcome: 'stored', activity }
      }),

    rate: (clientId, rating, options) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row === undefined) return { outcome: 'missing' }
        const last = row.rated ? newestRatings(clientId, 1)[0] : undefined
        const decided = decideRating(row, rating, { ...options, last })
        if (decided.outcome !== 'stored') return decided
        const [activity] = inbox.store(row, decided).activity
        return { outcome: 'stored', activity: activity as ActivityRecord }
      }),

    ratings: async (clientId) => newestRatings(clientId, RATINGS_LISTED),
  }
}
