import type { DatabaseSync } from 'node:sqlite'
import { BLOGS, blogRow } from '../model/blogs.ts'
import { newId } from '../model/ids.ts'
import { REVIEWS, reviewRow } from '../model/reviews.ts'
import type { SampleRepository } from '../model/storage.ts'
import { UploadReferences } from './blogs.ts'
import { columnsOf, insertionOf } from './columns.ts'
import type { WriteQueue } from './write-queue.ts'

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
      }),
    remove: () =>
      queue.write(() => ({
        blogs: Number(sql.removeBlogs.run().changes),
        reviews: Number(sql.removeReviews.run().changes),
      })),
  }
}
