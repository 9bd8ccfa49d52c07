import type { Message } from '@proctorpass/shared/schemas/chat'
import type { MessageRepository } from '../storage/storage.ts'

const PAGE = 50

/** The visitor's messages behind the admins' read mark. */
export interface UnreadMessages {
  epoch: string
  newest: Message
  /** The oldest one behind `seq`; null when there is none. */
  firstAfter(seq: number): Promise<Message | null>
}

/** Null when all are read. Ignores messages from before `since`. */
export async function readUnread(
  messages: Pick<MessageRepository, 'page'>,
  clientId: string,
  since: number,
): Promise<UnreadMessages | null> {
  const last = await messages.page(clientId, { limit: PAGE })
  if (last === null) return null
  const { epoch, read } = last
  const isUnread = ({ senderId, createdAt, seq }: Message) =>
    senderId === clientId && seq > read.admin && Date.parse(createdAt) >= since

  async function firstAfter(seq: number): Promise<Message | null> {
    let after = Math.max(seq, read.admin)
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

  // Behind more than a page of the admins' messages, no visitor waits.
  const newest = last.messages.findLast(isUnread)
  return newest === undefined ? null : { epoch, newest, firstAfter }
}
