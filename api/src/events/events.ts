import { AppError, fieldError } from '@proctorpass/shared/errors'
import {
  EVENT_TYPES,
  type Event,
  type EventData,
  type EventPage,
  type EventsQuery,
  type EventType,
} from '@proctorpass/shared/schemas/event'
import type { AdminCaller } from '../auth/caller.ts'
import type { EventRecord } from '../storage/model/events.ts'
import type { Storage } from '../storage/model/storage.ts'

const KEPT_MS = 30 * 24 * 60 * 60 * 1_000
const LIMIT_DEFAULT = 100
const SPAM = { spam: true } as const
/** How many rows the store reads at once, and how many one page looks through for its types. */
const READ_MAX = 1_000
const LOOK_THROUGH_MAX = 20_000
/** How many events' details are read at once. */
const AT_ONCE = 20

interface EventsDeps {
  storage: Pick<Storage, 'events' | 'messages' | 'inbox' | 'conversations'>
  now: () => number
}

/** @see docs/decisions/0062-events-on-two-stores.md */
export function createEvents({ storage, now }: EventsDeps) {
  const { events, messages, inbox, conversations } = storage

  /**
   * Reads at most `limit` events with the types after `after`. `next` is the last number that was examined, or the
   * newest one if `more` is false.
   */
  async function found(after: number | undefined, types: ReadonlySet<EventType> | null, limit: number) {
    const matching: EventRecord[] = []
    let next = after ?? 0
    for (let looked = 0; ; ) {
      const size = types === null ? limit + 1 : READ_MAX
      const records = await events.after(next, size)
      const [first] = records
      if (looked === 0 && after !== undefined && first !== undefined && first.number > after + 1) {
        throw tooOld(first.number - 1)
      }
      for (const record of records) {
        const matches = types === null || types.has(record.type)
        if (matches && matching.length === limit) return { matching, next, more: true }
        if (matches) matching.push(record)
        next = record.number
      }
      looked += records.length
      if (records.length < size) return { matching, next, more: false }
      if (looked >= LOOK_THROUGH_MAX) return { matching, next, more: true }
    }
  }

  /** Reads what the record is about. With `notes`, the event includes notes' words. */
  async function toEvent(record: EventRecord, { notes }: { notes: boolean }): Promise<Event> {
    const { number: id, type, at } = record
    return { id, type, at: new Date(at).toISOString(), data: await dataOf(record, notes) }
  }

  async function dataOf(record: EventRecord, notes: boolean): Promise<EventData> {
    const { type, clientId } = record
    if (type === 'contact.created') return { contactId: subjectOf(record) }
    if (type === 'review.created') return { reviewId: subjectOf(record) }
    if (clientId === null || type === 'conversation.erased') return { clientId: clientId ?? '' }
    const isMessage = type === 'message.created' || type === 'conversation.created'
    if (isMessage) return { clientId, ...(await ofMessage(record, clientId)) }
    const more = await ofEntry(record, clientId, notes)
    if (more === null) return { clientId }
    const isSpam = (await conversations.find(clientId))?.spam
    return { clientId, ...more, ...(isSpam && SPAM) }
  }

  /** Returns empty data if the history was erased, even if another message has its seq since. */
  async function ofMessage(record: EventRecord, clientId: string): Promise<EventData> {
    const page = await messages.page(clientId, { after: record.n - 1, limit: 1 })
    const [message] = page?.messages ?? []
    if (message?._id !== subjectOf(record)) return {}
    const by = message.senderId === clientId ? 'visitor' : message.senderId
    const spam = page?.spam ? SPAM : {}
    return record.type === 'conversation.created'
      ? { by, ...spam }
      : { by, seq: record.n, text: message.message, ...spam }
  }

  /** Returns a corrected message's newest words. */
  async function ofEdit(seq: number, clientId: string): Promise<EventData> {
    const [message] = (await messages.page(clientId, { after: seq - 1, limit: 1 }))?.messages ?? []
    return message?.seq === seq ? { seq, text: message.message } : { seq }
  }

  async function ofEntry(record: EventRecord, clientId: string, notes: boolean): Promise<EventData | null> {
    const { n } = record
    const [entry] = (await inbox.activity(clientId, { after: n - 1, limit: 1 })).activity
    if (entry?._id !== subjectOf(record)) return null
    const { kind, by, data } = entry
    switch (kind) {
      case 'rating':
        return { n, by: 'visitor', score: (data as { score: number }).score }
      case 'labels': {
        const { added, removed } = data as { added: string[]; removed: string[] }
        return { n, by, field: kind, added, removed }
      }
      case 'edit':
        return { n, by, ...(await ofEdit((data as { seq: number }).seq, clientId)) }
      case 'settled':
        return { n, by, field: kind, upTo: (data as { upTo: number | null }).upTo }
      case 'status':
      case 'assignee': {
        const { from, to } = data as { from: string | null; to: string | null }
        return { n, by, field: kind, from, to }
      }
      default:
        // A note's words are for admins, and for endpoints that ask for them.
        return notes ? { n, by, text: (data as { text: string }).text } : { n, by }
    }
  }

  return {
    /**
     * Reads a page of events. Throws an AppError `invalid-input` for an unknown type, and `too-old` if events after
     * `after` are gone.
     */
    async page(
      _admin: AdminCaller,
      { after, limit = LIMIT_DEFAULT, types }: EventsQuery,
    ): Promise<EventPage> {
      const { matching, next, more } = await found(after, types === undefined ? null : typesIn(types), limit)
      const answered: Event[] = []
      for (let start = 0; start < matching.length; start += AT_ONCE) {
        const some = matching.slice(start, start + AT_ONCE)
        answered.push(...(await Promise.all(some.map((record) => toEvent(record, { notes: false })))))
      }
      const { last } = await events.bounds()
      return { events: answered, last, more, next }
    },

    toEvent,
    /** Removes events older than 30 days. */
    prune: (): Promise<void> => events.prune(now() - KEPT_MS),
  }
}

export type Events = ReturnType<typeof createEvents>

/** Creates the error for events that are no longer kept. `gone` is the newest such ID. */
export function tooOld(gone: number): AppError {
  return new AppError('too-old', `Events up to ${gone} are no longer stored. Continue after ${gone}.`)
}

/** Returns the ID of the message, entry, or row that an event is about. */
function subjectOf({ _id }: EventRecord): string {
  return _id.slice(_id.indexOf(' ') + 1)
}

function typesIn(list: string): Set<EventType> {
  const types = list.split(',')
  const unknown = types.find((type) => !(EVENT_TYPES as readonly string[]).includes(type))
  if (unknown !== undefined) throw fieldError('types', `Use some of ${EVENT_TYPES.join(', ')}`)
  return new Set(types as EventType[])
}
