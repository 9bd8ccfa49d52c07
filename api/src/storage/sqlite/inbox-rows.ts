import type { DatabaseSync } from 'node:sqlite'
import { labelKey } from '@proctorpass/shared/label-key'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ActivityKind } from '@proctorpass/shared/schemas/inbox'
import type {
  ActivityRecord,
  ConversationRecord,
  NewEntry,
  ToStore,
} from '../model/conversation/conversation.ts'
import { concernedBy, MARK_KINDS, MARKS_READ } from '../model/conversation/inbox-changes.ts'
import { type MessageRow, SUMMARY_TEXT_READ, toMessage, toRecord } from '../model/conversation/rows.ts'
import { claimOf } from '../model/conversation/visitors.ts'
import { eventsOfEntry } from '../model/events.ts'
import { newId } from '../model/ids.ts'
import { MESSAGES_WITH_EDITS, type MessageColumns, messageRow } from './columns.ts'
import type { ConversationFields, ConversationRow, ConversationRows } from './conversation-rows.ts'
import type { EventLog } from './event-log.ts'
import { openVisitorRows } from './visitors.ts'

const INSERT_CONCERN = 'INSERT OR IGNORE INTO activity_concerns (userId, at, clientId, n) VALUES (?, ?, ?, ?)'

/** A row of the table `activity`. `data` is JSON. */
export type ActivityRow = Omit<ActivityRecord, 'by' | 'data'> & {
  byId: string | null
  nonce: string | null
  data: string
}

export function toActivity({ byId, nonce: _, data, ...row }: ActivityRow): ActivityRecord {
  return { ...row, by: byId, data: JSON.parse(data) as ActivityRecord['data'] }
}

/** Reads and writes the inbox columns and the rows derived from them. Only jobs of the write queue may write. */
export class InboxRows {
  readonly #rows: ConversationRows
  readonly #events: EventLog
  readonly #sql
  readonly #visitorOf

  constructor(db: DatabaseSync, rows: ConversationRows, events: EventLog) {
    this.#rows = rows
    this.#events = events
    this.#visitorOf = openVisitorRows(db)
    const newestOf = (kinds: readonly ActivityKind[]) =>
      db.prepare(
        `SELECT * FROM activity WHERE clientId = ? AND kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})
         ORDER BY n DESC LIMIT ?`,
      )
    this.#sql = {
      insertEntry: db.prepare(
        `INSERT INTO activity (clientId, n, _id, kind, byId, at, afterSeq, nonce, data)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      insertConcern: db.prepare(INSERT_CONCERN),
      count: db.prepare(
        `INSERT INTO conversation_counts (status, assigneeId, siteId, count) VALUES (?, ?, ?, ?)
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
      newest: db.prepare(
        `SELECT _id, clientId, senderId, substr(message, 1, ${SUMMARY_TEXT_READ}) AS message, createdAt, seq, epoch, nonce,
           attachments, via, edit, substr(words, 1, ${SUMMARY_TEXT_READ}) AS words, editedAt
         FROM ${MESSAGES_WITH_EDITS} WHERE clientId = ? AND seq = ?`,
      ),
      message: db.prepare(`SELECT * FROM ${MESSAGES_WITH_EDITS} WHERE clientId = ? AND seq = ?`),
      putWords: db.prepare(
        'INSERT OR REPLACE INTO edits (clientId, seq, edit, words, editedAt) VALUES (?, ?, ?, ?, ?)',
      ),
      edits: newestOf(['edit']),
      byNonce: db.prepare('SELECT * FROM activity WHERE clientId = ? AND nonce = ?'),
      messageByNonce: db.prepare(`SELECT * FROM ${MESSAGES_WITH_EDITS} WHERE clientId = ? AND nonce = ?`),
      releaseFile: db.prepare(
        'UPDATE attachments SET messageNonce = NULL, createdAt = 0 WHERE _id = ? AND messageNonce = ?',
      ),
      ratings: newestOf(['rating']),
      marks: newestOf(MARK_KINDS),
      removeActivity: db.prepare('DELETE FROM activity WHERE clientId = ?'),
      removeConcerns: db.prepare('DELETE FROM activity_concerns WHERE clientId = ?'),
      removeSeen: db.prepare('DELETE FROM seen_marks WHERE clientId = ?'),
      removeEdits: db.prepare('DELETE FROM edits WHERE clientId = ?'),
      removeVisitor: db.prepare('DELETE FROM visitors WHERE clientId = ?'),
    }
  }

  /** Stores fields and entries, and updates the rows derived from them. */
  store(
    before: ConversationRow,
    {
      set,
      entries,
      words,
    }: Pick<ToStore<ConversationFields>, 'set' | 'words'> & { entries: readonly NewEntry[] },
  ): { row: ConversationRow; activity: ActivityRecord[] } {
    const activityN = before.activityN + entries.length
    const row = this.#rows.update(before, { ...set, activityN })
    this.follow(before, row)
    if (set.scheduled !== undefined) this.#releaseFiles(before, row)
    if (words !== undefined) {
      this.#sql.putWords.run(row.clientId, words.seq, words.edit, words.message, words.at)
    }
    const activity = entries.map((entry, index) => this.#insert(row, before.activityN + 1 + index, entry))
    return { row, activity }
  }

  /** Updates the counts and the label rows after a conversation's row changed. */
  follow(before: ConversationRow, after: ConversationRow): void {
    const isCounted = before.seq > 0
    if (
      isCounted !== after.seq > 0 ||
      before.status !== after.status ||
      before.assigneeId !== after.assigneeId ||
      before.siteId !== after.siteId
    ) {
      if (isCounted) this.#count(before, -1)
      if (after.seq > 0) this.#count(after, 1)
    }
    const { clientId, labels } = after
    if (before.labels.length === 0 && labels.length === 0) return
    const place = [after.status, after.waitingSince, after.lastAt] as const
    if (before.labels === labels) {
      this.#sql.orderLabels.run(...place, clientId)
      return
    }
    this.#sql.removeLabels.run(clientId)
    for (const label of labels) this.#sql.insertLabel.run(labelKey(label), clientId, label, ...place)
  }

  /** Removes the conversation's log, its seen marks, its messages' newest words, and the visitor's data. */
  erase(clientId: string): void {
    this.#sql.removeActivity.run(clientId)
    this.#sql.removeConcerns.run(clientId)
    this.#sql.removeSeen.run(clientId)
    this.#sql.removeEdits.run(clientId)
    this.#sql.removeVisitor.run(clientId)
  }

  /** Returns the conversation as the list shows it, or null if it has no messages. */
  readonly recordOf = (row: ConversationRow): ConversationRecord | null => {
    const newest = this.#sql.newest.get(row.clientId, row.seq) as MessageColumns | undefined
    if (newest === undefined) return null
    return toRecord(row, messageRow(newest), claimOf(this.#visitorOf(row.clientId)))
  }

  /** Returns a conversation that has messages, as the list shows it. */
  shownOf(row: ConversationRow): ConversationRecord {
    return this.recordOf(row) as ConversationRecord
  }

  /** Returns the log's entry under this nonce, or null. */
  entryUnder(clientId: string, nonce: string): ActivityRecord | null {
    const found = this.#sql.byNonce.get(clientId, nonce)
    return found === undefined ? null : toActivity(found as unknown as ActivityRow)
  }

  /** Returns the message under this nonce, or null. */
  messageUnder(clientId: string, nonce: string): Message | null {
    const found = this.#sql.messageByNonce.get(clientId, nonce)
    return found === undefined ? null : toMessage(messageRow(found as unknown as MessageColumns))
  }

  /** Returns the message with its newest words, or null. */
  message(clientId: string, seq: number): MessageRow | null {
    const found = this.#sql.message.get(clientId, seq)
    return found === undefined ? null : messageRow(found as unknown as MessageColumns)
  }

  /** Returns the newest entries about corrections, the newest first. */
  edits(clientId: string, limit: number): ActivityRecord[] {
    return (this.#sql.edits.all(clientId, limit) as unknown as ActivityRow[]).map(toActivity)
  }

  /** Returns the newest ratings first. */
  ratings(clientId: string, limit: number): ActivityRecord[] {
    return (this.#sql.ratings.all(clientId, limit) as unknown as ActivityRow[]).map(toActivity)
  }

  /** Returns the entries that say which messages wait, the oldest first. */
  marks(clientId: string): ActivityRecord[] {
    return (this.#sql.marks.all(clientId, MARKS_READ) as unknown as ActivityRow[]).map(toActivity).reverse()
  }

  /** Lets the files of canceled messages expire. */
  #releaseFiles({ scheduled }: ConversationRow, after: ConversationRow): void {
    for (const { nonce, attachments } of scheduled ?? []) {
      if (attachments.length === 0 || after.scheduled?.some((each) => each.nonce === nonce)) continue
      const isSent = this.#sql.messageByNonce.get(after.clientId, nonce) !== undefined
      if (!isSent) for (const { _id } of attachments) this.#sql.releaseFile.run(_id, nonce)
    }
  }

  #count({ status, assigneeId, siteId }: ConversationRow, by: 1 | -1): void {
    this.#sql.count.run(status, assigneeId ?? '', siteId ?? '', by)
  }

  #insert(
    { clientId, seq }: ConversationRow,
    n: number,
    { kind, by, at, data, nonce }: NewEntry,
  ): ActivityRecord {
    const _id = newId(at)
    this.#sql.insertEntry.run(clientId, n, _id, kind, by, at, seq, nonce ?? null, JSON.stringify(data))
    for (const userId of concernedBy({ kind, by, data })) this.#sql.insertConcern.run(userId, at, clientId, n)
    this.#events.add(() => eventsOfEntry({ _id, clientId, n, kind, at }))
    return { _id, clientId, n, kind, by, at, afterSeq: seq, data }
  }
}

/**
 * Derives the counts, the label rows, and the concern rows again, after a copy into the database or a repair. An older
 * release's copy can have a blocked visitor who waits, and this ends the wait.
 */
export function deriveInboxRows(db: DatabaseSync): void {
  db.exec(`
    UPDATE conversations SET waitingSince = NULL, settledSeq = seq
      WHERE waitingSince IS NOT NULL AND blockedUntil > unixepoch() * 1000;
    DELETE FROM conversation_counts;
    INSERT INTO conversation_counts
      SELECT status, coalesce(assigneeId, ''), coalesce(siteId, ''), count(*) FROM conversations
      WHERE seq > 0 GROUP BY 1, 2, 3;
    DELETE FROM conversation_labels;
    DELETE FROM activity_concerns;
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
  const concern = db.prepare(INSERT_CONCERN)
  const concerning = db.prepare(
    `SELECT clientId, n, kind, byId, at, data FROM activity WHERE kind IN ('note', 'assignee')`,
  )
  for (const found of concerning.iterate()) {
    const { byId: by, data, ...row } = found as unknown as ActivityRecord & { byId: string | null }
    const entry = { ...row, by, data: JSON.parse(data as unknown as string) as ActivityRecord['data'] }
    for (const userId of concernedBy(entry)) concern.run(userId, row.at, row.clientId, row.n)
  }
}
