import {
  NewSavedSearchSchema,
  SavedSearchIdParamSchema,
  SavedSearchListSchema,
  StoredSavedSearchSchema,
} from '@proctorpass/shared/schemas/search'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { SavedSearches } from './saved-searches.ts'

const tags = ['chat']

/** Serves an admin's own saved searches. */
export function savedSearchRoutes(app: TypedApp, { savedSearches }: { savedSearches: SavedSearches }): void {
  app.get(
    '/account/searches',
    {
      schema: {
        tags,
        summary: 'Your saved searches in order of name, with the number of their results',
        response: { 200: SavedSearchListSchema },
      },
    },
    (request) => savedSearches.list(adminOf(request)),
  )

  app.post(
    '/account/searches',
    {
      schema: {
        tags,
        summary: 'Save a search; refused with 409 when its name is taken, or when you have 20',
        body: NewSavedSearchSchema,
        response: { 201: StoredSavedSearchSchema },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await savedSearches.create(admin, request.body)
      request.log.info({ userId: admin.userId, searchId: data._id }, 'search saved')
      reply.code(201)
      return { message: 'Search saved', data }
    },
  )

  app.delete(
    '/account/searches/:id',
    {
      schema: {
        tags,
        summary: 'Delete one of your saved searches',
        params: SavedSearchIdParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await savedSearches.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, searchId: request.params.id }, 'saved search deleted')
      return reply.code(204).send(null)
    },
  )
}
