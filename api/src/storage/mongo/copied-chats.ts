import Type from 'typebox'
import { type CopiedRows, type Entry, ROWS, type Table } from '../copy/copied-tables.ts'
import { filesOf, withFiles } from '../copy/file-copy.ts'
import { conversationOf, Unanswered } from '../copy/store-copy.ts'
import { changesByMessages, type EntryBehind } from '../model/conversation/inbox-changes.ts'
import type { CopiedActivity, CopiedConversation, CopiedMessage } from '../model/conversation/rows.ts'
import { copiedMessages, type ScheduledRecord } from '../model/conversation/scheduled-records.ts'
import type { FileStore } from '../model/file-store.ts'
import { newId } from '../model/ids.ts'
import {
  type ActivityDoc,
  type Collections,
  type ConversationDoc,
  inboxOf,
  keysOf,
  type MessageDoc,
} from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { withPendingEdit } from './pending-edit.ts'
import { conversationOf as currentOf, inboxMessage } from './projection.ts'

/** The fields that most documents lack. */
const LACKING = { attachments: null, via: null, quoted: null, edited: null }

/** The conversations that are read at once, before their messages and logs. */
const PAGE = 200

/** Yields all conversations. Each one follows its messages, with their files, and its log. */
export async function* copiedChats(
  { messages, activity, conversations, seenMarks, attachments }: Collections,
  majority: MongoConnection['majority'],
  files: Pick<FileStore, 'open'>,
): AsyncIterable<Entry> {
  async function rowOf(id: string) {
    const found = await attachments.findOne({ _id: id }, majority)
    // An erased attachment belongs to no message.
    return !found?.messageNonce ? null : picked('attachments', found)
  }
  async function isErased({ _id, epoch }: ConversationDoc) {
    return (await conversations.findOne({ _id }, { ...majority, projection: { epoch: 1 } }))?.epoch !== epoch
  }
  const withItsFiles = (message: CopiedMessage, conversation: ConversationDoc) =>
    withFiles(message, rowOf, files, () => isErased(conversation))

  let from = ''
  for (;;) {
    const page = await conversations
      .find({ _id: { $gt: from } }, majority)
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray()
    const [first, last] = [page[0], page.at(-1)]
    if (first === undefined || last === undefined) return
    const ofPage = { clientId: { $gte: first._id, $lte: last._id } }
    const byPage = { clientId: 1, epoch: 1 } as const
    const found = new Ordered(messages.find(ofPage, majority).sort({ ...byPage, seq: 1 }))
    const entries = new Ordered(activity.find(ofPage, majority).sort({ ...byPage, n: 1 }))
    const marks = await seenMarks.find(ofPage, majority).sort({ userId: 1 }).toArray()
    const seen = Map.groupBy(marks, ({ clientId, epoch }) => `${clientId} ${epoch}`)
    for (const conversation of page) {
      const ofConversation = seen.get(`${conversation._id} ${conversation.epoch}`) ?? []
      const known = {
        ...conversation,
        seen: ofConversation.map(({ userId, seq, n }) => ({ userId, seq, n })),
      }
      const filesOfWaiting = (waiting: ScheduledRecord) => filesOf(waiting.attachments, rowOf, files)
      yield* copiedChat(known, found, entries, { withItsFiles, filesOfWaiting })
    }
    await Promise.all([found.close(), entries.close()])
    from = last._id
  }
}

/**
 * Yields one conversation with its messages and log. The conversation was read before its messages, so newer messages
 * change its inbox in the copy as their projection will change it in the store.
 */
async function* copiedChat(
  found: ConversationDoc & Pick<CopiedConversation, 'seen'>,
  messages: Ordered<MessageDoc>,
  entries: Ordered<ActivityDoc>,
  {
    withItsFiles,
    filesOfWaiting,
  }: {
    withItsFiles: (message: CopiedMessage, conversation: ConversationDoc) => Promise<Entry[]>
    filesOfWaiting: (waiting: ScheduledRecord) => Promise<Entry[]>
  },
): AsyncIterable<Entry> {
  const { _id: clientId, epoch } = found
  const unanswered = new Unanswered()
  let last: CopiedMessage | null = null
  let lastKey: Pick<MessageDoc, 'keyHash'> | null = null
  let isErased = false
  let current = currentOf(found)
  let changes: Partial<ConversationDoc> = {}
  const behind: EntryBehind[] = []
  for await (const document of messages.of(found)) {
    const message = picked('messages', { ...LACKING, ...withPendingEdit(document, found) })
    const copied = await withItsFiles(message, found)
    isErased = copied.length === 0
    if (isErased) break
    yield* copied
    last = message
    // The conversation may have been read before its first key was stored, so the newest message is asked for it.
    lastKey = document
    unanswered.add(last)
    if (last.seq > found.seq) {
      const { set, entries: added } = changesByMessages(current, [inboxMessage(document)])
      current = { ...current, ...set }
      changes = { ...changes, ...set }
      behind.push(...added)
    }
  }
  const inbox = inboxOf(found)
  let row = { ...found, ...inbox }
  // A history without messages was erased during the copy too.
  if (last !== null && !isErased) {
    const { pendingActivity = [] } = found
    const firstPending = pendingActivity[0]?.n ?? inbox.activityN + 1
    // The log is copied up to the conversation's `activityN`. Each of these entries is pending in the document or was
    // moved.
    for await (const entry of entries.of(found)) {
      if (entry.n < firstPending) yield { table: 'activity', row: copiedEntry(entry) }
    }
    for (const entry of pendingActivity) yield { table: 'activity', row: copiedEntry(entry) }
    for (const [index, { kind, by, at, afterSeq, data }] of behind.entries()) {
      const numbered = { clientId, epoch, n: inbox.activityN + 1 + index, _id: newId(at) }
      yield {
        table: 'activity',
        row: { ...numbered, kind, by, at, afterSeq, nonce: null, data },
      }
    }
    row = { ...row, ...changes }
    for (const waiting of row.scheduled ?? []) yield* await filesOfWaiting(waiting)
  }
  row.scheduled = isErased ? null : copiedMessages(row.scheduled)
  const keyHashes = keysOf(found, lastKey)
  yield {
    table: 'conversations',
    row: conversationOf({ clientId, epoch, keyHashes }, last, unanswered, row),
  }
}

/** Reads documents conversation by conversation. They are in the order of clientId, epoch, and their numbers. */
class Ordered<Doc extends Pick<MessageDoc, 'clientId' | 'epoch'>> {
  readonly #documents: AsyncIterator<Doc>
  #next: Doc | null | undefined

  constructor(documents: AsyncIterable<Doc>) {
    this.#documents = documents[Symbol.asyncIterator]()
  }

  /**
   * Yields a conversation's documents, and skips erased histories and earlier conversations. Each call must name a later
   * conversation than the last call.
   */
  async *of({ _id, epoch }: ConversationDoc): AsyncIterable<Doc> {
    for (;;) {
      if (this.#next === undefined) {
        const { value, done } = await this.#documents.next()
        this.#next = done ? null : value
      }
      const next = this.#next
      if (next === null || next === undefined || next.clientId > _id) return
      this.#next = undefined
      if (next.clientId === _id && next.epoch === epoch) yield next
    }
  }

  async close(): Promise<void> {
    await this.#documents.return?.()
  }
}

function copiedEntry(entry: ActivityDoc): CopiedActivity {
  return picked('activity', { ...entry, nonce: entry.nonce ?? null })
}

/** Returns the row in a document, which may have other fields too. */
export function picked<N extends Table>(table: N, document: object): CopiedRows[N] {
  const values = document as Record<string, unknown>
  const row = Object.entries(ROWS[table]).map(([field, schema]) => {
    // Some MongoDB-compatible servers store true as 1 in updates, and reviews lack fields that are false.
    return [field, Type.IsBoolean(schema) ? Boolean(values[field]) : values[field]]
  })
  return Object.fromEntries(row) as CopiedRows[N]
}
