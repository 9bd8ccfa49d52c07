import { type EventType, EventTypeSchema } from '@proctorpass/shared/schemas/event'
import type { ActivityKind } from '@proctorpass/shared/schemas/inbox'
import Type from 'typebox'
import { ClientId, Count, OrNull, Positive, Time } from './bounds.ts'
import type { FindOptions, PlainTable, Rows } from './plain-table.ts'

/** An event names what it reports. Its words are read from there, so that erasing leaves none of them. */
export interface EventRecord {
  /** The type and the ID of the message, entry, contact message, or review. So each of them has one event per type. */
  _id: string
  /** The `id` that programs see: 1, 2, 3, and so on without a gap. */
  number: number
  type: EventType
  /** Milliseconds since 1970 UTC. */
  at: number
  clientId: string | null
  /** The message's seq or the entry's n. 0 for other events. */
  n: number
}

/** An event before it has a number. */
export type NewEvent = Omit<EventRecord, 'number'>

const PRUNED_AT_ONCE = 1_000

export const EVENTS: PlainTable<EventRecord> = {
  name: 'events',
  key: '_id',
  // An event is written with each message, so its key must cost little. A change and its event share a commit, so no
  // event is inserted twice.
  sqliteKey: 'number',
  fields: {
    _id: Type.String({ pattern: '^[a-z.]{1,32} [A-Za-z0-9_-]{1,64}$' }),
    number: Positive,
    type: EventTypeSchema,
    at: Time,
    clientId: OrNull(ClientId),
    n: Count,
  },
  indexes: {
    number: { by: { number: 1 }, unique: true },
    client: { by: { clientId: 1, number: 1 } },
  },
}

/** The parts that each adapter implements in its own way. */
interface OwnEvents {
  begin: () => Promise<void>
  /**
   * Reads a conversation's events after a number, in the order of their numbers. The default reads the index `client`.
   */
  ofConversation?(clientId: string, number: number, limit: number): Promise<EventRecord[]>
}

/** Opens the events. Adapters write an event together with what it reports. */
export function openEvents(events: Rows<EventRecord>, own: OwnEvents) {
  const {
    begin,
    ofConversation = (clientId, number, limit) =>
      events.list({ clientId, number: { '>': number } }, { order: { number: 1 }, limit, fromPrimary: true }),
  } = own
  const after = (number: number, limit: number, options: FindOptions = {}) =>
    events.list({ number: { '>': number } }, { order: { number: 1 }, limit, ...options })
  async function bounds() {
    const [oldest] = await after(0, 1)
    const [newest] = await events.list({}, { order: { number: -1 }, limit: 1 })
    return { first: oldest?.number ?? 0, last: newest?.number ?? 0 }
  }
  return {
    /**
     * Begins events. From then on each change has its event, which the change's commit stores. No events are stored
     * before. Resolves when every node knows that events have begun.
     */
    begin,
    /** Lists the events after a number, in the order of their numbers. */
    after,
    /**
     * Does what `after` does for one conversation's events, or for the next event alone if `subject` is its `_id`. It
     * also lists all events that were numbered before a failover, and perhaps some that the failover takes back.
     */
    async afterOf(subject: string, number: number, limit: number): Promise<EventRecord[]> {
      const found = await ofConversation(subject, number, limit)
      if (found.length > 0) return found
      return (await after(number, 1, { fromPrimary: true })).filter(({ _id }) => _id === subject)
    },
    /** Returns the numbers of the oldest and the newest event, or 0 without events. */
    bounds,
    /** Removes the events before a time, except the newest one, because its number proves how many there were. */
    async prune(before: number): Promise<void> {
      const { last } = await bounds()
      for (;;) {
        const oldest = await after(0, PRUNED_AT_ONCE)
        const old = oldest.filter(({ at, number }) => at < before && number < last)
        const end = old.at(-1)
        if (end === undefined) return
        await events.remove({ number: { '<=': end.number } })
        if (old.length < PRUNED_AT_ONCE) return
      }
    },
  }
}

export type EventRepository = ReturnType<typeof openEvents>

/** The name of the document that exists once events have begun. */
export const EVENTS_BEGUN = 'events'

const OF_ENTRIES: { readonly [K in ActivityKind]?: EventType } = {
  status: 'conversation.changed',
  assignee: 'conversation.changed',
  labels: 'conversation.changed',
  settled: 'conversation.changed',
  note: 'note.created',
  rating: 'rating.created',
  edit: 'message.edited',
}

interface OfConversation {
  _id: string
  clientId: string
}

/** Returns a message's events. The first message of a history also reports its conversation. */
export function eventsOfMessage(message: OfConversation & { seq: number; createdAt: number }): NewEvent[] {
  const { _id, clientId, seq, createdAt } = message
  const types =
    seq === 1 ? (['conversation.created', 'message.created'] as const) : (['message.created'] as const)
  return types.map((type) => ({ _id: `${type} ${_id}`, type, at: createdAt, clientId, n: seq }))
}

export function hasEvent(kind: ActivityKind): boolean {
  return OF_ENTRIES[kind] !== undefined
}

export function eventsOfEntry(
  entry: OfConversation & { n: number; kind: ActivityKind; at: number },
): NewEvent[] {
  const { _id, clientId, n, kind, at } = entry
  const type = OF_ENTRIES[kind]
  return type === undefined ? [] : [{ _id: `${type} ${_id}`, type, at, clientId, n }]
}

/** Returns the event of an erase. `epoch` is the epoch of the history that follows. */
export function eventOfErase(clientId: string, epoch: string, at: number): NewEvent {
  return { _id: `conversation.erased ${epoch}`, type: 'conversation.erased', at, clientId, n: 0 }
}

export function eventOfRow(
  type: 'contact.created' | 'review.created',
  { _id, createdAt }: { _id: string; createdAt: number },
): NewEvent {
  return { _id: `${type} ${_id}`, type, at: createdAt, clientId: null, n: 0 }
}
