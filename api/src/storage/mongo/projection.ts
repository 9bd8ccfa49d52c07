import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@proctorpass/shared/errors'
import { isBlocked } from '../model/conversation/blocks-and-ratings.ts'
import type {
  Conversation,
  ConversationRecord,
  ConversationState,
} from '../model/conversation/conversation.ts'
import {
  changesByMessages,
  type InboxChanged,
  type InboxMessage,
} from '../model/conversation/inbox-changes.ts'
import { toState } from '../model/conversation/rows.ts'
import type { KeyHashes } from '../model/conversation/visitor-keys.ts'
import { KeyedMutex } from '../model/keyed-mutex.ts'
import { type ActivityLog, recordOf } from './activity-log.ts'
import {
  type Collections,
  type ConversationDoc,
  forList,
  inboxOf,
  keysOf,
  type MessageDoc,
  NONE,
  OPEN,
} from './collections.ts'
import { ANSWER_TIMEOUT_MS, type MongoConnection } from './connection.ts'
import { isUnavailable } from './outage.ts'

/** The time for which an overtaken write is attempted again, before the store counts as overloaded. */
const ATTEMPTS_MS = 5_000
const PAUSE_MAX_MS = 50
/** The time within which a majority must hold stored data. */
const MAJORITY_TIMEOUT_MS = 5_000

/**
 * Repeats an optimistic write at random, growing intervals. `attempt` resolves to undefined when another process
 * overtook it.
 */
async function untilApplied<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + ATTEMPTS_MS
  for (let pauseMs = 1; performance.now() < deadline; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    const result = await attempt()
    if (result !== undefined) return result
    await wait(Math.random() * pauseMs)
  }
  throw busy()
}

/** Resolves once a read with read concern majority finds every write that was acknowledged before the call. */
export async function untilMajorityRead(read: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + MAJORITY_TIMEOUT_MS
  while ((await read()) === null) {
    if (performance.now() > deadline) throw busy()
    await wait(50)
  }
}

function busy(): AppError {
  return new AppError('unavailable', 'The store is very busy. Try again in a moment.', {
    retryAfterMs: 1_000,
  })
}

export type Projection = ReturnType<typeof openProjection>

/** A conversation at its newest message. `unansweredSince` is the time of the oldest message after the newest answer. */
type CurrentDoc = ConversationDoc & { unansweredSince: number | null }

export interface Projected {
  conversation: ConversationDoc
  /** The inbox change that moving over the messages made. Null when it made none or another process made it. */
  inboxChanged: InboxChanged | null
  /** The time since which the visitor waited, if an admin's message ended the wait, otherwise null. */
  waitedSince: number | null
}

/**
 * Opens the conversations' documents, which are projections of their messages. A read adds the messages that a projection
 * lacks and moves it forward. A failover can take back what the majority lacks, so a projection never moves to such a
 * message, and no message follows it.
 */
export function openProjection(
  { messages, conversations }: Collections,
  majority: MongoConnection['majority'],
  log: ActivityLog,
  sweepSoon: () => void,
) {
  const writes = new KeyedMutex()

  /**
   * Writes to a conversation, and writes again when another process overtook it. `attempt` resolves to undefined in that
   * case. Writes in this process wait for each other, so that they cannot overtake one another. An outage may leave a
   * write half done, which the sweep finishes.
   */
  function write<T>(clientId: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const queuedAt = performance.now()
    return writes.run(clientId, () => {
      // The caller already knows that the write failed.
      if (performance.now() - queuedAt > ANSWER_TIMEOUT_MS) throw busy()
      return untilApplied(attempt).catch((error) => {
        if (isUnavailable(error)) sweepSoon()
        throw error
      })
    })
  }

  /** Reads the newest message, which a failover may take back. Resolves to null without messages. */
  const newest = (clientId: string, epoch: string) =>
    messages.findOne({ clientId, epoch }, { sort: { seq: -1 } })

  /**
   * Reads the newest message that no failover takes back, even when the projection is behind. Resolves to null without
   * messages. `projected` is a seq that the projection has: a new primary may not know yet that the majority has it.
   */
  async function newestDurable(clientId: string, epoch: string, projected = 0): Promise<MessageDoc | null> {
    const last = await messages.findOne({ clientId, epoch }, { ...majority, sort: { seq: -1 } })
    if ((last?.seq ?? 0) >= projected) return last
    return messages.findOne({ clientId, epoch, seq: projected })
  }

  /** Reads the keys, even when the projection lacks the first one. */
  async function keysNow(found: ConversationDoc): Promise<KeyHashes> {
    return keysOf(found, found.keyHash === undefined ? await newest(found._id, found.epoch) : null)
  }

  /**
   * Reads the conversation at its newest message, without what a failover may take back. Resolves to null when it is
   * missing.
   */
  async function current(clientId: string): Promise<CurrentDoc | null> {
    const found = await conversations.findOne({ _id: clientId }, majority)
    if (found === null) return null
    const last = await newestDurable(clientId, found.epoch, found.seq)
    const unansweredSince = last?.waitingSince ?? null
    if (last === null || last.seq <= found.seq) return { ...found, unansweredSince }
    const projected = await project(last)
    // The conversation was erased in the meantime.
    if (projected === null) return current(clientId)
    return { ...projected.conversation, unansweredSince }
  }

  async function stateNow(found: ConversationDoc): Promise<ConversationState> {
    return toState(found, await keysNow(found))
  }

  /**
   * Moves the projection to this message, which the majority has, or further if another process has moved it further.
   * Resolves to null when the message belongs to an erased history. The unread count changes by differences, so that a
   * concurrent read mark is not undone.
   */
  async function project(message: MessageDoc): Promise<Projected | null> {
    const { clientId: _id, epoch } = message
    // The projection is nearly always at the predecessor, the inbox does not change, and one write is enough.
    const fromVisitor = message.senderId === message.clientId
    const moves = advance(message, message.waitingSince)
    const adminUnread = fromVisitor ? 1 : 0
    const before = message.then
      ? null
      : await conversations.findOneAndUpdate(
          {
            ...{ _id, epoch, seq: message.seq - 1, scheduled: NONE as never },
            ...(fromVisitor ? continuesWaiting(message) : IS_ASSIGNED),
          },
          { $set: moves, $inc: { adminUnread } },
          // The document from before the update has the wait that an answer ends.
          { returnDocument: 'before' },
        )
    if (before !== null) {
      const conversation = { ...before, ...moves, adminUnread: before.adminUnread + adminUnread }
      return { conversation, inboxChanged: null, waitedSince: fromVisitor ? null : before.waitingSince }
    }

    return untilApplied(async () => {
      const found = await conversations.findOne({ _id }, majority)
      if (found === null || found.epoch !== epoch) return (await isErased(message)) ? null : undefined
      if (found.seq >= message.seq) return { conversation: found, inboxChanged: null, waitedSince: null }
      const isNext = found.seq === message.seq - 1
      return moveTo(found, isNext ? message : ((await newestDurable(_id, epoch, message.seq)) ?? message))
    })
  }

  /** Asks the primary, because a new one may not know yet that the majority has the message's history. */
  async function isErased({ clientId: _id, epoch }: MessageDoc): Promise<boolean> {
    return (await conversations.findOne({ _id, epoch }, { projection: { _id: 1 } })) === null
  }

  /** Moves the projection to `last` with the inbox changes by its messages. Resolves to undefined when overtaken. */
  async function moveTo(found: ConversationDoc, last: MessageDoc): Promise<Projected | undefined> {
    const ofVisitor = last.visitorCount - found.visitorCount
    // A message that was sent when its visitor was blocked on another node can be stored after the block.
    const isAfterBlock = isBlocked(found.blockedUntil, last.createdAt)
    const changes = changesByMessages(conversationOf(found), await behind(found, last))
    const mayWait = !isAfterBlock && (changes.set.status ?? found.status) !== 'spam'
    const stored = await log.store(found, changes, {
      update: {
        $set: {
          ...advance(
            last,
            mayWait ? await waitsSince(last, inboxOf(found).settledSeq, last.waitingSince) : null,
          ),
          ...(isAfterBlock && { settledSeq: last.seq }),
        },
        $inc: { adminUnread: ofVisitor },
      },
    })
    if (stored === null) return undefined
    const { conversation, activity } = stored
    const { scheduled } = changes.set
    const changed = {
      ...{ conversation: recordOf(conversation) as ConversationRecord, activity },
      ...(scheduled !== undefined && { scheduled: scheduled ?? [] }),
    }
    const waitedSince = last.senderId === last.clientId ? null : found.waitingSince
    const isChanged = activity.length > 0 || scheduled !== undefined
    return { conversation, inboxChanged: isChanged ? changed : null, waitedSince }
  }

  /** Returns the messages after the projection, up to `last`. Usually it is the only one. */
  async function behind({ _id, epoch, seq }: ConversationDoc, last: MessageDoc): Promise<InboxMessage[]> {
    if (last.seq === seq + 1) return [inboxMessage(last)]
    const found = messages
      .find(
        { clientId: _id, epoch, seq: { $gt: seq, $lte: last.seq } },
        { projection: { clientId: 1, seq: 1, nonce: 1, senderId: 1, createdAt: 1, then: 1 } },
      )
      .sort({ seq: 1 })
    return (await found.toArray()).map(inboxMessage)
  }

  /**
   * Returns the time of the oldest visitor message after both the last answer and this seq, or null. Messages know only
   * about answers: `unansweredSince` is the waiting time of `last`, the newest message. If the first message after the seq
   * is newer than that, no answer has come since.
   */
  async function waitsSince(
    { clientId, epoch, seq: last }: Pick<MessageDoc, 'clientId' | 'epoch' | 'seq'>,
    seq: number,
    unansweredSince: number | null,
  ): Promise<number | null> {
    if (unansweredSince === null || seq === 0) return unansweredSince
    const first = await messages.findOne(
      { clientId, epoch, seq: { $gt: seq, $lte: last } },
      { sort: { seq: 1 }, projection: { createdAt: 1 } },
    )
    return first === null ? null : Math.max(unansweredSince, first.createdAt)
  }

  return { write, newest, newestDurable, current, keysNow, stateNow, project, waitsSince }
}

/** Returns the document as decisions see it. `keyHashes` are its keys, if the projection may lack the first one. */
export function conversationOf(found: ConversationDoc, keyHashes = keysOf(found, null)): Conversation {
  const { epoch, seq, visitorCount, waitingSince, blockedUntil = null } = found
  // Some servers store true as 1 in updates.
  const totals = { epoch, seq, visitorCount, waitingSince, keyHashes, blockedUntil }
  return { ...inboxOf(found), ...totals, rated: Boolean(found.rated) }
}

/** Returns the message as far as it changes the inbox. */
export function inboxMessage({ clientId, seq, nonce, senderId, createdAt, then }: MessageDoc): InboxMessage {
  return { seq, nonce, by: senderId === clientId ? null : senderId, at: createdAt, then }
}

const IS_ASSIGNED = { assigneeId: { $gt: '' } }

/** Matches documents in which the next message changes only the totals and the waiting time is the message's own. */
function continuesWaiting({ waitingSince, createdAt }: MessageDoc) {
  return {
    status: OPEN,
    blockedUntil: NONE,
    waitingSince: waitingSince === createdAt ? { $in: [null, createdAt] } : waitingSince,
  }
}

function advance(lastMessage: MessageDoc, waitingSince: number | null) {
  const { seq, createdAt, visitorCount, keyHash } = lastMessage
  return {
    seq,
    lastMessage: forList(lastMessage),
    lastAt: createdAt,
    visitorCount,
    waitingSince,
    ...keyField(keyHash),
  }
}

/** Returns the key's field, or no field without a key, because an index would contain null. */
export function keyField(keyHash: string | undefined): { keyHash?: string } {
  return keyHash === undefined ? {} : { keyHash }
}
