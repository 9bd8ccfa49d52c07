import type { DatabaseSync } from 'node:sqlite'
import type { PageView, SignedRecord, VisitorRecord, VisitorRepository } from '../port/visitors.ts'
import {
  decideBounced,
  decideMailed,
  decideProfile,
  PROFILE_FIELDS,
  visitorRecord,
} from '../rules/visitors.ts'
import type { ConversationRows } from './conversation-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import type { WriteQueue } from './write-queue.ts'

export const VISITOR_COLUMNS = [
  ...[
    'clientId',
    ...PROFILE_FIELDS,
    'lastSeenAt',
    'unsubscribed',
    'failing',
    'mailedAt',
    'mailedSeq',
    'signed',
    'pages',
  ],
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

    update: (clientId, change, options) =>
      queue.write(() => {
        const conversation = rows.readForWrite(clientId)
        if (conversation === undefined) return { outcome: 'missing' }
        const before = find(clientId) ?? visitorRecord(clientId, {})
        const decided = decideProfile(conversation, before, change, options)
        if (decided.outcome !== 'stored') return decided
        const { changed, set, entries } = decided
        const visitor: VisitorRecord = { ...before, ...set }
        put.run(visitorColumns(visitor))
        const [activity = null] = inbox.store(conversation, { set: {}, entries }).activity
        return { outcome: 'stored', visitor, changed, activity, keyHashes: conversation.keyHashes }
      }),

    mailed: (clientId, mail) =>
      queue.write(() => {
        const conversation = rows.readForWrite(clientId)
        const visitor = find(clientId)
        if (conversation === undefined || visitor === null) return null
        const decided = decideMailed(conversation, visitor, mail)
        if (decided === null) return null
        const { set, entries } = decided
        put.run(visitorColumns({ ...visitor, ...set }))
        const [activity = null] = inbox.store(conversation, { set: {}, entries }).activity
        return activity
      }),

    bounced: (clientId, bounce) =>
      queue.write(() => {
        const conversation = rows.readForWrite(clientId)
        const visitor = find(clientId)
        if (conversation === undefined || visitor === null) return null
        const decided = decideBounced(conversation, visitor, bounce)
        if (decided === null) return null
        put.run(visitorColumns({ ...visitor, ...decided.set }))
        const [activity = null] = inbox.store(conversation, { set: {}, entries: decided.entries }).activity
        return activity
      }),

    sign: (clientId, epoch, signed) =>
      queue.write(() => {
        if (rows.readForWrite(clientId)?.epoch !== epoch) return false
        put.run(visitorColumns({ ...(find(clientId) ?? visitorRecord(clientId, {})), signed }))
        return true
      }),

    setUnsubscribed: (clientId, unsubscribed) =>
      queue.write(() => {
        const visitor = find(clientId)
        if (visitor !== null) put.run(visitorColumns({ ...visitor, unsubscribed }))
        return visitor !== null
      }),
  }
}

type Columns = Partial<Omit<VisitorRecord, 'mailedAt' | 'signed' | 'pages'>> & {
  mailedAt: string
  pages: string
  signed: string | null
}

/** Reads the row of a visitor. */
export function openVisitorRows(db: DatabaseSync): (clientId: string) => VisitorRecord | null {
  const sql = db.prepare('SELECT * FROM visitors WHERE clientId = ?')
  return (clientId) => {
    const row = sql.get(clientId) as Columns | undefined
    if (row === undefined) return null
    const { mailedAt, pages, signed } = row
    return visitorRecord(clientId, {
      ...row,
      mailedAt: JSON.parse(mailedAt) as number[],
      pages: JSON.parse(pages) as PageView[],
      signed: signed === null ? null : (JSON.parse(signed) as SignedRecord),
    })
  }
}

export function visitorColumns({
  unsubscribed,
  failing,
  mailedAt,
  signed,
  pages,
  ...visitor
}: VisitorRecord) {
  const flags = { unsubscribed: Number(unsubscribed), failing: Number(failing) }
  const lists = { mailedAt: JSON.stringify(mailedAt), pages: JSON.stringify(pages) }
  return { ...visitor, ...flags, ...lists, signed: signed && JSON.stringify(signed) }
}
