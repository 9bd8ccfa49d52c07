import { REVIEW_NAME_MAX, REVIEW_TEXT_MAX, REVIEW_TIME_MAX } from '@proctorpass/shared/limits'
import Type from 'typebox'
import type { NewReview, ReviewRecord } from '../port/records.ts'
import type { ReviewRepository } from '../port/storage.ts'
import { newId } from '../rules/ids.ts'
import { Id, Time, text } from './bounds.ts'
import { type PlainTable, pageOf, type Rows } from './plain-table.ts'

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const

/** Pending reviews have a table of their own on SQLite: a query of reviews cannot find one that is not approved. */
export const PENDING_REVIEWS: PlainTable<ReviewRecord> = {
  name: 'pending_reviews',
  key: '_id',
  fields: {
    _id: Id,
    name: text(REVIEW_NAME_MAX),
    time: text(REVIEW_TIME_MAX),
    star: Type.Number({ minimum: 0, maximum: 5 }),
    review: text(REVIEW_TEXT_MAX),
    createdAt: Time,
  },
  indexes: { newest: { by: NEWEST_FIRST } },
}

/** `demo`: a sample that no admin has changed. */
export type PublishedReview = ReviewRecord & { demo: boolean }

export const REVIEWS: PlainTable<PublishedReview> = {
  ...PENDING_REVIEWS,
  name: 'reviews',
  fields: { ...PENDING_REVIEWS.fields, demo: Type.Boolean() },
  indexes: { newest: { by: NEWEST_FIRST }, demo: { by: { demo: 1 } } },
}

interface Tables {
  published: Rows<PublishedReview>
  pending: Rows<ReviewRecord>
  /** Moves it in one write. */
  approve: ReviewRepository['approve']
  stars: ReviewRepository['stars']
}

export function openReviews({ published, pending, approve, stars }: Tables): ReviewRepository {
  return {
    async list(page) {
      const { items, count } = await pageOf(published, {}, NEWEST_FIRST, page)
      return { items: items.map(recordOf), count }
    },
    pending: (page) => pageOf(pending, {}, NEWEST_FIRST, page),
    async findById(_id) {
      const found = await published.find({ _id })
      return found && recordOf(found)
    },
    async create(review) {
      const record = reviewRow(newId(review.createdAt), review)
      await published.insert({ ...record, demo: false })
      return record
    },
    async submit(review) {
      const record = reviewRow(newId(review.createdAt), review)
      await pending.insert(record)
      return record
    },
    async update(_id, { name, time, star, review }) {
      const changed = await published.change({ _id }, { name, time, star, review, demo: false })
      return changed && recordOf(changed)
    },
    // Pending ones first: one that is approved meanwhile is found after that.
    remove: async (_id) => (await pending.remove({ _id })) === 1 || (await published.remove({ _id })) === 1,
    approve,
    stars,
  }
}

export function reviewRow(_id: string, { name, time, star, review, createdAt }: NewReview): ReviewRecord {
  return { _id, name, time, star, review, createdAt }
}

const recordOf = ({ demo: _, ...record }: PublishedReview): ReviewRecord => record
