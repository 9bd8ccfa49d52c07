import type { Message } from '@proctorpass/shared/schemas/chat'
import { isBlocked } from '../storage/model/conversation/blocks-and-ratings.ts'
import type { ConversationRecord } from '../storage/model/conversation/conversation.ts'
import type { Storage } from '../storage/model/storage.ts'

const PAGE = 50

/** The visitor's messages above the admins' read mark that an admin has not settled. */
export interface UnreadMessages {
  epoch: string
  /** The admins' read mark. */
  readSeq: number
  newest: Message
  /** Null if the conversation was erased in the meantime. */
  conversation: ConversationRecord | null
  /** False if the conversation is resolved or snoozed, or its visitor is blocked. Nothing is notified then. */
  isWaiting: boolean
  /** Resolves to the oldest unread message above `seq`; null if there is none. */
  firstAfter(seq: number): Promise<Message | null>
}

/** Returns null if all messages are read or settled. Ignores messages from before `since`. */
export async function readUnread(
  { messages, conversations }: Pick<Storage, 'messages' | 'conversations'>,
  clientId: string,
  { since, now }: { since: number; now: number },
): Promise<UnreadMessages | null> {
  const last = await messages.page(clientId, { limit: PAGE })
  if (last === null) return null
  const { epoch, read, blockedUntil, settledSeq } = last
  const doneSeq = Math.max(read.admin, settledSeq)
  const isUnread = ({ senderId, createdAt, seq }: Message) =>
    senderId === clientId && seq > doneSeq && Date.parse(createdAt) >= since

  async function findAfter(behind: number): Promise<Message | null> {
    let after = behind
    for (;;) {
      const inLast = (last?.messages[0]?.seq ?? 0) <= after + 1
      // The next message is usually the visitor's, so it is read alone.
      const limit = after === behind ? 1 : PAGE
      const page = inLast ? last : await messages.page(clientId, { after, limit })
      const found = page?.messages.find((message) => message.seq > after && isUnread(message))
      if (found !== undefined) return found
      const end = page?.messages.at(-1)?.seq
      if (inLast || end === undefined || !page?.more) return null
      after = end
    }
  }

  // An alert's stages mostly ask for the same message, so each answer is cached.
  const asked = new Map<number, Promise<Message | null>>()
  function firstAfter(seq: number): Promise<Message | null> {
    const behind = Math.max(seq, doneSeq)
    const found = asked.get(behind) ?? findAfter(behind)
    asked.set(behind, found)
    return found
  }

  // If the last page holds none of the visitor's unread messages, a full page of the admins' messages follows them, and
  // no visitor waits.
  const newest = last.messages.findLast(isUnread)
  if (newest === undefined) return null
  const conversation = await conversations.record(clientId)
  const isWaiting = conversation?.inbox.status === 'open' && !isBlocked(blockedUntil, now)
  return { epoch, readSeq: read.admin, newest, conversation, isWaiting, firstAfter }
}
