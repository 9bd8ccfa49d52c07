import Type, { type Static } from 'typebox'
import { PUSH_ENDPOINT_MAX } from '../limits.ts'

/** The public key for `pushManager.subscribe`, in base64url. It stays the same for the store's life. */
export const PushKeySchema = Type.Object({ key: Type.String() })
export type PushKey = Static<typeof PushKeySchema>

/**
 * A browser's `PushSubscription.toJSON()`. The use case judges the endpoint and the keys, with a message beside each.
 */
export const PushSubscriptionSchema = Type.Object({
  endpoint: Type.String({ maxLength: 2 * PUSH_ENDPOINT_MAX }),
  expirationTime: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  keys: Type.Object({ p256dh: Type.String({ maxLength: 200 }), auth: Type.String({ maxLength: 200 }) }),
})

/** A subscription. If the browser is already subscribed, its keys, label, and previews change. */
export const SubscribePushSchema = Type.Object({
  subscription: PushSubscriptionSchema,
  /** The admin's name for the browser, with at most 80 characters. */
  label: Type.String(),
  /** Whether notifications show the visitor's words. The default is false. */
  previews: Type.Optional(Type.Boolean()),
})
export type SubscribePush = Static<typeof SubscribePushSchema>

/** One of the caller's browsers that receive notifications. */
export const PushDeviceSchema = Type.Object({
  /** The endpoint's SHA-256 hash, in base64url. */
  _id: Type.String(),
  label: Type.String(),
  previews: Type.Boolean(),
  /** The time in ISO 8601, UTC, with milliseconds. */
  createdAt: Type.String(),
  /** Whether the request's session made the subscription. */
  current: Type.Boolean(),
})
export type PushDevice = Static<typeof PushDeviceSchema>

/** The caller's devices, newest first. */
export const PushDeviceListSchema = Type.Object({ devices: Type.Array(PushDeviceSchema) })
export type PushDeviceList = Static<typeof PushDeviceListSchema>

/** The answer to POST, with status 201, or 200 for a browser that was already subscribed. */
export const SubscribedPushSchema = Type.Object({ message: Type.String(), data: PushDeviceSchema })
export type SubscribedPush = Static<typeof SubscribedPushSchema>

/** The body of DELETE: this browser's endpoint, or the `_id` of another of the caller's devices. The answer is 204. */
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

/** How many devices the push services accepted the test for, and how many not. `message` is fit to show. */
export const TestedPushSchema = Type.Object({
  message: Type.String(),
  sent: Type.Integer(),
  failed: Type.Integer(),
})
export type TestedPush = Static<typeof TestedPushSchema>

/** What a notification shows. This is a push's payload, as JSON. */
export const PushPayloadSchema = Type.Object({
  title: Type.String(),
  body: Type.String(),
  /**
   * The clientId, `waiting` for a summary, or `test`. A later notification with the same tag replaces the earlier one.
   */
  tag: Type.String(),
  /** The dashboard path that a click opens. */
  url: Type.String(),
  /** The ID of what the notification is about, so that a push that a service delivers twice does not ring twice. */
  id: Type.String(),
})
export type PushPayload = Static<typeof PushPayloadSchema>
