import type { DatabaseSync } from 'node:sqlite'
import type { Side } from '@proctorpass/shared/events'
import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import { STATUSES } from '@proctorpass/shared/schemas/inbox'
import { conversationPage, toState } from '../chat-rows.ts'
import { newEpoch } from '../ids.ts'
import type { ConversationRepository } from '../storage.ts'
import { opens } from '../visitor-keys.ts'
import { MessageFiles } from './attachments.ts'
import { openConversationList } from './conversation-list.ts'
import type { ConversationRow, ConversationRows } from './conversation-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import type { WriteQueue } from './write-queue.ts'

export function openConversations(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
): ConversationRepository {
  const list = openConversationList(db)
  const files = new MessageFiles(db)
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
    // Ranges of the indexes of the list.
    idleAnswered: db.prepare(
      `SELECT clientId FROM conversations
       WHERE status = ? AND waitingSince IS NULL AND lastAt BETWEEN 1 AND ? ORDER BY lastAt LIMIT ?`,
    ),
    idleWaiting: db.prepare(
      `SELECT clientId FROM conversations
       WHERE status = ? AND waitingSince IS NOT NULL AND waitingSince <= ? AND lastAt <= ? LIMIT ?`,
    ),
    eraseMessages: db.prepare('DELETE FROM messages WHERE clientId = ?'),
    // The row stays for its epoch, its keys and a block; lists leave out a conversation without messages.
    eraseConversation: db.prepare(
      `UPDATE conversations SET epoch = ?, seq = 0, lastAt = 0, visitorCount = 0, waitingSince = NULL,
         visitorRead = 0, adminRead = 0, adminReadCount = 0, status = 'open', snoozedUntil = NULL, assigneeId = NULL,
         labels = '[]', version = 0, settledSeq = 0, activityN = 0, rated = 0 WHERE clientId = ?`,
    ),
    eraseJobs: db.prepare('DELETE FROM jobs WHERE clientId = ?'),
    eraseLinks: db.prepare('DELETE FROM links WHERE clientId = ?'),
  }

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
    async list({ limit, after, filter = {} }) {
      return conversationPage(list(filter, after), limit, inbox.recordOf, filter.exam !== undefined)
    },

    async markRead(clientId, side, seq, keyHash) {
      // Most marks change nothing (a poll, a second tab): those cost no commit.
      const row = rows.read(clientId)
      if (row === undefined) return null
      if (newMark(row, side, seq, keyHash) === null) return { ...stateOf(row), moved: false }
      return queue.write(() => markRead(clientId, side, seq, keyHash))
    },

    async record(clientId) {
      const row = rows.read(clientId)
      return row === undefined ? null : inbox.recordOf(row)
    },

    async totalAdminUnread() {
      return (sql.total.get() as { total: number }).total
    },

    async find(clientId) {
      const row = rows.read(clientId)
      return row === undefined ? null : stateOf(row)
    },

    async idle(since, limit) {
      const found: unknown[] = []
      for (const status of STATUSES) {
        found.push(...sql.idleAnswered.all(status, since, limit - found.length))
        found.push(...sql.idleWaiting.all(status, since, since, limit - found.length))
      }
      return found.map((row) => (row as { clientId: string }).clientId)
    },

    addKey: (clientId, keyHash, epoch) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row?.epoch !== epoch) return false
        const [first, ...more] = row.keyHashes
        if (first === undefined || row.keyHashes.includes(keyHash)) return true
        const kept = more.slice(Math.max(0, more.length + 2 - VISITOR_KEYS_MAX))
        sql.setKeys.run(JSON.stringify([first, ...kept, keyHash]), clientId)
        rows.forget(clientId)
        return true
      }),

    erase: (clientId, { keyHash, idleSince = Infinity } = {}) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row === undefined || row.seq === 0 || row.lastAt > idleSince) return false
        if (keyHash !== undefined && !opens(row.keyHashes, keyHash)) return false
        sql.eraseMessages.run(clientId)
        inbox.erase(row)
        sql.eraseJobs.run(clientId)
        sql.eraseLinks.run(clientId)
        files.erase(clientId)
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
