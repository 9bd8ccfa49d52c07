import Type, { type Static } from 'typebox'
import { PUSH_ENDPOINT_MAX } from '../limits.ts'

/** The public key for `pushManager.subscribe`, base64url. It stays the same for the life of the store. */
export const PushKeySchema = Type.Object({ key: Type.String() })
export type PushKey = Static<typeof PushKeySchema>

/** `PushSubscription.toJSON()` of a browser. The use case judges the endpoint and the keys, with a message beside each. */
export const PushSubscriptionSchema = Type.Object({
  endpoint: Type.String({ maxLength: 2 * PUSH_ENDPOINT_MAX }),
  expirationTime: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  keys: Type.Object({ p256dh: Type.String({ maxLength: 200 }), auth: Type.String({ maxLength: 200 }) }),
})

/** A browser that is subscribed already is changed: its keys, label and previews. */
export const SubscribePushSchema = Type.Object({
  subscription: PushSubscriptionSchema,
  /** Names the browser for its admin; 80 characters or fewer. */
  label: Type.String(),
  /** Whether notifications have the visitor's words. Default: false. */
  previews: Type.Optional(Type.Boolean()),
})
export type SubscribePush = Static<typeof SubscribePushSchema>

/** A browser of the caller that receives notifications. */
export const PushDeviceSchema = Type.Object({
  /** The SHA-256 hash of the endpoint, base64url. */
  _id: Type.String(),
  label: Type.String(),
  previews: Type.Boolean(),
  /** ISO 8601, UTC, milliseconds. */
  createdAt: Type.String(),
  /** Whether the session of the request made it. */
  current: Type.Boolean(),
})
export type PushDevice = Static<typeof PushDeviceSchema>

/** The caller's own, the newest first. */
export const PushDeviceListSchema = Type.Object({ devices: Type.Array(PushDeviceSchema) })
export type PushDeviceList = Static<typeof PushDeviceListSchema>

/** Answer of POST: 201, or 200 for a browser that was subscribed already. */
export const SubscribedPushSchema = Type.Object({ message: Type.String(), data: PushDeviceSchema })
export type SubscribedPush = Static<typeof SubscribedPushSchema>

/** Body of DELETE: the endpoint of this browser, or the `_id` of another device of the caller. Answered with 204. */
export const UnsubscribePushSchema = Type.Object({
  endpoint: Type.Optional(Type.String({ maxLength: 2 * PUSH_ENDPOINT_MAX })),
  _id: Type.Optional(Type.String({ maxLength: 64 })),
})
export type UnsubscribePush = Static<typeof UnsubscribePushSchema>

/** Without an endpoint, all of the caller's devices receive the test. */
export const TestPushSchema = Type.Object({
  endpoint: Type.Optional(Type.String({ maxLength: 2 * PUSH_ENDPOINT_MAX })),
  /** The notification's ID, by which the caller recognizes it when it arrives. The default is random. */
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})
export type TestPush = Static<typeof TestPushSchema>

/** How many devices the push services accepted it for, and for how many not. `message` is fit to show. */
export const TestedPushSchema = Type.Object({
  message: Type.String(),
  sent: Type.Integer(),
  failed: Type.Integer(),
})
export type TestedPush = Static<typeof TestedPushSchema>

/** What a notification shows: the payload of a push, as JSON. */
export const PushPayloadSchema = Type.Object({
  title: Type.String(),
  body: Type.String(),
  /** The clientId, `waiting` of a summary, or `test`: a later notification replaces the earlier one. */
  tag: Type.String(),
  /** Opened by a click: a path of the dashboard. */
  url: Type.String(),
  /** What it is about: a push that a service delivers again does not ring again. */
  id: Type.String(),
})
export type PushPayload = Static<typeof PushPayloadSchema>
