import { PUSH_ENDPOINT_MAX, PUSH_LABEL_MAX } from '@proctorpass/shared/limits'
import Type from 'typebox'
import { Hash, Id, Time, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** An admin's browser that receives Web Push. Times are milliseconds since 1970 UTC. */
export interface SubscriptionRecord {
  /** The endpoint's SHA-256 hash in base64url. */
  _id: string
  userId: string
  /** The session with which the subscription ends. */
  sessionId: string
  endpoint: string
  p256dh: string
  auth: string
  label: string
  /** Whether notifications show the visitor's name and words. */
  previews: boolean
  createdAt: number
  /** The time until which the push service asked for a pause, or 0. */
  retryAt: number
}

export const SUBSCRIPTIONS: PlainTable<SubscriptionRecord> = {
  name: 'subscriptions',
  key: '_id',
  fields: {
    _id: Hash,
    userId: Id,
    sessionId: Id,
    endpoint: Type.String({ pattern: '^https://', maxLength: PUSH_ENDPOINT_MAX }),
    p256dh: Type.String({ pattern: '^[A-Za-z0-9_-]{87}$' }),
    auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
    label: text(PUSH_LABEL_MAX, 1),
    previews: Type.Boolean(),
    createdAt: Time,
    retryAt: Time,
  },
  indexes: { user: { by: { userId: 1, createdAt: -1 } }, session: { by: { sessionId: 1 } } },
}

export function openSubscriptions(subscriptions: Rows<SubscriptionRecord>) {
  const listOf = (userId: string) => subscriptions.list({ userId }, { order: { createdAt: -1 } })
  return {
    /** Lists the user's subscriptions, the newest first. Those of ended sessions are included. */
    listOf,
    /**
     * Stores a subscription. It replaces this endpoint's stored subscription, even another user's, and keeps its
     * `createdAt`. `full` means that the user has `max` others. Of two devices that one admin subscribes at once, both
     * may be stored, because the limit is about size and not about rights.
     */
    async put(subscription: SubscriptionRecord, max: number): Promise<'created' | 'changed' | 'full'> {
      const { _id, createdAt, ...fields } = subscription
      const others = (await listOf(fields.userId)).filter((other) => other._id !== _id)
      if (others.length >= max) return 'full'
      for (;;) {
        if ((await subscriptions.update({ _id }, fields)) === 'updated') return 'changed'
        if (await subscriptions.insert(subscription)) return 'created'
      }
    },
    async setRetryAt(_id: string, retryAt: number): Promise<void> {
      await subscriptions.update({ _id }, { retryAt })
    },
    async remove(_id: string): Promise<void> {
      await subscriptions.remove({ _id })
    },
    async removeOfSessions(sessionIds: readonly string[]): Promise<void> {
      await Promise.all(sessionIds.map((sessionId) => subscriptions.remove({ sessionId })))
    },
  }
}

export type SubscriptionRepository = ReturnType<typeof openSubscriptions>
