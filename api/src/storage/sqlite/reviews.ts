import type { DatabaseSync } from 'node:sqlite'
import { PENDING_REVIEWS, type ReviewRecord, type ReviewRepository } from '../model/reviews.ts'
import type { WriteQueue } from './write-queue.ts'

export function openApproval(
  db: DatabaseSync,
  queue: WriteQueue,
): Pick<ReviewRepository, 'approve' | 'stars'> {
  const columns = Object.keys(PENDING_REVIEWS.fields).join(', ')
  const sql = {
    publish: db.prepare(
      `INSERT INTO reviews (${columns}, demo) SELECT ${columns}, 0 FROM pending_reviews WHERE _id = ?`,
    ),
    take: db.prepare(`DELETE FROM pending_reviews WHERE _id = ? RETURNING ${columns}`),
    stars: db.prepare('SELECT count(*) AS count, avg(star) AS average FROM reviews WHERE demo = 0'),
  }
  return {
    approve: (id) =>
      queue.write(() => {
        sql.publish.run(id)
        const found = sql.take.get(id)
        return found === undefined ? null : ({ ...found } as unknown as ReviewRecord)
      }),
    async stars() {
      const { count, average } = sql.stars.get() as { count: number; average: number | null }
      return average === null ? null : { count, average }
    },
  }
}
