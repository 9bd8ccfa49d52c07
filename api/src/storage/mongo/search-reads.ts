import type { Filter } from 'mongodb'
import { wordsOf } from '../model/conversation/entries.ts'
import { isOfVisitor } from '../model/conversation/messages.ts'
import { newestWords } from '../model/conversation/rows.ts'
import {
  contactText,
  EVERY_TEXT,
  type FoundText,
  isTag,
  SEARCH_TYPES,
  type SearchFilter,
  type SearchTerms,
  visitorText,
} from '../model/search.ts'
import type { InboxRepository, SearchRepository } from '../model/storage.ts'
import type { Collections, ConversationDoc, SearchEntryDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { withPendingEdit } from './pending-edit.ts'

/** An entry lists each term's beginnings with these numbers of code points. */
const BEGINNINGS = [1, 2, 3, 4, 6, 8]
/** The prefix of a beginning. It occurs in no term. */
const BEGINNING = '^'
/** The entries that one call compares with a filter, and how many it reads at once. */
const READ_MAX = 5_000
const READ_AT_ONCE = 500
/** Up to so many conversations with a label, the search reads only their entries. */
const FEW = 200

/** Opens the read that a search needs. */
export function openFind(
  { conversations, messages, contacts, searchEntries }: Collections,
  majority: MongoConnection['majority'],
  inbox: Pick<InboxRepository, 'activity'>,
): SearchRepository['find'] {
  async function conversationsOf(owners: readonly string[]) {
    const found = await conversations
      .find(
        { _id: { $in: [...owners] } },
        {
          ...majority,
          projection: { epoch: 1, seq: 1, status: 1, labelKeys: 1, siteId: 1, visitor: 1, pendingEdit: 1 },
        },
      )
      .toArray()
    return new Map(found.map((conversation) => [conversation._id, conversation]))
  }

  /** Returns the conversations with the filter's label, if they are few. */
  async function labeledOwners({ labelKey }: SearchFilter): Promise<string[] | undefined> {
    if (labelKey === undefined) return undefined
    const found = await conversations
      .find({ labelKeys: labelKey }, { ...majority, projection: { _id: 1 } })
      .limit(FEW + 1)
      .toArray()
    return found.length > FEW ? undefined : found.map(({ _id }) => _id)
  }

  /** Reads an entry's present text, or null when the text is gone. */
  async function textOf(
    { type, owner, n, order }: SearchEntryDoc,
    { epoch, seq, visitor, pendingEdit }: Owner,
  ): Promise<Pick<FoundText, 'text' | 'at' | 'formatted'> | null> {
    switch (type) {
      case 'message': {
        const found = await messages.findOne({ clientId: owner, epoch, seq: n }, majority)
        if (found === null) return null
        const text = newestWords(withPendingEdit(found, { pendingEdit }))
        return { text, at: found.createdAt, formatted: !isOfVisitor(found) }
      }
      case 'note': {
        const { activity } = await inbox.activity(owner, { after: n - 1, before: n + 1, limit: 1 })
        const [found] = activity
        const text = found === undefined ? null : wordsOf(found)
        return found === undefined || text === null ? null : { text, at: found.at, formatted: false }
      }
      case 'visitor': {
        return {
          text: visitorText(owner, { seq, visitor }),
          at: Number.parseInt(order, 16),
          formatted: false,
        }
      }
      case 'contact': {
        const found = await contacts.findOne({ _id: owner }, majority)
        return found && { text: contactText(found), at: found.createdAt, formatted: false }
      }
    }
  }

  async function found({ entry, conversation }: Wanted): Promise<FoundText[]> {
    if (conversation?.epoch !== entry.epoch) return []
    const { type, owner, n, order } = entry
    const text = await textOf(entry, conversation)
    const name = conversation.visitor?.name ?? null
    return text === null ? [] : [{ type, owner, n, name, ...text, place: order }]
  }

  /** Reads entries from a place on, and the conversations to which they belong. */
  async function entriesOf(filter: Filter<SearchEntryDoc>, limit: number): Promise<Wanted[]> {
    const entries = await searchEntries
      .find(filter, majority)
      .sort({ order: -1 })
      .limit(limit)
      .project<SearchEntryDoc>({ terms: 0 })
      .toArray()
    const known = await conversationsOf(entries.map(({ owner }) => owner))
    return entries.map((entry) => ({
      entry,
      conversation: entry.type === 'contact' ? NO_CONVERSATION : known.get(entry.owner),
    }))
  }

  return async (terms, { limit, before, filter = EVERY_TEXT }) => {
    const owners = await labeledOwners(filter)
    const wanted: Wanted[] = []
    let place = before
    let isOver = false
    let batchSize = limit
    for (let read = 0; wanted.length < limit && !isOver && read < READ_MAX; read += batchSize) {
      // The first batch is as large as most searches need.
      if (read > 0) batchSize = READ_AT_ONCE
      const conditions = filterOf(terms, filter, place)
      const batch = await entriesOf({ ...conditions, ...(owners && { owner: { $in: owners } }) }, batchSize)
      const fitting = batch.filter((entry) => fits(entry, filter)).slice(0, limit - wanted.length)
      wanted.push(...fitting)
      const last = (wanted.length === limit ? fitting : batch).at(-1)
      isOver = batch.length < batchSize && (wanted.length < limit || last === batch.at(-1))
      place = last?.entry.order ?? place
    }
    return {
      found: (await Promise.all(wanted.map(found))).flat(),
      next: isOver ? null : (place ?? null),
      exhausted: !isOver && wanted.length < limit,
    }
  }
}

interface Wanted {
  entry: SearchEntryDoc
  /** Undefined if it is gone. */
  conversation: Owner | undefined
}

type Owner = Pick<
  ConversationDoc,
  'epoch' | 'seq' | 'visitor' | 'status' | 'labelKeys' | 'siteId' | 'pendingEdit'
>

/** Contact messages do not belong to a history. */
const NO_CONVERSATION: Owner = { epoch: '', seq: 0 }

function filterOf(
  { whole, beginning }: SearchTerms,
  { types, since, until }: SearchFilter,
  before: string | undefined,
): Filter<SearchEntryDoc> {
  const terms = [...whole, ...beginning.map((term) => BEGINNING + longestListed(term))]
  const ends = [before, until === undefined ? undefined : timeText(until)].filter((end) => end !== undefined)
  return {
    ...(terms.length > 0 && { terms: { $all: terms } }),
    ...(types.length < SEARCH_TYPES.length && { type: { $in: [...types] } }),
    order: { $gte: timeText(since ?? 0), ...(ends.length > 0 && { $lt: ends.sort()[0] }) },
  }
}

/** Whether an entry's conversation has what the filter demands. */
function fits({ entry, conversation }: Wanted, { statuses, labelKey, siteId }: SearchFilter): boolean {
  if (entry.type === 'contact') return true
  return (
    conversation !== undefined &&
    statuses.includes(conversation.status ?? 'open') &&
    (labelKey === undefined || (conversation.labelKeys?.includes(labelKey) ?? false)) &&
    (siteId === undefined || (conversation.siteId ?? null) === siteId)
  )
}

/** Writes a time so that texts sort by it. */
export const timeText = (at: number): string => Math.max(0, at).toString(16).padStart(12, '0')

/** Returns a term's longest listed beginning. The rest of the term is compared with the texts that are found. */
function longestListed(term: string): string {
  const characters = [...term]
  const length = BEGINNINGS.findLast((listed) => listed <= characters.length) ?? 1
  return characters.slice(0, length).join('')
}

export function withBeginnings(terms: readonly string[]): string[] {
  const all = new Set(terms)
  for (const term of terms) {
    if (isTag(term)) continue
    const characters = [...term]
    for (const length of BEGINNINGS) {
      if (length <= characters.length) all.add(BEGINNING + characters.slice(0, length).join(''))
    }
  }
  return [...all]
}
