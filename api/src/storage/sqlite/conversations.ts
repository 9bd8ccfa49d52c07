import type { DatabaseSync } from 'node:sqlite'
import type { Side } from '@proctorpass/shared/events'
import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import { conversationPage, type MessageRow, SUMMARY_TEXT_READ, toState } from '../chat-rows.ts'
import { newEpoch } from '../ids.ts'
import type { ConversationRepository } from '../storage.ts'
import { opens } from '../visitor-keys.ts'
import type { ConversationRow, ConversationRows } from './conversation-rows.ts'
import { openVisitorRows } from './visitors.ts'
import type { WriteQueue } from './write-queue.ts'

export function openConversations(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
): ConversationRepository {
  const sql = {
    setKeys: db.prepare('UPDATE conversations SET keyHashes = ? WHERE clientId = ?'),
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
    eraseVisitor: db.prepare('DELETE FROM visitors WHERE clientId = ?'),
    // The row stays for its epoch and keys; lists leave out a conversation without messages.
    eraseConversation: db.prepare(
      `UPDATE conversations SET epoch = ?, seq = 0, lastAt = 0, visitorCount = 0, waitingSince = NULL,
         visitorRead = 0, adminRead = 0, adminReadCount = 0 WHERE clientId = ?`,
    ),
  }

  const visitorOf = openVisitorRows(db)
  const stateOf = (row: ConversationRow) => toState(row, row.keyHashes)

  function markRead(clientId: string, side: Side, wanted: number, keyHash: string | null | undefined) {
    const conversation = rows.readForWrite(clientId)
    if (conversation === undefined) return null
    const seq = newMark(conversation, side, wanted, keyHash)
    if (seq === null) return { ...stateOf(conversation), moved: false }
    if (side === 'visitor') {
      sql.markVisitor.run(seq, clientId)
    } else {
      const { visitorCount } = sql.countUpTo.get(clientId, seq) as { visitorCount: number }
      sql.markAdmin.run(seq, visitorCount, clientId)
    }
    rows.forget(clientId)
    return { ...stateOf(rows.read(clientId) as ConversationRow), moved: true }
  }

  return {
    async list({ limit, after }) {
      const wanted = limit + 1
      const found: unknown[] = []
      if (after === undefined || after.waitingSince !== null) {
        found.push(...sql.waiting.all(after?.waitingSince ?? -1, after?.clientId ?? '', wanted))
      }
      if (found.length < wanted) {
        const from = after?.waitingSince === null ? after : { lastAt: Number.MAX_SAFE_INTEGER, clientId: '' }
        found.push(...sql.answered.all(from.lastAt, from.lastAt, from.clientId, wanted - found.length))
      }
      return conversationPage(
        found as ConversationRow[],
        limit,
        ({ clientId, seq }) => (sql.summary.get(clientId, seq) as MessageRow | undefined) ?? null,
        ({ clientId }) => visitorOf(clientId),
      )
    },

    async markRead(clientId, side, seq, keyHash) {
      // Most marks change nothing (a poll, a second tab): those cost no commit.
      const row = rows.read(clientId)
      if (row === undefined) return null
      if (newMark(row, side, seq, keyHash) === null) return { ...stateOf(row), moved: false }
      return queue.write(() => markRead(clientId, side, seq, keyHash))
    },

    async totalAdminUnread() {
      return (sql.total.get() as { total: number }).total
    },

    async find(clientId) {
      const row = rows.read(clientId)
      return row === undefined ? null : stateOf(row)
    },

    addKey: (clientId, keyHash) =>
      queue.write(() => {
        const keyHashes = rows.readForWrite(clientId)?.keyHashes ?? []
        if (keyHashes.includes(keyHash)) return true
        if (keyHashes.length === 0 || keyHashes.length >= VISITOR_KEYS_MAX) return false
        sql.setKeys.run(JSON.stringify([...keyHashes, keyHash]), clientId)
        rows.forget(clientId)
        return true
      }),

    erase: (clientId, keyHash) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row === undefined || (keyHash !== undefined && !opens(row.keyHashes, keyHash))) return false
        sql.eraseMessages.run(clientId)
        sql.eraseVisitor.run(clientId)
        sql.eraseConversation.run(newEpoch(), clientId)
        rows.forget(clientId)
        return true
      }),
  }
}

/** Where the read mark moves to; null when it stays. */
function newMark(row: ConversationRow, side: Side, wanted: number, keyHash: string | null | undefined) {
  const seq = Math.min(wanted, row.seq)
  if (side === 'admin') return seq > row.adminRead ? seq : null
  return seq > row.visitorRead && opens(row.keyHashes, keyHash) ? seq : null
}
