import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { type MessageRow, toMessage, toState } from '../chat-rows.ts'
import { newEpoch, newId } from '../ids.ts'
import { PageRows } from '../page-rows.ts'
import type { Appended, MessageRepository, NewMessage } from '../storage.ts'
import { opens } from '../visitor-keys.ts'
import { type ConversationRow, keysOf } from './conversation-row.ts'
import type { WriteQueue } from './write-queue.ts'

const MESSAGE_COLUMNS = '_id, clientId, senderId, message, createdAt, seq, epoch, nonce'

export function openMessages(db: DatabaseSync, queue: WriteQueue): MessageRepository {
  const sql = {
    conversation: db.prepare('SELECT * FROM conversations WHERE clientId = ?'),
    insertMessage: db.prepare(
      `INSERT INTO messages (clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount)
       VALUES (:clientId, :seq, :_id, :senderId, :message, :createdAt, :epoch, :nonce, :visitorCount)
       ON CONFLICT (clientId, nonce) DO NOTHING`,
    ),
    byNonce: db.prepare('SELECT * FROM messages WHERE clientId = ? AND nonce = ?'),
    insertConversation: db.prepare(
      `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount, waitingSince)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    moveConversation: db.prepare(
      'UPDATE conversations SET seq = ?, lastAt = ?, visitorCount = ?, waitingSince = ? WHERE clientId = ?',
    ),
    setKeys: db.prepare('UPDATE conversations SET keyHashes = ? WHERE clientId = ?'),
    newest: db.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE clientId = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    after: db.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE clientId = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?`,
    ),
  }

  const find = (clientId: string) => sql.conversation.get(clientId) as ConversationRow | undefined

  function append(input: NewMessage): Appended {
    const { clientId, senderId, message, nonce } = input
    const conversation = find(clientId)
    const keyHashes = keysOf(conversation)
    const fromVisitor = senderId === clientId
    if (fromVisitor && !opens(keyHashes, input.keyHash)) return { outcome: 'wrong-key' }
    if (input.epoch !== undefined && input.epoch !== conversation?.epoch) {
      return { outcome: 'stale-epoch' }
    }
    const isFull = fromVisitor && (conversation?.visitorCount ?? 0) >= (input.visitorMessagesMax ?? Infinity)
    if (isFull && sql.byNonce.get(clientId, nonce) === undefined) return { outcome: 'full' }
    const epoch = conversation?.epoch ?? newEpoch()
    const seq = (conversation?.seq ?? 0) + 1
    const createdAt = Math.max(input.at, conversation?.lastAt ?? 0)
    const visitorCount = (conversation?.visitorCount ?? 0) + (fromVisitor ? 1 : 0)
    const waitingSince = fromVisitor ? (conversation?.waitingSince ?? createdAt) : null
    const row = { _id: newId(createdAt), clientId, senderId, message, createdAt, seq, epoch, nonce }
    if (sql.insertMessage.run({ ...row, visitorCount }).changes === 0) {
      const stored = sql.byNonce.get(clientId, nonce) as unknown as MessageRow
      if (stored.senderId !== senderId || stored.message !== message) return { outcome: 'nonce-taken' }
      const state = toState(conversation as ConversationRow, keyHashes)
      return { outcome: 'repeated', message: toMessage(stored), state }
    }
    if (conversation === undefined) {
      sql.insertConversation.run(clientId, epoch, seq, createdAt, visitorCount, waitingSince)
    } else {
      sql.moveConversation.run(seq, createdAt, visitorCount, waitingSince, clientId)
    }
    const firstKey = fromVisitor && keyHashes.length === 0 && input.keyHash ? [input.keyHash] : null
    if (firstKey !== null) sql.setKeys.run(JSON.stringify(firstKey), clientId)
    const { adminReadCount, visitorRead, adminRead } = conversation ?? UNREAD
    const adminUnread = visitorCount - adminReadCount
    return {
      outcome: 'stored',
      keyAdded: firstKey !== null,
      message: toMessage(row),
      state: toState({ clientId, epoch, seq, adminUnread, visitorRead, adminRead }, firstKey ?? keyHashes),
    }
  }

  return {
    append: (message) => queue.write(() => append(message)),

    async page(clientId, { after, before, limit, keyHash }) {
      const conversation = find(clientId)
      if (conversation === undefined) return null
      const keyHashes = keysOf(conversation)
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
        const message = toMessage(row as unknown as MessageRow)
        more = !page.add(message, message.message)
        if (more) break
      }
      return { ...state, messages: after === undefined ? page.rows.reverse() : page.rows, more }
    },
  }
}

const UNREAD = { adminReadCount: 0, visitorRead: 0, adminRead: 0 }
