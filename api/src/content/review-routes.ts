import { AppError } from '@proctorpass/shared/errors'
import { DoneSchema, ListQuerySchema } from '@proctorpass/shared/schemas/list'
import {
  NewReviewSchema,
  ReviewChangeSchema,
  ReviewIdParamSchema,
  ReviewListSchema,
  ReviewSchema,
  SavedReviewSchema,
  SubmittedReviewSchema,
} from '@proctorpass/shared/schemas/review'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import { fillMissing } from './fill-missing.ts'
import type { ListCache } from './list-cache.ts'
import type { Reviews } from './reviews.ts'

/** Serves reviews to everyone. */
export function reviewRoutes(
  app: TypedApp,
  { reviews, listCache }: { reviews: Reviews; listCache: ListCache },
): void {
  app.get(
    '/reviews',
    {
      schema: {
        summary: 'A page of reviews, newest first',
        querystring: ListQuerySchema,
        response: { 200: ReviewListSchema },
      },
    },
    async (request, reply) =>
      listCache.send(request, reply, request.query, async () => {
        const list = await reviews.list(request.query)
        return list.reviews.length === 0 ? { ...list, message: 'No reviews found!' } : list
      }),
  )

  app.get(
    '/reviews/one/:id',
    { schema: { summary: 'One review', params: ReviewIdParamSchema, response: { 200: ReviewSchema } } },
    async (request, reply) => {
      const review = await reviews.get(request.params.id)
      reply.header('cache-control', 'no-cache')
      return review
    },
  )
}

/** Serves visitors who submit reviews, while reviews are moderated. */
export function reviewSubmitRoutes(app: TypedApp, { reviews }: { reviews: Reviews }): void {
  app.post(
    '/reviews/submit',
    {
      schema: {
        summary: 'Submit a review for approval; only while PUBLIC_REVIEWS is moderated',
        body: SubmittedReviewSchema,
        response: { 201: DoneSchema },
      },
      preValidation: async (request) => {
        if (!reviews.moderated) throw new AppError('not-found', 'There is nothing at this address.')
        fillMissing(request, { name: '', star: 0, review: '' })
      },
    },
    async (request, reply) => {
      const message = await reviews.submit(request.body, request.ip)
      reply.code(201)
      return { message }
    },
  )
}

/** Serves admins who write and approve reviews. */
export function reviewAdminRoutes(app: TypedApp, { reviews }: { reviews: Reviews }): void {
  app.post(
    '/reviews',
    {
      schema: {
        summary: 'Add a review',
        body: NewReviewSchema,
        response: { 201: SavedReviewSchema },
      },
      preValidation: async (request) => fillMissing(request, { name: '', time: '', star: 0, review: '' }),
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await reviews.create(admin, request.body)
      request.log.info({ userId: admin.userId, reviewId: data._id }, 'review added')
      reply.code(201)
      return { message: 'Review published', data }
    },
  )

  app.get(
    '/reviews/pending',
    {
      schema: {
        summary: 'A page of pending reviews, newest first',
        querystring: ListQuerySchema,
        response: { 200: ReviewListSchema },
      },
    },
    async (request, reply) => {
      const list = await reviews.pending(adminOf(request), request.query)
      reply.header('cache-control', 'no-store')
      return list.reviews.length === 0 ? { ...list, message: 'No reviews to approve' } : list
    },
  )

  app.post(
    '/reviews/:id/approve',
    {
      schema: {
        summary: 'Publish a pending review',
        params: ReviewIdParamSchema,
        response: { 200: SavedReviewSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await reviews.approve(admin, request.params.id)
      request.log.info({ userId: admin.userId, reviewId: data._id }, 'review approved')
      return { message: 'Review published', data }
    },
  )

  app.patch(
    '/reviews/:id',
    {
      schema: {
        summary: 'Change any part of a review; its text is called newReview',
        params: ReviewIdParamSchema,
        body: ReviewChangeSchema,
        response: { 200: SavedReviewSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await reviews.update(admin, request.params.id, request.body)
      request.log.info({ userId: admin.userId, reviewId: data._id }, 'review changed')
      return { message: 'Review saved', data }
    },
  )

  app.delete(
    '/reviews/:id',
    {
      schema: {
        summary: 'Delete a review for good, also a pending one',
        params: ReviewIdParamSchema,
        response: { 200: DoneSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      await reviews.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, reviewId: request.params.id }, 'review deleted')
      return { message: 'Review deleted' }
    },
  )
}
