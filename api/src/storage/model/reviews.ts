import { REVIEW_NAME_MAX, REVIEW_TEXT_MAX, REVIEW_TIME_MAX } from '@proctorpass/shared/limits'
import Type from 'typebox'
import { Id, Time, text } from './bounds.ts'
import { newId } from './ids.ts'
import { type Listed, type PageOfList, type PlainTable, pageOf, type Rows } from './plain-table.ts'

export interface ReviewRecord {
  _id: string
  name: string
  time: string
  star: number
  review: string
  createdAt: number
}

export type NewReview = Omit<ReviewRecord, '_id'>

/** Undefined fields stay as they are. */
export interface ReviewChange {
  name?: string | undefined
  time?: string | undefined
  star?: number | undefined
  review?: string | undefined
}

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const

/** Pending reviews have their own table on SQLite, so that a query for reviews cannot find one that is not approved. */
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

/** A published review. `demo` is true for a sample that no admin has changed. */
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
  approve: (id: string) => Promise<ReviewRecord | null>
  stars: () => Promise<{ count: number; average: number } | null>
}

/** Opens the reviews. Only `pending`, `approve`, and `remove` see reviews that wait for approval. */
export function openReviews({ published, pending, approve, stars }: Tables) {
  return {
    /** Lists the newest published reviews first, by createdAt and then by _id. */
    async list(page: PageOfList): Promise<Listed<ReviewRecord>> {
      const { items, count } = await pageOf(published, {}, NEWEST_FIRST, page)
      return { items: items.map(recordOf), count }
    },
    /** Lists the newest pending reviews first, by createdAt and then by _id. */
    pending: (page: PageOfList) => pageOf(pending, {}, NEWEST_FIRST, page),
    async findById(_id: string): Promise<ReviewRecord | null> {
      const found = await published.find({ _id })
      return found && recordOf(found)
    },
    async create(review: NewReview): Promise<ReviewRecord> {
      const record = reviewRow(newId(review.createdAt), review)
      await published.insert({ ...record, demo: false })
      return record
    },
    /** Stores a pending review. */
    async submit(review: NewReview): Promise<ReviewRecord> {
      const record = reviewRow(newId(review.createdAt), review)
      await pending.insert(record)
      return record
    },
    /** Returns null when the review is missing. A changed sample is no longer a sample. */
    async update(_id: string, { name, time, star, review }: ReviewChange): Promise<ReviewRecord | null> {
      const changed = await published.change({ _id }, { name, time, star, review, demo: false })
      return changed && recordOf(changed)
    },
    /**
     * Removes a published or pending review. Returns false when it is missing. It is looked for among the pending ones
     * first, so that a review that is approved in the meantime is still found.
     */
    remove: async (_id: string) =>
      (await pending.remove({ _id })) === 1 || (await published.remove({ _id })) === 1,
    /** Publishes a pending review atomically under its ID. Returns null when it is not pending. */
    approve,
    /** Returns the count and the average of the published reviews without samples, or null if there are none. */
    stars,
  }
}

export type ReviewRepository = ReturnType<typeof openReviews>

export function reviewRow(_id: string, { name, time, star, review, createdAt }: NewReview): ReviewRecord {
  return { _id, name, time, star, review, createdAt }
}

const recordOf = ({ demo: _, ...record }: PublishedReview): ReviewRecord => record
