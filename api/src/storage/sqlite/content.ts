/** Posts and reviews need more on SQLite than their plain tables: the posts' uploads, approvals, and samples. */

import type { DatabaseSync } from 'node:sqlite'
import { BLOGS, type BlogRecord, type BlogRepository, blogRow, uploadsIn } from '../model/blogs.ts'
import { newId } from '../model/ids.ts'
import {
  PENDING_REVIEWS,
  REVIEWS,
  type ReviewRecord,
  type ReviewRepository,
  reviewRow,
} from '../model/reviews.ts'
import type { SampleRepository } from '../model/storage.ts'
import { columnsOf, insertionOf } from './columns.ts'
import { ifFound, ifTrue, type WriteQueue } from './write-queue.ts'

export function openSamples(db: DatabaseSync, queue: WriteQueue): SampleRepository {
  const references = new UploadReferences(db)
  const sql = {
    holdsAnything: db.prepare(
      `SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM conversations) OR EXISTS (SELECT 1 FROM blogs)
         OR EXISTS (SELECT 1 FROM reviews) OR EXISTS (SELECT 1 FROM contacts) AS yes`,
    ),
    reach: db.prepare(
      `INSERT INTO milestones (name, at) VALUES ('demo-seeded', ?) ON CONFLICT (name) DO NOTHING`,
    ),
    insertBlog: db.prepare(`${insertionOf('blogs', Object.keys(BLOGS.fields))} ON CONFLICT DO NOTHING`),
    insertReview: db.prepare(insertionOf('reviews', Object.keys(REVIEWS.fields))),
    removeBlogs: db.prepare('DELETE FROM blogs WHERE demo = 1'),
    removeReviews: db.prepare('DELETE FROM reviews WHERE demo = 1'),
  }
  return {
    seed: ({ blogs, reviews }, { onlyWhenEmpty }) =>
      queue.write(() => {
        if (onlyWhenEmpty && (sql.holdsAnything.get() as { yes: number }).yes === 1) return false
        if (sql.reach.run(Date.now()).changes === 0) return false
        for (const blog of blogs) {
          const row = blogRow(newId(blog.createdAt), blog, { demo: true })
          if (sql.insertBlog.run(columnsOf(row)).changes === 1) references.set(row)
        }
        for (const review of reviews) {
          sql.insertReview.run(columnsOf({ ...reviewRow(newId(review.createdAt), review), demo: true }))
        }
        return true
      }, ifTrue),
    remove: () =>
      queue.write(
        () => ({
          blogs: Number(sql.removeBlogs.run().changes),
          reviews: Number(sql.removeReviews.run().changes),
        }),
        ({ blogs, reviews }) => blogs + reviews > 0,
      ),
  }
}

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
      }, ifFound),
    async stars() {
      const { count, average } = sql.stars.get() as { count: number; average: number | null }
      return average === null ? null : { count, average }
    },
  }
}

/** Stores which posts show which uploads. */
export class UploadReferences {
  readonly #sql

  constructor(db: DatabaseSync) {
    this.#sql = {
      clear: db.prepare('DELETE FROM blog_uploads WHERE blogId = ?'),
      add: db.prepare('INSERT INTO blog_uploads (hash, blogId) VALUES (?, ?)'),
      find: db.prepare('SELECT 1 FROM blog_uploads WHERE hash = ? LIMIT 1'),
    }
  }

  /** Replaces a post's references in the transaction that writes the post. */
  set({ _id, img, content }: BlogRecord): void {
    this.#sql.clear.run(_id)
    for (const hash of uploadsIn(img, content)) this.#sql.add.run(hash, _id)
  }

  refersTo: BlogRepository['refersTo'] = async (uploadUrl) =>
    uploadsIn(uploadUrl).some((hash) => this.#sql.find.get(hash) !== undefined)
}
