import { createHash } from 'node:crypto'
import { type BlogRecord, blogRow } from '../model/blogs.ts'
import type { Rows } from '../model/plain-table.ts'
import { type PublishedReview, reviewRow } from '../model/reviews.ts'
import type { SampleRepository } from '../model/storage.ts'
import type { Collections } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { insertNew } from './outage.ts'

const SEEDED = 'demo-seeded'
const SAMPLE = { demo: true }

export function openSamples(
  collections: Collections,
  majority: MongoConnection['majority'],
  blogRows: Rows<BlogRecord>,
  reviewRows: Rows<PublishedReview>,
): SampleRepository {
  const { users, conversations, blogs, reviews, contacts, meta } = collections

  /** Samples do not count: without the milestone they belong to an unfinished seeding. */
  async function holdsAnything(): Promise<boolean> {
    const one = { ...majority, projection: { _id: 1 } } as const
    const any = { ...one, sort: { _id: 1 } } as const
    const found = await Promise.all([
      users.findOne({}, any),
      conversations.findOne({}, any),
      contacts.findOne({}, any),
      blogs.findOne({ demo: false }, one),
      reviews.findOne({ demo: false }, one),
    ])
    return found.some((each) => each !== null)
  }

  return {
    /**
     * Every sample has a fixed `_id`, and existing samples stay: so two nodes can seed concurrently, and one can finish
     * the seeding of another that died. The node that inserts the milestone, which comes last, has seeded the store.
     */
    async seed(samples, { onlyWhenEmpty }) {
      if ((await meta.findOne({ _id: SEEDED }, majority)) !== null) return false
      if (onlyWhenEmpty && (await holdsAnything())) return false
      for (const [index, blog] of samples.blogs.entries()) {
        await blogRows.insert(blogRow(sampleId('blog', index), blog, SAMPLE))
      }
      for (const [index, review] of samples.reviews.entries()) {
        await reviewRows.insert({ ...reviewRow(sampleId('review', index), review), ...SAMPLE })
      }
      return insertNew(meta.insertOne({ _id: SEEDED, at: Date.now() }))
    },

    async remove() {
      const removedBlogs = await blogRows.remove(SAMPLE)
      // A process that dies here leaves the sample reviews for the next call.
      return { blogs: removedBlogs, reviews: await reviewRows.remove(SAMPLE) }
    },
  }
}

function sampleId(kind: 'blog' | 'review', index: number): string {
  return createHash('sha256').update(`sample ${kind} ${index}`).digest('hex').slice(0, 24)
}
