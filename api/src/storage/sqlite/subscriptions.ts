import type { DatabaseSync } from 'node:sqlite'
import type { SubscriptionRecord, SubscriptionRepository } from '../subscriptions.ts'
import type { WriteQueue } from './write-queue.ts'

type SubscriptionRow = Omit<SubscriptionRecord, 'previews'> & { previews: number }

export function openSubscriptions(db: DatabaseSync, queue: WriteQueue): SubscriptionRepository {
  const sql = {
    find: db.prepare('SELECT 1 FROM subscriptions WHERE _id = ?'),
    count: db.prepare('SELECT count(*) AS count FROM subscriptions WHERE userId = ? AND _id <> ?'),
    put: db.prepare(
      `INSERT INTO subscriptions
         (_id, userId, sessionId, endpoint, p256dh, auth, label, previews, createdAt, retryAt)
       VALUES (:_id, :userId, :sessionId, :endpoint, :p256dh, :auth, :label, :previews, :createdAt, :retryAt)
       ON CONFLICT DO UPDATE SET userId = :userId, sessionId = :sessionId, endpoint = :endpoint, p256dh = :p256dh,
         auth = :auth, label = :label, previews = :previews, retryAt = :retryAt`,
    ),
    listOf: db.prepare('SELECT * FROM subscriptions WHERE userId = ? ORDER BY createdAt DESC'),
    setRetryAt: db.prepare('UPDATE subscriptions SET retryAt = ? WHERE _id = ?'),
    remove: db.prepare('DELETE FROM subscriptions WHERE _id = ?'),
    removeOfSession: db.prepare('DELETE FROM subscriptions WHERE sessionId = ?'),
  }
  return {
    put: (subscription, max) =>
      queue.write(() => {
        const { _id, userId, previews } = subscription
        const { count } = sql.count.get(userId, _id) as { count: number }
        if (count >= max) return 'full'
        const found = sql.find.get(_id)
        sql.put.run({ ...subscription, previews: Number(previews) })
        return found === undefined ? 'created' : 'changed'
      }),
    listOf: async (userId) =>
      sql.listOf.all(userId).map((found) => {
        const row = found as unknown as SubscriptionRow
        return { ...row, previews: row.previews === 1 }
      }),
    setRetryAt: (id, retryAt) => queue.write(() => void sql.setRetryAt.run(retryAt, id)),
    remove: (id) => queue.write(() => void sql.remove.run(id)),
    removeOfSessions: (sessionIds) =>
      queue.write(() => {
        for (const sessionId of sessionIds) sql.removeOfSession.run(sessionId)
      }),
  }
}
