import type { DatabaseSync } from 'node:sqlite'
import type { SampleRepository } from '../port/samples.ts'
import { blogInsertion } from './blogs.ts'
import { reviewInsertion } from './reviews.ts'
import type { WriteQueue } from './write-queue.ts'

export function openSamples(db: DatabaseSync, queue: WriteQueue): SampleRepository {
  const insertBlog = blogInsertion(db)
  const insertReview = reviewInsertion(db)
  const sql = {
    holdsAnything: db.prepare(
      `SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM conversations) OR EXISTS (SELECT 1 FROM blogs)
         OR EXISTS (SELECT 1 FROM reviews) OR EXISTS (SELECT 1 FROM contacts) AS yes`,
    ),
    reach: db.prepare(
      `INSERT INTO milestones (name, at) VALUES ('demo-seeded', ?) ON CONFLICT (name) DO NOTHING`,
    ),
    removeBlogs: db.prepare('DELETE FROM blogs WHERE demo = 1'),
    removeReviews: db.prepare('DELETE FROM reviews WHERE demo = 1'),
  }
  return {
    seed: ({ blogs, reviews }, { onlyWhenEmpty }) =>
      queue.write(() => {
        if (onlyWhenEmpty && (sql.holdsAnything.get() as { yes: number }).yes === 1) return false
        if (sql.reach.run(Date.now()).changes === 0) return false
        for (const blog of blogs) insertBlog(blog, { demo: true })
        for (const review of reviews) insertReview(review, { demo: true })
        return true
      }),
    remove: () =>
      queue.write(() => ({
        blogs: Number(sql.removeBlogs.run().changes),
        reviews: Number(sql.removeReviews.run().changes),
      })),
  }
}
