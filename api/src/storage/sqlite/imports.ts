import type { DatabaseSync } from 'node:sqlite'
import { FIELDS } from '../copy/copied-tables.ts'
import {
  type FoundImport,
  IMPORT_NONCE,
  type ImportedConversation,
  type ImportRepository,
  importedRows,
  isUnchanged,
} from '../model/conversation/imports.ts'
import { newEpoch } from '../model/ids.ts'
import { columnsOf, insertionOf } from './columns.ts'
import {
  type ConversationRow,
  type ConversationRows,
  conversationRow,
  newConversation,
} from './conversation-rows.ts'
import { ACTIVITY_COLUMNS, without } from './copied-chats.ts'
import type { InboxRows } from './inbox-rows.ts'
import { VISITOR_COLUMNS, visitorColumns } from './visitors.ts'
import { always, type WriteQueue } from './write-queue.ts'

/** What belongs to a conversation beside its messages and its log. */
const OTHERS = ['jobs', 'remembered', 'deliveries', 'identities', 'links']

/** Opens imports. Each call of `add` and `remove` is one transaction. */
export function openImports(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
): ImportRepository {
  const conversationColumns = [...without(FIELDS.conversations, 'visitor', 'seen'), 'activityN']
  const noncesIn = (table: string) =>
    db.prepare(
      `SELECT nonce FROM ${table} WHERE clientId = ? AND substr(nonce, 1, ${IMPORT_NONCE.length}) = ?`,
    )
  const sql = {
    message: db.prepare(insertionOf('messages', without(FIELDS.messages, 'waitingSince', 'edited'))),
    entry: db.prepare(insertionOf('activity', ACTIVITY_COLUMNS)),
    visitor: db.prepare(insertionOf('visitors', VISITOR_COLUMNS)),
    conversation: db.prepare(insertionOf('conversations', conversationColumns)),
    messageNonces: noncesIn('messages'),
    noteNonces: noncesIn('activity'),
    find: db.prepare('SELECT * FROM conversations WHERE clientId = ?'),
    removeMessages: db.prepare('DELETE FROM messages WHERE clientId = ?'),
    removeOthers: OTHERS.map((table) => db.prepare(`DELETE FROM ${table} WHERE clientId = ?`)),
    removeConversation: db.prepare('DELETE FROM conversations WHERE clientId = ?'),
  }

  function foundOf(row: ConversationRow): FoundImport {
    const listed = (found: unknown[]) => found.map((one) => (one as { nonce: string }).nonce)
    const messages = listed(sql.messageNonces.all(row.clientId, IMPORT_NONCE))
    const notes = listed(sql.noteNonces.all(row.clientId, IMPORT_NONCE))
    const isChanged = !isUnchanged(row, { messages: messages.length, notes: notes.length })
    return { seq: row.seq, nonces: new Set([...messages, ...notes]), isChanged }
  }

  function insert(imported: ImportedConversation): void {
    const { conversation, messages, activity, activityN } = importedRows(imported, newEpoch())
    const { visitor, seen: _, ...row } = conversation
    const { clientId } = row
    for (const { waitingSince: __, edited: ___, ...message } of messages) sql.message.run(columnsOf(message))
    for (const { epoch: __, by, ...entry } of activity) sql.entry.run(columnsOf({ ...entry, byId: by }))
    if (visitor !== null) sql.visitor.run(visitorColumns({ clientId, ...visitor }))
    sql.conversation.run(columnsOf({ ...row, activityN }))
    const stored = conversationRow(sql.find.get(clientId))
    rows.written(stored)
    inbox.follow(newConversation(clientId), stored)
  }

  return {
    async find(clientIds) {
      const found = clientIds.flatMap((clientId) => {
        const row = rows.read(clientId)
        return row === undefined ? [] : [[clientId, foundOf(row)] as const]
      })
      return new Map(found)
    },

    add: (conversations) =>
      queue.write(() => {
        const added: string[] = []
        for (const imported of conversations) {
          if (rows.readForWrite(imported.clientId) !== undefined) continue
          insert(imported)
          added.push(imported.clientId)
        }
        return added
      }, always),

    remove: (clientId) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row === undefined) return 'missing'
        if (foundOf(row).isChanged) return 'changed'
        sql.removeMessages.run(clientId)
        inbox.erase(clientId)
        for (const statement of sql.removeOthers) statement.run(clientId)
        sql.removeConversation.run(clientId)
        inbox.follow(row, { ...row, seq: 0 })
        rows.forgetAll()
        return 'removed'
      }, always),
  }
}
