import { AppError, type ErrorDetail, fieldErrors } from '@proctorpass/shared/errors'
import {
  PER_PAGE_DEFAULT,
  REVIEW_NAME_MAX,
  REVIEW_TEXT_MAX,
  REVIEW_TIME_MAX,
  STAR_MAX,
  STAR_MIN,
  STAR_STEP,
} from '@proctorpass/shared/limits'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import type {
  NewReview,
  Review,
  ReviewChange,
  ReviewList,
  SubmittedReview,
} from '@proctorpass/shared/schemas/review'
import { lineProblem, textProblem } from '@proctorpass/shared/text-rules'
import type { AdminCaller } from '../auth/caller.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import type { Listed, ReviewRecord, Storage } from '../storage/storage.ts'
import type { ContentRevision } from './content-revision.ts'
import { monthLabel } from './month-label.ts'

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
      return presentList(await storage.reviews.list({ page, perPage }))
    },

    async get(id) {
      const review = await storage.reviews.findById(id)
      if (review === null) throw notFound()
      return presentReview(review)
    },

    async create(_admin, input) {
      const review = checked(input)
      const created = await storage.reviews.create({ ...review, createdAt: now() })
      await contentRevision.changed()
      return presentReview(created)
    },

    async update(_admin, id, { newReview, ...rest }) {
      const stored = await storage.reviews.findById(id)
      if (stored === null) throw notFound()
      const { name, time, star, review } = stored
      // Stored stars finer than the form allows are accepted unchanged.
      const given = {
        name,
        time,
        star,
        review,
        ...rest,
        ...(newReview !== undefined && { review: newReview }),
      }
      const change = checked(given, { star, textField: 'newReview' })
      const updated = await storage.reviews.update(id, {
        name: rest.name === undefined ? undefined : change.name,
        time: rest.time === undefined ? undefined : change.time,
        star: rest.star,
        review: newReview === undefined ? undefined : change.review,
      })
      if (updated === null) throw notFound()
      await contentRevision.changed()
      return presentReview(updated)
    },

    async remove(_admin, id) {
      if (!(await storage.reviews.remove(id))) throw notFound()
      await contentRevision.changed()
    },

    async submit({ name, star, review, website }, address) {
      const submitted = checked({ name, time: monthLabel(now()), star, review })
      if (moderated) {
        await limits.take('review', address)
        await limits.take('stored', address, pointsToStore(submitted.name, submitted.review))
        if (!website) await storage.reviews.submit({ ...submitted, createdAt: now() })
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

/** The review as it is stored. Unchanged stars are accepted whatever they are. */
function checked(input: NewReview, before?: { star: number; textField: string }): NewReview {
  const name = input.name.trim()
  const time = input.time.trim()
  const review = input.review.trim().replaceAll('\r\n', '\n')
  const details: ErrorDetail[] = []
  const wrong = (field: string, message: string | null) => {
    if (message !== null) details.push({ field, message })
  }
  wrong('name', name === '' ? 'Name is required' : lineProblem(name, REVIEW_NAME_MAX))
  wrong('time', time === '' ? 'Time is required' : lineProblem(time, REVIEW_TIME_MAX))
  if (input.star !== before?.star) wrong('star', starProblem(input.star))
  wrong(before?.textField ?? 'review', review === '' ? 'Required' : textProblem(review, REVIEW_TEXT_MAX))
  if (details.length > 0) throw fieldErrors(details)
  return { name, time, star: input.star, review }
}

function starProblem(star: number): string | null {
  if (star === 0) return 'Required'
  if (!(star >= STAR_MIN && star <= STAR_MAX)) return 'Please give 1 to 5 stars.'
  return Number.isInteger(star / STAR_STEP) ? null : 'Please give whole or half stars.'
}

function notFound(): AppError {
  return new AppError('not-found', 'There is no such review.')
}

function presentList({ items, count }: Listed<ReviewRecord>): ReviewList {
  return { reviews: items.map(presentReview), count }
}

function presentReview({ _id, name, time, star, review }: ReviewRecord): Review {
  return { _id, name, time, star, review }
}
