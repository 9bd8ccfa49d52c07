import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { newEpoch, newId } from '../ids.ts'
import { PageRows, toSummary } from '../page-bytes.ts'
import type {
  Appended,
  ConversationCursor,
  ConversationRecord,
  ConversationRepository,
  ConversationState,
  MessagePage,
  MessageRepository,
  NewMessage,
} from '../storage.ts'
import { type KeyHashes, opens } from '../visitor-keys.ts'
import { isDuplicate, type MongoConnection } from './connection.ts'
import { type Collections, type ConversationDoc, forList, keysOf, type MessageDoc } from './documents.ts'
import { KeyedMutex } from './keyed-mutex.ts'

/** How often a step that others may overtake is tried before the store counts as out of order. */
const TRIES_MAX = 200
/** Whoever has waited so long for the messages before it is not tried any more: its sender has asked again by then. */
const TURN_WITHIN_MS = 8_000
/** How long a stored message may take until a majority holds it. */
const SETTLED_WITHIN_MS = 5_000
/** Conversations whose newest message this process remembers. */
const HEADS_MAX = 20_000
/** The sweep goes back so far from the newest message: further than two clocks are ever apart. */
const SWEEP_BACK_MS = 24 * 60 * 60 * 1_000
const SWEEP_BATCH = 1_000

/** Messages that the server sends at once: the newest page of a browser, and one more. */
const PAGE_BATCH = 51

/** What the next message of a conversation follows upon. */
type Head = Pick<MessageDoc, 'epoch' | 'seq' | 'createdAt' | 'visitorCount' | 'waitingSince'> & {
  /** Of the conversation, when this was read. There may be more by now, never others. */
  keyHashes: KeyHashes
}

/**
 * Messages and conversations on MongoDB, without a transaction.
 *
 * A message gets its number by being inserted: whoever inserts (clientId, epoch, seq) first has it, everybody else
 * tries the next. It carries the totals of its conversation up to itself, made from its predecessor, which nobody
 * can change any more. So the messages alone are the truth. The conversation is a projection for the chats list,
 * moved after the insert and only forwards; a process that dies between the two leaves it behind until the next
 * message, the repetition of the same or the sweep moves it on.
 *
 * The first key comes with a message and is carried by all later ones: which messages came before it and which after is
 * decided by their numbers, so by the insert. A writer who knows of no key and is overtaken by one finds its number
 * taken. A reader whose projection has no key looks at the newest message.
 */
export function openConversations(
  { messages, conversations }: Collections,
  settled: MongoConnection['settled'],
): { messages: MessageRepository; conversations: ConversationRepository; sweep: () => Promise<number> } {
  const heads = new Map<string, Head>()
  const mutex = new KeyedMutex()

  function remember(
    { clientId, epoch, seq, createdAt, visitorCount, waitingSince }: MessageDoc,
    keyHashes: KeyHashes,
  ) {
    heads.delete(clientId)
    heads.set(clientId, { epoch, seq, createdAt, visitorCount, waitingSince, keyHashes })
    if (heads.size > HEADS_MAX) heads.delete(heads.keys().next().value as string)
  }

  /** The newest message as it is now, wherever the projection stands; null while there is none. */
  const newest = (clientId: string, epoch: string) =>
    messages.findOne({ clientId, epoch }, { sort: { seq: -1 } })

  async function headOf(found: ConversationDoc): Promise<Head> {
    const { epoch } = found
    const last = await newest(found._id, epoch)
    const keyHashes = keysOf(found, last)
    if (last === null) {
      return { epoch, seq: 0, createdAt: 0, visitorCount: 0, waitingSince: null, keyHashes }
    }
    const { seq, createdAt, visitorCount, waitingSince } = last
    return { epoch, seq, createdAt, visitorCount, waitingSince, keyHashes }
  }

  /** The keys, also when the projection does not have the first one yet. */
  async function keysNow(found: ConversationDoc): Promise<KeyHashes> {
    return keysOf(found, found.keyHash === undefined ? await newest(found._id, found.epoch) : null)
  }

  async function stateNow(found: ConversationDoc): Promise<ConversationState> {
    return { ...toState(found), keyHashes: await keysNow(found) }
  }

  /** The conversation, made when there is none; of several that make it at once one is kept. */
  async function make(clientId: string): Promise<ConversationDoc> {
    try {
      await conversations.insertOne(emptyConversation(clientId, newEpoch()))
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
    return (await conversations.findOne({ _id: clientId })) as ConversationDoc
  }

  async function append(input: NewMessage, askedAt: number): Promise<Appended> {
    if (performance.now() - askedAt > TURN_WITHIN_MS) throw busy()
    const { clientId } = input
    const mayEnter = (keyHashes: KeyHashes) => input.senderId !== clientId || opens(keyHashes, input.keyHash)
    const isOf = ({ epoch }: { epoch: string }) => input.epoch === undefined || input.epoch === epoch

    for (let tries = 0; tries < TRIES_MAX; tries++) {
      let head = heads.get(clientId)
      if (head === undefined || !isOf(head) || !mayEnter(head.keyHashes)) {
        const found =
          (await conversations.findOne({ _id: clientId })) ??
          (input.epoch === undefined ? await make(clientId) : null)
        if (found === null) return { outcome: 'stale-epoch' }
        head = await headOf(found)
        if (!mayEnter(head.keyHashes)) return { outcome: 'wrong-key' }
        if (!isOf(head)) return { outcome: 'stale-epoch' }
      }
      if (isFull(head, input)) {
        heads.delete(clientId)
        const { epoch } = head
        const stored = await messages.findOne({ clientId, epoch, nonce: input.nonce })
        // Another process may have erased the conversation that is remembered here, or stored its first key.
        const found = await conversations.findOne({ _id: clientId })
        if (found?.epoch !== epoch) continue
        if (!mayEnter(await keysNow(found))) return { outcome: 'wrong-key' }
        return stored === null ? { outcome: 'full' } : repeated(stored, input)
      }
      const message = successor(head, input)
      try {
        await messages.insertOne(message)
      } catch (error) {
        heads.delete(clientId)
        if (!isDuplicate(error)) throw error
        const stored = await messages.findOne({ clientId, epoch: head.epoch, nonce: input.nonce })
        // Somebody else took the number.
        if (stored === null) continue
        const found = await conversations.findOne({ _id: clientId })
        if (found?.epoch !== head.epoch) continue
        if (!mayEnter(await keysNow(found))) return { outcome: 'wrong-key' }
        return repeated(stored, input)
      }
      const conversation = await project(message)
      if (conversation === null) {
        // The history was erased in the meantime, and this message with it: it belongs into the new one.
        heads.delete(clientId)
        await messages.deleteOne({ _id: message._id })
        continue
      }
      const state = toState(conversation)
      remember(message, state.keyHashes)
      const keyAdded = head.keyHashes.length === 0 && message.keyHash !== undefined
      return { outcome: 'stored', message: toMessage(message), state, keyAdded }
    }
    throw busy()
  }

  /** What is answered to a repetition must be as safe as what was answered, or should have been, the first time. */
  async function repeated(stored: MessageDoc, input: NewMessage): Promise<Appended> {
    if (stored.senderId !== input.senderId || stored.message !== input.message)
      return { outcome: 'nonce-taken' }
    const giveUpAt = performance.now() + SETTLED_WITHIN_MS
    while ((await messages.findOne({ _id: stored._id }, { ...settled, projection: { _id: 1 } })) === null) {
      if (performance.now() > giveUpAt) throw busy()
      await wait(50)
    }
    const conversation = await project(stored)
    return conversation === null
      ? { outcome: 'stale-epoch' }
      : { outcome: 'repeated', message: toMessage(stored), state: toState(conversation) }
  }

  /**
   * Moves what the list shows on to this message, or further where others are further already. Null when the message
   * is of an erased history. The unread count is moved by differences, so that a mark that moves at the same time is
   * not undone.
   */
  async function project(message: MessageDoc): Promise<ConversationDoc | null> {
    const { clientId: _id, epoch } = message
    // Nearly always the predecessor stands there, and one write does it.
    const moved = await conversations.findOneAndUpdate(
      { _id, epoch, seq: message.seq - 1 },
      advance(message, message.senderId === message.clientId ? 1 : 0),
      { returnDocument: 'after' },
    )
    if (moved !== null) return moved

    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const found = await conversations.findOne({ _id })
      if (found === null || found.epoch !== epoch) return null
      if (found.seq >= message.seq) return found
      const last = (await newest(_id, epoch)) ?? message
      await conversations.updateOne(
        { _id, epoch, seq: found.seq },
        advance(last, last.visitorCount - found.visitorCount),
      )
    }
    throw busy()
  }

  async function markRead(clientId: string, side: Side, wanted: number, keyHash?: string | null) {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      let found = await conversations.findOne({ _id: clientId })
      if (found === null) return null
      if (wanted > found.seq) {
        const last = await newest(clientId, found.epoch)
        if (last !== null && last.seq > found.seq) found = (await project(last)) ?? found
      }
      if (side === 'visitor') {
        const keyHashes = await keysNow(found)
        if (!opens(keyHashes, keyHash)) return { ...toState(found), keyHashes, moved: false }
      }
      const seq = Math.min(wanted, found.seq)
      const before = side === 'admin' ? found.adminRead : found.visitorRead
      if (seq <= before) return { ...(await stateNow(found)), moved: false }
      const filter = { _id: clientId, epoch: found.epoch }
      if (side === 'visitor') {
        const moved = await conversations.findOneAndUpdate(
          { ...filter, visitorRead: before },
          { $set: { visitorRead: seq } },
          { returnDocument: 'after' },
        )
        if (moved !== null) return { ...(await stateNow(moved)), moved: true }
      } else {
        const upTo = await messages.findOne(
          { clientId, epoch: found.epoch, seq: { $lte: seq } },
          { sort: { seq: -1 }, projection: { visitorCount: 1 } },
        )
        const adminReadCount = upTo?.visitorCount ?? found.adminReadCount
        const moved = await conversations.findOneAndUpdate(
          { ...filter, adminRead: before },
          {
            $set: { adminRead: seq, adminReadCount },
            $inc: { adminUnread: found.adminReadCount - adminReadCount },
          },
          { returnDocument: 'after' },
        )
        if (moved !== null) return { ...(await stateNow(moved)), moved: true }
      }
    }
    throw busy()
  }

  async function erase(clientId: string, keyHash?: string | null): Promise<boolean> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      heads.delete(clientId)
      const { _id, ...empty } = emptyConversation(clientId, newEpoch())
      const found = await conversations.findOne({ _id })
      if (found === null) return false
      const keyHashes = await keysNow(found)
      if (keyHash !== undefined && !opens(keyHashes, keyHash)) return false
      const [first] = keyHashes
      // The new epoch first: from then on the old messages are not shown, even if a process dies before they are removed.
      // A first key that comes in between must be asked for.
      const { matchedCount } = await conversations.updateOne(
        found.keyHash === undefined ? { _id, keyHash: { $exists: false } } : { _id },
        { $set: { ...empty, ...given({ keyHash: first }) } },
      )
      if (matchedCount === 0) continue
      await messages.deleteMany({ clientId, epoch: { $ne: empty.epoch } })
      return true
    }
    throw busy()
  }

  async function page(
    clientId: string,
    { after, before, limit, keyHash }: Parameters<MessageRepository['page']>[1],
  ): Promise<MessagePage | null> {
    const conversation = await conversations.findOne({ _id: clientId }, settled)
    if (conversation === null) return null
    const refused = (keyHashes: KeyHashes) =>
      keyHash !== undefined && !opens(keyHashes, keyHash)
        ? { ...toState(conversation), keyHashes, messages: [], more: false }
        : null
    const isRefused = refused(keysOf(conversation, null))
    if (isRefused !== null) return isRefused
    const { epoch } = conversation
    const range = {
      ...(after === undefined ? {} : { $gt: after }),
      ...(before === undefined ? {} : { $lt: before }),
    }
    const cursor = messages
      .find({ clientId, epoch, ...(Object.keys(range).length === 0 ? {} : { seq: range }) }, settled)
      .sort({ seq: after === undefined ? -1 : 1 })
      .limit(limit + 1)
      .batchSize(PAGE_BATCH)
    const page = new PageRows<Message>(limit)
    let more = false
    let newestRead: Pick<MessageDoc, 'seq' | 'keyHash'> | null = null
    // Leaving the loop closes the cursor: what the page has no room for is not read.
    for await (const document of cursor) {
      const message = toMessage(document)
      more = !page.add(message, message.message)
      if (more) break
      if (after !== undefined || newestRead === null) newestRead = document
    }
    const found = after === undefined ? page.rows.reverse() : page.rows
    const state = toState(conversation)
    // The messages are further than the projection while somebody is between the two writes, or has died there: what
    // was shown once is never unsaid. Only a page that does not reach the end has to ask for it.
    const endsElsewhere =
      before !== undefined || (after !== undefined && (more || (found.length === 0 && after > state.seq)))
    const last = endsElsewhere
      ? await messages.findOne(
          { clientId, epoch },
          { ...settled, sort: { seq: -1 }, projection: { seq: 1, keyHash: 1 } },
        )
      : newestRead
    // None when nothing is newer than the projection, which then has all the keys.
    const keyHashes = keysOf(conversation, last)
    const isRefusedNow = refused(keyHashes)
    if (isRefusedNow !== null) return isRefusedNow
    return {
      ...state,
      keyHashes,
      seq: Math.max(state.seq, last?.seq ?? 0),
      messages: found,
      more,
    }
  }

  return {
    messages: {
      append(message) {
        const askedAt = performance.now()
        return mutex.run(message.clientId, () => append(message, askedAt))
      },
      page,
    },

    conversations: {
      async list({ limit, after }) {
        const wanted = limit + 1
        const found: ConversationDoc[] = []
        if (after === undefined) {
          found.push(...(await listed({ waitingSince: { $gt: 0 } }, WAITING_ORDER, wanted)))
        } else if (after.waitingSince !== null) {
          const { waitingSince, clientId } = after
          found.push(...(await listed({ waitingSince, clientId: { $gt: clientId } }, WAITING_ORDER, wanted)))
          if (found.length < wanted) {
            found.push(
              ...(await listed(
                { waitingSince: { $gt: waitingSince } },
                WAITING_ORDER,
                wanted - found.length,
              )),
            )
          }
        }
        let lastAt = Number.MAX_SAFE_INTEGER
        if (after !== undefined && after.waitingSince === null && found.length < wanted) {
          lastAt = after.lastAt
          found.push(
            ...(await listed(
              { waitingSince: null, lastAt, clientId: { $gt: after.clientId } },
              ANSWERED_ORDER,
              wanted - found.length,
            )),
          )
        }
        if (found.length < wanted) {
          // 0: those that have no message, because none came to be or all were erased.
          found.push(
            ...(await listed(
              { waitingSince: null, lastAt: { $lt: lastAt, $gt: 0 } },
              ANSWERED_ORDER,
              wanted - found.length,
            )),
          )
        }
        const page = new PageRows<ConversationRecord>(limit)
        let last: ConversationDoc | undefined
        for (const conversation of found) {
          const { _id: clientId, adminUnread, waitingSince, lastMessage } = conversation
          if (lastMessage === null) continue
          const summary = toSummary(toMessage(lastMessage))
          const row = { clientId, adminUnread, waitingSince, lastMessage: summary }
          if (!page.add(row, summary.message)) {
            return { conversations: page.rows, next: last === undefined ? null : cursorOf(last) }
          }
          last = conversation
        }
        return { conversations: page.rows, next: null }
      },

      markRead,

      async totalAdminUnread() {
        const [sum] = await conversations
          .aggregate<{ total: number }>(
            [
              { $match: { adminUnread: { $gt: 0 } } },
              { $group: { _id: null, total: { $sum: '$adminUnread' } } },
            ],
            settled,
          )
          .toArray()
        return sum?.total ?? 0
      },

      async find(clientId) {
        const found = await conversations.findOne({ _id: clientId }, settled)
        return found === null ? null : stateNow(found)
      },

      async addKey(clientId, keyHash) {
        const found = await conversations.findOne({ _id: clientId })
        const keyHashes = found === null ? [] : await keysNow(found)
        if (keyHashes.includes(keyHash)) return true
        if (keyHashes.length === 0 || keyHashes.length >= VISITOR_KEYS_MAX) return false
        await conversations.updateOne({ _id: clientId }, { $set: { [`moreKeys.${keyHash}`]: true } })
        return true
      },

      erase: (clientId, keyHash) => mutex.run(clientId, () => erase(clientId, keyHash)),
    },

    /**
     * Moves on every projection that a process left behind when it died, and removes messages of an erased history
     * that came in late. Looks at the conversations of the last day before the newest message, whatever the clocks
     * say, and of the last day by this clock. Answers how many it moved.
     */
    async sweep() {
      const [last] = await messages
        .find({}, { projection: { createdAt: 1 } })
        .sort({ createdAt: -1 })
        .limit(1)
        .toArray()
      if (last === undefined) return 0
      const from = last.createdAt - SWEEP_BACK_MS
      const now = Date.now()
      const walk = (createdAt: { $gte: number; $lt?: number }) =>
        messages
          .find(
            { createdAt },
            { projection: { _id: 0, clientId: 1, epoch: 1, seq: 1 }, batchSize: SWEEP_BATCH },
          )
          .sort({ createdAt: 1 })
      async function* latest() {
        // Where a clock was ahead, the newest message says nothing of those of now. Earlier ones first: see `batch`.
        if (from > now - SWEEP_BACK_MS)
          yield* walk({ $gte: now - SWEEP_BACK_MS, $lt: Math.min(from, now + SWEEP_BACK_MS) })
        yield* walk({ $gte: from })
      }
      let moved = 0
      // By epoch, which no two conversations share, the latest of each.
      let batch = new Map<string, Pick<MessageDoc, 'clientId' | 'epoch' | 'seq'>>()
      let seen = 0
      const look = async () => {
        const ids = [...batch.values()].map(({ clientId }) => clientId)
        const found = await conversations
          .find({ _id: { $in: ids } }, { projection: { epoch: 1, seq: 1 } })
          .toArray()
        const known = new Map(found.map((conversation) => [conversation._id, conversation]))
        for (const { clientId, epoch, seq } of batch.values()) {
          const conversation = known.get(clientId)
          if (conversation === undefined) continue
          if (conversation.epoch !== epoch) {
            await messages.deleteMany({ clientId, epoch })
          } else if (conversation.seq < seq) {
            const message = await newest(clientId, epoch)
            if (message !== null && (await project(message)) !== null) moved += 1
          }
        }
        batch = new Map()
      }
      for await (const message of latest()) {
        batch.set(message.epoch, message)
        if (++seen % SWEEP_BATCH === 0) await look()
      }
      await look()
      return moved
    },
  }

  function listed(
    filter: Parameters<typeof conversations.find>[0],
    order: Record<string, 1 | -1>,
    limit: number,
  ): Promise<ConversationDoc[]> {
    return conversations.find(filter, settled).sort(order).limit(limit).toArray()
  }
}

const WAITING_ORDER = { waitingSince: 1, clientId: 1 } as const
const ANSWERED_ORDER = { lastAt: -1, clientId: 1 } as const

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
  }
}

function isFull(head: Head, { clientId, senderId, visitorMessagesMax = Infinity }: NewMessage): boolean {
  return senderId === clientId && head.visitorCount >= visitorMessagesMax
}

/** Not even as null. */
function given({ keyHash }: { keyHash: string | undefined }) {
  return keyHash === undefined ? {} : { keyHash }
}

function successor(head: Head, { clientId, senderId, message, nonce, at, ...input }: NewMessage): MessageDoc {
  const fromVisitor = senderId === clientId
  const createdAt = Math.max(at, head.createdAt)
  const keyHash = head.keyHashes[0] ?? (fromVisitor && input.keyHash ? input.keyHash : undefined)
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
    ...given({ keyHash }),
  }
}

function advance(lastMessage: MessageDoc, newFromVisitor: number) {
  const { seq, createdAt, visitorCount, waitingSince, keyHash } = lastMessage
  return {
    $set: {
      seq,
      lastMessage: forList(lastMessage),
      lastAt: createdAt,
      visitorCount,
      waitingSince,
      ...given({ keyHash }),
    },
    $inc: { adminUnread: newFromVisitor },
  }
}

function cursorOf({ waitingSince, lastAt, clientId }: ConversationDoc): ConversationCursor {
  return { waitingSince, lastAt, clientId }
}

function toState(conversation: ConversationDoc): ConversationState {
  const { _id, epoch, seq, adminUnread, visitorRead, adminRead } = conversation
  const read = { visitor: visitorRead, admin: adminRead }
  return { clientId: _id, epoch, seq, adminUnread, read, keyHashes: keysOf(conversation, null) }
}

function toMessage({ _id, clientId, senderId, message, createdAt, seq, epoch, nonce }: MessageDoc): Message {
  return {
    _id,
    clientId,
    senderId,
    message,
    createdAt: new Date(createdAt).toISOString(),
    seq,
    epoch,
    nonce,
  }
}

function busy(): AppError {
  return new AppError('unavailable', 'The store is very busy. Please try again in a moment.', {
    retryAfterMs: 1_000,
  })
}
