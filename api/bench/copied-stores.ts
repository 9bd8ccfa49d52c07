import { join } from 'node:path'
import type { CopiedChat } from '../src/storage/copy/store-copy.ts'
import type { CopiedMessage } from '../src/storage/model/conversation/rows.ts'
import { newEpoch, newId as newRecordId } from '../src/storage/model/ids.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { fillSqlite } from '../src/storage/sqlite/copy.ts'
import { newId } from '../test/chat-client.ts'

/** Conversations of one transaction. */
const BATCH = 1_000

/** The parts of a conversation that a benchmark chooses. The rest follows from them. */
export interface CopiedConversation {
  /** In order. */
  messages: readonly { senderId: string; createdAt: number; message: string }[]
  chat?: Partial<CopiedChat['conversation']>
}

/**
 * Fills a store that never ran with conversations. It is written as a copy, which takes a tenth of the time of sending
 * the messages; the server derives the rest. Answers the first conversation.
 */
export async function fillWithCopies(
  dataDir: string,
  conversations: number,
  make: (clientId: string, index: number) => CopiedConversation,
): Promise<string> {
  // Creates the schema.
  await (await openStores({ dataDir })).storage.close()
  const target = fillSqlite(join(dataDir, 'chat.sqlite'), undefined as never)
  await target.setFilling({ state: 'filling', source: 'bench', salt: '' })
  let first = ''
  for (let from = 0; from < conversations; from += BATCH) {
    const messages: CopiedMessage[] = []
    const chats: CopiedChat[] = []
    for (let index = from; index < Math.min(from + BATCH, conversations); index += 1) {
      const clientId = newId()
      first ||= clientId
      chats.push(copiedChat(clientId, make(clientId, index), messages))
    }
    await target.put(messages, chats, [])
  }
  await target.setFilling({ state: 'filled', source: 'bench', salt: '' })
  await target.close()
  return first
}

function copiedChat(clientId: string, made: CopiedConversation, into: CopiedMessage[]): CopiedChat {
  const epoch = newEpoch()
  let last = null as CopiedMessage | null
  for (const [index, { senderId, createdAt, message }] of made.messages.entries()) {
    const fromVisitor = senderId === clientId
    last = {
      ...{
        _id: newRecordId(createdAt),
        clientId,
        senderId,
        epoch,
        seq: index + 1,
        nonce: newId(),
        createdAt,
      },
      message,
      visitorCount: (last?.visitorCount ?? 0) + (fromVisitor ? 1 : 0),
      waitingSince: fromVisitor ? (last?.waitingSince ?? createdAt) : null,
      ...{ attachments: null, via: null, quoted: null, edited: null },
    }
    into.push(last)
  }
  const { seq, createdAt: lastAt, visitorCount, waitingSince } = last as CopiedMessage
  return {
    lastMessage: last,
    activityN: 0,
    conversation: {
      ...{ clientId, epoch, seq, lastAt, visitorCount, waitingSince },
      ...{ visitorRead: seq, adminRead: seq, adminReadCount: visitorCount, settledSeq: 0 },
      ...{ keyHashes: [], status: 'open', snoozedUntil: null, assigneeId: null, labels: [], version: 0 },
      ...{ blockedUntil: null, edits: 0, rated: false, spam: null, scheduled: null },
      ...{ siteId: null, siteName: null },
      ...{ visitor: null, seen: [] },
      ...made.chat,
    },
  }
}
