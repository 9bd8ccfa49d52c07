/**
 * Posts and reviews need more on MongoDB than their plain tables: the posts' uploads, approvals, samples, and the content
 * revision.
 */

import { createHash } from 'node:crypto'
import type { Collection } from 'mongodb'
import { type BlogRecord, type BlogRepository, blogRow, uploadsIn } from '../model/blogs.ts'
import { newId } from '../model/ids.ts'
import type { Rows } from '../model/plain-table.ts'
import {
  PENDING_REVIEWS,
  type PublishedReview,
  REVIEWS,
  type ReviewRepository,
  reviewRow,
} from '../model/reviews.ts'
import type { ContentRevisionRepository, SampleRepository } from '../model/storage.ts'
import type { Collections, MetaDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { insertNew, isDuplicate } from './outage.ts'
import { plainRow } from './rows.ts'

const SEEDED = 'demo-seeded'
const SAMPLE = { demo: true }

export function openSamples(
  collections: Collections,
  majority: MongoConnection['majority'],
  blogRows: Rows<BlogRecord>,
  reviewRows: Rows<PublishedReview>,
): SampleRepository {
  const { users, conversations, blogs, reviews, contacts, meta } = collections

  /**
   * Returns whether the store holds anything but samples, which belong to an unfinished seeding without the milestone.
   */
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
     * Seeds the store. Every sample has a fixed `_id`, and existing samples stay, so two nodes can seed concurrently, and
     * one can finish what another one that died began. The milestone comes last, and the node that inserts it has seeded
     * the store.
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

/** Pending reviews have a flag, so that an approval is a single update of one document. */
export const PENDING = { pending: true }
export const PUBLISHED = { pending: false }

/** The table of pending reviews, which share their collection with the published ones. */
export const PENDING_DOCUMENTS = { ...PENDING_REVIEWS, name: REVIEWS.name }

export function openApproval(
  { reviews }: Collections,
  majority: MongoConnection['majority'],
): Pick<ReviewRepository, 'approve' | 'stars'> {
  return {
    async approve(_id) {
      const approved = await reviews.findOneAndUpdate({ _id, ...PENDING }, { $set: PUBLISHED })
      return approved && plainRow(PENDING_DOCUMENTS, approved)
    },

    async stars() {
      const groups = await reviews
        .aggregate<{ _id: unknown; count: number; sum: number }>(
          [{ $match: PUBLISHED }, { $group: { _id: '$demo', count: { $sum: 1 }, sum: { $sum: '$star' } } }],
          majority,
        )
        .toArray()
      // Some servers store false as 0 in updates.
      const real = groups.filter(({ _id }) => !_id)
      const count = real.reduce((all, group) => all + group.count, 0)
      const sum = real.reduce((all, group) => all + group.sum, 0)
      return count === 0 ? null : { count, average: sum / count }
    },
  }
}

/**
 * Returns the hashes of the uploads that a post shows, if a write sets what shows them. Its document holds them in
 * addition to the row.
 */
export function uploadsOf({ img, content }: Partial<BlogRecord>): { uploads?: string[] } {
  return img === undefined || content === undefined ? {} : { uploads: uploadsIn(img, content) }
}

export function openReferences(
  { blogs }: Collections,
  majority: MongoConnection['majority'],
): BlogRepository['refersTo'] {
  return async (uploadUrl) => {
    const filter = { uploads: { $in: uploadsIn(uploadUrl) } }
    return (await blogs.findOne(filter, { ...majority, projection: { _id: 1 } })) !== null
  }
}

const ID = 'edition'

/**
 * The revision is a random text and not a counter, so that two processes that advance it at once write different texts.
 */
export function openContentRevision(meta: Collection<MetaDoc>): ContentRevisionRepository {
  return {
    async read() {
      return (await meta.findOne({ _id: ID }))?.edition ?? ''
    },
    async advance() {
      const advance = () => meta.updateOne({ _id: ID }, { $set: { edition: newId() } }, { upsert: true })
      try {
        await advance()
      } catch (error) {
        // Two processes upserted at once, so the document exists now.
        if (!isDuplicate(error)) throw error
        await advance()
      }
    },
  }
}
