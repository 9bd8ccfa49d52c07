import Type, { type Static } from 'typebox'
import { EventSchema, EventTypeSchema } from './event.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()])

/** Why an endpoint is disabled: an admin did it, it answered 410, or it failed for five days. */
export const DisabledBySchema = Type.Union([
  Type.Literal('admin'),
  Type.Literal('gone'),
  Type.Literal('failures'),
])
export type DisabledBy = Static<typeof DisabledBySchema>

/** A URL that events are posted to, without its secrets. */
export const EndpointSchema = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  /** The types that the endpoint receives. An empty list means all types. */
  types: Type.Array(EventTypeSchema),
  /** Whether events of notes have the words of the note. */
  notes: Type.Boolean(),
  state: Type.Union([Type.Literal('fine'), Type.Literal('failing'), Type.Literal('disabled')]),
  disabledBy: Type.Union([DisabledBySchema, Type.Null()]),
  /** ISO 8601: the first failure since a success. */
  failingSince: TextOrNull,
  /** ISO 8601: until then the secret before the newest signs too. */
  oldSecretUntil: TextOrNull,
  createdAt: Type.String(),
  /** 1 when created, one more with each change by an admin. */
  version: Type.Integer(),
})
export type Endpoint = Static<typeof EndpointSchema>

/** All of them, in order of creation. */
export const EndpointListSchema = Type.Object({
  endpoints: Type.Array(EndpointSchema),
  count: Type.Integer(),
})
export type EndpointList = Static<typeof EndpointListSchema>

const Types = Type.Array(EventTypeSchema, { maxItems: 20 })

/** Body of POST. The use case judges the name and the URL, with a message beside each field. */
export const NewEndpointSchema = Type.Object({
  name: Type.String(),
  url: Type.String(),
  types: Types,
  notes: Type.Optional(Type.Boolean()),
})
export type NewEndpoint = Static<typeof NewEndpointSchema>

/** Body of PATCH. With `version` the change is refused when another one is stored. */
export const EndpointChangeSchema = Type.Object({
  name: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  types: Type.Optional(Types),
  notes: Type.Optional(Type.Boolean()),
  enabled: Type.Optional(Type.Boolean()),
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
})
export type EndpointChange = Static<typeof EndpointChangeSchema>

/** Answer of PATCH. */
export const SavedEndpointSchema = Type.Object({ message: Type.String(), data: EndpointSchema })
/** Answer of POST, and of POST to the secret: the only time that the secret is shown. */
export const EndpointSecretSchema = Type.Object({ data: EndpointSchema, secret: Type.String() })
export type EndpointSecret = Static<typeof EndpointSecretSchema>

/** Body of POST to replay: the ids of the first and the last event. */
const EventId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const ReplaySchema = Type.Object({ from: EventId, to: EventId })
export type Replay = Static<typeof ReplaySchema>

/** How many events are to be posted. */
export const QueuedSchema = Type.Object({ queued: Type.Integer() })
export type Queued = Static<typeof QueuedSchema>

const PostedTypeSchema = Type.Union([EventTypeSchema, Type.Literal('test')])
/** The body of a request: an event, or a test. */
export const PostedSchema = Type.Object({ ...EventSchema.properties, type: PostedTypeSchema })

/** One request to an endpoint. */
export const DeliverySchema = Type.Object({
  /** The id of the event; 0: a test. */
  event: Type.Integer(),
  type: PostedTypeSchema,
  /** ISO 8601. */
  at: Type.String(),
  /** 1 is the first. */
  attempt: Type.Integer(),
  /** Null: there was no answer, see `error`. */
  status: IntegerOrNull,
  error: TextOrNull,
  ms: Type.Integer(),
  /** The begin of the body of the answer. */
  answer: Type.String(),
  /** The body of the request, as it would be sent now; null: the event is no longer kept. */
  request: Type.Union([PostedSchema, Type.Null()]),
})
export type Delivery = Static<typeof DeliverySchema>

/** Newest first. `next`: the cursor of the page that follows; null on the last one. */
export const DeliveryPageSchema = Type.Object({ deliveries: Type.Array(DeliverySchema), next: TextOrNull })
export type DeliveryPage = Static<typeof DeliveryPageSchema>
export const DeliveriesQuerySchema = Type.Object({
  cursor: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$' })),
})

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const EndpointParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })
