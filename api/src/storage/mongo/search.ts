import type { AnyBulkWriteOperation } from 'mongodb'
import type { InboxRepository } from '../inbox.ts'
import type {
  FoundText,
  IndexUpdate,
  SearchRepository,
  SearchTerms,
  StaleCursor,
  StaleOwners,
} from '../search.ts'
import { contactText, visitorText } from '../search.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections, ConversationDoc, SearchEntryDoc, SearchProgressDoc } from './documents.ts'
import { isDuplicate } from './outage.ts'

/** Owners compared in one call. */
const COMPARE_AT_ONCE = 500
/** Code points of the beginnings that an entry lists of each term. */
const BEGINNINGS = [1, 2, 3, 4, 6, 8]
/** Stands before the beginning of a term; no term has it. */
const BEGINNING = '^'
const STATE = 'search'

/**
 * The search index: a document for each text, with a multikey index of its terms in order of time. Beginnings are terms
 * too, so that each search is a range of that index: `$all` reads the texts of one term and compares the others.
 */
export function openSearch(
  collections: Collections,
  settled: MongoConnection['settled'],
  inbox: Pick<InboxRepository, 'activity'>,
): SearchRepository {
  const { conversations, messages, contacts, searchEntries, searchProgress, meta } = collections

  async function conversationsOf(owners: readonly string[]) {
    const found = await conversations
      .find({ _id: { $in: [...owners] } }, { ...settled, projection: { epoch: 1, visitor: 1 } })
      .toArray()
    return new Map(found.map((conversation) => [conversation._id, conversation]))
  }

  async function epochsOf(owners: readonly string[]): Promise<Map<string, string>> {
    return new Map(Array.from(await conversationsOf(owners), ([owner, { epoch }]) => [owner, epoch]))
  }

  /** The text of an entry as it is now; null when it is gone. */
  async function textOf(
    { type, owner, n, order }: SearchEntryDoc,
    { epoch, visitor }: Pick<ConversationDoc, 'epoch' | 'visitor'>,
  ): Promise<Pick<FoundText, 'text' | 'at'> | null> {
    switch (type) {
      case 'message': {
        const found = await messages.findOne({ clientId: owner, epoch, seq: n }, settled)
        return found && { text: found.message, at: found.createdAt }
      }
      case 'note': {
        const { activity } = await inbox.activity(owner, { after: n - 1, before: n + 1, limit: 1 })
        const [found] = activity
        return found?.kind === 'note' ? { text: (found.data as { text: string }).text, at: found.at } : null
      }
      case 'visitor': {
        const text = visitorText(visitor)
        return text === '' ? null : { text, at: Number.parseInt(order, 16) }
      }
      case 'contact': {
        const found = await contacts.findOne({ _id: owner }, settled)
        return found && { text: contactText(found), at: found.createdAt }
      }
    }
  }

  const removeOtherEpochs = async (updates: readonly IndexUpdate[]) => {
    if (updates.length === 0) return
    await searchEntries.bulkWrite(
      updates.map(({ owner, epoch }) => ({ deleteMany: { filter: { owner, epoch: { $ne: epoch } } } })),
      { ordered: false },
    )
  }

  return {
    async find(terms, { limit, before }) {
      const entries = await searchEntries
        .find({ ...filterOf(terms), ...(before === undefined ? {} : { order: { $lt: before } }) }, settled)
        .sort({ order: -1 })
        .limit(limit)
        .project<SearchEntryDoc>({ terms: 0 })
        .toArray()
      const known = await conversationsOf(entries.map(({ owner }) => owner))
      const found = await Promise.all(
        entries.map(async (entry): Promise<FoundText[]> => {
          const { type, owner, n, order } = entry
          const conversation = type === 'contact' ? NO_CONVERSATION : known.get(owner)
          if (conversation?.epoch !== entry.epoch) return []
          const text = await textOf(entry, conversation)
          const name = conversation.visitor?.name ?? null
          return text === null ? [] : [{ type, owner, n, name, ...text, place: order }]
        }),
      )
      return { found: found.flat(), next: entries.length < limit ? null : (entries.at(-1)?.order ?? null) }
    },

    async progressOf(owners) {
      const found = await searchProgress.find({ _id: { $in: [...owners] } }).toArray()
      return new Map(found.map(({ _id, ...progress }) => [_id, progress]))
    },

    async put(updates) {
      const epochs = await epochsOf(updates.map(({ owner }) => owner))
      const isCurrent = (known: Map<string, string>) => (update: IndexUpdate) =>
        (known.get(update.owner) ?? '') === update.epoch
      const current = updates.filter(isCurrent(epochs))
      if (current.length === 0) return
      // Of an erased history that was not removed: a process died.
      await removeOtherEpochs(current)
      const entries = current.flatMap(operationsOf)
      if (entries.length > 0) await searchEntries.bulkWrite(entries, { ordered: false })
      await searchProgress.bulkWrite(
        current.map(({ owner, epoch, seq, n, visitor }) => ({
          replaceOne: {
            filter: { _id: owner },
            replacement: { _id: owner, epoch, seq, n, visitor } as SearchProgressDoc,
            upsert: true,
          },
        })),
        { ordered: false },
      )
      // A conversation may have been erased meanwhile, and its entries been removed before these were written.
      const after = await epochsOf(current.map(({ owner }) => owner))
      await removeOtherEpochs(
        current
          .filter((update) => !isCurrent(after)(update))
          .map((update) => ({ ...update, epoch: after.get(update.owner) ?? '' })),
      )
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

    stale: (from) => findStale(collections, from ?? { step: 0, after: '' }),

    async lease(holder, now, ms) {
      let found = await meta.findOne({ _id: STATE })
      if (found === null) {
        found = { _id: STATE, holder: '', leaseUntil: 0, complete: false }
        await meta.insertOne(found).catch((error) => {
          if (!isDuplicate(error)) throw error
        })
      }
      const { holder: before = '', leaseUntil = 0 } = found
      const complete = Boolean(found.complete)
      if (before !== holder && leaseUntil > now) return { mine: false, complete }
      if (before === holder && leaseUntil > now + ms / 2) return { mine: true, complete }
      const { modifiedCount } = await meta.updateOne(
        { _id: STATE, holder: before, leaseUntil },
        { $set: { holder, leaseUntil: now + ms } },
      )
      return { mine: modifiedCount === 1, complete }
    },

    async completed() {
      await meta.updateOne({ _id: STATE }, { $set: { complete: true, leaseUntil: 0 } })
    },
  }
}

/** Contact messages belong to no history. */
const NO_CONVERSATION: Pick<ConversationDoc, 'epoch' | 'visitor'> = { epoch: '' }

/** Empties the index. `comment`: in the log of the database server. */
export async function clearSearch(
  { searchEntries, searchProgress, meta }: Collections,
  comment: { comment?: string } = {},
): Promise<void> {
  await meta.deleteOne({ _id: STATE })
  await searchProgress.deleteMany({}, comment)
  await searchEntries.deleteMany({}, comment)
}

function filterOf({ whole, beginning }: SearchTerms): { terms: { $all: string[] } } {
  return { terms: { $all: [...whole, ...beginning.map((term) => BEGINNING + longestListed(term))] } }
}

/** The longest listed beginning of a term; texts are compared with the rest of it. */
function longestListed(term: string): string {
  const characters = [...term]
  const length = BEGINNINGS.findLast((listed) => listed <= characters.length) ?? 1
  return characters.slice(0, length).join('')
}

function withBeginnings(terms: readonly string[]): string[] {
  const all = new Set(terms)
  for (const term of terms) {
    const characters = [...term]
    for (const length of BEGINNINGS) {
      if (length <= characters.length) all.add(BEGINNING + characters.slice(0, length).join(''))
    }
  }
  return [...all]
}

function operationsOf({ owner, epoch, texts }: IndexUpdate): AnyBulkWriteOperation<SearchEntryDoc>[] {
  return texts.map(({ type, n, at, terms }) => {
    const _id = `${type}:${owner}:${n}`
    if (terms.length === 0) return { deleteOne: { filter: { _id } } }
    const order = `${Math.max(0, at).toString(16).padStart(12, '0')}:${n.toString(16).padStart(8, '0')}:${_id}`
    const replacement = { _id, owner, type, n, epoch, order, terms: withBeginnings(terms) }
    return { replaceOne: { filter: { _id }, replacement, upsert: true } }
  })
}

/** Compares conversations, then contacts, then what is indexed, in order of their ids. */
async function findStale(
  { conversations, contacts, searchProgress }: Collections,
  { step, after }: StaleCursor,
): Promise<StaleOwners> {
  const result: StaleOwners = { conversations: [], contacts: [], compared: 0, next: null }
  const page = { _id: { $gt: after } }
  const options = { sort: { _id: 1 }, limit: COMPARE_AT_ONCE } as const
  const progressOf = async (ids: string[]) => {
    const found = await searchProgress.find({ _id: { $in: ids } }).toArray()
    return new Map(found.map((progress) => [progress._id, progress]))
  }
  let ids: string[]
  if (step === 0) {
    const projection = { epoch: 1, seq: 1, activityN: 1, visitor: 1 }
    const found = await conversations.find(page, { ...options, projection }).toArray()
    ids = found.map(({ _id }) => _id)
    const known = await progressOf(ids)
    for (const { _id, epoch, seq, visitor, ...rest } of found) {
      const { activityN = 0 } = rest as { activityN?: number }
      const { n, ...progress } = known.get(_id) ?? { epoch: null, seq: 0, n: 0, visitor: '' }
      const isCurrent = progress.epoch === epoch && progress.seq >= seq && n >= activityN
      if (!isCurrent || progress.visitor !== visitorText(visitor)) result.conversations.push(_id)
    }
  } else if (step === 1) {
    ids = (await contacts.find(page, { ...options, projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)
    const known = await progressOf(ids)
    result.contacts = ids.filter((id) => !known.has(id))
  } else {
    ids = (await searchProgress.find(page, { ...options, projection: { _id: 1 } }).toArray()).map(
      ({ _id }) => _id,
    )
    const there = await Promise.all([
      conversations.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray(),
      contacts.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray(),
    ])
    const known = new Set(there.flat().map(({ _id }) => _id))
    result.conversations = ids.filter((id) => !known.has(id))
  }
  result.compared = ids.length
  const last = ids.at(-1)
  if (ids.length === COMPARE_AT_ONCE && last !== undefined) result.next = { step, after: last }
  else if (step < 2) result.next = { step: step + 1, after: '' }
  return result
}
