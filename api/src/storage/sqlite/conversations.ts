import type { DatabaseSync } from 'node:sqlite'
import type { Side } from '@proctorpass/shared/events'
import { STATUSES } from '@proctorpass/shared/schemas/inbox'
import { decideErase, movedReadMark } from '../model/conversation/conversation.ts'
import { conversationPage, siteColumns, toState } from '../model/conversation/rows.ts'
import { keysAdmitting, keysWith } from '../model/conversation/visitor-keys.ts'
import { eventOfErase } from '../model/events.ts'
import { newEpoch } from '../model/ids.ts'
import type { ConversationRepository } from '../model/storage.ts'
import { MessageAttachments } from './attachments.ts'
import { openConversationList } from './conversation-list.ts'
import {
  type ConversationFields,
  type ConversationRow,
  type ConversationRows,
  ERASED,
  newConversation,
} from './conversation-rows.ts'
import type { ErasedMessages } from './erased-messages.ts'
import type { EventLog } from './event-log.ts'
import type { InboxRows } from './inbox-rows.ts'
import { openFigureErasing } from './reports.ts'
import { always, ifTrue, type WriteQueue } from './write-queue.ts'

export function openConversations(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
  events: EventLog,
  erased: ErasedMessages,
): ConversationRepository {
  const list = openConversationList(db)
  const files = new MessageAttachments(db)
  const figures = openFigureErasing(db)
  const sql = {
    countUpTo: db.prepare(
      'SELECT visitorCount FROM messages WHERE clientId = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
    ),
    total: db.prepare(
      "SELECT coalesce(sum(adminUnread), 0) AS total FROM conversations WHERE adminUnread > 0 AND status <> 'spam'",
    ),
    // Both queries read ranges of the list indexes.
    idleAnswered: db.prepare(
      `SELECT clientId FROM conversations
       WHERE status = ? AND waitingSince IS NULL AND lastAt BETWEEN 1 AND ? ORDER BY lastAt LIMIT ?`,
    ),
    idleWaiting: db.prepare(
      `SELECT clientId FROM conversations
       WHERE status = ? AND waitingSince IS NOT NULL AND waitingSince <= ? AND lastAt <= ? LIMIT ?`,
    ),
    idleSpam: db.prepare(
      `SELECT clientId FROM conversations WHERE status = 'spam' AND waitingSince IS NULL AND lastAt BETWEEN 1 AND ?1
         AND spam ->> 'at' <= ?1 ORDER BY lastAt LIMIT ?2`,
    ),
    eraseJobs: db.prepare('DELETE FROM jobs WHERE clientId = ?'),
    eraseRemembered: db.prepare('DELETE FROM remembered WHERE clientId = ?'),
    // An endpoint's response can repeat the event that was posted to it.
    eraseDeliveries: db.prepare('DELETE FROM deliveries WHERE clientId = ?'),
    eraseIdentity: db.prepare('DELETE FROM identities WHERE clientId = ?'),
    eraseLinks: db.prepare("DELETE FROM links WHERE clientId = ? AND kind <> 'unsubscribe'"),
  }

  const stateOf = (row: ConversationRow) => toState(row, row.keyHashes)

  function markRead(clientId: string, side: Side, wanted: number, keyHash: string | null | undefined) {
    const conversation = rows.readForWrite(clientId)
    if (conversation === undefined) return null
    const seq = movedReadMark(conversation, side, wanted, keyHash)
    if (seq === null) return { ...stateOf(conversation), moved: false }
    return { ...stateOf(rows.update(conversation, markAt(side, seq, clientId))), moved: true }
  }

  function markAt(side: Side, seq: number, clientId: string): ConversationFields {
    if (side === 'visitor') return { visitorRead: seq }
    const { visitorCount } = sql.countUpTo.get(clientId, seq) as { visitorCount: number }
    return { adminRead: seq, adminReadCount: visitorCount }
  }

  return {
    async list({ limit, after, filter = {} }) {
      return conversationPage(list(filter, after), limit, inbox.recordOf, filter.exam !== undefined)
    },

    async markRead(clientId, side, seq, keyHash) {
      // Most marks change nothing (a poll, a second tab), and they should not cost a commit.
      const row = rows.read(clientId)
      if (row === undefined) return null
      if (movedReadMark(row, side, seq, keyHash) === null) return { ...stateOf(row), moved: false }
      return queue.write(
        () => markRead(clientId, side, seq, keyHash),
        (marked) => marked?.moved === true,
      )
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

    idleSpam: async (since, limit) =>
      (sql.idleSpam.all(since, limit) as { clientId: string }[]).map(({ clientId }) => clientId),

    addKey: (clientId, keyHash, epoch) =>
      queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row?.epoch !== epoch) return false
        rows.update(row, { keyHashes: keysWith(row.keyHashes, keyHash) })
        return true
      }, ifTrue),

    admit: (clientId, keyHash, site) =>
      queue.write(() => {
        const stored = rows.readForWrite(clientId)
        const before = stored ?? newConversation(clientId)
        const set = { keyHashes: keysAdmitting(before, keyHash), ...siteColumns(before, site) }
        const row = stored === undefined ? rows.insert({ ...before, ...set }) : rows.update(stored, set)
        return row.epoch
      }, always),

    async erase(clientId, options = {}) {
      const prepared = await figures.prepare(clientId)
      const isErased = await queue.write(() => {
        const row = rows.readForWrite(clientId)
        if (row === undefined) return false
        const keyHashes = decideErase(row, options)
        if (keyHashes === null) return false
        figures.keep(clientId, prepared)
        erased.begin(clientId, row.seq)
        inbox.erase(clientId)
        sql.eraseJobs.run(clientId)
        sql.eraseLinks.run(clientId)
        sql.eraseRemembered.run(clientId)
        sql.eraseIdentity.run(clientId)
        sql.eraseDeliveries.run(clientId)
        files.erase(clientId)
        // The row stays, because it holds the epoch, the keys, and a block. Lists leave out a conversation without
        // messages.
        const epoch = newEpoch()
        inbox.follow(row, rows.update(row, { ...ERASED, epoch, keyHashes }))
        events.add(() => [eventOfErase(clientId, epoch, Date.now())])
        return true
      }, ifTrue)
      if (isErased) await erased.finish()
      return isErased
    },
  }
}
