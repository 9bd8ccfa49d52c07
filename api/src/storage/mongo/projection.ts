import { AppError } from '@proctorpass/shared/errors'
import { toState } from '../chat-rows.ts'
import type { ConversationState } from '../storage.ts'
import type { KeyHashes } from '../visitor-keys.ts'
import { type Collections, type ConversationDoc, forList, keysOf, type MessageDoc } from './documents.ts'

/** Attempts at a write that other processes may overtake, before the store counts as overloaded. */
const ATTEMPTS_MAX = 200

/** Repeats an optimistic write. `attempt` resolves to undefined when another process overtook it. */
export async function untilApplied<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw busy()
}

export function busy(): AppError {
  return new AppError('unavailable', 'The store is very busy. Try again in a moment.', {
    retryAfterMs: 1_000,
  })
}

export type Projection = ReturnType<typeof openProjection>

/** The documents of conversations, as a projection of their messages: read with what is missing, and moved forwards. */
export function openProjection({ messages, conversations }: Collections) {
  /** The newest message, even when the projection is behind; null while there is none. */
  const newest = (clientId: string, epoch: string) =>
    messages.findOne({ clientId, epoch }, { sort: { seq: -1 } })

  /** The keys, even when the projection lacks the first one. */
  async function keysNow(found: ConversationDoc): Promise<KeyHashes> {
    return keysOf(found, found.keyHash === undefined ? await newest(found._id, found.epoch) : null)
  }

  async function stateNow(found: ConversationDoc): Promise<ConversationState> {
    return toState(found, await keysNow(found))
  }

  /**
   * Moves the projection to this message, or further when another process has moved it further. Null when the message
   * belongs to an erased history. Changes the unread count by differences, so that a concurrent read mark is not
   * undone.
   */
  async function project(message: MessageDoc): Promise<ConversationDoc | null> {
    const { clientId: _id, epoch } = message
    // Nearly always the projection is at the predecessor, and one write is enough.
    const moved = await conversations.findOneAndUpdate(
      { _id, epoch, seq: message.seq - 1 },
      advance(message, message.senderId === message.clientId ? 1 : 0),
      { returnDocument: 'after' },
    )
    if (moved !== null) return moved

    return untilApplied(async () => {
      const found = await conversations.findOne({ _id })
      if (found === null || found.epoch !== epoch) return null
      if (found.seq >= message.seq) return found
      const last = (await newest(_id, epoch)) ?? message
      await conversations.updateOne(
        { _id, epoch, seq: found.seq },
        advance(last, last.visitorCount - found.visitorCount),
      )
      return undefined
    })
  }

  return { newest, keysNow, stateNow, project }
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
      ...keyField(keyHash),
    },
    $inc: { adminUnread: newFromVisitor },
  }
}

/** Without a key the field is missing: null would be found by an index. */
export function keyField(keyHash: string | undefined): { keyHash?: string } {
  return keyHash === undefined ? {} : { keyHash }
}
