import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { changeByMessage, decideInboxChange } from '../model/conversation/inbox-changes.ts'
import {
  type Appended,
  isOfVisitor,
  isRepeated,
  isStored,
  type NewMessage,
  nextMessage,
  refusedEntry,
  refusedNew,
} from '../model/conversation/messages.ts'
import { PageRows, siteColumns, textOf, toMessage, toState } from '../model/conversation/rows.ts'
import { opens } from '../model/conversation/visitor-keys.ts'
import { eventsOfMessage } from '../model/events.ts'
import { newId } from '../model/ids.ts'
import type { MessageRepository } from '../model/storage.ts'
import { MessageFiles } from './attachments.ts'
import { type ConversationRow, type ConversationRows, newConversation } from './conversation-rows.ts'
import type { EventLog } from './event-log.ts'
import type { InboxRows } from './inbox-rows.ts'
import { type MessageColumns, messageRow } from './message-rows.ts'
import { openScheduling } from './scheduling.ts'
import type { WriteQueue } from './write-queue.ts'

const MESSAGE_COLUMNS =
  '_id, clientId, senderId, message, createdAt, seq, epoch, nonce, attachments, via, quoted'

export function openMessages(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
  events: EventLog,
): MessageRepository {
  const schedule = openScheduling(db)
  const files = new MessageFiles(db)
  const sql = {
    insertMessage: db.prepare(
      `INSERT INTO messages (clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount, attachments, via, quoted)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (clientId, nonce) DO NOTHING`,
    ),
    byNonce: db.prepare('SELECT * FROM messages WHERE clientId = ? AND nonce = ?'),
    newest: db.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE clientId = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    after: db.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE clientId = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?`,
    ),
  }

  function append(input: NewMessage): Appended {
    const { clientId, senderId, nonce } = input
    const stored = rows.readForWrite(clientId)
    const before = stored ?? newConversation(clientId)
    const refusal = refusedEntry(before, input)
    if (refusal !== null) return { outcome: refusal }
    const refusedIfNew = refusedNew(before, input)
    const hasFiles = input.attachments !== undefined && input.attachments.length > 0
    const isNew = (refusedIfNew !== null || hasFiles) && sql.byNonce.get(clientId, nonce) === undefined
    if (refusedIfNew !== null && isNew) return { outcome: refusedIfNew }
    const found = hasFiles && isNew ? files.of(input) : []
    if (typeof found === 'string') return { outcome: found }
    const attachments = found.length === 0 ? null : found
    const { message, mail, keyAdded, keyHashes } = nextMessage(before, input)
    const { seq, createdAt, epoch, visitorCount, waitingSince } = message
    const _id = newId(createdAt)
    const columns = [clientId, seq, _id, senderId, message.message, createdAt, epoch, nonce, visitorCount]
    const inserted = [
      ...columns,
      attachments && JSON.stringify(attachments),
      mail?.via ?? null,
      mail?.quoted ?? null,
    ]
    if (sql.insertMessage.run(...inserted).changes === 0) return repeated(input, before)
    events.add(() => eventsOfMessage({ _id, clientId, seq, createdAt }))
    if (attachments !== null) files.sent(input)
    const site = siteColumns(before, input.site)
    const set = { seq, lastAt: createdAt, visitorCount, waitingSince, keyHashes, ...site }
    const row = stored === undefined ? rows.insert({ ...before, ...set }) : rows.update(stored, set)
    inbox.follow(before, row)
    const by = isOfVisitor(input) ? null : senderId
    const change = changeByMessage(row, by)
    const decided =
      change && decideInboxChange({ ...row, unansweredSince: null }, change, { by, at: createdAt })
    const changed = decided?.outcome === 'stored' ? inbox.store(row, decided) : null
    return {
      outcome: 'stored',
      keyAdded,
      waitedSince: by === null ? null : before.waitingSince,
      inboxChanged: changed && {
        conversation: inbox.shownOf(changed.row),
        activity: changed.activity,
      },
      message: toMessage({ _id, ...message, ...mail, attachments }),
      state: toState(row, keyHashes),
    }
  }

  function repeated(input: NewMessage, row: ConversationRow): Appended {
    const stored = messageRow(sql.byNonce.get(input.clientId, input.nonce) as unknown as MessageColumns)
    if (!isRepeated(stored, input)) return { outcome: 'nonce-taken' }
    return { outcome: 'repeated', message: toMessage(stored), state: toState(row, row.keyHashes) }
  }

  return {
    append: (message) =>
      queue.write(() => {
        const appended = append(message)
        if (message.job && isStored(appended)) schedule(message.job)
        return appended
      }),

    async page(clientId, { after, before, limit, keyHash }) {
      const conversation = rows.read(clientId)
      if (conversation === undefined) return null
      const { keyHashes } = conversation
      const state = toState(conversation, keyHashes)
      if (keyHash !== undefined && !opens(keyHashes, keyHash)) return { ...state, messages: [], more: false }
      const end = before ?? Number.MAX_SAFE_INTEGER
      // Row by row: what the page has no room for is not read.
      const found =
        after === undefined
          ? sql.newest.iterate(clientId, end, limit + 1)
          : after >= conversation.seq
            ? []
            : sql.after.iterate(clientId, after, end, limit + 1)
      const page = new PageRows<Message>(limit)
      for (const row of found) {
        const message = toMessage(messageRow(row as unknown as MessageColumns))
        if (!page.add(message, textOf(message))) break
      }
      return { ...state, messages: after === undefined ? page.rows.reverse() : page.rows, more: page.more }
    },
  }
}
