import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { EMPTY_HISTORY } from '../model/conversation/conversation.ts'
import {
  type Appended,
  type Head,
  isOfVisitor,
  isRepeated,
  isStored,
  type MessagePage,
  type NewMessage,
  nextMessage,
  type RefusalOfNew,
  refusedEntry,
  refusedNew,
} from '../model/conversation/messages.ts'
import { PageRows, siteColumns, textOf, toMessage, toState } from '../model/conversation/rows.ts'
import { isWaiting, waitingMessages } from '../model/conversation/scheduled-records.ts'
import { type KeyHashes, opens } from '../model/conversation/visitor-keys.ts'
import { newEpoch, newId } from '../model/ids.ts'
import type { MessageRepository } from '../model/storage.ts'
import type { ActivityLog } from './activity-log.ts'
import { openMessageAttachments } from './attachments.ts'
import { type Collections, type ConversationDoc, inboxOf, keysOf, type MessageDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import type { EventNumbers } from './event-numbers.ts'
import { insertNew, isDuplicate, isWriteConflict } from './outage.ts'
import { withPendingEdit } from './pending-edit.ts'
import { keyField, type Projection, untilMajorityRead } from './projection.ts'
import { openScheduling, type Schedule } from './scheduling.ts'

/** The most conversations whose newest message this process caches. */
const HEADS_MAX = 20_000

/** Stores messages and reads them in pages. `forget` makes the next message read the conversation again. */
export function openMessages(
  collections: Collections,
  majority: MongoConnection['majority'],
  { write, newestDurable, current, keysNow, project }: Projection,
  mark: EventNumbers['mark'],
  log: Pick<ActivityLog, 'store'>,
): MessageRepository & { forget(clientId: string): void } {
  const { messages, conversations } = collections
  const schedule = openScheduling(collections)
  const files = openMessageAttachments(collections)
  /** A cached head has the keys from the time when it was read and may lack later ones. */
  const heads = new Map<string, Head>()

  function cacheHead(
    { clientId, epoch, seq, createdAt, visitorCount, waitingSince }: MessageDoc,
    keyHashes: KeyHashes,
  ) {
    heads.delete(clientId)
    heads.set(clientId, { epoch, seq, lastAt: createdAt, visitorCount, waitingSince, keyHashes })
    if (heads.size > HEADS_MAX) heads.delete(heads.keys().next().value as string)
  }

  /** Returns the cached head if the message may follow it, otherwise the stored one or the reason for a refusal. */
  async function headFor(input: NewMessage): Promise<Head | Appended> {
    const { clientId } = input
    const cached = heads.get(clientId)
    if (cached !== undefined && refusedEntry(cached, input) === null) return cached
    const found =
      (await conversations.findOne({ _id: clientId })) ??
      (input.epoch === undefined ? await createConversation(conversations, clientId, input.site) : null)
    if (found === null) return { outcome: 'stale-epoch' }
    const { epoch } = found
    const last = await newestDurable(clientId, epoch)
    const keyHashes = keysOf(found, last)
    const refusal = refusedEntry({ epoch, keyHashes }, input)
    if (refusal !== null) return { outcome: refusal }
    // The site is stored before the message. If this process dies in between, the conversation has no messages and is not
    // shown.
    const site = last === null ? siteColumns(found, input.site) : {}
    if (site.siteId !== undefined)
      await conversations.updateOne({ _id: clientId, epoch, seq: 0 }, { $set: site })
    const { seq, createdAt: lastAt, visitorCount, waitingSince } = last ?? NO_MESSAGE
    return { epoch, seq, lastAt, visitorCount, waitingSince, keyHashes }
  }

  /**
   * Claims a scheduled message, so that no admin can change or cancel it anymore, and returns what it follows. A visitor's
   * message cancels it only until it is stored: the claim is made at the newest message, and only the next seq is
   * possible. A claim outlives its process, because any process may store the message.
   */
  async function headForScheduled(
    input: NewMessage,
  ): Promise<{ head: Head; attachments: Attachment[] } | Appended | undefined> {
    const { clientId, nonce } = input
    const found = await current(clientId)
    const { scheduled } = inboxOf(found ?? {})
    const record = scheduled?.find((each) => each.nonce === nonce)
    if (found === null || record === undefined || !isWaiting(scheduled, input)) {
      const stored = found && (await messages.findOne({ clientId, epoch: found.epoch, nonce }))
      return stored ? repeated(stored, input) : { outcome: 'unscheduled' }
    }
    if (!record.sending) {
      const sendAt = Math.min(record.sendAt, input.at)
      const claimed = (scheduled ?? []).map((each) =>
        each === record ? { ...each, sendAt, sending: true as const } : each,
      )
      const set = { scheduled: waitingMessages(claimed) }
      if ((await log.store(found, { set, entries: [] })) === null) return undefined
    }
    const { epoch, seq, lastAt, visitorCount, unansweredSince: waitingSince } = found
    const head = { epoch, seq, lastAt, visitorCount, waitingSince, keyHashes: keysOf(found, null) }
    return { head, attachments: record.attachments }
  }

  async function append(input: NewMessage): Promise<Appended | undefined> {
    const { clientId } = input
    if (input.scheduled !== undefined) {
      const found = await headForScheduled(input)
      if (found === undefined || 'outcome' in found) return found
      return insert(input, found.head, found.attachments)
    }
    const head = await headFor(input)
    if ('outcome' in head) return head
    const blockedUntil = isOfVisitor(input) ? await blockedUntilNow(clientId) : null
    const refusal = refusedNew({ ...head, blockedUntil }, input)
    if (refusal !== null) return notInserted(head.epoch, input, refusal)
    const claimed = await files.claim(input)
    if (claimed === undefined) return undefined
    if (typeof claimed === 'string') {
      const isStored = (await messages.findOne({ clientId, epoch: head.epoch, nonce: input.nonce })) !== null
      return isStored ? notInserted(head.epoch, input, null) : { outcome: claimed }
    }
    return insert(input, head, claimed)
  }

  /** Inserts the message after the head. The files are claimed. */
  async function insert(input: NewMessage, head: Head, claimed: Attachment[]): Promise<Appended | undefined> {
    const { clientId } = input
    const next = nextMessage(head, input)
    const then = isOfVisitor(input) || !input.then ? {} : { then: input.then }
    const message = { ...messageDoc(next, claimed), ...then, ...mark() }
    try {
      await messages.insertOne(message)
    } catch (error) {
      heads.delete(clientId)
      if (isWriteConflict(error)) return undefined
      if (!isDuplicate(error)) throw error
      return notInserted(head.epoch, input, null)
    }
    const projected = await project(message)
    if (projected === null) {
      // Another process erased the history in the meantime, so the message belongs into the new one. Its files stay
      // unsent, so that the sweep removes those that the message cannot take along.
      heads.delete(clientId)
      await messages.deleteOne({ _id: message._id })
      return undefined
    }
    await files.sent(claimed, input.nonce)
    const { conversation, inboxChanged, waitedSince } = projected
    const keyHashes = keysOf(conversation, null)
    cacheHead(message, keyHashes)
    const answer = { message: toMessage(message), state: toState(conversation, keyHashes) }
    return { outcome: 'stored', ...answer, keyAdded: next.keyAdded, inboxChanged, waitedSince }
  }

  /** Reads the block for each visitor's message, because another process may have set it since the head was cached. */
  async function blockedUntilNow(clientId: string): Promise<number | null> {
    const found = await conversations.findOne({ _id: clientId }, { projection: { blockedUntil: 1 } })
    return found?.blockedUntil ?? null
  }

  /**
   * Answers when the visitor may not write, or when the seq or the nonce is taken. Undefined asks for another attempt.
   */
  async function notInserted(
    epoch: string,
    input: NewMessage,
    refusal: RefusalOfNew | null,
  ): Promise<Appended | undefined> {
    const { clientId, nonce } = input
    heads.delete(clientId)
    const stored = await messages.findOne({ clientId, epoch, nonce })
    // Another process took the seq, so the message is tried again.
    if (stored === null && refusal === null) return undefined
    // Since the head was cached, another process may have erased the conversation or stored its first key.
    const found = await conversations.findOne({ _id: clientId })
    if (found?.epoch !== epoch) return undefined
    const refusedNow = refusedEntry({ epoch, keyHashes: await keysNow(found) }, input)
    if (refusedNow !== null) return { outcome: refusedNow }
    return stored === null ? { outcome: refusal as RefusalOfNew } : repeated(stored, input)
  }

  /** Answers a retry, which must be as durable as the answer to the first attempt. */
  async function repeated(stored: MessageDoc, input: NewMessage): Promise<Appended> {
    const { _id, attachments } = stored
    if (!isRepeated(stored, input)) {
      await files.release(input, attachments ?? [])
      return { outcome: 'nonce-taken' }
    }
    await files.sent(attachments, input.nonce)
    await untilMajorityRead(() => messages.findOne({ _id }, { ...majority, projection: { _id: 1 } }))
    const projected = await project(stored)
    if (projected === null) return { outcome: 'stale-epoch' }
    const { conversation } = projected
    const state = toState(conversation, keysOf(conversation, null))
    // The message is read after its conversation, because a pending correction may have been moved to it.
    const current = (await messages.findOne({ _id })) ?? stored
    return { outcome: 'repeated', message: toMessage(withPendingEdit(current, conversation)), state }
  }

  return {
    append: (input) => withJob(input, schedule, () => write(input.clientId, () => append(input))),
    page: openMessagePages(collections, majority),
    forget: (clientId) => void heads.delete(clientId),
  }
}

/** Appends a message and schedules its job when it is stored. */
async function withJob(
  { job, ...message }: NewMessage,
  schedule: Schedule,
  append: () => Promise<Appended>,
): Promise<Appended> {
  // A reply's job is scheduled before the message, so that it exists even if this process dies after storing the
  // message. A job for which nothing is due ends by itself. A visitor's job is not, because refused messages could then
  // create jobs. A visitor's browser sends an unacknowledged message again.
  if (job && !isOfVisitor(message)) await schedule(job)
  const appended = await append()
  // A reply's job is scheduled a second time, because its run may have begun before the message was stored.
  if (job && isStored(appended)) await schedule(job, appended.message.epoch)
  return appended
}

/** Reads the conversation, and creates a missing one. Only one of several concurrent inserts succeeds. */
async function createConversation(
  conversations: Collections['conversations'],
  clientId: string,
  site: NewMessage['site'],
): Promise<ConversationDoc> {
  const created = emptyConversation(clientId, newEpoch())
  await insertNew(conversations.insertOne({ ...created, ...siteColumns(created, site) }))
  return (await conversations.findOne({ _id: clientId })) as ConversationDoc
}

const NO_MESSAGE = { seq: 0, createdAt: 0, visitorCount: 0, waitingSince: null }

function messageDoc(
  { message, mail, keyHashes }: ReturnType<typeof nextMessage>,
  attachments: Attachment[],
): MessageDoc {
  const files = attachments.length === 0 ? {} : { attachments }
  const byMail =
    mail === null ? {} : { via: mail.via, ...(mail.quoted === null ? {} : { quoted: mail.quoted }) }
  return { _id: newId(message.createdAt), ...message, ...byMail, ...files, ...keyField(keyHashes[0]) }
}

export function emptyConversation(clientId: string, epoch: string): ConversationDoc {
  return { _id: clientId, clientId, epoch, lastMessage: null, adminUnread: 0, ...EMPTY_HISTORY }
}

/** The messages that the database sends at once: a browser's newest page and one more. */
const BATCH = 51

function openMessagePages(
  { messages, conversations }: Collections,
  majority: MongoConnection['majority'],
): MessageRepository['page'] {
  /** Reads the messages with corrections above a number. `conversation` was read before the call. */
  async function correctedAfter(
    conversation: ConversationDoc,
    edits: number,
    page: PageRows<Message>,
  ): Promise<PageRows<Message>> {
    const { clientId, epoch, pendingEdit } = conversation
    const corrected = new PageRows<Message>(page.limit, page)
    if (inboxOf(conversation).edits <= edits) return corrected
    const ofHistory = { clientId, epoch }
    const found = messages
      .find({ ...ofHistory, 'edited.edit': { $gt: edits } }, majority)
      .sort({ 'edited.edit': 1 })
      .limit(page.limit + 1)
    let last = 0
    const add = (document: MessageDoc) => {
      const message = toMessage(withPendingEdit(document, conversation))
      last = document.seq
      return corrected.add(message, textOf(message))
    }
    for await (const document of found) if (!add(document)) return corrected
    // Only the newest message can be corrected, so a pending correction is the last one.
    if (pendingEdit?.epoch === epoch && pendingEdit.seq > last) {
      const document = await messages.findOne({ ...ofHistory, seq: pendingEdit.seq }, majority)
      if (document !== null) add(document)
    }
    return corrected
  }

  return async (clientId, { after, before, limit, keyHash, edits }): Promise<MessagePage | null> => {
    const conversation = await conversations.findOne({ _id: clientId }, majority)
    if (conversation === null) return null
    const isRefused = (keyHashes: KeyHashes) => keyHash !== undefined && !opens(keyHashes, keyHash)
    const empty = (keyHashes: KeyHashes) => ({
      ...toState(conversation, keyHashes),
      messages: [],
      more: false,
    })
    const projectedKeys = keysOf(conversation, null)
    if (isRefused(projectedKeys)) return empty(projectedKeys)
    const { epoch } = conversation
    const range = {
      ...(after === undefined ? {} : { $gt: after }),
      ...(before === undefined ? {} : { $lt: before }),
    }
    const cursor = messages
      .find({ clientId, epoch, ...(Object.keys(range).length === 0 ? {} : { seq: range }) }, majority)
      .sort({ seq: after === undefined ? -1 : 1 })
      .limit(limit + 1)
      .batchSize(BATCH)
    const page = new PageRows<Message>(limit)
    let newestRead: Pick<MessageDoc, 'seq' | 'keyHash'> | null = null
    // Leaving the loop closes the cursor, so that messages for which the page has no room are not read.
    for await (const document of cursor) {
      const message = toMessage(withPendingEdit(document, conversation))
      if (!page.add(message, textOf(message))) break
      if (after !== undefined || newestRead === null) newestRead = document
    }
    const found = after === undefined ? page.rows.reverse() : page.rows
    // Messages are ahead of the projection between the two writes, or after a process died there. A seq that a caller has
    // seen must not go back, so a page that does not reach the end has to read the newest message.
    const endsBeforeNewest =
      before !== undefined ||
      (after !== undefined && (page.more || (found.length === 0 && after > conversation.seq)))
    const last = endsBeforeNewest
      ? await messages.findOne(
          { clientId, epoch },
          { ...majority, sort: { seq: -1 }, projection: { seq: 1, keyHash: 1 } },
        )
      : newestRead
    // `last` is null when no message is newer than the projection, which then has all keys.
    const keyHashes = keysOf(conversation, last)
    if (isRefused(keyHashes)) return empty(keyHashes)
    const state = toState(conversation, keyHashes)
    const answer = { ...state, seq: Math.max(state.seq, last?.seq ?? 0), messages: found }
    if (edits === undefined) return { ...answer, more: page.more }
    const corrected = await correctedAfter(conversation, edits, page)
    return { ...answer, more: page.more || corrected.more, corrected: corrected.rows }
  }
}
