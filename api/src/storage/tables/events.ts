import { EventTypeSchema } from '@proctorpass/shared/schemas/event'
import Type from 'typebox'
import type { EventRecord, EventRepository } from '../port/events.ts'
import { ClientId, Count, OrNull, Positive, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

const PRUNED_AT_ONCE = 1_000

export const EVENTS: PlainTable<EventRecord> = {
  name: 'events',
  key: '_id',
  // Written with each message. A change and its event share a commit, so that none is written twice.
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

interface OwnEvents extends Pick<EventRepository, 'begin'> {
  /** In order of their numbers, after this one. By default along the index `client`. */
  ofConversation?(clientId: string, number: number, limit: number): Promise<EventRecord[]>
}

/** Adapters write events with what they tell of, see `begin`. */
export function openEvents(events: Rows<EventRecord>, own: OwnEvents): EventRepository {
  const {
    begin,
    ofConversation = (clientId, number, limit) =>
      events.list({ clientId, number: { '>': number } }, { order: { number: 1 }, limit }),
  } = own
  const after = (number: number, limit: number) =>
    events.list({ number: { '>': number } }, { order: { number: 1 }, limit })
  async function afterOf(subject: string, number: number, limit: number) {
    const found = await ofConversation(subject, number, limit)
    return found.length > 0 ? found : (await after(number, 1)).filter(({ _id }) => _id === subject)
  }
  async function bounds() {
    const [oldest] = await after(0, 1)
    const [newest] = await events.list({}, { order: { number: -1 }, limit: 1 })
    return { first: oldest?.number ?? 0, last: newest?.number ?? 0 }
  }
  return {
    begin,
    after,
    afterOf,
    bounds,
    async prune(before) {
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

/** The document of this name exists once events have begun. */
export const EVENTS_BEGUN = 'events'
