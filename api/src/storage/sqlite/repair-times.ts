import type { DatabaseSync } from 'node:sqlite'
import { BLOCK_HOURS_MAX, INVITE_HOURS } from '@proctorpass/shared/limits'
import { FOREVER } from '../rules/blocks-and-ratings.ts'
import type { ConversationRows } from './conversation-rows.ts'
import { deriveInboxRows } from './inbox-rows.ts'
import { CLEAR_REPORTS } from './reports.ts'
import { CLEAR_SEARCH } from './search-index.ts'
import type { WriteQueue } from './write-queue.ts'

const DATED = ['messages', 'blogs', 'reviews', 'pending_reviews', 'contacts']

/** Sets times after `now` to `now`, in one commit. Scans the tables: no index serves it. */
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
    for (const field of ['usedAt', 'confirmedAt'])
      changed(`UPDATE sessions SET ${field} = :now WHERE ${field} > :now`)
    for (const table of DATED)
      repaired += changed(`UPDATE ${table} SET createdAt = :now WHERE createdAt > :now`)
    changed('UPDATE blogs SET updatedAt = :now WHERE updatedAt > :now')
    changed('UPDATE conversations SET lastAt = :now WHERE lastAt > :now')
    changed('UPDATE conversations SET waitingSince = :now WHERE waitingSince > :now')
    changed('UPDATE attachments SET createdAt = :now WHERE createdAt > :now')
    changed('UPDATE activity SET at = :now WHERE at > :now')
    changed('UPDATE answers SET at = :now WHERE at > :now')
    changed('UPDATE visitors SET lastSeenAt = :now WHERE lastSeenAt > :now')
    // A block for good stays one.
    db.prepare(
      'UPDATE conversations SET blockedUntil = ?1 WHERE blockedUntil > ?1 AND blockedUntil < ?2',
    ).run(now + BLOCK_HOURS_MAX * 3_600_000, FOREVER)
    const inviteExpiresAt = now + INVITE_HOURS * 3_600_000
    db.prepare('UPDATE users SET inviteExpiresAt = ?1 WHERE inviteExpiresAt > ?1').run(inviteExpiresAt)
    deriveInboxRows(db)
    // In order of time: the server builds it again.
    db.exec(CLEAR_SEARCH)
    db.exec(CLEAR_REPORTS)
    return repaired
  })
}
