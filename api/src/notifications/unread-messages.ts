import type { Message } from '@proctorpass/shared/schemas/chat'
import { isBlocked } from '../storage/model/conversation/blocks-and-ratings.ts'
import type { ConversationRecord } from '../storage/model/conversation/conversation.ts'
import type { Storage } from '../storage/model/storage.ts'

const PAGE = 50

/** The visitor's messages behind the admins' read mark. */
export interface UnreadMessages {
  epoch: string
  /** The admins' read mark. */
  readSeq: number
  newest: Message
  /** Null: it was erased meanwhile. */
  conversation: ConversationRecord | null
  /** False when it is resolved or snoozed, or its visitor blocked: then nothing is notified. */
  isWaiting: boolean
  /** The oldest one behind `seq`; null when there is none. */
  firstAfter(seq: number): Promise<Message | null>
}

/** Null when all are read. Ignores messages from before `since`. */
export async function readUnread(
  { messages, conversations }: Pick<Storage, 'messages' | 'conversations'>,
  clientId: string,
  { since, now }: { since: number; now: number },
): Promise<UnreadMessages | null> {
  const last = await messages.page(clientId, { limit: PAGE })
  if (last === null) return null
  const { epoch, read, blockedUntil } = last
  const isUnread = ({ senderId, createdAt, seq }: Message) =>
    senderId === clientId && seq > read.admin && Date.parse(createdAt) >= since

  async function findAfter(behind: number): Promise<Message | null> {
    let after = behind
    for (;;) {
      const inLast = (last?.messages[0]?.seq ?? 0) <= after + 1
      const page = inLast ? last : await messages.page(clientId, { after, limit: PAGE })
      const found = page?.messages.find((message) => message.seq > after && isUnread(message))
      if (found !== undefined) return found
      const end = page?.messages.at(-1)?.seq
      if (inLast || end === undefined || !page?.more) return null
      after = end
    }
  }

  // The stages of an alert mostly ask for the same one.
  const asked = new Map<number, Promise<Message | null>>()
  function firstAfter(seq: number): Promise<Message | null> {
    const behind = Math.max(seq, read.admin)
    const found = asked.get(behind) ?? findAfter(behind)
    asked.set(behind, found)
    return found
  }

  // Behind more than a page of the admins' messages, no visitor waits.
  const newest = last.messages.findLast(isUnread)
  if (newest === undefined) return null
  const conversation = await conversations.record(clientId)
  const isWaiting = conversation?.inbox.status === 'open' && !isBlocked(blockedUntil, now)
  return { epoch, readSeq: read.admin, newest, conversation, isWaiting, firstAfter }
}
