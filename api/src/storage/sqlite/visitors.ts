import type { DatabaseSync } from 'node:sqlite'
import { opens } from '../visitor-keys.ts'
import {
  changedFields,
  PROFILE_FIELDS,
  profileEntry,
  UNKNOWN_PROFILE,
  type VisitorRecord,
  type VisitorRepository,
  visitorRecord,
} from '../visitors.ts'
import type { ConversationRows } from './conversation-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import type { WriteQueue } from './write-queue.ts'

export const VISITOR_COLUMNS = ['clientId', ...PROFILE_FIELDS, 'lastSeenAt']

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
        const before = find(clientId) ?? { clientId, ...UNKNOWN_PROFILE, lastSeenAt: null }
        const changed = changedFields(before, change)
        const visitor: VisitorRecord = { ...before }
        for (const field of changed) Object.assign(visitor, { [field]: change[field] })
        if (by === null) visitor.lastSeenAt = Math.max(at, before.lastSeenAt ?? 0)
        put.run({ ...visitor })
        const entry = profileEntry(changed)
        const activity = entry && inbox.log(conversation, entry, { by, at })
        return { outcome: 'stored', visitor, changed, activity, keyHashes }
      }),
  }
}

/** Reads the row of a visitor. */
export function openVisitorRows(db: DatabaseSync): (clientId: string) => VisitorRecord | null {
  const sql = db.prepare('SELECT * FROM visitors WHERE clientId = ?')
  return (clientId) => visitorRecord(clientId, sql.get(clientId) as Partial<VisitorRecord> | undefined)
}
