import type { DatabaseSync } from 'node:sqlite'
import { FOREVER } from '../model/conversation/blocks-and-ratings.ts'
import { isCounted, latestEnds, PAST_TIMES } from '../model/repaired-times.ts'
import type { ConversationRows } from './conversation-rows.ts'
import { deriveInboxRows } from './inbox-rows.ts'
import { CLEAR_REPORTS } from './reports.ts'
import { CLEAR_SEARCH } from './search-index.ts'
import { ifPositive, type WriteQueue } from './write-queue.ts'

const TABLES = { ...PAST_TIMES, pending_reviews: ['createdAt'], visitors: ['lastSeenAt'] }

/** Sets times after `now` to `now` in one commit. It scans the tables, because no index serves it. */
export function repairTimes(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  now: number,
): Promise<number> {
  return queue.write(() => {
    rows.forgetAll()
    const changed = (sql: string) => Number(db.prepare(sql).run({ now }).changes)
    let repaired = changed('DELETE FROM sessions WHERE createdAt > :now')
    // A post that was published by then was changed then or later. A scheduled post's time stays.
    changed('UPDATE blogs SET publishAt = :now WHERE publishAt > :now AND publishAt <= updatedAt')
    for (const [table, fields] of Object.entries(TABLES)) {
      for (const field of fields) {
        const rows = changed(`UPDATE ${table} SET ${field} = :now WHERE ${field} > :now`)
        if (isCounted(table, field)) repaired += rows
      }
    }
    const { blockedUntil, inviteExpiresAt, previewExpiresAt } = latestEnds(now)
    // A permanent block stays permanent.
    db.prepare(
      'UPDATE conversations SET blockedUntil = ?1 WHERE blockedUntil > ?1 AND blockedUntil < ?2',
    ).run(blockedUntil, FOREVER)
    db.prepare('UPDATE users SET inviteExpiresAt = ?1 WHERE inviteExpiresAt > ?1').run(inviteExpiresAt)
    db.prepare('UPDATE previewLinks SET expiresAt = ?1 WHERE expiresAt > ?1').run(previewExpiresAt)
    deriveInboxRows(db)
    // The search index is in the order of times, so the server has to build it again.
    db.exec(CLEAR_SEARCH)
    db.exec(CLEAR_REPORTS)
    return repaired
  }, ifPositive)
}
