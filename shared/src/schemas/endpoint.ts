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

/** A URL to which events are posted, without its secrets. */
export const EndpointSchema = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  /** The types that the endpoint receives. An empty list means all types. */
  types: Type.Array(EventTypeSchema),
  /** Whether events about notes include the notes' words. */
  notes: Type.Boolean(),
  state: Type.Union([Type.Literal('fine'), Type.Literal('failing'), Type.Literal('disabled')]),
  disabledBy: Type.Union([DisabledBySchema, Type.Null()]),
  /** When the first failure since a success was, in ISO 8601. */
  failingSince: TextOrNull,
  /** Until when the second-newest secret signs too, in ISO 8601. */
  oldSecretUntil: TextOrNull,
  createdAt: Type.String(),
  /** The version is 1 when created, and grows by one with each admin's change. */
  version: Type.Integer(),
})
export type Endpoint = Static<typeof EndpointSchema>

/** All endpoints, in order of creation. */
export const EndpointListSchema = Type.Object({
  endpoints: Type.Array(EndpointSchema),
  count: Type.Integer(),
})
export type EndpointList = Static<typeof EndpointListSchema>

const Types = Type.Array(EventTypeSchema, { maxItems: 20 })

/** The body of POST. The use case judges the name and the URL, with a message beside each field. */
export const NewEndpointSchema = Type.Object({
  name: Type.String(),
  url: Type.String(),
  types: Types,
  notes: Type.Optional(Type.Boolean()),
})
export type NewEndpoint = Static<typeof NewEndpointSchema>

/** The body of PATCH. With `version`, the change is refused if another version is stored. */
export const EndpointChangeSchema = Type.Object({
  name: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  types: Type.Optional(Types),
  notes: Type.Optional(Type.Boolean()),
  enabled: Type.Optional(Type.Boolean()),
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
})
export type EndpointChange = Static<typeof EndpointChangeSchema>

/** The answer to PATCH. */
export const SavedEndpointSchema = Type.Object({ message: Type.String(), data: EndpointSchema })
/** The answer to POST, and to POST for a new secret. No other answer shows the secret. */
export const EndpointSecretSchema = Type.Object({ data: EndpointSchema, secret: Type.String() })
export type EndpointSecret = Static<typeof EndpointSecretSchema>

/** An event's ID in the body of POST to replay, which names the first and the last event. */
const EventId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const ReplaySchema = Type.Object({ from: EventId, to: EventId })
export type Replay = Static<typeof ReplaySchema>

/** How many events will be posted. */
export const QueuedSchema = Type.Object({ queued: Type.Integer() })
export type Queued = Static<typeof QueuedSchema>

const PostedTypeSchema = Type.Union([EventTypeSchema, Type.Literal('test')])
/** A request's body: an event or a test. */
export const PostedSchema = Type.Object({ ...EventSchema.properties, type: PostedTypeSchema })

/** One request to an endpoint. */
export const DeliverySchema = Type.Object({
  /** The event's ID; 0 for a test. */
  event: Type.Integer(),
  type: PostedTypeSchema,
  /** The time in ISO 8601. */
  at: Type.String(),
  /** The number of the attempt, starting at 1. */
  attempt: Type.Integer(),
  /** Null if there was no answer, see `error`. */
  status: IntegerOrNull,
  error: TextOrNull,
  ms: Type.Integer(),
  /** The beginning of the answer's body. */
  answer: Type.String(),
  /** The request's body as it would be sent now. Null if the event is no longer kept. */
  request: Type.Union([PostedSchema, Type.Null()]),
})
export type Delivery = Static<typeof DeliverySchema>

/** Deliveries, newest first. `next` is the cursor of the next page, or null on the last one. */
export const DeliveryPageSchema = Type.Object({ deliveries: Type.Array(DeliverySchema), next: TextOrNull })
export type DeliveryPage = Static<typeof DeliveryPageSchema>
export const DeliveriesQuerySchema = Type.Object({
  cursor: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$' })),
})

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const EndpointParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })
