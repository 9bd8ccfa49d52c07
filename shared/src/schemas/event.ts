import Type, { type Static } from 'typebox'
import { StatusSchema } from './inbox.ts'

export const EVENT_TYPES = [
  'conversation.created',
  'conversation.changed',
  'message.created',
  'message.edited',
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

/**
 * An event's data, which is small because REST answers the rest. For an erased conversation only the clientId is left.
 */
export const EventDataSchema = Type.Object({
  clientId: Type.Optional(Type.String()),
  /** `visitor`, a user ID, or `key:` and an API key's ID. Null for the system. */
  by: Type.Optional(TextOrNull),
  /** The message's number. */
  seq: Type.Optional(Type.Integer()),
  /** The message's text. A note's text is present only if the endpoint asks for notes. */
  text: Type.Optional(Type.String()),
  /** The activity entry's number. */
  n: Type.Optional(Type.Integer()),
  field: Type.Optional(
    Type.Union([
      Type.Literal('status'),
      Type.Literal('assignee'),
      Type.Literal('labels'),
      Type.Literal('settled'),
    ]),
  ),
  /** The number of the newest message that needs no answer. Null if the last such decision was taken back. */
  upTo: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  from: Type.Optional(Type.Union([StatusSchema, TextOrNull])),
  to: Type.Optional(Type.Union([StatusSchema, TextOrNull])),
  /** Present for a label change, instead of `from` and `to`. */
  added: Type.Optional(Type.Array(Type.String())),
  removed: Type.Optional(Type.Array(Type.String())),
  score: Type.Optional(Type.Integer()),
  /** True while the conversation is spam, also for what happened before the mark. */
  spam: Type.Optional(Type.Literal(true)),
  contactId: Type.Optional(Type.String()),
  reviewId: Type.Optional(Type.String()),
})
export type EventData = Static<typeof EventDataSchema>

/** Something that happened. `id` counts 1, 2, 3, and so on in the store, without a gap. */
export const EventSchema = Type.Object({
  id: Type.Integer(),
  type: EventTypeSchema,
  /** The time in ISO 8601. */
  at: Type.String(),
  data: EventDataSchema,
})
export type Event = Static<typeof EventSchema>

/**
 * `types` holds some of EVENT_TYPES, separated by commas. Without `after`, the page starts with the oldest event that
 * is kept.
 */
export const EventsQuerySchema = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  types: Type.Optional(Type.String({ maxLength: 300 })),
})
export type EventsQuery = Static<typeof EventsQuerySchema>

/**
 * Events in the order of `id`. `last` is the newest ID in the store, or 0. `more` says that further events follow.
 * `next` is the `after` for the next call; with `types`, it skips events of other types.
 */
export const EventPageSchema = Type.Object({
  events: Type.Array(EventSchema),
  last: Type.Integer(),
  more: Type.Boolean(),
  next: Type.Integer(),
})
export type EventPage = Static<typeof EventPageSchema>
