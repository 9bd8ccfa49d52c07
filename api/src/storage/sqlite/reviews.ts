import type { DatabaseSync } from 'node:sqlite'
import { newId } from '../ids.ts'
import type { NewReview, ReviewRecord, ReviewRepository } from '../storage.ts'
import { newestFirst } from './newest-first.ts'
import type { WriteQueue } from './write-queue.ts'

const COLUMNS = ['_id', 'name', 'time', 'star', 'review', 'createdAt'] as const

export function openReviews(db: DatabaseSync, queue: WriteQueue): ReviewRepository {
  const list = newestFirst<ReviewRecord>(db, 'reviews', COLUMNS)
  const insert = reviewInsertion(db)
  const byId = db.prepare(`SELECT ${COLUMNS.join(', ')} FROM reviews WHERE _id = ?`)
  return {
    list: async (page) => list(page),
    async findById(id) {
      const row = byId.get(id)
      return row === undefined ? null : ({ ...row } as unknown as ReviewRecord)
    },
    create: (review) => queue.write(() => insert(review, { demo: false })),
  }
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
