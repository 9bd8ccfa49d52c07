import type { DatabaseSync } from 'node:sqlite'
import type { NewReview, ReviewRecord } from '../port/records.ts'
import type { ReviewRepository } from '../port/storage.ts'
import { eventOfRow } from '../rules/events.ts'
import { newId } from '../rules/ids.ts'
import type { EventLog } from './event-log.ts'
import { newestFirst } from './newest-first.ts'
import type { WriteQueue } from './write-queue.ts'

const COLUMN_NAMES = ['_id', 'name', 'time', 'star', 'review', 'createdAt'] as const
const COLUMNS = COLUMN_NAMES.join(', ')

export function openReviews(db: DatabaseSync, queue: WriteQueue, events: EventLog): ReviewRepository {
  const list = newestFirst<ReviewRecord>(db, 'reviews', COLUMN_NAMES)
  const pending = newestFirst<ReviewRecord>(db, 'pending_reviews', COLUMN_NAMES)
  const insert = reviewInsertion(db)
  const sql = {
    byId: db.prepare(`SELECT ${COLUMNS} FROM reviews WHERE _id = ?`),
    update: db.prepare(
      `UPDATE reviews SET name = coalesce(?, name), time = coalesce(?, time), star = coalesce(?, star),
         review = coalesce(?, review), demo = 0
       WHERE _id = ? RETURNING ${COLUMNS}`,
    ),
    remove: db.prepare('DELETE FROM reviews WHERE _id = ?'),
    submit: db.prepare(`INSERT INTO pending_reviews (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`),
    takePending: db.prepare(`DELETE FROM pending_reviews WHERE _id = ? RETURNING ${COLUMNS}`),
    stars: db.prepare('SELECT count(*) AS count, avg(star) AS average FROM reviews WHERE demo = 0'),
    approve: db.prepare(`INSERT INTO reviews (${COLUMNS}, demo) VALUES (?, ?, ?, ?, ?, ?, 0)`),
  }
  return {
    list: async (page) => list(page),
    findById: async (id) => toReview(sql.byId.get(id)),
    create: (review) =>
      queue.write(() => {
        const record = insert(review, { demo: false })
        events.add(() => [eventOfRow('review.created', record)])
        return record
      }),
    update: (id, { name, time, star, review }) =>
      queue.write(() =>
        toReview(sql.update.get(name ?? null, time ?? null, star ?? null, review ?? null, id)),
      ),
    remove: (id) =>
      queue.write(() => sql.remove.run(id).changes === 1 || sql.takePending.get(id) !== undefined),
    submit: ({ name, time, star, review, createdAt }) =>
      queue.write(() => {
        const record = { _id: newId(createdAt), name, time, star, review, createdAt }
        sql.submit.run(record._id, name, time, star, review, createdAt)
        events.add(() => [eventOfRow('review.created', record)])
        return record
      }),
    pending: async (page) => pending(page),
    approve: (id) =>
      queue.write(() => {
        const found = toReview(sql.takePending.get(id))
        if (found === null) return null
        const { _id, name, time, star, review, createdAt } = found
        sql.approve.run(_id, name, time, star, review, createdAt)
        return found
      }),
    async stars() {
      const { count, average } = sql.stars.get() as { count: number; average: number | null }
      return average === null ? null : { count, average }
    },
  }
}

function toReview(row: unknown): ReviewRecord | null {
  return row === undefined ? null : { ...(row as ReviewRecord) }
}

export function reviewInsertion(
  db: DatabaseSync,
): (review: NewReview, options: { demo: boolean }) => ReviewRecord {
  const insert = db.prepare(
    'INSERT INTO reviews (_id, name, time, star, createdAt, demo, review) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  return ({ name, time, star, review, createdAt }, { demo }) => {
    const _id = newId(createdAt)
    insert.run(_id, name, time, star, createdAt, Number(demo), review)
    return { _id, name, time, star, review, createdAt }
  }
}
