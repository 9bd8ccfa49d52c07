import type { DatabaseSync } from 'node:sqlite'
import { labelKey } from '@proctorpass/shared/label-key'
import { type ConversationWriter, isToStore, type Needs } from '../model/conversation/changes.ts'
import type { ActivityRecord } from '../model/conversation/conversation.ts'
import { visitorRecord } from '../model/conversation/visitors.ts'
import type { ConversationRow, ConversationRows } from './conversation-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import { openVisitorRows, VISITOR_COLUMNS, visitorColumns } from './visitors.ts'
import type { WriteQueue } from './write-queue.ts'

export function openConversationWriter(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
): ConversationWriter {
  const visitorOf = openVisitorRows(db)
  const sql = {
    firstWritten: db.prepare('SELECT label FROM conversation_labels WHERE labelKey = ? LIMIT 1'),
    unanswered: db.prepare(
      `SELECT createdAt FROM messages WHERE clientId = :clientId AND seq > coalesce(
         (SELECT seq FROM messages WHERE clientId = :clientId AND senderId <> :clientId ORDER BY seq DESC LIMIT 1), 0
       ) AND seq > :settledSeq ORDER BY seq LIMIT 1`,
    ),
    putVisitor: db.prepare(
      `INSERT OR REPLACE INTO visitors (${VISITOR_COLUMNS.join(', ')})
       VALUES (${VISITOR_COLUMNS.map((column) => `:${column}`).join(', ')})`,
    ),
  }

  function entryOf({ clientId, rated }: ConversationRow, { nonce, isRating }: Needs): ActivityRecord | null {
    if (nonce !== undefined) return inbox.entryUnder(clientId, nonce)
    return isRating && rated ? (inbox.ratings(clientId, 1)[0] ?? null) : null
  }

  /** Returns the time of the oldest message after the newest answer and after `settledSeq`, or null. */
  function waitingSince({ clientId }: ConversationRow, settledSeq: number): number | null {
    const oldest = sql.unanswered.get({ clientId, settledSeq }) as { createdAt: number } | undefined
    return oldest?.createdAt ?? null
  }

  function asFirstWritten(label: string): string {
    const found = sql.firstWritten.get(labelKey(label)) as { label: string } | undefined
    return found?.label ?? label
  }

  /** Each command's result names a stored change in its own words, so `run` calls `stored` when it stores one. */
  function writeIfStored<T>(run: (stored: () => void) => T): Promise<T> {
    let isStored = false
    return queue.write(
      () => {
        isStored = false
        return run(() => {
          isStored = true
        })
      },
      () => isStored,
    )
  }

  return {
    change: (clientId, { needs = {}, missing, decide, answer }) =>
      writeIfStored((stored) => {
        const row = rows.readForWrite(clientId)
        if (row === undefined) return missing
        const { status, settledSeq, blockedUntil } = row
        const isUndo =
          needs.unansweredSince && (status === 'resolved' || status === 'spam' || blockedUntil !== null)
        const decided = decide({
          conversation: row,
          entry: entryOf(row, needs),
          unansweredSince: isUndo ? waitingSince(row, 0) : null,
          unsettledSince: isUndo ? waitingSince(row, settledSeq) : null,
          labels: needs.labels?.map(asFirstWritten),
          record: () => inbox.shownOf(row),
        })
        if (!isToStore(decided)) return decided
        stored()
        const { row: after, activity } = inbox.store(row, decided)
        return answer({ activity, record: () => inbox.shownOf(after) })
      }),

    changeVisitor: (clientId, { missing, decide, answer }) =>
      writeIfStored((stored) => {
        const conversation = rows.readForWrite(clientId)
        if (conversation === undefined) return missing
        const known = visitorOf(clientId)
        const decided = decide(conversation, known)
        if (!isToStore(decided)) return decided
        stored()
        const { set, entries, only = [] } = decided
        const visitor = { ...(known ?? visitorRecord(clientId, {})), ...set }
        sql.putVisitor.run(visitorColumns(visitor))
        const activity = entries.length === 0 ? [] : inbox.store(conversation, { set: {}, entries }).activity
        return answer({ conversation, visitor, activity, only })
      }),
  }
}
