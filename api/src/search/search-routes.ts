import { SearchPageSchema, SearchQuerySchema } from '@proctorpass/shared/schemas/search'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Search } from './search.ts'

export function searchRoutes(app: TypedApp, { search }: { search: Search }): void {
  app.get(
    '/search',
    {
      schema: {
        tags: ['chat'],
        summary: 'Messages, notes, visitors and contact messages with these words, the newest first',
        querystring: SearchQuerySchema,
        response: { 200: SearchPageSchema },
      },
    },
    async (request) => search.search(adminOf(request), request.query),
  )
}
