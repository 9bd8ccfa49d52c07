import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Filter, UpdateFilter } from 'mongodb'
import { decideErase, EMPTY_HISTORY } from '../model/conversation/conversation.ts'
import {
  type Appended,
  type Head,
  isOfVisitor,
  isRepeated,
  isStored,
  type NewMessage,
  nextMessage,
  refusedEntry,
  refusedNew,
} from '../model/conversation/messages.ts'
import { siteColumns, toMessage, toState } from '../model/conversation/rows.ts'
import type { KeyHashes } from '../model/conversation/visitor-keys.ts'
import { newEpoch, newId } from '../model/ids.ts'
import type { ConversationRepository, MessageRepository } from '../model/storage.ts'
import type { ActivityLog } from './activity-log.ts'
import { openMessageAttachments } from './attachments.ts'
import type { AuditedWrites } from './audit-chain.ts'
import { type Collections, type ConversationDoc, keyFields, keysOf, type MessageDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import type { ErasedConversation, ErasedGroup } from './erased.ts'
import type { EventNumbers } from './event-numbers.ts'
import { insertNew, isDuplicate, isWriteConflict } from './outage.ts'
import { keyField, type Projection, untilMajorityRead } from './projection.ts'
import { groupOf } from './reports.ts'
import type { Schedule } from './scheduling.ts'

/** Conversations whose newest message this process caches. */
const HEADS_MAX = 20_000

/** The two operations that change a history: both use the cached heads. */
export function openHistory(
  collections: Collections,
  majority: MongoConnection['majority'],
  { write, newest, keysNow, project }: Projection,
  removeErased: (conversation: ErasedConversation) => Promise<void>,
  audited: AuditedWrites,
  schedule: Schedule,
  numbers: Pick<EventNumbers, 'mark' | 'erasedMark'>,
  log: Pick<ActivityLog, 'move'>,
): Pick<MessageRepository, 'append'> &
  Pick<ConversationRepository, 'erase'> & { forget(clientId: string): void } {
  const { messages, conversations, attachments } = collections
  const files = openMessageAttachments(collections)
  /** The keys of a cached head are those of the time when it was read: later ones may be missing. */
  const heads = new Map<string, Head>()

  function cacheHead(
    { clientId, epoch, seq, createdAt, visitorCount, waitingSince }: MessageDoc,
    keyHashes: KeyHashes,
  ) {
    heads.delete(clientId)
    heads.set(clientId, { epoch, seq, lastAt: createdAt, visitorCount, waitingSince, keyHashes })
    if (heads.size > HEADS_MAX) heads.delete(heads.keys().next().value as string)
  }

  /** The cached head when the message may follow it; otherwise the stored one, or why the message may not follow. */
  async function headFor(input: NewMessage): Promise<Head | Appended> {
    const { clientId } = input
    const cached = heads.get(clientId)
    if (cached !== undefined && refusedEntry(cached, input) === null) return cached
    const found =
      (await conversations.findOne({ _id: clientId })) ??
      (input.epoch === undefined ? await createConversation(conversations, clientId, input.site) : null)
    if (found === null) return { outcome: 'stale-epoch' }
    const { epoch } = found
    const last = await newest(clientId, epoch)
    const keyHashes = keysOf(found, last)
    const refusal = refusedEntry({ epoch, keyHashes }, input)
    if (refusal !== null) return { outcome: refusal }
    // Before the message: what a process that dies in between leaves has no messages, and is not shown.
    const site = last === null ? siteColumns(found, input.site) : {}
    if (site.siteId !== undefined)
      await conversations.updateOne({ _id: clientId, epoch, seq: 0 }, { $set: site })
    const { seq, createdAt: lastAt, visitorCount, waitingSince } = last ?? NO_MESSAGE
    return { epoch, seq, lastAt, visitorCount, waitingSince, keyHashes }
  }

  async function append(input: NewMessage): Promise<Appended | undefined> {
    const { clientId } = input
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
    const next = nextMessage(head, input)
    const message = { ...messageDoc(next, claimed), ...numbers.mark() }
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
    const answer = { message: toMessage(message), state: toState(conversation, keyHashes) }
    return { outcome: 'stored', ...answer, keyAdded: next.keyAdded, inboxChanged, waitedSince }
  }

  /** Read for each message of a visitor: another process may have blocked them since the head was cached. */
  async function blockedUntilNow(clientId: string): Promise<number | null> {
    const found = await conversations.findOne({ _id: clientId }, { projection: { blockedUntil: 1 } })
    return found?.blockedUntil ?? null
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
    const refusedNow = refusedEntry({ epoch, keyHashes: await keysNow(found) }, input)
    if (refusedNow !== null) return { outcome: refusedNow }
    return stored === null ? { outcome: refusal as 'blocked' | 'full' } : repeated(stored, input)
  }

  /** The answer to a retry must be as durable as the answer to the first attempt. */
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
    return { outcome: 'repeated', message: toMessage(stored), state }
  }

  async function erase(
    clientId: string,
    options: NonNullable<Parameters<ConversationRepository['erase']>[1]>,
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
    const now = { seq: last.seq, lastAt: last.createdAt, keyHashes: keysOf(found, last) }
    const keysLeft = decideErase(now, options)
    if (keysLeft === null) return false
    const keys = keyFields(keysLeft)
    const files = await attachments.find({ clientId, createdAt: { $gt: 0 } }, ID_ONLY).toArray()
    // The new epoch first: it hides the old messages and the log even if this process dies before it removes them. A
    // first key that arrives in between must be checked, and a new entry moved, so the update requires that there is none.
    const { epoch, activityN = null, keyHash } = found
    const unchanged = {
      _id,
      epoch,
      activityN,
      ...(keyHash === undefined && NO_KEY),
    } as Filter<ConversationDoc>
    // For the event of an entry that a process left here when it died.
    await log.move(found)
    const erased = erasedOf(found, files)
    const mark = numbers.erasedMark(found, empty.epoch)
    const fields = { ...empty, ...keys, ...erased, erasedAt: Date.now(), ...mark }
    const { matchedCount } = await audited.change(
      { collection: conversations.collectionName, _id },
      ({ push }) => conversations.updateOne(unchanged, { ...emptyingUpdate(fields), ...push } as typeof push),
      (done) => done.matchedCount === 1,
    )
    if (matchedCount === 0) return undefined
    await removeErased({ _id, epoch: empty.epoch, ...erased })
    return true
  }

  return {
    append: (input) => withJob(input, schedule, () => write(input.clientId, () => append(input))),
    /** Lets the next message read the conversation. */
    forget: (clientId: string) => void heads.delete(clientId),
    erase: (clientId, options = {}) => write(clientId, () => erase(clientId, options)),
  }
}

/** Schedules the job of a message when it is stored. */
async function withJob(
  { job, ...message }: NewMessage,
  schedule: Schedule,
  append: () => Promise<Appended>,
): Promise<Appended> {
  // A process that dies behind its message leaves the job of a reply. One for which nothing is due ends by itself. Not for a
  // visitor, who could make jobs by messages that are refused: their browser sends an unacknowledged one again.
  if (job && !isOfVisitor(message)) await schedule(job)
  const appended = await append()
  // Also the second time: its run may have begun before the message was stored.
  if (job && isStored(appended)) await schedule(job, appended.message.epoch)
  return appended
}

/** The leftovers to remove, also those of histories that were erased before. */
function erasedOf(found: ConversationDoc, files: readonly { _id: string }[]) {
  const { epoch, erasedEpochs = [], erasedFiles = [], erasedGroups = '{}' } = found
  const group: ErasedGroup = { group: { ...groupOf(found), labels: [] } }
  return {
    erasedEpochs: [...erasedEpochs, epoch],
    erasedFiles: [...erasedFiles, ...files.map(({ _id }) => _id)],
    erasedGroups: JSON.stringify({ ...JSON.parse(erasedGroups), [epoch]: group }),
  }
}

const NO_KEY = { keyHash: { $exists: false } }

function emptyingUpdate(fields: Partial<ConversationDoc>): UpdateFilter<ConversationDoc> {
  return {
    $set: fields,
    $unset: {
      ...{ visitor: '', labelKeys: '', pendingActivity: '', pendingFrom: '', rated: '' },
      ...{ siteId: '', siteName: '' },
      ...(fields.moreKeys === undefined && { moreKeys: '' }),
    },
  }
}

/** The conversation, created when it is missing: of several concurrent inserts one succeeds. */
async function createConversation(
  conversations: Collections['conversations'],
  clientId: string,
  site: NewMessage['site'],
): Promise<ConversationDoc> {
  const created = emptyConversation(clientId, newEpoch())
  await insertNew(conversations.insertOne({ ...created, ...siteColumns(created, site) }))
  return (await conversations.findOne({ _id: clientId })) as ConversationDoc
}

const ID_ONLY = { projection: { _id: 1 } } as const
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
