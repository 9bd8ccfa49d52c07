import { newId } from '../ids.ts'
import type { NewReview, ReviewRecord } from '../records.ts'
import type { ReviewRepository } from '../storage.ts'
import type { MongoConnection } from './connection.ts'
import { type Collections, type ReviewDoc, reviewDoc } from './documents.ts'
import { newestFirst } from './newest-first.ts'

const RECORD = { projection: { id: 0, demo: 0, pending: 0 } } as const

/** Those that wait stand among the others with a flag: to approve one is one update of one document. */
export function openReviews({ reviews }: Collections, settled: MongoConnection['settled']): ReviewRepository {
  const shown = { ...settled, ...RECORD }

  const listOf = (pending: boolean) =>
    newestFirst<ReviewRecord, ReviewDoc>(reviews, settled, {
      equal: { pending },
      hidden: ['demo', 'pending'],
    })

  async function insert(
    { name, time, star, review, createdAt }: NewReview,
    { pending }: { pending: boolean },
  ): Promise<ReviewRecord> {
    const record = { _id: newId(createdAt), name, time, star, review, createdAt }
    await reviews.insertOne(reviewDoc({ ...record, demo: false, pending }))
    return record
  }

  return {
    list: listOf(false),
    pending: listOf(true),
    findById: (id) => reviews.findOne<ReviewRecord>({ _id: id, pending: false }, shown),
    create: (review) => insert(review, { pending: false }),
    submit: (review) => insert(review, { pending: true }),

    async update(id, { name, time, star, review }) {
      const filter = { _id: id, pending: false }
      await reviews.updateOne(filter, { $set: { name, time, star, review, demo: false } })
      // As it is now: this change, or one after it.
      return reviews.findOne<ReviewRecord>(filter, shown)
    },

    async remove(id) {
      const { deletedCount } = await reviews.deleteOne({ _id: id })
      return deletedCount === 1
    },

    async approve(id) {
      // Nothing changes one that waits, so what is read before the update is what it lets through.
      const filter = { _id: id, pending: true }
      const found = await reviews.findOne<ReviewRecord>(filter, RECORD)
      if (found === null) return null
      const { modifiedCount } = await reviews.updateOne(filter, { $set: { pending: false } })
      return modifiedCount === 1 ? found : null
    },
  }
}
