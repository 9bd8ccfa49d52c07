import { EventTypeSchema } from '@proctorpass/shared/schemas/event'
import Type from 'typebox'
import type { EventRecord, EventRepository } from '../port/events.ts'
import { ClientId, Count, OrNull, Positive, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

const PRUNED_AT_ONCE = 1_000

export const EVENTS: PlainTable<EventRecord> = {
  name: 'events',
  key: '_id',
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
    // Of an event without a conversation, `_id` is enough.
    client: { by: { clientId: 1, number: 1 } },
  },
}

/** Adapters write events with what they tell of, see `begin`. */
export function openEvents(events: Rows<EventRecord>, begin: EventRepository['begin']): EventRepository {
  const after = (number: number, limit: number) =>
    events.list({ number: { '>': number } }, { order: { number: 1 }, limit })
  async function afterOf(subject: string, number: number, limit: number) {
    const behind = { number: { '>': number } }
    const inOrder = { order: { number: 1 }, limit } as const
    const ofConversation = await events.list({ clientId: subject, ...behind }, inOrder)
    return ofConversation.length > 0 ? ofConversation : events.list({ _id: subject, ...behind }, inOrder)
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
