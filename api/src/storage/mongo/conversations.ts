import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import type { Filter } from 'mongodb'
import { conversationPage, toRecord, toState } from '../chat-rows.ts'
import { NEW_INBOX } from '../inbox.ts'
import type {
  ConversationCursor,
  ConversationRecord,
  ConversationRepository,
  MessageRepository,
} from '../storage.ts'
import { opens } from '../visitor-keys.ts'
import { claimOf, type VisitorRepository } from '../visitors.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections, ConversationDoc } from './documents.ts'
import { openHistory } from './history.ts'
import { openMessagePages } from './message-page.ts'
import { openProjection, type Projection, untilApplied } from './projection.ts'
import { sweep } from './sweep.ts'
import { openVisitors } from './visitors.ts'

/**
 * Messages and conversations on MongoDB, without transactions.
 *
 * Inserting (clientId, epoch, seq) assigns the seq: a unique index lets one of several concurrent inserts succeed, and
 * the others retry with the next seq. A message carries the totals of its conversation up to itself, computed from its
 * predecessor, which never changes. So the messages alone are the truth. The conversation is a projection for the
 * chats list, moved after the insert and only forwards. A process that dies between the two writes leaves it behind
 * until the next message, a retry of the same message or the sweep moves it.
 *
 * The first key arrives with a message, and every later message carries it: the order of the inserts decides which
 * messages precede the key. A writer that does not know the key finds its seq taken. A reader whose projection has no
 * key reads the newest message.
 * @see docs/decisions/0013-messages-on-mongodb.md and docs/decisions/0033-visitor-keys.md
 */
export function openConversations(
  collections: Collections,
  settled: MongoConnection['settled'],
): {
  messages: MessageRepository
  conversations: ConversationRepository
  visitors: VisitorRepository
  sweep: () => Promise<number>
} {
  const { conversations } = collections
  const projection = openProjection(collections)
  const { append, erase } = openHistory(collections, settled, projection)
  return {
    messages: { append, page: openMessagePages(collections, settled) },

    conversations: {
      async list({ limit, after }) {
        const wanted = limit + 1
        const found: ConversationDoc[] = []
        for (const { filter, order } of rangesAfter(after)) {
          if (found.length === wanted) break
          const cursor = conversations.find(filter, settled).sort(order)
          found.push(...(await cursor.limit(wanted - found.length).toArray()))
        }
        return conversationPage(
          found,
          limit,
          (row) =>
            row.lastMessage && toRecord({ ...NEW_INBOX, ...row }, row.lastMessage, claimOf(row.visitor)),
          false,
        )
      },

      markRead: openReadMarks(collections, projection),

      async record(clientId) {
        const found = await conversations.findOne({ _id: clientId }, settled)
        return found === null ? null : recordOf(found)
      },

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
        return found === null ? null : projection.stateNow(found)
      },

      async addKey(clientId, keyHash) {
        const found = await conversations.findOne({ _id: clientId })
        const keyHashes = found === null ? [] : await projection.keysNow(found)
        if (keyHashes.includes(keyHash)) return true
        if (keyHashes.length === 0 || keyHashes.length >= VISITOR_KEYS_MAX) return false
        await conversations.updateOne({ _id: clientId }, { $set: { [`moreKeys.${keyHash}`]: true } })
        return true
      },

      erase,
    },

    visitors: openVisitors(collections, settled, projection),

    sweep: () => sweep(collections, projection),
  }
}

/** Null without messages. */
function recordOf(row: ConversationDoc): ConversationRecord | null {
  return row.lastMessage && toRecord({ ...NEW_INBOX, ...row }, row.lastMessage, claimOf(row.visitor))
}

function openReadMarks(
  { messages, conversations }: Collections,
  { newest, keysNow, stateNow, project }: Projection,
): ConversationRepository['markRead'] {
  /** The update of an admin's mark: it changes the unread count by the difference. */
  async function adminUpdate({ clientId, epoch, adminReadCount: before }: ConversationDoc, seq: number) {
    const upTo = await messages.findOne(
      { clientId, epoch, seq: { $lte: seq } },
      { sort: { seq: -1 }, projection: { visitorCount: 1 } },
    )
    const adminReadCount = upTo?.visitorCount ?? before
    return { $set: { adminRead: seq, adminReadCount }, $inc: { adminUnread: before - adminReadCount } }
  }

  return (clientId, side, wanted, keyHash) =>
    untilApplied(async () => {
      let found = await conversations.findOne({ _id: clientId })
      if (found === null) return null
      if (wanted > found.seq) {
        const last = await newest(clientId, found.epoch)
        if (last !== null && last.seq > found.seq) found = (await project(last)) ?? found
      }
      if (side === 'visitor') {
        const keyHashes = await keysNow(found)
        if (!opens(keyHashes, keyHash)) return { ...toState(found, keyHashes), moved: false }
      }
      const seq = Math.min(wanted, found.seq)
      const before = side === 'admin' ? found.adminRead : found.visitorRead
      if (seq <= before) return { ...(await stateNow(found)), moved: false }
      const moved = await conversations.findOneAndUpdate(
        {
          _id: clientId,
          epoch: found.epoch,
          ...(side === 'admin' ? { adminRead: before } : { visitorRead: before }),
        },
        side === 'admin' ? await adminUpdate(found, seq) : { $set: { visitorRead: seq } },
        { returnDocument: 'after' },
      )
      return moved === null ? undefined : { ...(await stateNow(moved)), moved: true }
    })
}

const WAITING_ORDER = { waitingSince: 1, clientId: 1 } as const
const ANSWERED_ORDER = { lastAt: -1, clientId: 1 } as const

interface IndexRange {
  filter: Filter<ConversationDoc>
  order: typeof WAITING_ORDER | typeof ANSWERED_ORDER
}

/** The index ranges of the list that follow a cursor, in order: waiting conversations first, then answered ones. */
function rangesAfter(cursor: ConversationCursor | undefined): IndexRange[] {
  // `lastAt` is 0 without messages: none was stored, or the history was erased.
  const answered = (lastAt = Number.MAX_SAFE_INTEGER): IndexRange => ({
    filter: { waitingSince: null, lastAt: { $lt: lastAt, $gt: 0 } },
    order: ANSWERED_ORDER,
  })
  if (cursor === undefined) {
    return [{ filter: { waitingSince: { $gt: 0 } }, order: WAITING_ORDER }, answered()]
  }
  const { waitingSince, lastAt } = cursor
  const clientId = { $gt: cursor.clientId }
  if (waitingSince === null) {
    return [{ filter: { waitingSince, lastAt, clientId }, order: ANSWERED_ORDER }, answered(lastAt)]
  }
  return [
    { filter: { waitingSince, clientId }, order: WAITING_ORDER },
    { filter: { waitingSince: { $gt: waitingSince } }, order: WAITING_ORDER },
    answered(),
  ]
}
