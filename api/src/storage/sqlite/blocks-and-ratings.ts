import type { DatabaseSync } from 'node:sqlite'
import {
  blockEntry,
  isBlocked,
  isSameRating,
  RATINGS_LISTED,
  type Rating,
  ratingOf,
} from '../blocks-and-ratings.ts'
import type { InboxRepository } from '../inbox.ts'
import { opens } from '../visitor-keys.ts'
import type { ConversationRows } from './conversation-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import type { WriteQueue } from './write-queue.ts'

export function openBlocksAndRatings(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
): Pick<InboxRepository, 'block' | 'rate' | 'ratings'> {
  const sql = {
    setBlock: db.prepare('UPDATE conversations SET blockedUntil = ? WHERE clientId = ?'),
    setRated: db.prepare('UPDATE conversations SET rated = 1 WHERE clientId = ?'),
    ratings: db.prepare(
      `SELECT at, data FROM activity WHERE clientId = ? AND kind = 'rating' ORDER BY n DESC LIMIT ?`,
    ),
  }

  const newestRatings = (clientId: string, limit: number) =>
    (sql.ratings.all(clientId, limit) as { at: number; data: string }[]).map(({ at, data }) =>
      ratingOf({ at, data: JSON.parse(data) as Rating }),
    )

  return {
    block: (clientId, until, { by, at }) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row === undefined) return { outcome: 'missing' }
        const entry = blockEntry(row.blockedUntil, until, at)
        if (entry === null) return { outcome: 'unchanged' }
        sql.setBlock.run(until, clientId)
        const blocked = { ...row, blockedUntil: until }
        rows.written(blocked)
        return { outcome: 'stored', activity: row.seq === 0 ? null : inbox.log(blocked, entry, { by, at }) }
      }),

    rate: (clientId, { score, words }, { at, keyHash }) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row === undefined) return { outcome: 'missing' }
        if (!opens(row.keyHashes, keyHash)) return { outcome: 'wrong-key' }
        if (row.seq === 0) return { outcome: 'missing' }
        const data = { score, words }
        if (row.rated) {
          const [last] = newestRatings(clientId, 1)
          return { outcome: last !== undefined && isSameRating(last, data) ? 'repeated' : 'not-open' }
        }
        if (row.status !== 'resolved') return { outcome: 'not-open' }
        if (isBlocked(row.blockedUntil, at)) return { outcome: 'blocked' }
        sql.setRated.run(clientId)
        const activity = inbox.log({ ...row, rated: true }, { kind: 'rating', data }, { by: null, at })
        return { outcome: 'stored', activity }
      }),

    ratings: async (clientId) => newestRatings(clientId, RATINGS_LISTED),
  }
}
