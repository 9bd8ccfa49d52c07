import { setTimeout as wait } from 'node:timers/promises'
import { EVENTS_BEGUN, type NewEvent } from '../model/events.ts'
import type { Collections, ConversationDoc, EventMark } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { erasesIn, openMarked } from './marked-events.ts'
import { insertNew } from './outage.ts'

const LOOK_EVERY_MS = 300
/** A node that has not looked for this long, because it or the store was stuck, marks everything that it writes. */
const KNOWN_FOR_MS = 3 * LOOK_EVERY_MS

/** Moves the log entries that are pending in their conversation's document. */
type Move = (conversation: ConversationDoc) => Promise<void>

/**
 * Numbers events on MongoDB, without transactions. The write that stores a document also marks it. Any node then
 * inserts an event for each marked document. The unique `_id` gives each document one event, the unique `number` gives
 * each number to one node, and ordered insertion leaves no gap. The mark is removed last, so that other nodes finish
 * what a node that died began.
 * @see docs/EVENTS-PROTOCOL.md
 */
export function openEventNumbers(collections: Collections, majority: MongoConnection['majority']) {
  const { messages, activity, contacts, reviews, conversations, documents, events } = collections
  const marked = openMarked(collections, majority)
  let isOn = false
  /** The time by the monotonic clock at which the last look began that found that events have not begun. */
  let lookedAt = -Infinity
  /** The conversations whose documents had pending entries at the last look. */
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
      // Another node took one of these numbers, or numbers the same documents.
      await wait(Math.random() * 20)
    }
  }

  /**
   * Numbers one batch. Returns whether there may be more marks from before the pass. Newer marks do not count, because
   * they may keep coming.
   */
  async function pass(): Promise<boolean> {
    const { wanted, more, unmark } = await marked.read()
    if (wanted.length > 0) {
      await give(wanted)
      await unmark()
    }
    return more
  }

  /** Returns whether events have begun. */
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
    // Entries that were pending at the last look too are moved here, because a process that is alive moves its own
    // sooner.
    const pending = new Set<string>()
    for await (const found of conversations.find({ pendingFrom: { $gt: 0 } }, majority)) {
      const entries = `${found._id} ${found.epoch} ${found.activityN}`
      if (pendingBefore.has(entries)) await move(found)
      pending.add(entries)
    }
    pendingBefore = pending
    while (await pass());
  }

  /** Resolves once all documents that were marked before the call have numbers. */
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
        // If the store is unavailable, the next look numbers the marks.
        if (numbering === null) number().catch(() => {})
      }, LOOK_EVERY_MS).unref()
    },

    async begin(): Promise<void> {
      if (isOn) return
      // A node that could not know marked these before events began, and earlier changes get no events.
      for (const collection of [messages, activity, contacts, reviews] as (typeof messages)[]) {
        await collection.updateMany({ eventDue: 1 }, { $unset: { eventDue: '' } })
      }
      await conversations.updateMany({ eventsDue: { $gt: '' } }, { $unset: { eventsDue: '' } })
      await insertNew(documents.insertOne({ _id: EVENTS_BEGUN, version: 1, value: '{}' } as never))
      isOn = true
      // After this time, each node has looked or marks everything that it writes.
      await wait(KNOWN_FOR_MS)
    },

    async close(): Promise<void> {
      clearInterval(timer)
      await numbering?.catch(() => {})
    },
  }
}

export type EventNumbers = ReturnType<typeof openEventNumbers>
