import type { Collection, Filter } from 'mongodb'
import { eventOfErase, eventOfRow, eventsOfEntry, eventsOfMessage, type NewEvent } from '../model/events.ts'
import type { ActivityDoc, Collections, ConversationDoc, MessageDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'

/** The marked documents that one read takes from each collection. */
const BATCH = 200

interface Marked {
  /** The events of marked documents, in order. */
  wanted: NewEvent[]
  /** Whether there may be more documents that were marked before the read. */
  more: boolean
  /** Removes the marks once the events have their numbers. */
  unmark(): Promise<void>
}

/** Reads the marked documents, see event-numbers.ts. */
export function openMarked(collections: Collections, majority: MongoConnection['majority']) {
  const { messages, activity, contacts, reviews, conversations } = collections

  /**
   * Returns the marked documents of these histories up to these numbers, and all marked documents of the erased
   * conversations. They are read by conversation, because the entries' times come from several clocks, and a batch of
   * the oldest documents can lack the predecessor of one of them. A cursor may also miss a document that is inserted
   * behind it while it shows the next one. This read begins later and has both.
   */
  async function upTo<Doc extends MessageDoc | ActivityDoc>(
    collection: Collection<Doc>,
    field: 'seq' | 'n',
    lasts: ReadonlyMap<string, Last>,
    erased: readonly ConversationDoc[],
  ): Promise<Doc[]> {
    if (lasts.size + erased.length === 0) return []
    const $or: object[] = [...lasts.values()].map(({ clientId, epoch, last }) => ({
      ...{ clientId, epoch },
      [field]: { $lte: last },
    }))
    if (erased.length > 0) $or.push({ clientId: { $in: erased.map(({ _id }) => _id) } })
    const filter = { eventDue: 1, $or } as Filter<Doc>
    return (await collection.find(filter, majority).toArray()) as Doc[]
  }

  const findErased = () =>
    conversations
      .find({ eventsDue: { $gt: '' } }, majority)
      .limit(BATCH)
      .toArray()

  /** Returns the histories that follow an erase whose event is not numbered in this pass. */
  async function laterErases(isNumbered: ReadonlySet<string>): Promise<string[]> {
    const found = await conversations.find({ eventsDue: { $gt: '' } }, majority).toArray()
    return found
      .flatMap(erasesOf)
      .map(keyOfHistory)
      .filter((key) => !isNumbered.has(key))
  }

  async function read(): Promise<Marked> {
    const due = { eventDue: 1 as const }
    // Each read finds the predecessors of the last read's documents: an erase is stored after what it erases, and an
    // entry after its messages.
    const erased = await findErased()
    const newEntries = await activity.find(due, majority).sort({ at: 1, n: 1 }).limit(BATCH).toArray()
    const entries = await upTo(
      activity,
      'n',
      lastsOf(newEntries, ({ n }) => n),
      erased,
    )
    const [newMessages, written, rated] = await Promise.all([
      messages.find(due, majority).sort({ createdAt: 1, seq: 1 }).limit(BATCH).toArray(),
      contacts
        .find(due as object, majority)
        .limit(BATCH)
        .toArray(),
      reviews.find(due, majority).limit(BATCH).toArray(),
    ])
    const lasts = lastsOf(newMessages, ({ seq }) => seq)
    for (const [key, last] of lastsOf(entries, ({ afterSeq }) => afterSeq)) {
      if (last.last > (lasts.get(key)?.last ?? 0)) lasts.set(key, last)
    }
    const texts = await upTo(messages, 'seq', lasts, erased)
    // A history that follows another erase waits for that erase's event.
    const isNumbered = new Set(erased.flatMap(erasesOf).map(keyOfHistory))
    const waiting = new Set(texts.length + entries.length === 0 ? [] : await laterErases(isNumbered))
    const said = texts.filter((doc) => !waiting.has(keyOfHistory(doc)))
    const logged = entries.filter((doc) => !waiting.has(keyOfHistory(doc)))
    const others = [
      ...written.map((contact) => eventOfRow('contact.created', contact)),
      ...rated.map((review) => eventOfRow('review.created', review)),
    ]
    const wanted = [
      ...inOrder(said, logged, erased.flatMap(erasesOf)),
      ...others.map((event) => ({ event, at: event.at })),
    ]
    // The sort is stable, so events with the same time keep their order.
    wanted.sort((a, b) => a.at - b.at)
    return {
      wanted: wanted.map(({ event }) => event),
      more: [newEntries, newMessages, written, rated, erased].some(({ length }) => length === BATCH),
      async unmark() {
        for (const [collection, docs] of [
          [messages, said],
          [activity, logged],
          [contacts, written],
          [reviews, rated],
        ] as const) {
          if (docs.length === 0) continue
          const ids = docs.map(({ _id }) => _id)
          await (collection as typeof messages).updateMany(
            { _id: { $in: ids } },
            { $unset: { eventDue: '' } },
          )
        }
        for (const { _id, eventsDue } of erased) {
          if (eventsDue !== undefined) {
            await conversations.updateOne({ _id, eventsDue }, { $unset: { eventsDue: '' } })
          }
        }
      },
    }
  }

  return { read }
}

/** The number of a history's last document that was found. */
interface Last {
  clientId: string
  epoch: string
  last: number
}

function lastsOf<Doc extends { clientId: string; epoch: string }>(
  docs: readonly Doc[],
  numberOf: (doc: Doc) => number,
): Map<string, Last> {
  const lasts = new Map<string, Last>()
  for (const doc of docs) {
    const { clientId, epoch } = doc
    const key = keyOfHistory(doc)
    lasts.set(key, { clientId, epoch, last: Math.max(lasts.get(key)?.last ?? 0, numberOf(doc)) })
  }
  return lasts
}

function keyOfHistory({ clientId, epoch }: { clientId: string; epoch: string }): string {
  return `${clientId} ${epoch}`
}

/**
 * Returns the conversations' events in order, and gives each one a time that is not before its predecessor's time,
 * because their own times come from several clocks. Messages are ordered by seq and entries by n. An entry follows the
 * messages after which it was written, and an erase stands between two histories.
 */
function inOrder(
  said: readonly MessageDoc[],
  logged: readonly ActivityDoc[],
  erases: readonly Erase[],
): { event: NewEvent; at: number }[] {
  const ranks = new Map(erases.map((erase, index) => [keyOfHistory(erase), index + 1]))
  const all = [
    ...erases.map((erase) => ({
      ...erase,
      seq: -1,
      n: 0,
      events: [eventOfErase(erase.clientId, erase.epoch, erase.at)],
    })),
    ...said.map((doc) => ({ ...doc, n: 0, events: eventsOfMessage(doc) })),
    ...logged.map((doc) => ({ ...doc, seq: doc.afterSeq, events: eventsOfEntry(doc) })),
  ].map((doc) => ({ ...doc, rank: ranks.get(keyOfHistory(doc)) ?? 0 }))
  const newest = new Map<string, number>()
  return all
    .sort((a, b) => a.rank - b.rank || a.seq - b.seq || a.n - b.n)
    .flatMap(({ clientId, events }) =>
      events.map((event) => {
        const at = Math.max(event.at, newest.get(clientId) ?? 0)
        newest.set(clientId, at)
        return { event, at }
      }),
    )
}

/** An erase. `epoch` is the epoch of the history that followed it. */
interface Erase {
  clientId: string
  epoch: string
  at: number
}

function erasesOf({ _id, eventsDue }: ConversationDoc): Erase[] {
  return erasesIn(eventsDue).map((erase) => ({ ...erase, clientId: _id }))
}

/** Returns the erases in `eventsDue`. `epoch` is the epoch of the history that followed. */
export function erasesIn(eventsDue: string | undefined): { epoch: string; at: number }[] {
  return eventsDue === undefined ? [] : JSON.parse(eventsDue)
}
