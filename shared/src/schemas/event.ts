import Type, { type Static } from 'typebox'
import { StatusSchema } from './inbox.ts'

export const EVENT_TYPES = [
  'conversation.created',
  'conversation.changed',
  'message.created',
  'note.created',
  'rating.created',
  'conversation.erased',
  'contact.created',
  'review.created',
] as const
export type EventType = (typeof EVENT_TYPES)[number]
export const EventTypeSchema = Type.Unsafe<EventType>(
  Type.Union(EVENT_TYPES.map((type) => Type.Literal(type))),
)

const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** Thin: what more there is, the REST answers. Of an erased conversation only the clientId is left. */
export const EventDataSchema = Type.Object({
  clientId: Type.Optional(Type.String()),
  /** `visitor`, a user id, or `key:` and the id of an API key; null: the system. */
  by: Type.Optional(TextOrNull),
  /** Of a message. */
  seq: Type.Optional(Type.Integer()),
  /** Of a message; of a note only where an endpoint asks for notes. */
  text: Type.Optional(Type.String()),
  /** Of an entry of the activity. */
  n: Type.Optional(Type.Integer()),
  field: Type.Optional(
    Type.Union([Type.Literal('status'), Type.Literal('assignee'), Type.Literal('labels')]),
  ),
  from: Type.Optional(Type.Union([StatusSchema, TextOrNull])),
  to: Type.Optional(Type.Union([StatusSchema, TextOrNull])),
  /** Of a change of the labels, in place of `from` and `to`. */
  added: Type.Optional(Type.Array(Type.String())),
  removed: Type.Optional(Type.Array(Type.String())),
  score: Type.Optional(Type.Integer()),
  contactId: Type.Optional(Type.String()),
  reviewId: Type.Optional(Type.String()),
})
export type EventData = Static<typeof EventDataSchema>

/** Something that happened. `id`: 1, 2, 3 … in the store, without a gap. */
export const EventSchema = Type.Object({
  id: Type.Integer(),
  type: EventTypeSchema,
  /** ISO 8601. */
  at: Type.String(),
  data: EventDataSchema,
})
export type Event = Static<typeof EventSchema>

/** `types`: some of EVENT_TYPES, separated by commas. Without `after`, from the oldest that is kept. */
export const EventsQuerySchema = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  types: Type.Optional(Type.String({ maxLength: 300 })),
})
export type EventsQuery = Static<typeof EventsQuerySchema>

/**
 * In order of `id`. `last`: the newest of the store, 0 without one. `more`: further ones follow. `next`: the `after` of
 * the next call; with `types` it passes events of other types.
 */
export const EventPageSchema = Type.Object({
  events: Type.Array(EventSchema),
  last: Type.Integer(),
  more: Type.Boolean(),
  next: Type.Integer(),
})
export type EventPage = Static<typeof EventPageSchema>
