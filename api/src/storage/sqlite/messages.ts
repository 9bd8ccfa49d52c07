import type { DatabaseSync } from 'node:sqlite'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { changesByMessages, type InboxChanged } from '../model/conversation/inbox-changes.ts'
import {
  type Appended,
  isOfVisitor,
  isRepeated,
  isStored,
  type NewMessage,
  nextMessage,
  refusedEntry,
  refusedNew,
} from '../model/conversation/messages.ts'
import {
  type MessageRow,
  PageRows,
  siteColumns,
  textOf,
  toMessage,
  toState,
} from '../model/conversation/rows.ts'
import { isWaiting } from '../model/conversation/scheduled-records.ts'
import { opens } from '../model/conversation/visitor-keys.ts'
import { eventsOfMessage } from '../model/events.ts'
import { newId } from '../model/ids.ts'
import type { NewJob } from '../model/jobs.ts'
import type { MessageRepository } from '../model/storage.ts'
import { MessageAttachments } from './attachments.ts'
import { MESSAGES_WITH_EDITS, type MessageColumns, messageRow } from './columns.ts'
import { type ConversationRow, type ConversationRows, newConversation } from './conversation-rows.ts'
import type { ErasedMessages } from './erased-messages.ts'
import type { EventLog } from './event-log.ts'
import type { InboxRows } from './inbox-rows.ts'
import { ifStored, type WriteQueue } from './write-queue.ts'

const COLUMNS = '_id, clientId, senderId, message, createdAt, seq, epoch, nonce, attachments, via, quoted'
const SHOWN = `${COLUMNS}, edit, words, editedAt FROM ${MESSAGES_WITH_EDITS}`
/** In nearly all conversations no message was corrected, and the join would take a fifth of a page's time. */
const UNEDITED = `${COLUMNS} FROM messages`
const NOT_BY_MAIL = { via: null, quoted: null }

export function openMessages(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
  inbox: InboxRows,
  events: EventLog,
  erased: ErasedMessages,
): MessageRepository {
  const schedule = openScheduling(db)
  const files = new MessageAttachments(db)
  const pagesOf = (shown: string) => ({
    newest: db.prepare(`SELECT ${shown} WHERE clientId = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
    after: db.prepare(`SELECT ${shown} WHERE clientId = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?`),
  })
  const sql = {
    insertMessage: db.prepare(
      `INSERT INTO messages (clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount, attachments, via, quoted)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (clientId, nonce) DO NOTHING`,
    ),
    byNonce: db.prepare(`SELECT ${SHOWN} WHERE clientId = ? AND nonce = ?`),
    unedited: pagesOf(UNEDITED),
    edited: pagesOf(SHOWN),
    // Only the newest message can be corrected, so corrections are in the order of seq.
    corrected: db.prepare(
      `SELECT ${SHOWN} WHERE clientId = ?1 AND seq IN (SELECT seq FROM edits WHERE clientId = ?1 AND edit > ?2)
       ORDER BY seq LIMIT ?3`,
    ),
  }

  /** Appends a message. Only a job of the write queue may call this. */
  function append(input: NewMessage): Appended {
    const stored = rows.readForWrite(input.clientId)
    const before = stored ?? newConversation(input.clientId)
    erased.makeRoom(input.clientId, before.epoch, before.seq + 1, input.nonce)
    const refusal = refusalOf(before, input)
    if (refusal !== null) return { outcome: refusal }
    if (input.scheduled !== undefined && !isWaiting(before.scheduled, input) && isNew(input)) {
      return { outcome: 'unscheduled' }
    }
    const attachments = attachmentsOf(before, input)
    if (typeof attachments === 'string') return { outcome: attachments }
    const next = nextMessage(before, input)
    const message = insertMessage(next, attachments)
    if (message === null) return repeated(before, input)
    events.add(() => eventsOfMessage(message))
    files.sent(input)
    const moved = moveConversation(stored, before, next, input.site)
    const { row, inboxChanged } = changeInbox(moved, message, input.then)
    return {
      outcome: 'stored',
      keyAdded: next.keyAdded,
      waitedSince: isOfVisitor(input) ? null : before.waitingSince,
      inboxChanged,
      message: toMessage(message),
      state: toState(row, row.keyHashes),
    }
  }

  function isNew({ clientId, nonce }: NewMessage): boolean {
    return sql.byNonce.get(clientId, nonce) === undefined
  }

  /**
   * Returns why the message is refused, or null. A message that is already stored is answered as repeated, even where a
   * new one would be refused.
   */
  function refusalOf(conversation: ConversationRow, input: NewMessage) {
    const refusal = refusedEntry(conversation, input)
    if (refusal !== null) return refusal
    const refusalOfNew = refusedNew(conversation, input)
    return refusalOfNew !== null && isNew(input) ? refusalOfNew : null
  }

  /** Returns a new message's files, or the reason why it can't have them. A stored message already has its files. */
  function attachmentsOf({ scheduled }: ConversationRow, input: NewMessage) {
    if (input.scheduled !== undefined) {
      return scheduled?.find(({ nonce }) => nonce === input.nonce)?.attachments ?? []
    }
    return input.attachments?.length && isNew(input) ? files.of(input) : []
  }

  /** Stores the message. Returns null when a message is already stored under its nonce. */
  function insertMessage({ message, mail }: ReturnType<typeof nextMessage>, files: Attachment[]) {
    const { clientId, seq, senderId, message: text, createdAt, epoch, nonce, visitorCount } = message
    const { via, quoted } = mail ?? NOT_BY_MAIL
    const _id = newId(createdAt)
    const attachments = files.length === 0 ? null : files
    const json = attachments && JSON.stringify(attachments)
    const { changes } = sql.insertMessage.run(
      clientId,
      seq,
      _id,
      senderId,
      text,
      createdAt,
      epoch,
      nonce,
      visitorCount,
      json,
      via,
      quoted,
    )
    return changes === 0 ? null : { _id, ...message, attachments, via, quoted, edited: null }
  }

  /** Moves the conversation's totals to the message, and its keys if the message brought the first one. */
  function moveConversation(
    stored: ConversationRow | undefined,
    before: ConversationRow,
    { message, keyHashes }: ReturnType<typeof nextMessage>,
    site: NewMessage['site'],
  ): ConversationRow {
    const { seq, createdAt: lastAt, visitorCount } = message
    const waitingSince = before.status === 'spam' ? null : message.waitingSince
    const set = { seq, lastAt, visitorCount, waitingSince, keyHashes, ...siteColumns(before, site) }
    const row = stored === undefined ? rows.insert({ ...before, ...set }) : rows.update(stored, set)
    inbox.follow(before, row)
    return row
  }

  /** Reopens or assigns the conversation, and gives it the status in `then`. `inboxChanged` is null without a change. */
  function changeInbox(
    row: ConversationRow,
    message: Pick<MessageRow, 'clientId' | 'senderId' | 'seq' | 'nonce' | 'createdAt'>,
    then: NewMessage['then'],
  ): { row: ConversationRow; inboxChanged: InboxChanged | null } {
    const by = isOfVisitor(message) ? null : message.senderId
    const { seq, nonce, createdAt: at } = message
    const changes = changesByMessages(row, [{ seq, nonce, by, at, then }])
    const { scheduled } = changes.set
    if (changes.entries.length === 0 && scheduled === undefined) return { row, inboxChanged: null }
    const { row: after, activity } = inbox.store(row, changes)
    const waiting = scheduled === undefined ? {} : { scheduled: scheduled ?? [] }
    return { row: after, inboxChanged: { conversation: inbox.shownOf(after), activity, ...waiting } }
  }

  function repeated(row: ConversationRow, input: NewMessage): Appended {
    const stored = messageRow(sql.byNonce.get(input.clientId, input.nonce) as unknown as MessageColumns)
    if (!isRepeated(stored, input)) return { outcome: 'nonce-taken' }
    return { outcome: 'repeated', message: toMessage(stored), state: toState(row, row.keyHashes) }
  }

  return {
    append: (message) =>
      queue.write(() => {
        const appended = append(message)
        if (message.job && isStored(appended)) schedule(message.job)
        return appended
      }, ifStored),

    async page(clientId, { after, before, limit, keyHash, edits }) {
      const conversation = rows.read(clientId)
      if (conversation === undefined) return null
      const { keyHashes } = conversation
      const state = toState(conversation, keyHashes)
      if (keyHash !== undefined && !opens(keyHashes, keyHash)) return { ...state, messages: [], more: false }
      const end = Math.min(before ?? Number.MAX_SAFE_INTEGER, conversation.seq + 1)
      // The rows are read one by one, so that rows for which the page has no room are not read.
      const pages = conversation.edits > 0 ? sql.edited : sql.unedited
      const found =
        after === undefined
          ? pages.newest.iterate(clientId, end, limit + 1)
          : after >= conversation.seq
            ? []
            : pages.after.iterate(clientId, after, end, limit + 1)
      const page = new PageRows<Message>(limit)
      for (const row of found) {
        if (!addTo(page, row)) break
      }
      const messages = after === undefined ? page.rows.reverse() : page.rows
      if (edits === undefined) return { ...state, messages, more: page.more }
      const corrected = new PageRows<Message>(limit, page)
      if (edits < conversation.edits) {
        for (const row of sql.corrected.iterate(clientId, edits, limit + 1)) if (!addTo(corrected, row)) break
      }
      return { ...state, messages, more: page.more || corrected.more, corrected: corrected.rows }
    },
  }
}

/** Adds a stored message to a page. Returns false when the page has no room for it. */
function addTo(page: PageRows<Message>, columns: unknown): boolean {
  const message = toMessage(messageRow(columns as MessageColumns))
  return page.add(message, textOf(message))
}

/** Returns a function that schedules a job. Only a job of the write queue may call it. */
export function openScheduling(db: DatabaseSync): (job: NewJob) => void {
  const schedule = db.prepare(
    `INSERT INTO jobs (key, kind, clientId, dueAt, leaseUntil, attempts, revision, data)
     VALUES (?, ?, ?, ?, 0, 0, 0, ?)
     ON CONFLICT DO UPDATE SET dueAt = min(dueAt, excluded.dueAt), revision = revision + 1
     WHERE leaseUntil > 0 OR excluded.dueAt < dueAt`,
  )
  return ({ key, kind, clientId, dueAt, data }) =>
    void schedule.run(key, kind, clientId, dueAt, JSON.stringify(data))
}
