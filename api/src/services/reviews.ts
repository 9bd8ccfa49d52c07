import { AppError } from '@proctorpass/shared/errors'
import { PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import type { Review, ReviewList } from '@proctorpass/shared/schemas/review'
import type { NewReview, ReviewRecord, Storage } from '../storage/storage.ts'
import type { AdminCaller } from './chat.ts'
import type { ContentChanges } from './content-changes.ts'

/** Reviews: read by anyone, written by admins. */
export interface Reviews {
  /** Newest first. */
  list(query: ListQuery): Promise<ReviewList>
  /** Throws AppError `not-found`. */
  get(id: string): Promise<Review>
  create(admin: AdminCaller, review: Omit<NewReview, 'createdAt'>): Promise<Review>
}

interface ReviewsDeps {
  storage: Storage
  changes: ContentChanges
  now: () => number
}

export function createReviews({ storage, changes, now }: ReviewsDeps): Reviews {
  return {
    async list({ page = 1, perPage = PER_PAGE_DEFAULT }) {
      const { items, count } = await storage.reviews.list({ page, perPage })
      return { reviews: items.map(presentReview), count }
    },

    async get(id) {
      const review = await storage.reviews.findById(id)
      if (review === null) throw new AppError('not-found', 'There is no such review.')
      return presentReview(review)
    },

    async create(_admin, { name, time, star, review }) {
      const created = await storage.reviews.create({ name, time, star, review, createdAt: now() })
      changes.tell()
      return presentReview(created)
    },
  }
}

function presentReview({ _id, name, time, star, review }: ReviewRecord): Review {
  return { _id, name, time, star, review }
}
