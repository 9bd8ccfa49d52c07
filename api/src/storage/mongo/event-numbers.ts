import { setTimeout as wait } from 'node:timers/promises'
import { EVENTS_BEGUN, type NewEvent } from '../model/events.ts'
import type { Collections, ConversationDoc, EventMark } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { erasesIn, openMarked } from './marked-events.ts'
import { insertNew } from './outage.ts'

const LOOK_EVERY_MS = 300
/** A node that has not looked for so long, because it or the store was stuck, marks what it writes in any case. */
const KNOWN_FOR_MS = 3 * LOOK_EVERY_MS

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
  const marked = openMarked(collections, majority)
  let isOn = false
  /** When the last look began that found no events begun, by the monotonic clock. */
  let lookedAt = -Infinity
  /** The conversations that had entries in their document at the last look. */
  let pendingBefore: ReadonlySet<string> = new Set()
  let numbering: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let move: Move = async () => {}

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
    const { wanted, more, unmark } = await marked.read()
    if (wanted.length > 0) {
      await give(wanted)
      await unmark()
    }
    return more
  }

  /** Whether events have begun. */
  async function look(): Promise<boolean> {
    if (isOn) return true
    const from = performance.now()
    isOn = (await documents.findOne({ _id: EVENTS_BEGUN }, majority)) !== null
    lookedAt = from
    return isOn
  }

  const marks = () => isOn || performance.now() - lookedAt > KNOWN_FOR_MS

  async function lookAndNumber(): Promise<void> {
    if (!(await look())) return
    // Entries that their process did not move before it died: one under way is moved before the next look.
    const pending = new Set<string>()
    for await (const found of conversations.find({ pendingFrom: { $gt: 0 } })) {
      const entries = `${found._id} ${found.epoch} ${found.activityN}`
      if (pendingBefore.has(entries)) await move(found)
      pending.add(entries)
    }
    pendingBefore = pending
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
    mark: (): EventMark => (marks() ? { eventDue: 1 } : {}),
    erasedMark: ({ eventsDue }: ConversationDoc, epoch: string): { eventsDue?: string } =>
      marks() ? { eventsDue: JSON.stringify([...erasesIn(eventsDue), { epoch, at: Date.now() }]) } : {},
    number,

    moveWith(moveEntries: Move): void {
      move = moveEntries
    },

    /** Resolves once this node knows whether events have begun. */
    async start(): Promise<void> {
      await look()
      timer = setInterval(() => {
        // While the store is away the next look covers it.
        if (numbering === null) number().catch(() => {})
      }, LOOK_EVERY_MS).unref()
    },

    async begin(): Promise<void> {
      if (isOn) return
      // Of a node that could not know: nothing is told from before.
      for (const collection of [messages, activity, contacts, reviews] as (typeof messages)[]) {
        await collection.updateMany({ eventDue: 1 }, { $unset: { eventDue: '' } })
      }
      await conversations.updateMany({ eventsDue: { $gt: '' } }, { $unset: { eventsDue: '' } })
      await insertNew(documents.insertOne({ _id: EVENTS_BEGUN, version: 1, value: '{}' } as never))
      isOn = true
      // By then each node has looked, or marks in any case.
      await wait(KNOWN_FOR_MS)
    },

    async close(): Promise<void> {
      clearInterval(timer)
      await numbering?.catch(() => {})
    },
  }
}

export type EventNumbers = ReturnType<typeof openEventNumbers>
