import type { DatabaseSync } from 'node:sqlite'
import type { Side } from '@proctorpass/shared/events'
import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { newEpoch, newId } from '../ids.ts'
import { PageRows, SUMMARY_TEXT_READ, toSummary } from '../page-bytes.ts'
import type {
  Appended,
  ConversationCursor,
  ConversationRecord,
  ConversationRepository,
  ConversationState,
  MessageRepository,
  NewMessage,
} from '../storage.ts'
import { type KeyHashes, opens } from '../visitor-keys.ts'
import type { WriteQueue } from './write-queue.ts'

interface ConversationRow {
  clientId: string
  epoch: string
  seq: number
  lastAt: number
  visitorCount: number
  waitingSince: number | null
  visitorRead: number
  adminRead: number
  adminReadCount: number
  adminUnread: number
  /** A JSON array. */
  keyHashes: string
}

interface MessageRow {
  clientId: string
  seq: number
  _id: string
  senderId: string
  message: string
  createdAt: number
  epoch: string
  nonce: string
  visitorCount: number
}

const MESSAGE_COLUMNS = '_id, clientId, senderId, message, createdAt, seq, epoch, nonce'

/** Messages and conversations on SQLite: two repositories, because they share their rows and statements. */
export function openConversations(
  db: DatabaseSync,
  queue: WriteQueue,
): { messages: MessageRepository; conversations: ConversationRepository } {
  const sql = {
    find: db.prepare('SELECT * FROM conversations WHERE clientId = ?'),
    insertMessage: db.prepare(
      `INSERT INTO messages (clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (clientId, nonce) DO NOTHING`,
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
    countUpTo: db.prepare(
      'SELECT visitorCount FROM messages WHERE clientId = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
    ),
    markVisitor: db.prepare('UPDATE conversations SET visitorRead = ? WHERE clientId = ?'),
    markAdmin: db.prepare('UPDATE conversations SET adminRead = ?, adminReadCount = ? WHERE clientId = ?'),
    total: db.prepare(
      'SELECT coalesce(sum(adminUnread), 0) AS total FROM conversations WHERE adminUnread > 0',
    ),
    // Two statements instead of one with OR: each is a range of its own partial index.
    waiting: db.prepare(
      `SELECT * FROM conversations
       WHERE waitingSince IS NOT NULL AND (waitingSince, clientId) > (?, ?)
       ORDER BY waitingSince, clientId LIMIT ?`,
    ),
    answered: db.prepare(
      `SELECT * FROM conversations
       WHERE waitingSince IS NULL AND lastAt <= ? AND (lastAt < ? OR clientId > ?)
       ORDER BY lastAt DESC, clientId LIMIT ?`,
    ),
    summary: db.prepare(
      `SELECT _id, clientId, senderId, substr(message, 1, ${SUMMARY_TEXT_READ}) AS message, createdAt, seq, epoch, nonce
       FROM messages WHERE clientId = ? AND seq = ?`,
    ),
    eraseMessages: db.prepare('DELETE FROM messages WHERE clientId = ?'),
    // A row without messages would be a conversation that does not exist; its epoch must still be remembered.
    eraseConversation: db.prepare(
      `UPDATE conversations SET epoch = ?, seq = 0, lastAt = 0, visitorCount = 0, waitingSince = NULL,
         visitorRead = 0, adminRead = 0, adminReadCount = 0 WHERE clientId = ?`,
    ),
  }

  const find = (clientId: string) => sql.find.get(clientId) as ConversationRow | undefined

  function append(input: NewMessage): Appended {
    const conversation = find(input.clientId)
    const keyHashes = keysOf(conversation)
    const fromVisitor = input.senderId === input.clientId
    if (fromVisitor && !opens(keyHashes, input.keyHash)) return { outcome: 'wrong-key' }
    if (input.epoch !== undefined && input.epoch !== conversation?.epoch) {
      return { outcome: 'stale-epoch' }
    }
    const isFull = fromVisitor && (conversation?.visitorCount ?? 0) >= (input.visitorMessagesMax ?? Infinity)
    if (isFull && sql.byNonce.get(input.clientId, input.nonce) === undefined) return { outcome: 'full' }
    const firstKey = fromVisitor && keyHashes.length === 0 && input.keyHash ? [input.keyHash] : null
    const epoch = conversation?.epoch ?? newEpoch()
    const seq = (conversation?.seq ?? 0) + 1
    const createdAt = Math.max(input.at, conversation?.lastAt ?? 0)
    const visitorCount = (conversation?.visitorCount ?? 0) + (fromVisitor ? 1 : 0)
    const waitingSince = fromVisitor ? (conversation?.waitingSince ?? createdAt) : null
    const _id = newId(createdAt)
    const { clientId, senderId, message, nonce } = input
    const inserted = sql.insertMessage.run(
      clientId,
      seq,
      _id,
      senderId,
      message,
      createdAt,
      epoch,
      nonce,
      visitorCount,
    )
    if (inserted.changes === 0) {
      const stored = sql.byNonce.get(clientId, nonce) as unknown as MessageRow
      if (stored.senderId !== senderId || stored.message !== message) return { outcome: 'nonce-taken' }
      return {
        outcome: 'repeated',
        message: toMessage(stored),
        state: toState(conversation as ConversationRow),
      }
    }
    if (conversation === undefined) {
      sql.insertConversation.run(clientId, epoch, seq, createdAt, visitorCount, waitingSince)
    } else {
      sql.moveConversation.run(seq, createdAt, visitorCount, waitingSince, clientId)
    }
    if (firstKey !== null) sql.setKeys.run(JSON.stringify(firstKey), clientId)
    return {
      outcome: 'stored',
      keyAdded: firstKey !== null,
      message: {
        _id,
        clientId,
        senderId,
        message,
        createdAt: new Date(createdAt).toISOString(),
        seq,
        epoch,
        nonce,
      },
      state: {
        clientId,
        epoch,
        seq,
        adminUnread: visitorCount - (conversation?.adminReadCount ?? 0),
        read: { visitor: conversation?.visitorRead ?? 0, admin: conversation?.adminRead ?? 0 },
        keyHashes: firstKey ?? keyHashes,
      },
    }
  }

  /** How far the mark may move; where it stands when it may not. */
  function markOf(row: ConversationRow, side: Side, wanted: number, keyHash: string | null | undefined) {
    const now = side === 'admin' ? row.adminRead : row.visitorRead
    const may = side === 'admin' || opens(keysOf(row), keyHash)
    return { now, next: may ? Math.max(now, Math.min(wanted, row.seq)) : now }
  }

  function markRead(clientId: string, side: Side, wanted: number, keyHash: string | null | undefined) {
    const conversation = find(clientId)
    if (conversation === undefined) return null
    const { now, next: seq } = markOf(conversation, side, wanted, keyHash)
    const moved = seq > now
    if (moved && side === 'visitor') sql.markVisitor.run(seq, clientId)
    if (moved && side === 'admin') {
      const { visitorCount } = sql.countUpTo.get(clientId, seq) as { visitorCount: number }
      sql.markAdmin.run(seq, visitorCount, clientId)
    }
    return { ...toState(moved ? (find(clientId) as ConversationRow) : conversation), moved }
  }

  return {
    messages: {
      append: (message) => queue.write(() => append(message)),

      async page(clientId, { after, before, limit, keyHash }) {
        const conversation = find(clientId)
        if (conversation === undefined) return null
        if (keyHash !== undefined && !opens(keysOf(conversation), keyHash)) {
          return { ...toState(conversation), messages: [], more: false }
        }
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
        const messages = after === undefined ? page.rows.reverse() : page.rows
        return { ...toState(conversation), messages, more }
      },
    },

    conversations: {
      async list({ limit, after }) {
        const wanted = limit + 1
        const rows: ConversationRow[] = []
        if (after === undefined || after.waitingSince !== null) {
          rows.push(
            ...(sql.waiting.all(
              after?.waitingSince ?? -1,
              after?.clientId ?? '',
              wanted,
            ) as unknown as ConversationRow[]),
          )
        }
        if (rows.length < wanted) {
          const from = after === undefined || after.waitingSince !== null ? null : after
          const lastAt = from?.lastAt ?? Number.MAX_SAFE_INTEGER
          rows.push(
            ...(sql.answered.all(
              lastAt,
              lastAt,
              from?.clientId ?? '',
              wanted - rows.length,
            ) as unknown as ConversationRow[]),
          )
        }
        const page = new PageRows<ConversationRecord>(limit)
        let last: ConversationRow | undefined
        for (const row of rows) {
          const { clientId, adminUnread, waitingSince } = row
          const newest = sql.summary.get(clientId, row.seq) as unknown as MessageRow | undefined
          if (newest === undefined) continue
          const lastMessage = toSummary(toMessage(newest))
          if (!page.add({ clientId, adminUnread, waitingSince, lastMessage }, lastMessage.message)) {
            return { conversations: page.rows, next: last === undefined ? null : cursorOf(last) }
          }
          last = row
        }
        return { conversations: page.rows, next: null }
      },

      async markRead(clientId, side, seq, keyHash) {
        // Most marks move nothing (a poll, a second tab): those cost no commit.
        const row = find(clientId)
        if (row === undefined) return null
        const { now, next } = markOf(row, side, seq, keyHash)
        if (next === now) return { ...toState(row), moved: false }
        return queue.write(() => markRead(clientId, side, seq, keyHash))
      },

      async totalAdminUnread() {
        return (sql.total.get() as { total: number }).total
      },

      async find(clientId) {
        const row = find(clientId)
        return row === undefined ? null : toState(row)
      },

      addKey: (clientId, keyHash) =>
        queue.write(() => {
          const keyHashes = keysOf(find(clientId))
          if (keyHashes.includes(keyHash)) return true
          if (keyHashes.length === 0 || keyHashes.length >= VISITOR_KEYS_MAX) return false
          sql.setKeys.run(JSON.stringify([...keyHashes, keyHash]), clientId)
          return true
        }),

      erase: (clientId, keyHash) =>
        queue.write(() => {
          const row = find(clientId)
          if (row === undefined || (keyHash !== undefined && !opens(keysOf(row), keyHash))) return false
          sql.eraseMessages.run(clientId)
          sql.eraseConversation.run(newEpoch(), clientId)
          return true
        }),
    },
  }
}

function cursorOf({ waitingSince, lastAt, clientId }: ConversationRow): ConversationCursor {
  return { waitingSince, lastAt, clientId }
}

const NO_KEYS: KeyHashes = []

function keysOf(row: ConversationRow | undefined): KeyHashes {
  return row === undefined || row.keyHashes === '[]' ? NO_KEYS : (JSON.parse(row.keyHashes) as string[])
}

function toState(row: ConversationRow): ConversationState {
  return {
    clientId: row.clientId,
    epoch: row.epoch,
    seq: row.seq,
    adminUnread: row.adminUnread,
    read: { visitor: row.visitorRead, admin: row.adminRead },
    keyHashes: keysOf(row),
  }
}

function toMessage(row: MessageRow): Message {
  return {
    _id: row._id,
    clientId: row.clientId,
    senderId: row.senderId,
    message: row.message,
    createdAt: new Date(row.createdAt).toISOString(),
    seq: row.seq,
    epoch: row.epoch,
    nonce: row.nonce,
  }
}
