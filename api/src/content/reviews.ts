import { AppError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { REVIEW_FIELDS } from '@proctorpass/shared/fields/review'
import { PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import type {
  NewReview,
  Review,
  ReviewChange,
  ReviewList,
  SubmittedReview,
} from '@proctorpass/shared/schemas/review'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Listed } from '../storage/model/plain-table.ts'
import type { ReviewRecord } from '../storage/model/reviews.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { ContentRevision } from './content-revision.ts'
import { monthLabel } from './month-label.ts'

const { review: newReview, ...otherFields } = REVIEW_FIELDS
/** The fields of a change, which calls the text `newReview`. */
const CHANGE_FIELDS = { ...otherFields, newReview }

interface ReviewsDeps {
  storage: Storage
  contentRevision: ContentRevision
  limits: Limits
  /** The value of PUBLIC_REVIEWS. */
  publicReviews: 'off' | 'moderated'
  now: () => number
}

/**
 * The use cases for reviews: everyone reads and may submit; admins write and approve. Wrong fields throw an AppError
 * `invalid-input` with a detail for each. A value of 0 stars means that none were given.
 */
export function createReviews({ storage, contentRevision, limits, publicReviews, now }: ReviewsDeps) {
  /** Whether submitted reviews are stored. */
  const moderated = publicReviews === 'moderated'
  return {
    moderated,

    /** Returns a page of reviews, newest first. */
    async list({ page = 1, perPage = PER_PAGE_DEFAULT }: ListQuery): Promise<ReviewList> {
      const [list, stars] = await Promise.all([
        storage.reviews.list({ page, perPage }),
        storage.reviews.stars(),
      ])
      return { ...presentList(list), ...(stars === null ? {} : { stars }) }
    },

    /** Throws an AppError `not-found`, even if the review is pending. */
    async get(id: string): Promise<Review> {
      const review = await storage.reviews.findById(id)
      if (review === null) throw notFound()
      return presentReview(review)
    },

    async create(_admin: AdminCaller, input: NewReview): Promise<Review> {
      const review = checkFields(REVIEW_FIELDS, input)
      const created = await storage.reviews.create({ ...review, createdAt: now() })
      await contentRevision.changed()
      return presentReview(created)
    },

    /** Changes the given fields. Throws an AppError `not-found`, even if the review is pending. */
    async update(_admin: AdminCaller, id: string, change: ReviewChange): Promise<Review> {
      const { newReview, ...rest } = checkFields(CHANGE_FIELDS, change)
      const updated = await storage.reviews.update(id, { ...rest, review: newReview })
      if (updated === null) throw notFound()
      await contentRevision.changed()
      return presentReview(updated)
    },

    /** Removes a review for good, even a pending one. Throws an AppError `not-found` for an unknown one. */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const entry = auditEntry(admin, 'review.deleted', { target: id })
      if (!(await withEntry(entry, () => storage.reviews.remove(id)))) throw notFound()
      await contentRevision.changed()
    },

    /**
     * Resolves with a message for the visitor. While reviews are moderated, stores the review as pending, unless the
     * honeypot is filled, because only robots do that.
     */
    async submit({ name, star, review, website }: SubmittedReview, address: string): Promise<string> {
      const submitted = checkFields(REVIEW_FIELDS, { name, time: monthLabel(now()), star, review })
      if (moderated) {
        await limits.take('review', address)
        await limits.take('stored', address, pointsToStore(submitted.name, submitted.review))
        if (!website) await storage.reviews.submit({ ...submitted, createdAt: now() })
        return 'Review sent successfully. It will appear after approval.'
      }
      return 'Review sent successfully'
    },

    /** Returns a page of pending reviews, newest first. */
    async pending(
      _admin: AdminCaller,
      { page = 1, perPage = PER_PAGE_DEFAULT }: ListQuery,
    ): Promise<ReviewList> {
      return presentList(await storage.reviews.pending({ page, perPage }))
    },

    /** Throws an AppError `not-found` if no such review is pending. */
    async approve(_admin: AdminCaller, id: string): Promise<Review> {
      const review = await storage.reviews.approve(id)
      if (review === null) throw notFound()
      await contentRevision.changed()
      return presentReview(review)
    },
  }
}

export type Reviews = ReturnType<typeof createReviews>

function notFound(): AppError {
  return new AppError('not-found', 'Review not found.')
}

function presentList({ items, count }: Listed<ReviewRecord>): ReviewList {
  return { reviews: items.map(presentReview), count }
}

function presentReview({ _id, name, time, star, review }: ReviewRecord): Review {
  return { _id, name, time, star, review }
}
