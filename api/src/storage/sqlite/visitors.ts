import type { DatabaseSync } from 'node:sqlite'
import { type ConversationWriter, openVisitorChanges } from '../model/conversation/changes.ts'
import {
  type PageView,
  PROFILE_FIELDS,
  type SignedRecord,
  type VisitorRecord,
  visitorRecord,
} from '../model/conversation/visitors.ts'
import type { VisitorRepository } from '../model/storage.ts'

export const VISITOR_COLUMNS = [
  'clientId',
  ...PROFILE_FIELDS,
  'lastSeenAt',
  'unsubscribed',
  'failing',
  'mailedAt',
  'mailedSeq',
  'signed',
  'pages',
]

export function openVisitors(db: DatabaseSync, writer: ConversationWriter): VisitorRepository {
  const find = openVisitorRows(db)
  const names = db.prepare(
    'SELECT clientId, name FROM visitors WHERE clientId IN (SELECT value FROM json_each(?)) AND name IS NOT NULL',
  )
  return {
    ...openVisitorChanges(writer),
    find: async (clientId) => find(clientId),
    async names(clientIds) {
      const found = names.all(JSON.stringify(clientIds)) as { clientId: string; name: string }[]
      return new Map(found.map(({ clientId, name }) => [clientId, name]))
    },
  }
}

type Columns = Partial<Omit<VisitorRecord, 'mailedAt' | 'signed' | 'pages'>> & {
  mailedAt: string
  pages: string
  signed: string | null
}

/** Returns a function that reads a visitor's row, or null. */
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
