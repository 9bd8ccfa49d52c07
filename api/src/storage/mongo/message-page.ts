import type { Message } from '@proctorpass/shared/schemas/chat'
import type { MessagePage } from '../model/conversation/messages.ts'
import { PageRows, textOf, toMessage, toState } from '../model/conversation/rows.ts'
import { type KeyHashes, opens } from '../model/conversation/visitor-keys.ts'
import type { MessageRepository } from '../model/storage.ts'
import { type Collections, keysOf, type MessageDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'

/** Messages that the server sends at once: the newest page of a browser, and one more. */
const BATCH = 51

export function openMessagePages(
  { messages, conversations }: Collections,
  majority: MongoConnection['majority'],
): MessageRepository['page'] {
  return async (clientId, { after, before, limit, keyHash }): Promise<MessagePage | null> => {
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
    // Leaving the loop closes the cursor: what the page has no room for is not read.
    for await (const document of cursor) {
      const message = toMessage(document)
      if (!page.add(message, textOf(message))) break
      if (after !== undefined || newestRead === null) newestRead = document
    }
    const found = after === undefined ? page.rows.reverse() : page.rows
    // Messages are ahead of the projection between the two writes, or when a process died there: a seq that a caller
    // has seen must not go back. Only a page that does not reach the end has to read the newest message for that.
    const endsBeforeNewest =
      before !== undefined ||
      (after !== undefined && (page.more || (found.length === 0 && after > conversation.seq)))
    const last = endsBeforeNewest
      ? await messages.findOne(
          { clientId, epoch },
          { ...majority, sort: { seq: -1 }, projection: { seq: 1, keyHash: 1 } },
        )
      : newestRead
    // Null when no message is newer than the projection, which then has all keys.
    const keyHashes = keysOf(conversation, last)
    if (isRefused(keyHashes)) return empty(keyHashes)
    const state = toState(conversation, keyHashes)
    return { ...state, seq: Math.max(state.seq, last?.seq ?? 0), messages: found, more: page.more }
  }
}
