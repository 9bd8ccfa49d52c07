import type { DatabaseSync } from 'node:sqlite'
import { isBlocked } from '../blocks-and-ratings.ts'
import { opens } from '../visitor-keys.ts'
import {
  afterChange,
  afterMail,
  changedFields,
  FAILED_MAIL,
  PROFILE_FIELDS,
  profileEntry,
  type VisitorRecord,
  type VisitorRepository,
  visitorRecord,
} from '../visitors.ts'
import type { ConversationRows } from './conversation-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import type { WriteQueue } from './write-queue.ts'

export const VISITOR_COLUMNS = [
  ...['clientId', ...PROFILE_FIELDS, 'lastSeenAt', 'unsubscribed', 'mailedAt', 'mailedSeq'],
]

export function openVisitors(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
): VisitorRepository {
  const find = openVisitorRows(db)
  const put = db.prepare(
    `INSERT OR REPLACE INTO visitors (${VISITOR_COLUMNS.join(', ')})
     VALUES (${VISITOR_COLUMNS.map((column) => `:${column}`).join(', ')})`,
  )

  return {
    find: async (clientId) => find(clientId),

    update: (clientId, change, { by, at, keyHash }) =>
      queue.write(() => {
        const conversation = rows.readForWrite(clientId)
        if (conversation === undefined) return { outcome: 'missing' }
        const { keyHashes } = conversation
        if (keyHash !== undefined && !opens(keyHashes, keyHash)) return { outcome: 'wrong-key' }
        if (conversation.seq === 0) return { outcome: 'missing' }
        if (by === null && isBlocked(conversation.blockedUntil, at)) return { outcome: 'blocked' }
        const before = find(clientId) ?? (visitorRecord(clientId, {}) as VisitorRecord)
        const changed = changedFields(before, change)
        const visitor: VisitorRecord = { ...before, ...afterChange(change, changed) }
        if (by === null) visitor.lastSeenAt = Math.max(at, before.lastSeenAt ?? 0)
        put.run(visitorColumns(visitor))
        const entry = profileEntry(changed)
        const activity = entry && inbox.log(conversation, entry, { by, at })
        return { outcome: 'stored', visitor, changed, activity, keyHashes }
      }),

    mailed: (clientId, mail) =>
      queue.write(() => {
        const conversation = rows.readForWrite(clientId)
        const visitor = find(clientId)
        if (conversation?.epoch !== mail.epoch || visitor === null) return null
        put.run(visitorColumns({ ...visitor, ...afterMail(visitor, mail) }))
        return mail.failed ? inbox.log(conversation, FAILED_MAIL, { by: null, at: mail.at }) : null
      }),

    unsubscribe: (clientId) =>
      queue.write(() => {
        const visitor = find(clientId)
        if (visitor !== null) put.run(visitorColumns({ ...visitor, unsubscribed: true }))
        return visitor !== null
      }),
  }
}

/** Reads the row of a visitor. */
export function openVisitorRows(db: DatabaseSync): (clientId: string) => VisitorRecord | null {
  const sql = db.prepare('SELECT * FROM visitors WHERE clientId = ?')
  return (clientId) => {
    const row = sql.get(clientId) as (Partial<VisitorRecord> & { mailedAt: string }) | undefined
    return visitorRecord(clientId, row && { ...row, mailedAt: JSON.parse(row.mailedAt) as number[] })
  }
}

export function visitorColumns({ unsubscribed, mailedAt, ...visitor }: VisitorRecord) {
  return { ...visitor, unsubscribed: Number(unsubscribed), mailedAt: JSON.stringify(mailedAt) }
}
