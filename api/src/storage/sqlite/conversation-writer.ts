import type { DatabaseSync } from 'node:sqlite'
import { labelKey } from '@proctorpass/shared/label-key'
import {
  type ConversationFields as ChangedFields,
  type ConversationWriter,
  isToStore,
  type Needs,
} from '../model/conversation/changes.ts'
import type { ActivityRecord, ToStore } from '../model/conversation/conversation.ts'
import { EDITS_READ } from '../model/conversation/edits.ts'
import { visitorRecord } from '../model/conversation/visitors.ts'
import { MessageAttachments } from './attachments.ts'
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
  const files = new MessageAttachments(db)
  const sql = {
    firstWritten: db.prepare('SELECT label FROM conversation_labels WHERE labelKey = ? LIMIT 1'),
    waitsAfter: db.prepare(
      `SELECT createdAt FROM messages WHERE clientId = :clientId AND seq <= :last AND seq > max(:seq, coalesce(
         (SELECT seq FROM messages WHERE clientId = :clientId AND seq <= :last AND senderId <> :clientId
          ORDER BY seq DESC LIMIT 1), 0
       )) ORDER BY seq LIMIT 1`,
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

  /** Returns the fields to store with the waiting time that the decision leaves to the store. */
  function fieldsOf(
    { clientId, seq }: ConversationRow,
    { set, waitsAfter }: ToStore<ChangedFields>,
  ): ChangedFields {
    if (waitsAfter === undefined) return set
    const oldest = sql.waitsAfter.get({ clientId, seq: waitsAfter, last: seq }) as
      | { createdAt: number }
      | undefined
    return { ...set, waitingSince: oldest?.createdAt ?? null }
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
        const { seq } = needs
        const entry = entryOf(row, needs)
        const targetNow = () => (seq === undefined ? null : inbox.message(clientId, seq))
        const decided = decide({
          conversation: row,
          entry,
          target: targetNow(),
          edits: seq === undefined || entry === null ? [] : inbox.edits(clientId, EDITS_READ),
          marks: needs.marks ? inbox.marks(clientId) : [],
          labels: needs.labels?.map(asFirstWritten),
          message: needs.message === undefined ? null : inbox.messageUnder(clientId, needs.message),
          files: entry === null && needs.files !== undefined ? files.of(needs.files) : [],
          record: () => inbox.shownOf(row),
        })
        if (!isToStore(decided)) return decided
        stored()
        if (needs.files !== undefined) files.sent(needs.files)
        const { row: after, activity } = inbox.store(row, {
          set: fieldsOf(row, decided),
          entries: decided.entries,
          ...(decided.words && { words: decided.words }),
        })
        const { keyHashes, scheduled } = after
        const target = targetNow()
        return answer({ activity, scheduled, target, keyHashes, record: () => inbox.shownOf(after) })
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
