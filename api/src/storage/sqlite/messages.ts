import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { hasAttachments } from '../attachments.ts'
import { isBlocked } from '../blocks-and-ratings.ts'
import { textOf, toMessage, toState } from '../chat-rows.ts'
import { newEpoch, newId } from '../ids.ts'
import { NEW_INBOX } from '../inbox.ts'
import { changeByMessage } from '../inbox-changes.ts'
import { PageRows } from '../page-rows.ts'
import { type Appended, isStored, type MessageRepository, type NewMessage } from '../storage.ts'
import { opens } from '../visitor-keys.ts'
import { MessageFiles } from './attachments.ts'
import type { ConversationRow, ConversationRows } from './conversation-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import { openScheduling } from './jobs.ts'
import { type MessageColumns, messageRow } from './message-rows.ts'
import type { WriteQueue } from './write-queue.ts'

const MESSAGE_COLUMNS = '_id, clientId, senderId, message, createdAt, seq, epoch, nonce, attachments'

export function openMessages(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
): MessageRepository {
  const schedule = openScheduling(db)
  const files = new MessageFiles(db)
  const sql = {
    insertMessage: db.prepare(
      `INSERT INTO messages (clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount, attachments)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (clientId, nonce) DO NOTHING`,
    ),
    byNonce: db.prepare('SELECT * FROM messages WHERE clientId = ? AND nonce = ?'),
    insertConversation: db.prepare(
      `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount, waitingSince)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    moveConversation: db.prepare(
      'UPDATE conversations SET seq = ?, lastAt = ?, visitorCount = ? WHERE clientId = ?',
    ),
    // On its own, because SQLite rewrites the entries of an index whenever one of its columns is set.
    setWaiting: db.prepare('UPDATE conversations SET waitingSince = ? WHERE clientId = ?'),
    setKeys: db.prepare('UPDATE conversations SET keyHashes = ? WHERE clientId = ?'),
    newest: db.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE clientId = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    after: db.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE clientId = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?`,
    ),
  }

  function append(input: NewMessage): Appended {
    const { clientId, senderId, message, nonce } = input
    const before = rows.readForWrite(clientId)
    const conversation = before ?? newConversation(clientId)
    const fromVisitor = senderId === clientId
    if (fromVisitor && !opens(conversation.keyHashes, input.keyHash)) return { outcome: 'wrong-key' }
    if (input.epoch !== undefined && input.epoch !== before?.epoch) return { outcome: 'stale-epoch' }
    const refusal = fromVisitor ? refusalOf(conversation, input) : null
    const hasFiles = input.attachments !== undefined && input.attachments.length > 0
    const isNew = (refusal !== null || hasFiles) && sql.byNonce.get(clientId, nonce) === undefined
    if (refusal !== null && isNew) return { outcome: refusal }
    const found = hasFiles && isNew ? files.of(input) : []
    if (typeof found === 'string') return { outcome: found }
    const attachments = found.length === 0 ? null : found
    const { epoch } = conversation
    const seq = conversation.seq + 1
    const at = Math.max(input.at, conversation.lastAt)
    const visitorCount = conversation.visitorCount + (fromVisitor ? 1 : 0)
    const _id = newId(at)
    const columns = [clientId, seq, _id, senderId, message, at, epoch, nonce, visitorCount]
    const inserted = [...columns, attachments && JSON.stringify(attachments)]
    if (sql.insertMessage.run(...inserted).changes === 0) return repeated(input, conversation)
    if (attachments !== null) files.sent(input)
    const waitingSince = fromVisitor ? (conversation.waitingSince ?? at) : null
    if (before === undefined) {
      sql.insertConversation.run(clientId, epoch, seq, at, visitorCount, waitingSince)
    } else {
      sql.moveConversation.run(seq, at, visitorCount, clientId)
      if (waitingSince !== before.waitingSince) sql.setWaiting.run(waitingSince, clientId)
    }
    const keyAdded = fromVisitor && conversation.keyHashes.length === 0 && typeof input.keyHash === 'string'
    const keyHashes = keyAdded ? [input.keyHash as string] : conversation.keyHashes
    if (keyAdded) sql.setKeys.run(JSON.stringify(keyHashes), clientId)
    const adminUnread = visitorCount - conversation.adminReadCount
    const row = { ...conversation, seq, lastAt: at, visitorCount, waitingSince, adminUnread, keyHashes }
    rows.written(row)
    inbox.messageAdded(conversation, row)
    const change = changeByMessage(row, fromVisitor ? null : senderId)
    return {
      outcome: 'stored',
      keyAdded,
      waitedSince: fromVisitor ? null : conversation.waitingSince,
      inboxChanged: change && inbox.store(row, change, { by: fromVisitor ? null : senderId, at }),
      message: toMessage({ _id, clientId, senderId, message, createdAt: at, seq, epoch, nonce, attachments }),
      state: toState(row, keyHashes),
    }
  }

  function repeated({ clientId, nonce, ...input }: NewMessage, row: ConversationRow): Appended {
    const stored = messageRow(sql.byNonce.get(clientId, nonce) as unknown as MessageColumns)
    const isSame = stored.senderId === input.senderId && stored.message === input.message
    if (!isSame || !hasAttachments(stored.attachments, input.attachments)) return { outcome: 'nonce-taken' }
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
      let more = false
      for (const row of found) {
        const message = toMessage(messageRow(row as unknown as MessageColumns))
        more = !page.add(message, textOf(message))
        if (more) break
      }
      return { ...state, messages: after === undefined ? page.rows.reverse() : page.rows, more }
    },
  }
}

/** Why a visitor's message is not stored. */
function refusalOf(
  { blockedUntil, visitorCount }: ConversationRow,
  { at, visitorMessagesMax = Infinity }: NewMessage,
): 'blocked' | 'full' | null {
  if (isBlocked(blockedUntil, at)) return 'blocked'
  return visitorCount >= visitorMessagesMax ? 'full' : null
}

function newConversation(clientId: string): ConversationRow {
  return {
    clientId,
    epoch: newEpoch(),
    seq: 0,
    lastAt: 0,
    visitorCount: 0,
    waitingSince: null,
    visitorRead: 0,
    adminRead: 0,
    adminReadCount: 0,
    adminUnread: 0,
    keyHashes: [],
    settledSeq: 0,
    activityN: 0,
    blockedUntil: null,
    rated: false,
    ...NEW_INBOX,
  }
}
