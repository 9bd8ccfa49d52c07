import type { NewReview, ReviewRecord } from '../port/records.ts'
import type { ReviewRepository } from '../port/storage.ts'
import { newId } from '../rules/ids.ts'
import type { AuditedWrites } from './audit-chain.ts'
import type { MongoConnection } from './connection.ts'
import { type Collections, type ReviewDoc, reviewDoc } from './documents.ts'
import type { EventNumbers } from './event-numbers.ts'
import { newestFirst } from './newest-first.ts'

const RECORD = { projection: { id: 0, demo: 0, pending: 0, eventDue: 0 } } as const

/** Pending reviews have a flag, so that an approval is one update of one document. */
export function openReviews(
  { reviews }: Collections,
  majority: MongoConnection['majority'],
  audited: AuditedWrites,
  mark: EventNumbers['mark'],
): ReviewRepository {
  const shown = { ...majority, ...RECORD }

  const listOf = (pending: boolean) =>
    newestFirst<ReviewRecord, ReviewDoc>(reviews, majority, {
      equal: { pending },
      hidden: ['demo', 'pending', 'eventDue'],
    })

  async function insert(
    { name, time, star, review, createdAt }: NewReview,
    { pending }: { pending: boolean },
  ): Promise<ReviewRecord> {
    const record = { _id: newId(createdAt), name, time, star, review, createdAt }
    await reviews.insertOne({ ...reviewDoc({ ...record, demo: false, pending }), ...mark() })
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
      // This change or a later one.
      return reviews.findOne<ReviewRecord>(filter, shown)
    },

    remove: (id) =>
      audited.remove(
        { collection: reviews.collectionName, filter: { _id: id } },
        async () => (await reviews.deleteOne({ _id: id })).deletedCount === 1,
        (isRemoved) => isRemoved,
      ),

    async approve(id) {
      // A pending review never changes, so the update publishes the review as it was read.
      const filter = { _id: id, pending: true }
      const found = await reviews.findOne<ReviewRecord>(filter, RECORD)
      if (found === null) return null
      const { modifiedCount } = await reviews.updateOne(filter, { $set: { pending: false } })
      return modifiedCount === 1 ? found : null
    },

    async stars() {
      const groups = await reviews
        .aggregate<{ _id: unknown; count: number; sum: number }>(
          [
            { $match: { pending: false } },
            { $group: { _id: '$demo', count: { $sum: 1 }, sum: { $sum: '$star' } } },
          ],
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
