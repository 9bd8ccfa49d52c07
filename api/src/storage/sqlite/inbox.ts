import type { DatabaseSync } from 'node:sqlite'
import { EXAM_SOON_MS } from '@proctorpass/shared/limits'
import { RATINGS_LISTED, ratingOf } from '../model/conversation/blocks-and-ratings.ts'
import { type ConversationWriter, openInboxChanges } from '../model/conversation/changes.ts'
import type { ActivityRecord, ConversationRecord } from '../model/conversation/conversation.ts'
import { openBySite, PageRows } from '../model/conversation/rows.ts'
import { dueMessages } from '../model/conversation/scheduled-records.ts'
import type { InboxNow, InboxRepository } from '../model/storage.ts'
import { type ConversationRows, conversationRow } from './conversation-rows.ts'
import { type ActivityRow, type InboxRows, toActivity } from './inbox-rows.ts'

/** The waiting conversations by status. Each clause reads one range of a list index. */
const WAITING = ['open', 'snoozed'].map(
  (status) => `FROM conversations WHERE status = '${status}' AND waitingSince IS NOT NULL`,
)

export function openInbox(
  db: DatabaseSync,
  writer: ConversationWriter,
  rows: ConversationRows,
  inbox: InboxRows,
): InboxRepository {
  const sql = {
    newest: db.prepare('SELECT * FROM activity WHERE clientId = ? AND n < ? ORDER BY n DESC LIMIT ?'),
    after: db.prepare('SELECT * FROM activity WHERE clientId = ? AND n > ? AND n < ? ORDER BY n LIMIT ?'),
    concerning: db.prepare(
      `SELECT activity.*, epoch, name FROM activity_concerns AS concern JOIN activity USING (clientId, n)
         JOIN conversations USING (clientId) LEFT JOIN visitors USING (clientId)
       WHERE userId = ? AND concern.at >= ? ORDER BY concern.at DESC, concern.clientId DESC, concern.n DESC LIMIT ?`,
    ),
    counts: db.prepare('SELECT * FROM conversation_counts WHERE count > 0'),
    open: db.prepare("SELECT coalesce(sum(count), 0) AS open FROM conversation_counts WHERE status = 'open'"),
    waiting: db.prepare(
      `SELECT ${WAITING.map((from) => `(SELECT count(*) ${from})`).join(' + ')} AS waiting`,
    ),
    longest: db.prepare(
      `${WAITING.map((from) => `SELECT clientId, waitingSince AS since ${from}`).join(' UNION ALL ')}
       ORDER BY since, clientId LIMIT ?`,
    ),
    examSoon: db.prepare(
      `SELECT count(*) AS count FROM visitors JOIN conversations USING (clientId)
       WHERE examAt BETWEEN ? AND ? AND status IN ('open', 'snoozed') AND seq > 0`,
    ),
    // The query jumps from one key to the next, so that its cost depends on the labels and not on their conversations.
    labels: db.prepare(
      `WITH RECURSIVE keys (labelKey) AS (
         SELECT min(labelKey) FROM conversation_labels
         UNION ALL
         SELECT (SELECT min(labelKey) FROM conversation_labels WHERE labelKey > keys.labelKey)
           FROM keys WHERE keys.labelKey IS NOT NULL
       )
       SELECT (SELECT label FROM conversation_labels WHERE labelKey = keys.labelKey LIMIT 1) AS label
       FROM keys WHERE labelKey IS NOT NULL LIMIT ?`,
    ),
    dueSnoozes: db.prepare(
      'SELECT clientId FROM conversations WHERE snoozedUntil <= ? ORDER BY snoozedUntil LIMIT ?',
    ),
    dueMessages: db.prepare(
      `SELECT * FROM conversations WHERE scheduled IS NOT NULL AND scheduled ->> '$[0].sendAt' <= ?
       ORDER BY scheduled ->> '$[0].sendAt' LIMIT ?`,
    ),
  }

  return {
    ...openInboxChanges(writer),

    ratings: async (clientId) => inbox.ratings(clientId, RATINGS_LISTED).map(ratingOf),

    async activity(clientId, { after, before, limit }) {
      const n = rows.read(clientId)?.activityN ?? 0
      const end = before ?? Number.MAX_SAFE_INTEGER
      const found =
        after === undefined
          ? sql.newest.iterate(clientId, end, limit + 1)
          : sql.after.iterate(clientId, after, end, limit + 1)
      const page = new PageRows<ActivityRecord>(limit)
      for (const row of found) {
        if (!page.add(toActivity(row as unknown as ActivityRow), (row as unknown as ActivityRow).data)) break
      }
      return { activity: after === undefined ? page.rows.reverse() : page.rows, n, more: page.more }
    },

    async counts(userId, now) {
      const counts = {
        open: 0,
        mine: 0,
        unassigned: 0,
        examSoon: 0,
        snoozed: 0,
        resolved: 0,
        spam: 0,
        all: 0,
      }
      const sites: Record<string, number> = {}
      for (const row of sql.counts.iterate()) {
        const { status, assigneeId, siteId, count } = row as {
          status: ConversationRecord['inbox']['status']
          assigneeId: string
          siteId: string
          count: number
        }
        counts[status] += count
        if (status !== 'spam') counts.all += count
        if (status !== 'open') continue
        if (assigneeId === userId) counts.mine += count
        if (assigneeId === '') counts.unassigned += count
        if (siteId !== '') sites[siteId] = (sites[siteId] ?? 0) + count
      }
      const { count } = sql.examSoon.get(now, now + EXAM_SOON_MS) as { count: number }
      return { ...counts, examSoon: count, ...openBySite(counts.open, sites) }
    },

    now: async (limit) => {
      const { open } = sql.open.get() as { open: number }
      const { waiting } = sql.waiting.get() as { waiting: number }
      return { open, waiting, longest: sql.longest.all(limit) as InboxNow['longest'] }
    },

    concerning: async (userId, { since, limit }) =>
      sql.concerning.all(userId, since, limit).map((found) => {
        const { epoch, name, ...row } = found as unknown as ActivityRow & {
          epoch: string
          name: string | null
        }
        return { activity: toActivity(row), epoch, visitorName: name }
      }),

    labels: async (limit) => (sql.labels.all(limit) as { label: string }[]).map(({ label }) => label),

    scheduled: async (clientId) => [...(rows.read(clientId)?.scheduled ?? [])],
    messageUnder: async (clientId, nonce) => inbox.messageUnder(clientId, nonce),
    dueMessages: async (now, limit) =>
      sql.dueMessages.all(now, limit).map((found) => {
        const { clientId, status, scheduled } = conversationRow(found)
        return { clientId, status, due: dueMessages(scheduled, now) }
      }),

    dueSnoozes: async (now, limit) =>
      (sql.dueSnoozes.all(now, limit) as { clientId: string }[]).map(({ clientId }) => clientId),
  }
}
