import type { DatabaseSync } from 'node:sqlite'
import { labelKey } from '@proctorpass/shared/label-key'
import { SUMMARY_TEXT_READ, toRecord } from '../chat-rows.ts'
import { newId } from '../ids.ts'
import type { ActivityRecord, InboxChange, InboxChanged, InboxRecord } from '../inbox.ts'
import { applyChange, isResolved, isUndoneResolve, type NewEntry } from '../inbox-changes.ts'
import type { ConversationRecord } from '../storage.ts'
import { claimOf } from '../visitors.ts'
import type { ConversationRow, ConversationRows } from './conversation-rows.ts'
import { type MessageColumns, messageRow } from './message-rows.ts'
import { openVisitorRows } from './visitors.ts'

/** The inbox columns of conversations, and the rows that follow from them. Only for jobs of the write queue, and reads. */
export class InboxRows {
  readonly #rows: ConversationRows
  readonly #sql
  readonly #visitorOf

  constructor(db: DatabaseSync, rows: ConversationRows) {
    this.#rows = rows
    this.#visitorOf = openVisitorRows(db)
    this.#sql = {
      update: db.prepare(
        `UPDATE conversations SET status = ?, snoozedUntil = ?, assigneeId = ?, labels = ?, version = ?,
           waitingSince = ?, settledSeq = ?, activityN = ?, rated = ? WHERE clientId = ?`,
      ),
      setN: db.prepare('UPDATE conversations SET activityN = ? WHERE clientId = ?'),
      insertEntry: db.prepare(
        `INSERT INTO activity (clientId, n, _id, kind, byId, at, afterSeq, nonce, data)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      count: db.prepare(
        `INSERT INTO conversation_counts (status, assigneeId, count) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET count = count + excluded.count`,
      ),
      removeLabels: db.prepare('DELETE FROM conversation_labels WHERE clientId = ?'),
      insertLabel: db.prepare(
        `INSERT INTO conversation_labels (labelKey, clientId, label, status, waitingSince, lastAt)
         VALUES (?, ?, ?, ?, ?, ?)`,
      ),
      orderLabels: db.prepare(
        'UPDATE conversation_labels SET status = ?, waitingSince = ?, lastAt = ? WHERE clientId = ?',
      ),
      firstWritten: db.prepare('SELECT label FROM conversation_labels WHERE labelKey = ? LIMIT 1'),
      newest: db.prepare(
        `SELECT _id, clientId, senderId, substr(message, 1, ${SUMMARY_TEXT_READ}) AS message, createdAt, seq, epoch, nonce,
           attachments FROM messages WHERE clientId = ? AND seq = ?`,
      ),
      unanswered: db.prepare(
        `SELECT createdAt FROM messages WHERE clientId = :clientId AND seq > coalesce(
           (SELECT seq FROM messages WHERE clientId = :clientId AND senderId <> :clientId ORDER BY seq DESC LIMIT 1), 0
         ) ORDER BY seq LIMIT 1`,
      ),
      removeActivity: db.prepare('DELETE FROM activity WHERE clientId = ?'),
      removeVisitor: db.prepare('DELETE FROM visitors WHERE clientId = ?'),
    }
  }

  /** Stores a change and its entries; null when nothing changes. */
  store(
    before: ConversationRow,
    change: InboxChange,
    { by, at }: { by: string | null; at: number },
  ): InboxChanged | null {
    const applied = applyChange(before, this.#asFirstWritten(change))
    if (applied === null) return null
    const { after, entries } = applied
    const row: ConversationRow = {
      ...before,
      ...after,
      ...this.#waiting(before, after, by),
      activityN: before.activityN + entries.length,
      rated: before.rated && !isResolved(before, after),
    }
    this.#sql.update.run(
      ...[row.status, row.snoozedUntil, row.assigneeId, JSON.stringify(row.labels), row.version],
      ...[row.waitingSince, row.settledSeq, row.activityN, Number(row.rated), row.clientId],
    )
    this.#rows.written(row)
    if (before.seq > 0) this.#count(before, -1)
    this.#count(row, 1)
    if (before.labels.length > 0) this.#sql.removeLabels.run(row.clientId)
    for (const label of row.labels) {
      const place = [row.status, row.waitingSince, row.lastAt] as const
      this.#sql.insertLabel.run(labelKey(label), row.clientId, label, ...place)
    }
    const activity = entries.map((entry, index) =>
      this.#insert(row, before.activityN + 1 + index, entry, by, at),
    )
    return { conversation: this.recordOf(row) as ConversationRecord, activity }
  }

  /** Adds an entry to the log without a change of the inbox: a note, or what the visitor said. */
  log(
    before: ConversationRow,
    entry: NewEntry,
    { by, at, nonce = null }: { by: string | null; at: number; nonce?: string | null },
  ): ActivityRecord {
    const row = { ...before, activityN: before.activityN + 1 }
    this.#sql.setN.run(row.activityN, row.clientId)
    this.#rows.written(row)
    return this.#insert(row, row.activityN, entry, by, at, nonce)
  }

  /** Called after a message moved the row. */
  messageAdded(before: ConversationRow, after: ConversationRow): void {
    if (before.seq === 0) this.#count(after, 1)
    if (after.labels.length === 0) return
    this.#sql.orderLabels.run(after.status, after.waitingSince, after.lastAt, after.clientId)
  }

  /** Removes all that the inbox knows of a conversation. The row itself is reset by the caller. */
  erase(before: ConversationRow): void {
    if (before.seq > 0) this.#count(before, -1)
    this.#sql.removeLabels.run(before.clientId)
    this.#sql.removeActivity.run(before.clientId)
    this.#sql.removeVisitor.run(before.clientId)
  }

  /** As the list shows it; null without messages. */
  readonly recordOf = (row: ConversationRow): ConversationRecord | null => {
    const newest = this.#sql.newest.get(row.clientId, row.seq) as MessageColumns | undefined
    if (newest === undefined) return null
    return toRecord(row, messageRow(newest), claimOf(this.#visitorOf(row.clientId)))
  }

  #waiting(before: ConversationRow, after: InboxRecord, by: string | null) {
    if (after.status === 'resolved') return { waitingSince: null, settledSeq: before.seq }
    if (!isUndoneResolve(before, after, by)) return {}
    const oldest = this.#sql.unanswered.get({ clientId: before.clientId }) as
      | { createdAt: number }
      | undefined
    return { waitingSince: oldest?.createdAt ?? null, settledSeq: 0 }
  }

  #asFirstWritten(change: InboxChange): InboxChange {
    if (change.labels === undefined) return change
    const labels = change.labels.map((label) => {
      const found = this.#sql.firstWritten.get(labelKey(label)) as { label: string } | undefined
      return found?.label ?? label
    })
    return { ...change, labels }
  }

  #count({ status, assigneeId }: ConversationRow, by: 1 | -1): void {
    this.#sql.count.run(status, assigneeId ?? '', by)
  }

  #insert(
    { clientId, seq }: ConversationRow,
    n: number,
    { kind, data }: NewEntry,
    by: string | null,
    at: number,
    nonce: string | null = null,
  ): ActivityRecord {
    const _id = newId(at)
    this.#sql.insertEntry.run(clientId, n, _id, kind, by, at, seq, nonce, JSON.stringify(data))
    return { _id, clientId, n, kind, by, at, afterSeq: seq, data }
  }
}

/** Derives the rows of labels and the counts anew, after a copy into the database. */
export function deriveInboxRows(db: DatabaseSync): void {
  db.exec(`
    DELETE FROM conversation_counts;
    INSERT INTO conversation_counts SELECT status, coalesce(assigneeId, ''), count(*) FROM conversations
      WHERE seq > 0 GROUP BY 1, 2;
    DELETE FROM conversation_labels;
  `)
  const insert = db.prepare(
    `INSERT INTO conversation_labels (labelKey, clientId, label, status, waitingSince, lastAt)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const labelled = db.prepare(
    `SELECT clientId, labels, status, waitingSince, lastAt FROM conversations WHERE labels <> '[]'`,
  )
  for (const row of labelled.all() as unknown as (ConversationRow & { labels: string })[]) {
    for (const label of JSON.parse(row.labels) as string[]) {
      insert.run(labelKey(label), row.clientId, label, row.status, row.waitingSince, row.lastAt)
    }
  }
}
