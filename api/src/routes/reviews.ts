import { ListQuerySchema } from '@proctorpass/shared/schemas/list'
import { ReviewIdParamSchema, ReviewListSchema, ReviewSchema } from '@proctorpass/shared/schemas/review'
import type { TypedApp } from '../plugins/validation.ts'
import type { Reviews } from '../services/reviews.ts'

const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }

/** Reviews as the public reads them. */
export function reviewRoutes(app: TypedApp, { reviews }: { reviews: Reviews }): void {
  app.get(
    '/reviews',
    {
      schema: {
        tags: ['reviews'],
        summary: 'A page of reviews, newest first',
        querystring: ListQuerySchema,
        response: { 200: ReviewListSchema, ...errors },
      },
    },
    async (request, reply) => {
      const list = await reviews.list(request.query)
      reply.header('cache-control', 'no-cache')
      return list.reviews.length === 0 ? { ...list, message: 'No reviews found!' } : list
    },
  )

  app.get(
    '/reviews/one/:id',
    {
      schema: {
        tags: ['reviews'],
        summary: 'One review',
        params: ReviewIdParamSchema,
        response: { 200: ReviewSchema, ...errors },
      },
    },
    async (request, reply) => {
      const review = await reviews.get(request.params.id)
      reply.header('cache-control', 'no-cache')
      return review
    },
  )
}
