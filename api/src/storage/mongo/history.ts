import type { Attachment } from '@proctorpass/shared/schemas/file'
import { hasAttachments } from '../attachments.ts'
import { isBlocked } from '../blocks-and-ratings.ts'
import { toMessage, toState } from '../chat-rows.ts'
import { newEpoch, newId } from '../ids.ts'
import {
  type Appended,
  type ConversationRepository,
  isStored,
  type MessageRepository,
  type NewMessage,
} from '../storage.ts'
import { type KeyHashes, opens } from '../visitor-keys.ts'
import { openMessageFiles } from './attachments.ts'
import type { MongoConnection } from './connection.ts'
import { type Collections, type ConversationDoc, inboxOf, keysOf, type MessageDoc } from './documents.ts'
import type { ErasedConversation } from './erased.ts'
import type { MongoJobs } from './jobs.ts'
import { isDuplicate } from './outage.ts'
import { keyField, type Projection, untilSettled } from './projection.ts'

/** Conversations whose newest message this process caches. */
const HEADS_MAX = 20_000

/** What the next message of a conversation follows. */
type Head = Pick<MessageDoc, 'epoch' | 'seq' | 'createdAt' | 'visitorCount' | 'waitingSince'> & {
  /** The conversation's keys when this was read: later ones may be missing, none is ever removed. */
  keyHashes: KeyHashes
}

/** The two operations that change a history: both use the cached heads. */
export function openHistory(
  collections: Collections,
  settled: MongoConnection['settled'],
  { write, newest, keysNow, project }: Projection,
  removeErased: (conversation: ErasedConversation) => Promise<void>,
  schedule: MongoJobs['schedule'],
): Pick<MessageRepository, 'append'> &
  Pick<ConversationRepository, 'erase'> & { forget(clientId: string): void } {
  const { messages, conversations, attachments } = collections
  const files = openMessageFiles(collections)
  const heads = new Map<string, Head>()

  function cacheHead(
    { clientId, epoch, seq, createdAt, visitorCount, waitingSince }: MessageDoc,
    keyHashes: KeyHashes,
  ) {
    heads.delete(clientId)
    heads.set(clientId, { epoch, seq, createdAt, visitorCount, waitingSince, keyHashes })
    if (heads.size > HEADS_MAX) heads.delete(heads.keys().next().value as string)
  }

  /** The conversation, created when it is missing: of several concurrent inserts one succeeds. */
  async function create(clientId: string): Promise<ConversationDoc> {
    try {
      await conversations.insertOne(emptyConversation(clientId, newEpoch()))
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
    return (await conversations.findOne({ _id: clientId })) as ConversationDoc
  }

  /** The cached head when the message may follow it; otherwise the stored one, or why the message may not follow. */
  async function headFor(input: NewMessage): Promise<Head | Appended> {
    const { clientId } = input
    const cached = heads.get(clientId)
    if (cached !== undefined && isOfEpoch(cached, input) && mayEnter(cached.keyHashes, input)) return cached
    const found =
      (await conversations.findOne({ _id: clientId })) ??
      (input.epoch === undefined ? await create(clientId) : null)
    if (found === null) return { outcome: 'stale-epoch' }
    const { epoch } = found
    const last = await newest(clientId, epoch)
    const keyHashes = keysOf(found, last)
    if (!mayEnter(keyHashes, input)) return { outcome: 'wrong-key' }
    if (!isOfEpoch(found, input)) return { outcome: 'stale-epoch' }
    const { seq, createdAt, visitorCount, waitingSince } = last ?? NO_MESSAGE
    return { epoch, seq, createdAt, visitorCount, waitingSince, keyHashes }
  }

  async function append(input: NewMessage): Promise<Appended | undefined> {
    const { clientId } = input
    const head = await headFor(input)
    if ('outcome' in head) return head
    const refusal = (await isBlockedNow(input)) ? 'blocked' : isFull(head, input) ? 'full' : null
    if (refusal !== null) return notInserted(head.epoch, input, refusal)
    const claimed = await files.claim(input)
    if (claimed === undefined) return undefined
    if (typeof claimed === 'string') {
      const isStored = (await messages.findOne({ clientId, epoch: head.epoch, nonce: input.nonce })) !== null
      return isStored ? notInserted(head.epoch, input, null) : { outcome: claimed }
    }
    const message = successor(head, input, claimed)
    try {
      await messages.insertOne(message)
    } catch (error) {
      heads.delete(clientId)
      if (!isDuplicate(error)) throw error
      return notInserted(head.epoch, input, null)
    }
    const projected = await project(message)
    if (projected === null) {
      // Another process erased the history meanwhile: the message belongs into the new one. Its files stay unsent, so that
      // the sweep removes those that it cannot take along.
      heads.delete(clientId)
      await messages.deleteOne({ _id: message._id })
      return undefined
    }
    await files.sent(claimed, input.nonce)
    const { conversation, inboxChanged, waitedSince } = projected
    const keyHashes = keysOf(conversation, null)
    cacheHead(message, keyHashes)
    const keyAdded = head.keyHashes.length === 0 && message.keyHash !== undefined
    const state = toState(conversation, keyHashes)
    return { outcome: 'stored', message: toMessage(message), state, keyAdded, inboxChanged, waitedSince }
  }

  /** Read for each message of a visitor: another process may have blocked them since the head was cached. */
  async function isBlockedNow({ senderId, clientId, at }: NewMessage): Promise<boolean> {
    if (senderId !== clientId) return false
    const found = await conversations.findOne({ _id: clientId }, { projection: { blockedUntil: 1 } })
    return isBlocked(found?.blockedUntil, at)
  }

  /** The answer when the visitor may not write, or when the seq or the nonce is taken. */
  async function notInserted(
    epoch: string,
    input: NewMessage,
    refusal: 'blocked' | 'full' | null,
  ): Promise<Appended | undefined> {
    const { clientId, nonce } = input
    heads.delete(clientId)
    const stored = await messages.findOne({ clientId, epoch, nonce })
    // Another process took the seq.
    if (stored === null && refusal === null) return undefined
    // Another process may have erased the conversation since its head was cached, or stored its first key.
    const found = await conversations.findOne({ _id: clientId })
    if (found?.epoch !== epoch) return undefined
    if (!mayEnter(await keysNow(found), input)) return { outcome: 'wrong-key' }
    return stored === null ? { outcome: refusal as 'blocked' | 'full' } : repeated(stored, input)
  }

  /** The answer to a retry must be as durable as the answer to the first attempt. */
  async function repeated(stored: MessageDoc, input: NewMessage): Promise<Appended> {
    const { attachments } = stored
    const isSame = stored.senderId === input.senderId && stored.message === input.message
    if (!isSame || !hasAttachments(attachments, input.attachments)) {
      await files.release(input, attachments ?? [])
      return { outcome: 'nonce-taken' }
    }
    await files.sent(attachments, input.nonce)
    const { _id } = stored
    await untilSettled(() => messages.findOne({ _id }, { ...settled, projection: { _id: 1 } }))
    const projected = await project(stored)
    if (projected === null) return { outcome: 'stale-epoch' }
    const { conversation } = projected
    const state = toState(conversation, keysOf(conversation, null))
    return { outcome: 'repeated', message: toMessage(stored), state }
  }

  async function erase(
    clientId: string,
    { keyHash, idleSince }: NonNullable<Parameters<ConversationRepository['erase']>[1]>,
  ): Promise<boolean | undefined> {
    heads.delete(clientId)
    const { _id, ...empty } = emptyConversation(clientId, newEpoch())
    const found = await conversations.findOne({ _id })
    const last = found === null ? null : await newest(_id, found.epoch)
    if (found === null || last === null) {
      // A process that died before the end of an erase left the rest.
      if (found?.erasedEpochs !== undefined) await removeErased(found)
      return false
    }
    if (last.createdAt > (idleSince ?? Infinity)) return false
    const keyHashes = keysOf(found, last)
    if (keyHash !== undefined && !opens(keyHashes, keyHash)) return false
    const [first] = keyHashes
    const erasedEpochs = [...(found.erasedEpochs ?? []), found.epoch]
    const files = await attachments.find({ clientId, createdAt: { $gt: 0 } }, ID_ONLY).toArray()
    const erasedFiles = [...(found.erasedFiles ?? []), ...files.map((file) => file._id)]
    // The new epoch first: it hides the old messages and the log even if this process dies before it removes them. A
    // first key that arrives in between must be checked, so the update requires that there is still none.
    const { matchedCount } = await conversations.updateOne(
      { _id, epoch: found.epoch, ...(found.keyHash === undefined ? { keyHash: { $exists: false } } : {}) },
      {
        $set: { ...empty, ...keyField(first), erasedEpochs, erasedFiles, erasedAt: Date.now() },
        $unset: { visitor: '', labelKeys: '', pendingActivity: '', pendingFrom: '', rated: '' },
      },
    )
    if (matchedCount === 0) return undefined
    await removeErased({ _id, epoch: empty.epoch, erasedEpochs, erasedFiles })
    return true
  }

  return {
    async append(input) {
      const appended = await write(input.clientId, () => append(input))
      if (input.job && isStored(appended)) await schedule(input.job, appended.message.epoch)
      return appended
    },
    /** Lets the next message read the conversation. */
    forget: (clientId: string) => void heads.delete(clientId),
    erase: (clientId, options = {}) => write(clientId, () => erase(clientId, options)),
  }
}

const ID_ONLY = { projection: { _id: 1 } } as const
const NO_MESSAGE = { seq: 0, createdAt: 0, visitorCount: 0, waitingSince: null }

function mayEnter(keyHashes: KeyHashes, { senderId, clientId, keyHash }: NewMessage): boolean {
  return senderId !== clientId || opens(keyHashes, keyHash)
}

function isOfEpoch({ epoch }: { epoch: string }, input: NewMessage): boolean {
  return input.epoch === undefined || input.epoch === epoch
}

function isFull(head: Head, { clientId, senderId, visitorMessagesMax = Infinity }: NewMessage): boolean {
  return senderId === clientId && head.visitorCount >= visitorMessagesMax
}

function successor(
  head: Head,
  { clientId, senderId, message, nonce, at, ...input }: NewMessage,
  attachments: Attachment[],
): MessageDoc {
  const fromVisitor = senderId === clientId
  const createdAt = Math.max(at, head.createdAt)
  return {
    _id: newId(createdAt),
    clientId,
    epoch: head.epoch,
    seq: head.seq + 1,
    senderId,
    message,
    createdAt,
    nonce,
    visitorCount: head.visitorCount + (fromVisitor ? 1 : 0),
    waitingSince: fromVisitor ? (head.waitingSince ?? createdAt) : null,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...keyField(head.keyHashes[0] ?? (fromVisitor && input.keyHash ? input.keyHash : undefined)),
  }
}

function emptyConversation(clientId: string, epoch: string): ConversationDoc {
  return {
    _id: clientId,
    clientId,
    epoch,
    seq: 0,
    lastMessage: null,
    lastAt: 0,
    visitorCount: 0,
    waitingSince: null,
    visitorRead: 0,
    adminRead: 0,
    adminReadCount: 0,
    adminUnread: 0,
    ...inboxOf({}),
  }
}
