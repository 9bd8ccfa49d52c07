import {
  ApiKeyIdParamSchema,
  ApiKeyListSchema,
  CreatedApiKeySchema,
  NewApiKeySchema,
} from '@proctorpass/shared/schemas/key'
import Type from 'typebox'
import type { TypedApp } from '../http/validation.ts'
import { adminOf } from './authenticate.ts'
import type { Keys } from './keys.ts'

/** Serves API keys to signed-in admins only. */
export function keyRoutes(app: TypedApp, { keys }: { keys: Keys }): void {
  app.get(
    '/keys',
    { schema: { summary: 'The API keys, newest first', response: { 200: ApiKeyListSchema } } },
    (request) => keys.list(adminOf(request)),
  )

  app.post(
    '/keys',
    {
      schema: {
        summary: 'Create an API key; only this answer has it',
        body: NewApiKeySchema,
        response: { 201: CreatedApiKeySchema },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const created = await keys.create(admin, request.body)
      request.log.info({ userId: admin.userId, keyId: created.data._id }, 'API key created')
      reply.code(201)
      return created
    },
  )

  app.delete(
    '/keys/:id',
    {
      schema: {
        summary: 'Delete an API key: it ends at once',
        params: ApiKeyIdParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await keys.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, keyId: request.params.id }, 'API key deleted')
      return reply.code(204).send(null)
    },
  )
}
