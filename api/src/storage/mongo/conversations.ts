import { movedReadMark } from '../model/conversation/conversation.ts'
import { siteColumns, toState } from '../model/conversation/rows.ts'
import { type KeyHashes, keysAdmitting, keysWith } from '../model/conversation/visitor-keys.ts'
import { newEpoch } from '../model/ids.ts'
import type {
  ConversationRepository,
  InboxRepository,
  MessageRepository,
  VisitorRepository,
} from '../model/storage.ts'
import { openActivityLog, recordOf } from './activity-log.ts'
import { UNAUDITED } from './audit-chain.ts'
import { type Collections, type ConversationDoc, keyFields, NOT_SPAM } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { openConversationList } from './conversation-list.ts'
import { openConversationWriter } from './conversation-writer.ts'
import { openEditMoves } from './edits.ts'
import { openErase, openErased } from './erased.ts'
import { openEventNumbers } from './event-numbers.ts'
import { openInbox } from './inbox.ts'
import { emptyConversation, openMessages } from './messages.ts'
import { insertNew } from './outage.ts'
import { openProjection, type Projection } from './projection.ts'
import { sweep } from './sweep.ts'
import { openVisitors } from './visitors.ts'

/**
 * Opens messages and conversations on MongoDB, without transactions.
 *
 * Inserting (clientId, epoch, seq) assigns the seq. A unique index lets one of several concurrent inserts succeed, and
 * the others retry with the next seq. A message carries its conversation's totals up to itself, computed from its
 * predecessor, which never changes. So the messages alone are the truth. The conversation is a projection for the list;
 * it is moved after the insert, and only forward. A process that dies between the two writes leaves it behind until the
 * next message, a retry of the same message, or the sweep moves it.
 *
 * The first key arrives with a message, and every later message carries it, so the order of the inserts decides which
 * messages precede the key. A writer that does not know the key finds its seq taken. A reader whose projection has no
 * key reads the newest message.
 * `sweepSoon` is called after an outage that may have left a write half done.
 * @see docs/decisions/0013-messages-on-mongodb.md and docs/decisions/0033-visitor-keys.md
 */
export function openConversations(
  collections: Collections,
  majority: MongoConnection['majority'],
  audited = UNAUDITED,
  numbers = openEventNumbers(collections, majority),
  sweepSoon = () => {},
): {
  messages: MessageRepository
  conversations: ConversationRepository
  visitors: VisitorRepository
  inbox: InboxRepository
  sweep: () => Promise<number>
} {
  const { conversations } = collections
  const log = openActivityLog(collections, majority, audited, numbers.mark, sweepSoon)
  numbers.moveWith(log.move)
  const projection = openProjection(collections, majority, log, sweepSoon)
  const edits = openEditMoves(collections)
  const writer = openConversationWriter(collections, majority, projection, log, edits)
  const removeErased = openErased(collections, numbers.number)
  const { forget, ...messages } = openMessages(collections, majority, projection, numbers.mark, log)
  return {
    inbox: openInbox(collections, majority, writer, log),

    messages,

    conversations: {
      list: openConversationList(collections, majority),

      markRead: openReadMarks(collections, projection),

      async record(clientId) {
        const found = await projection.current(clientId)
        return found === null ? null : recordOf(found)
      },

      async totalAdminUnread() {
        const [sum] = await conversations
          .aggregate<{ total: number }>(
            [
              { $match: { adminUnread: { $gt: 0 }, status: NOT_SPAM } },
              { $group: { _id: null, total: { $sum: '$adminUnread' } } },
            ],
            majority,
          )
          .toArray()
        return sum?.total ?? 0
      },

      async find(clientId) {
        const found = await conversations.findOne({ _id: clientId }, majority)
        return found === null ? null : projection.stateNow(found)
      },

      async idle(since, limit) {
        const found: { _id: string }[] = []
        // Both filters are ranges of the indexes `answered` and `waiting`. `lastAt` is 0 without messages.
        for (const filter of [
          { waitingSince: null, lastAt: { $gt: 0, $lte: since } },
          { waitingSince: { $gt: 0, $lte: since }, lastAt: { $lte: since } },
        ]) {
          const left = limit - found.length
          if (left === 0) break
          const options = { ...majority, projection: { _id: 1 } }
          found.push(...(await conversations.find(filter, options).limit(left).toArray()))
        }
        return found.map(({ _id }) => _id)
      },

      async idleSpam(since, limit) {
        // The filter is a range of the index `status_answered`, because no visitor waits in spam.
        const isIdle = { status: 'spam' as const, waitingSince: null, lastAt: { $gt: 0, $lte: since } }
        const found = await conversations
          .find({ ...isIdle, 'spam.at': { $lte: since } }, { ...majority, projection: { _id: 1 } })
          .limit(limit)
          .toArray()
        return found.map(({ _id }) => _id)
      },

      ...openKeys(collections, projection, forget),

      erase: openErase(collections, majority, projection, removeErased, audited, numbers, log, forget),
    },

    visitors: openVisitors(collections, majority, writer),

    sweep: () => sweep(collections, majority, { ...projection, ...log, ...edits, removeErased }),
  }
}

/** Opens the writes of keys. `forget` makes the next message in this process read the conversation again. */
function openKeys(
  { conversations }: Collections,
  { write, keysNow }: Projection,
  forget: (clientId: string) => void,
): Pick<ConversationRepository, 'addKey' | 'admit'> {
  /** Stores the keys and the site. Returns undefined when another process overtook the write. */
  async function store(
    found: ConversationDoc,
    decide: (before: KeyHashes) => KeyHashes,
    site: ReturnType<typeof siteColumns> = {},
  ): Promise<true | undefined> {
    const { _id, epoch, seq } = found
    const before = await keysNow(found)
    const { only, ...update } = keyUpdate(before, decide(before))
    const $set = { ...site, ...update.$set }
    if (Object.keys($set).length === 0) return true
    // The filter must notice that another process stored a message or the first key.
    const isNew = before.length === 0 || site.siteId !== undefined
    const unchanged = isNew && { seq, keyHash: found.keyHash ?? { $exists: false } }
    const filter = { _id, epoch, ...unchanged, ...only }
    const { matchedCount } = await conversations.updateOne(filter, { ...update, $set })
    // Until another process reads the conversation again, it may accept a message with the replaced key.
    forget(_id)
    return matchedCount === 0 ? undefined : true
  }

  return {
    addKey: (clientId, keyHash, epoch) =>
      write(clientId, async () => {
        const found = await conversations.findOne({ _id: clientId })
        return found?.epoch === epoch ? store(found, (before) => keysWith(before, keyHash)) : false
      }),

    admit: (_id, keyHash, site) =>
      write(_id, async () => {
        const found = await conversations.findOne({ _id })
        if (found === null) {
          const created = emptyConversation(_id, newEpoch())
          const document = { ...created, keyHash, ...siteColumns(created, site) }
          return (await insertNew(conversations.insertOne(document))) ? created.epoch : undefined
        }
        const { epoch, seq } = found
        const decide = (keyHashes: KeyHashes) => keysAdmitting({ seq, keyHashes }, keyHash)
        return (await store(found, decide, siteColumns(found, site))) && epoch
      }),
  }
}

/** Returns the fields that change the keys. The first key has a field of its own. */
function keyUpdate(before: KeyHashes, after: KeyHashes) {
  const fields = <V>(hashes: KeyHashes, value: V) =>
    Object.fromEntries(hashes.map((hash) => [`moreKeys.${hash}`, value]))
  const added = after.filter((hash) => !before.includes(hash))
  const replaced = before.filter((hash) => !after.includes(hash))
  return {
    $set: before.length === 0 ? keyFields(added) : fields(added, true as const),
    ...(replaced.length > 0 && { $unset: fields(replaced, '' as const) }),
    // The filter names the replaced keys as they were read, so that of two concurrent calls each replaces another key.
    only: fields(replaced, true as const),
  }
}

function openReadMarks(
  { messages, conversations }: Collections,
  { write, newestDurable, keysNow, stateNow, project }: Projection,
): ConversationRepository['markRead'] {
  /** Returns the update that moves an admin's mark. It changes the unread count by the difference. */
  async function adminUpdate({ clientId, epoch, adminReadCount: before }: ConversationDoc, seq: number) {
    const upTo = await messages.findOne(
      { clientId, epoch, seq: { $lte: seq } },
      { sort: { seq: -1 }, projection: { visitorCount: 1 } },
    )
    const adminReadCount = upTo?.visitorCount ?? before
    return { $set: { adminRead: seq, adminReadCount }, $inc: { adminUnread: before - adminReadCount } }
  }

  return (clientId, side, wanted, keyHash) =>
    write(clientId, async () => {
      let found = await conversations.findOne({ _id: clientId })
      if (found === null) return null
      if (wanted > found.seq) {
        const last = await newestDurable(clientId, found.epoch)
        if (last !== null && last.seq > found.seq) found = (await project(last))?.conversation ?? found
      }
      const keyHashes = await keysNow(found)
      const seq = movedReadMark({ ...found, keyHashes }, side, wanted, keyHash)
      if (seq === null) return { ...toState(found, keyHashes), moved: false }
      const before = side === 'admin' ? found.adminRead : found.visitorRead
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
