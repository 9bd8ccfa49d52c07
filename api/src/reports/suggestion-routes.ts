import {
  AnsweredQuerySchema,
  AnsweredSchema,
  SuggestedPathSchema,
} from '@proctorpass/shared/schemas/suggestion'
import { suggestionPaths } from '@proctorpass/shared/suggestion-paths'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { SuggestionUseCases } from './suggestions.ts'

const counted = { body: SuggestedPathSchema, response: { 204: Type.Null() } }
/** The body holds only a path and its name. */
const bodyLimit = 1_024

export function suggestionRoutes(app: TypedApp, { suggestions }: { suggestions: SuggestionUseCases }): void {
  app.post(
    suggestionPaths.opened,
    { bodyLimit, schema: { summary: 'Count that a visitor opened a suggested page', ...counted } },
    async (request, reply) => {
      await suggestions.count(request.body.path, 'opened', request.ip)
      return reply.code(204).send(null)
    },
  )

  app.post(
    suggestionPaths.asked,
    {
      bodyLimit,
      schema: {
        summary: 'Count that a visitor wrote within 30 minutes of opening a suggested page',
        ...counted,
      },
    },
    async (request, reply) => {
      await suggestions.count(request.body.path, 'asked', request.ip)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/suggestions/answered',
    {
      schema: {
        summary: 'What suggested pages answered, and words of first messages for which no page is found',
        querystring: AnsweredQuerySchema,
        response: { 200: AnsweredSchema },
      },
    },
    (request) => suggestions.answered(adminOf(request), request.query),
  )
}
