import {
  type FoundImport,
  IMPORT_NONCE,
  type ImportRepository,
  importedRows,
  isUnchanged,
} from '../model/conversation/imports.ts'
import { newEpoch } from '../model/ids.ts'
import { type Collections, type ConversationDoc, inboxOf } from './collections.ts'
import { activityDoc, conversationDoc, insertMissing } from './copy.ts'
import { emptyConversation } from './messages.ts'
import { inHalves } from './outage.ts'

/** The fields that tell whether a conversation has changed. */
const COMPARED = {
  projection: { epoch: 1, seq: 1, activityN: 1, version: 1, blockedUntil: 1, importing: 1 },
}

/** A message that a server stored meanwhile makes a conversation finished. */
const UNFINISHED = { importing: 1 as const, seq: 0 }
const isUnfinished = ({ importing, seq }: ConversationDoc) => importing === 1 && seq === 0
/** The nonces with this beginning. A point follows a hyphen. */
const OF_IMPORT = { nonce: { $gte: IMPORT_NONCE, $lt: IMPORT_NONCE.replace('-', '.') } }

/**
 * Opens imports, without transactions. A conversation begins as an empty document with the mark `importing`, which hides
 * it, and gets its totals and loses the mark after its messages and its log. If a process dies in between, the next import
 * or its removal begins that conversation again.
 */
export function openImports(collections: Collections): ImportRepository {
  const { conversations, messages, activity } = collections

  async function foundAmong(clientIds: readonly string[]): Promise<Map<string, FoundImport>> {
    const found = await conversations.find({ _id: { $in: [...clientIds] } }, COMPARED).toArray()
    const finished = found.filter((conversation) => !isUnfinished(conversation))
    const ofEach = { clientId: { $in: finished.map(({ _id }) => _id) }, ...OF_IMPORT }
    const projection = { _id: 0, clientId: 1, epoch: 1, nonce: 1 }
    const [ofMessages, ofNotes] = await Promise.all([
      messages.find(ofEach, { projection }).toArray(),
      activity.find(ofEach, { projection }).toArray(),
    ])
    const key = ({ clientId, epoch }: { clientId: string; epoch: string }) => `${clientId} ${epoch}`
    const [messagesBy, notesBy] = [Map.groupBy(ofMessages, key), Map.groupBy(ofNotes, key)]
    const entries = finished.map((conversation): [string, FoundImport] => {
      const { _id, epoch, seq, blockedUntil = null } = conversation
      const own = messagesBy.get(key({ clientId: _id, epoch })) ?? []
      const notes = notesBy.get(key({ clientId: _id, epoch })) ?? []
      const row = { ...inboxOf(conversation), seq, blockedUntil }
      return [
        _id,
        {
          seq,
          nonces: new Set([...own, ...notes].map(({ nonce }) => nonce as string)),
          isChanged: !isUnchanged(row, { messages: own.length, notes: notes.length }),
        },
      ]
    })
    return new Map(entries)
  }

  /** Begins the conversations that are missing, and returns the epochs of those that are not finished. */
  async function begin(clientIds: readonly string[]): Promise<Map<string, string>> {
    const ids = { _id: { $in: [...clientIds] } }
    const known = new Set(
      (await conversations.find(ids, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
    )
    const missing = clientIds.filter((clientId) => !known.has(clientId))
    if (missing.length > 0) {
      const begun = missing.map(
        (id): ConversationDoc => ({
          ...emptyConversation(id, newEpoch()),
          importing: 1,
        }),
      )
      await inHalves(begun, (half) => insertMissing(conversations, half))
    }
    const unfinished = await conversations.find({ ...ids, ...UNFINISHED }, COMPARED).toArray()
    // A process that died may have stored some of them.
    const left = unfinished.map(({ _id }) => _id).filter((clientId) => known.has(clientId))
    if (left.length > 0) await removeRows({ $in: left })
    return new Map(unfinished.map(({ _id, epoch }) => [_id, epoch]))
  }

  /** Removes what belongs to conversations. `kept` is the epoch of a history that stays. */
  async function removeRows(clientId: string | { $in: string[] }, kept?: string): Promise<void> {
    const { seenMarks, jobs, links, identities, deliveries, remembered } = collections
    const former = kept === undefined ? {} : { epoch: { $ne: kept } }
    for (const rows of [messages, activity, seenMarks, jobs, links, remembered]) {
      await (rows as typeof messages).deleteMany({ clientId, ...former })
    }
    for (const rows of [identities, deliveries]) await (rows as typeof identities).deleteMany({ clientId })
  }

  return {
    find: foundAmong,

    async add(imported) {
      const epochs = await begin(imported.map(({ clientId }) => clientId))
      const chats = imported.flatMap((conversation) => {
        const epoch = epochs.get(conversation.clientId)
        return epoch === undefined ? [] : [importedRows(conversation, epoch)]
      })
      if (chats.length === 0) return []
      await inHalves(
        chats.flatMap((chat) => chat.messages),
        (half) => insertMissing(messages, half),
      )
      const entries = chats.flatMap((chat) => chat.activity)
      if (entries.length > 0)
        await inHalves(entries.map(activityDoc), (half) => insertMissing(activity, half))
      await inHalves(
        chats.map(({ conversation, messages: own, activityN }) => {
          const lastMessage = own.at(-1) ?? null
          const { _id, ...fields } = conversationDoc({ conversation, lastMessage, activityN })
          const filter = { _id, epoch: conversation.epoch, ...UNFINISHED }
          return { updateOne: { filter, update: { $set: fields, $unset: { importing: '' as const } } } }
        }),
        (half) => conversations.bulkWrite([...half], { ordered: false }),
      )
      return chats.map(({ conversation }) => conversation.clientId)
    },

    async remove(clientId) {
      const found = await conversations.findOne({ _id: clientId }, COMPARED)
      if (found === null) return 'missing'
      if (!isUnfinished(found)) {
        const known = (await foundAmong([clientId])).get(clientId)
        if (known === undefined || known.isChanged) return 'changed'
        // The new epoch hides the history at once, also from a message that arrives now.
        const { _id, ...empty } = emptyConversation(clientId, newEpoch())
        const { epoch, seq, activityN, version } = found
        const { matchedCount } = await conversations.updateOne(
          { _id, epoch, seq, activityN, version } as Partial<ConversationDoc>,
          { $set: { ...empty, importing: 1 }, $unset: { visitor: '' } },
        )
        if (matchedCount === 0) return 'changed'
        await removeRows(clientId, empty.epoch)
      } else await removeRows(clientId)
      await conversations.deleteOne({ _id: clientId, ...UNFINISHED })
      return 'removed'
    },
  }
}
