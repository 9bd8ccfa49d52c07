import { PENDING_REVIEWS, REVIEWS, type ReviewRepository } from '../model/reviews.ts'
import type { Collections } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { plainRow } from './rows.ts'

/** Pending reviews have a flag, so that an approval is one update of one document. */
export const PENDING = { pending: true }
export const PUBLISHED = { pending: false }

/** The pending reviews, in the collection of the others. */
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
