import type { AnyBulkWriteOperation } from 'mongodb'
import { newEpoch } from '../model/ids.ts'
import {
  COMPARE_AT_ONCE,
  FIRST_STALE,
  INDEX_VERSION,
  type IndexUpdate,
  type StaleCursor,
  type StaleOwners,
  staleAfter,
  visitorText,
} from '../model/search.ts'
import type { InboxRepository, SearchRepository } from '../model/storage.ts'
import type { Collections, ConversationDoc, SearchEntryDoc, SearchProgressDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { insertNew } from './outage.ts'
import { openFind, timeText, withBeginnings } from './search-reads.ts'

const STATE = 'search'

/**
 * The search index has a document for each text, and a multikey index lists the documents by their terms in the order
 * of time. Beginnings are terms too, so each search reads a range of that index: `$all` reads one term's texts and
 * compares the others.
 */
export function openSearch(
  collections: Collections,
  majority: MongoConnection['majority'],
  inbox: Pick<InboxRepository, 'activity'>,
): SearchRepository {
  const { conversations, searchEntries, searchProgress, meta } = collections

  async function epochsOf(owners: readonly string[]): Promise<Map<string, string>> {
    const found = await conversations
      .find({ _id: { $in: [...owners] } }, { ...majority, projection: { epoch: 1 } })
      .toArray()
    return new Map(found.map(({ _id, epoch }) => [_id, epoch]))
  }

  const removeOtherEpochs = async (updates: readonly IndexUpdate[]) => {
    if (updates.length === 0) return
    await searchEntries.bulkWrite(
      updates.map(({ owner, epoch }) => ({ deleteMany: { filter: { owner, epoch: { $ne: epoch } } } })),
      { ordered: false },
    )
  }

  return {
    find: openFind(collections, majority, inbox),

    async progressOf(owners) {
      const found = await currentProgress(collections, owners)
      return new Map(found.map(({ _id, indexVersion: _, ...progress }) => [_id, progress]))
    },

    async put(updates) {
      const epochs = await epochsOf(updates.map(({ owner }) => owner))
      const isCurrent = (known: Map<string, string>) => (update: IndexUpdate) =>
        (known.get(update.owner) ?? '') === update.epoch
      const current = updates.filter(isCurrent(epochs))
      if (current.length === 0) return
      // Entries of an erased history are left over if a process died before it removed them.
      await removeOtherEpochs(current)
      const entries = current.flatMap(operationsOf)
      if (entries.length > 0) await searchEntries.bulkWrite(entries, { ordered: false })
      await searchProgress.bulkWrite(
        current.map(({ owner, epoch, seq, n, visitor }) => ({
          replaceOne: {
            filter: { _id: owner },
            replacement: {
              _id: owner,
              epoch,
              seq,
              n,
              visitor,
              indexVersion: INDEX_VERSION,
            } as SearchProgressDoc,
            upsert: true,
          },
        })),
        { ordered: false },
      )
      // A conversation may have been erased in the meantime, and its rows removed before these were written.
      const after = await epochsOf(current.map(({ owner }) => owner))
      const erased = current.filter((update) => !isCurrent(after)(update))
      await removeOtherEpochs(erased.map((update) => ({ ...update, epoch: after.get(update.owner) ?? '' })))
      for (const { owner, epoch } of erased) await searchProgress.deleteOne({ _id: owner, epoch })
    },

    async forget(owner) {
      const epoch = (await epochsOf([owner])).get(owner)
      await searchEntries.deleteMany({ owner, ...(epoch === undefined ? {} : { epoch: { $ne: epoch } }) })
      await searchProgress.deleteOne({
        _id: owner,
        ...(epoch === undefined ? {} : { epoch: { $ne: epoch } }),
      })
      return true
    },

    stale: (from, since) => {
      const cursor = from ?? FIRST_STALE
      return since > 0 ? findStaleSince(collections, cursor, since) : findStale(collections, cursor)
    },

    async lease(holder, now, ms) {
      let found = await meta.findOne({ _id: STATE })
      if (found === null) {
        found = { _id: STATE, holder: '', leaseUntil: 0, complete: false, comparedAt: 0 }
        await insertNew(meta.insertOne(found))
      }
      const { holder: before = '', leaseUntil = 0, comparedAt = 0 } = found
      const isCurrent = found.indexVersion === INDEX_VERSION
      const state = {
        complete: isCurrent && Boolean(found.complete),
        comparedAt: isCurrent ? comparedAt : 0,
        asked: found.asked ?? '',
      }
      if (before !== holder && leaseUntil > now) return { mine: false, ...state }
      if (before === holder && leaseUntil > now + ms / 2) return { mine: true, ...state }
      const { modifiedCount } = await meta.updateOne(
        { _id: STATE, holder: before, leaseUntil },
        { $set: { holder, leaseUntil: now + ms } },
      )
      return { mine: modifiedCount === 1, ...state }
    },

    async askForComparison() {
      // Without the document, no process has compared anything yet, and the first one compares all.
      await meta.updateOne({ _id: STATE }, { $set: { asked: newEpoch() } })
    },

    async completed(now) {
      const state = { complete: true, leaseUntil: 0, comparedAt: now, indexVersion: INDEX_VERSION }
      await meta.updateOne({ _id: STATE }, { $set: state })
    },
  }
}

/** Empties the index. `comment` appears in the database server's log. */
export async function clearSearch(
  { searchEntries, searchProgress, meta }: Collections,
  comment: { comment?: string } = {},
): Promise<void> {
  await meta.deleteOne({ _id: STATE })
  await searchProgress.deleteMany({}, comment)
  await searchEntries.deleteMany({}, comment)
}

function operationsOf({ owner, epoch, texts }: IndexUpdate): AnyBulkWriteOperation<SearchEntryDoc>[] {
  return texts.map(({ type, n, at, terms }) => {
    const _id = `${type}:${owner}:${n}`
    if (terms.length === 0) return { deleteOne: { filter: { _id } } }
    const order = `${timeText(at)}:${n.toString(16).padStart(8, '0')}:${_id}`
    const replacement = { _id, owner, type, n, epoch, order, terms: withBeginnings(terms) }
    return { replaceOne: { filter: { _id }, replacement, upsert: true } }
  })
}

/** Compares conversations, then contacts, then index entries, in the order of their IDs. */
async function findStale(collections: Collections, cursor: StaleCursor): Promise<StaleOwners> {
  const { conversations, contacts, searchProgress } = collections
  const result = { conversations: [] as string[], contacts: [] as string[] }
  const page = { _id: { $gt: cursor.after } }
  const options = { sort: { _id: 1 }, limit: COMPARE_AT_ONCE } as const
  let ids: string[]
  if (cursor.step === 0) {
    const found = await conversations.find(page, { ...options, projection: COMPARED }).toArray()
    ids = found.map(({ _id }) => _id)
    result.conversations = await staleConversations(collections, found)
  } else if (cursor.step === 1) {
    ids = idsOf(await contacts.find(page, { ...options, projection: { _id: 1 } }).toArray())
    result.contacts = await withoutProgress(collections, ids)
  } else {
    ids = idsOf(await searchProgress.find(page, { ...options, projection: { _id: 1 } }).toArray())
    const there = await Promise.all([
      conversations.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray(),
      contacts.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray(),
    ])
    const known = new Set(idsOf(there.flat()))
    result.conversations = ids.filter((id) => !known.has(id))
  }
  return { ...result, compared: ids.length, next: staleAfter(cursor, ids) }
}

/**
 * Compares the owners of messages, log entries, and contact messages since a time, in the order of the owners' IDs. An
 * erased conversation's index entries are removed with its messages, if necessary by the sweep.
 */
async function findStaleSince(
  collections: Collections,
  cursor: StaleCursor,
  since: number,
): Promise<StaleOwners> {
  const { conversations, messages, activity, contacts } = collections
  const result = { conversations: [] as string[], contacts: [] as string[] }
  const ownersBy = (field: string) => [
    { $group: { _id: field } },
    { $match: { _id: { $gt: cursor.after } } },
    { $sort: { _id: 1 } },
    { $limit: COMPARE_AT_ONCE },
  ]
  const created = { $match: { createdAt: { $gte: since } } }
  const changed = [
    () => messages.aggregate<{ _id: string }>([created, ...ownersBy('$clientId')]),
    () =>
      activity.aggregate<{ _id: string }>([{ $match: { at: { $gte: since } } }, ...ownersBy('$clientId')]),
    () => contacts.aggregate<{ _id: string }>([created, ...ownersBy('$_id')]),
  ][cursor.step]
  const ids = idsOf((await changed?.().toArray()) ?? [])
  if (cursor.step === 2) result.contacts = await withoutProgress(collections, ids)
  else {
    const found = await conversations.find({ _id: { $in: ids } }, { projection: COMPARED }).toArray()
    result.conversations = await staleConversations(collections, found)
  }
  return { ...result, compared: ids.length, next: staleAfter(cursor, ids) }
}

const COMPARED = { epoch: 1, seq: 1, activityN: 1, visitor: 1 }
type Compared = Pick<ConversationDoc, '_id' | 'epoch' | 'seq' | 'activityN' | 'visitor'>

const idsOf = (found: readonly { _id: string }[]) => found.map(({ _id }) => _id)

/** Reads the owners' progress. Progress under another version does not count, because its terms have to be replaced. */
function currentProgress({ searchProgress }: Collections, owners: readonly string[]) {
  return searchProgress.find({ _id: { $in: [...owners] }, indexVersion: INDEX_VERSION }).toArray()
}

async function progressOf(collections: Collections, ids: readonly string[]) {
  const found = await currentProgress(collections, ids)
  return new Map(found.map((progress) => [progress._id, progress]))
}

async function staleConversations(collections: Collections, found: readonly Compared[]): Promise<string[]> {
  const known = await progressOf(collections, idsOf(found))
  const stale = found.filter(({ _id, epoch, seq, visitor, activityN = 0 }) => {
    const { n, ...progress } = known.get(_id) ?? { epoch: null, seq: 0, n: 0, visitor: '' }
    const isCurrent = progress.epoch === epoch && progress.seq >= seq && n >= activityN
    return !isCurrent || progress.visitor !== visitorText(_id, { seq, visitor })
  })
  return idsOf(stale)
}

async function withoutProgress(collections: Collections, ids: readonly string[]): Promise<string[]> {
  const known = await progressOf(collections, ids)
  return ids.filter((id) => !known.has(id))
}
