import type { SubscriptionRepository } from '../subscriptions.ts'
import type { MongoConnection } from './connection.ts'
import { type Collections, subscriptionOf } from './documents.ts'

export function openSubscriptions(
  { subscriptions }: Collections,
  settled: MongoConnection['settled'],
): SubscriptionRepository {
  return {
    // Of two devices that one admin subscribes at once, both may be stored: the limit is one of size, not of rights.
    async put(subscription, max) {
      const { _id, userId } = subscription
      const own = await subscriptions.find({ userId }, { projection: { _id: 1 } }).toArray()
      if (own.filter((other) => other._id !== _id).length >= max) return 'full'
      const { createdAt, ...fields } = subscription
      const { matchedCount } = await subscriptions.updateOne({ _id }, { $set: fields })
      if (matchedCount === 1) return 'changed'
      await subscriptions.replaceOne({ _id }, subscription, { upsert: true })
      return 'created'
    },
    async listOf(userId) {
      const found = await subscriptions.find({ userId }, settled).sort({ createdAt: -1 }).toArray()
      return found.map(subscriptionOf)
    },
    async setRetryAt(id, retryAt) {
      await subscriptions.updateOne({ _id: id }, { $set: { retryAt } })
    },
    async remove(id) {
      await subscriptions.deleteOne({ _id: id })
    },
    async removeOfSessions(sessionIds) {
      await subscriptions.deleteMany({ sessionId: { $in: [...sessionIds] } })
    },
  }
}
