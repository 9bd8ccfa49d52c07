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
import type { Listed, ReviewRecord } from '../storage/port/records.ts'
import type { Storage } from '../storage/port/storage.ts'
import { withEntry } from '../storage/rules/due-entry.ts'
import type { ContentRevision } from './content-revision.ts'
import { monthLabel } from './month-label.ts'

const { review: newReview, ...otherFields } = REVIEW_FIELDS
/** Of a change, which calls the text `newReview`. */
const CHANGE_FIELDS = { ...otherFields, newReview }

/**
 * Use cases of reviews: everyone reads and may submit, admins write and approve. Wrong fields throw AppError
 * `invalid-input` with a detail for each; 0 stars means that none were given.
 */
export interface Reviews {
  /** Newest first. */
  list(query: ListQuery): Promise<ReviewList>
  /** Throws AppError `not-found`, also for a pending review. */
  get(id: string): Promise<Review>
  create(admin: AdminCaller, review: NewReview): Promise<Review>
  /** Changes the given fields. Throws AppError `not-found`, also for a pending review. */
  update(admin: AdminCaller, id: string, change: ReviewChange): Promise<Review>
  /** Removes a review, also a pending one. Final. Throws AppError `not-found`. */
  remove(admin: AdminCaller, id: string): Promise<void>
  /**
   * Resolves with a message for the visitor. Stores the review as pending while reviews are moderated, unless the
   * honeypot is filled, as only robots do.
   */
  submit(review: SubmittedReview, address: string): Promise<string>
  /** Whether submitted reviews are stored. */
  readonly moderated: boolean
  /** Pending reviews, newest first. */
  pending(admin: AdminCaller, query: ListQuery): Promise<ReviewList>
  /** Throws AppError `not-found` when no such review is pending. */
  approve(admin: AdminCaller, id: string): Promise<Review>
}

interface ReviewsDeps {
  storage: Storage
  contentRevision: ContentRevision
  limits: Limits
  /** PUBLIC_REVIEWS. */
  publicReviews: 'off' | 'moderated'
  now: () => number
}

export function createReviews({
  storage,
  contentRevision,
  limits,
  publicReviews,
  now,
}: ReviewsDeps): Reviews {
  const moderated = publicReviews === 'moderated'
  return {
    moderated,

    async list({ page = 1, perPage = PER_PAGE_DEFAULT }) {
      const [list, stars] = await Promise.all([
        storage.reviews.list({ page, perPage }),
        storage.reviews.stars(),
      ])
      return { ...presentList(list), ...(stars === null ? {} : { stars }) }
    },

    async get(id) {
      const review = await storage.reviews.findById(id)
      if (review === null) throw notFound()
      return presentReview(review)
    },

    async create(_admin, input) {
      const review = checkFields(REVIEW_FIELDS, input)
      const created = await storage.reviews.create({ ...review, createdAt: now() })
      await contentRevision.changed()
      return presentReview(created)
    },

    async update(_admin, id, change) {
      const { newReview, ...rest } = checkFields(CHANGE_FIELDS, change)
      const updated = await storage.reviews.update(id, { ...rest, review: newReview })
      if (updated === null) throw notFound()
      await contentRevision.changed()
      return presentReview(updated)
    },

    async remove(admin, id) {
      const entry = auditEntry(admin, 'review.deleted', { target: id })
      if (!(await withEntry(entry, () => storage.reviews.remove(id)))) throw notFound()
      await contentRevision.changed()
    },

    async submit({ name, star, review, website }, address) {
      const submitted = checkFields(REVIEW_FIELDS, { name, time: monthLabel(now()), star, review })
      if (moderated) {
        await limits.take('review', address)
        await limits.take('stored', address, pointsToStore(submitted.name, submitted.review))
        if (!website) await storage.reviews.submit({ ...submitted, createdAt: now() })
        return 'Review sent successfully. It will appear after approval.'
      }
      return 'Review sent successfully'
    },

    async pending(_admin, { page = 1, perPage = PER_PAGE_DEFAULT }) {
      return presentList(await storage.reviews.pending({ page, perPage }))
    },

    async approve(_admin, id) {
      const review = await storage.reviews.approve(id)
      if (review === null) throw notFound()
      await contentRevision.changed()
      return presentReview(review)
    },
  }
}

function notFound(): AppError {
  return new AppError('not-found', 'Review not found.')
}

function presentList({ items, count }: Listed<ReviewRecord>): ReviewList {
  return { reviews: items.map(presentReview), count }
}

function presentReview({ _id, name, time, star, review }: ReviewRecord): Review {
  return { _id, name, time, star, review }
}
