import { setTimeout as wait } from 'node:timers/promises'
import type { NewEvent } from '../port/events.ts'
import { eventOfErase, eventOfRow, eventsOfEntry, eventsOfMessage } from '../rules/events.ts'
import { EVENTS_BEGUN } from '../tables/events.ts'
import type { Collections, ConversationDoc, EventMark } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { insertNew } from './outage.ts'

const LOOK_EVERY_MS = 300
/** Every node has looked by then, and marks what it writes. */
const KNOWN_AFTER_MS = 3 * LOOK_EVERY_MS
/** Longer than a write takes. */
const LEFT_AFTER_MS = 2_000
/** Documents of each collection that one pass numbers. */
const BATCH = 200

/** Of the entries that wait in the document of their conversation. */
type Move = (conversation: ConversationDoc) => Promise<void>

/**
 * Numbers events on MongoDB, without transactions. What happened is marked by its own write. Any node then inserts an
 * event for each marked document: the unique `_id` gives a document one event, the unique `number` lets one of several nodes
 * have a number, and ordered insertion leaves no gap. The mark goes afterwards, so that a node that dies leaves it to others.
 * @see docs/decisions/0062-events-on-two-stores.md
 */
export function openEventNumbers(collections: Collections, majority: MongoConnection['majority']) {
  const { messages, activity, contacts, reviews, conversations, documents, events } = collections
  let isOn = false
  let numbering: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let move: Move = async () => {}

  /**
   * Oldest first. Those of a conversation that were there before the last of them are all among them. `more`: others may
   * have been there too.
   */
  async function dueIn<Doc>(read: () => Promise<Doc[]>, of: (doc: Doc) => { key: string; n: number }) {
    const seen = new Map<string, number>()
    const first = await read()
    for (const doc of first) {
      const { key, n } = of(doc)
      seen.set(key, Math.max(seen.get(key) ?? 0, n))
    }
    const more = first.length === BATCH
    if (seen.size === 0) return { docs: [], more }
    // A cursor may miss a document that is inserted behind it while it shows the next one: the second read has both.
    const docs = (await read()).filter((doc) => {
      const { key, n } = of(doc)
      return n <= (seen.get(key) ?? 0)
    })
    return { docs, more }
  }

  async function lastNumber(): Promise<number> {
    const [newest] = await events.find({}, majority).sort({ number: -1 }).limit(1).toArray()
    return newest?.number ?? 0
  }

  async function give(wanted: readonly NewEvent[]): Promise<void> {
    for (;;) {
      const ids = wanted.map(({ _id }) => _id)
      const stored = await events.find({ _id: { $in: ids } }, majority).toArray()
      const known = new Set(stored.map(({ _id }) => _id))
      const missing = wanted.filter(({ _id }) => !known.has(_id))
      if (missing.length === 0) return
      const last = await lastNumber()
      const numbered = missing.map((event, index) => ({ ...event, number: last + 1 + index }))
      if (await insertNew(events.insertMany(numbered, { ordered: true }))) return
      // Another node has a number of these, or numbers the same documents.
      await wait(Math.random() * 20)
    }
  }

  /** Whether there may be more of those that were there before. Others may come for ever. */
  async function pass(): Promise<boolean> {
    const due = { eventDue: 1 as const }
    // First: the message of an entry is stored before it, so the read of messages has it.
    const logged = await dueIn(
      () => activity.find(due, majority).sort({ at: 1, n: 1 }).limit(BATCH).toArray(),
      ({ clientId, epoch, n }) => ({ key: `${clientId} ${epoch}`, n }),
    )
    const [said, written, rated, erased] = await Promise.all([
      dueIn(
        () => messages.find(due, majority).sort({ createdAt: 1, seq: 1 }).limit(BATCH).toArray(),
        ({ clientId, epoch, seq: n }) => ({ key: `${clientId} ${epoch}`, n }),
      ),
      contacts
        .find(due as object, majority)
        .limit(BATCH)
        .toArray(),
      reviews.find(due, majority).limit(BATCH).toArray(),
      conversations
        .find({ eventsDue: { $gt: '' } }, majority)
        .limit(BATCH)
        .toArray(),
    ])
    const wanted = [
      ...said.docs.flatMap(eventsOfMessage),
      ...logged.docs.flatMap(eventsOfEntry),
      ...written.map((contact) => eventOfRow('contact.created', contact)),
      ...rated.map((review) => eventOfRow('review.created', review)),
      ...erased.flatMap(({ _id, eventsDue }) =>
        erasesIn(eventsDue).map(({ epoch, at }) => eventOfErase(_id, epoch, at)),
      ),
    ]
    if (wanted.length === 0) return false
    // Stable: messages stay in order of seq, entries of n, and an entry comes after its message.
    await give(wanted.sort((a, b) => a.at - b.at))
    for (const [collection, docs] of [
      [messages, said.docs],
      [activity, logged.docs],
      [contacts, written],
      [reviews, rated],
    ] as const) {
      if (docs.length === 0) continue
      const ids = docs.map(({ _id }) => _id)
      await (collection as typeof messages).updateMany({ _id: { $in: ids } }, { $unset: { eventDue: '' } })
    }
    for (const { _id, eventsDue } of erased) {
      if (eventsDue !== undefined) {
        await conversations.updateOne({ _id, eventsDue }, { $unset: { eventsDue: '' } })
      }
    }
    return said.more || logged.more || [written, rated, erased].some(({ length }) => length === BATCH)
  }

  async function lookAndNumber(): Promise<void> {
    isOn ||= (await documents.findOne({ _id: EVENTS_BEGUN }, majority)) !== null
    if (!isOn) return
    // Entries that their process did not move before it died.
    for await (const found of conversations.find({ pendingFrom: { $gt: 0 } })) {
      const at = found.pendingActivity?.at(-1)?.at ?? 0
      if (Date.now() - at > LEFT_AFTER_MS) await move(found)
    }
    while (await pass());
  }

  /** Resolves once the marks from before the call are numbered. */
  async function number(): Promise<void> {
    await numbering?.catch(() => {})
    numbering ??= lookAndNumber().finally(() => {
      numbering = null
    })
    await numbering
  }

  return {
    mark: (): EventMark => (isOn ? { eventDue: 1 } : {}),
    erasedMark: ({ eventsDue }: ConversationDoc, epoch: string): { eventsDue?: string } =>
      isOn ? { eventsDue: JSON.stringify([...erasesIn(eventsDue), { epoch, at: Date.now() }]) } : {},
    number,

    moveWith(moveEntries: Move): void {
      move = moveEntries
    },

    /** Resolves once this node knows whether events have begun. */
    async start(): Promise<void> {
      isOn = (await documents.findOne({ _id: EVENTS_BEGUN }, majority)) !== null
      timer = setInterval(() => {
        // While the store is away the next look covers it.
        if (numbering === null) number().catch(() => {})
      }, LOOK_EVERY_MS).unref()
    },

    async begin(): Promise<void> {
      if (isOn) return
      await insertNew(documents.insertOne({ _id: EVENTS_BEGUN, version: 1, value: '{}' } as never))
      isOn = true
      await wait(KNOWN_AFTER_MS)
    },

    async close(): Promise<void> {
      clearInterval(timer)
      await numbering?.catch(() => {})
    },
  }
}

/** `epoch`: of the history that followed. */
function erasesIn(eventsDue: string | undefined): { epoch: string; at: number }[] {
  return eventsDue === undefined ? [] : JSON.parse(eventsDue)
}

export type EventNumbers = ReturnType<typeof openEventNumbers>
