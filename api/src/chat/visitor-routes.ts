import { ClientIdSchema } from '@proctorpass/shared/schemas/ids'
import { CorrectVisitorSchema, PatchProfileSchema, VisitorSchema } from '@proctorpass/shared/schemas/inbox'
import { DoneSchema } from '@proctorpass/shared/schemas/list'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Visitors } from './visitors.ts'

const ClientIdParamSchema = Type.Object({ clientId: ClientIdSchema })
const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }
const security = [{ accessToken: [] }]

export function visitorRoutes(app: TypedApp, { visitors }: { visitors: Visitors }): void {
  app.get(
    '/chat/admin/:clientId/visitor',
    {
      schema: {
        tags: ['chat'],
        summary: 'What is known of a visitor',
        security,
        params: ClientIdParamSchema,
        response: { 200: VisitorSchema, ...errors },
      },
    },
    async (request) => visitors.find(adminOf(request), request.params.clientId),
  )

  app.patch(
    '/chat/admin/:clientId/visitor',
    {
      schema: {
        tags: ['chat'],
        summary: 'Correct what a visitor said about themselves; null clears',
        security,
        params: ClientIdParamSchema,
        body: CorrectVisitorSchema,
        response: { 200: VisitorSchema, ...errors },
      },
    },
    async (request) => visitors.correct(adminOf(request), request.params.clientId, request.body),
  )

  app.patch(
    '/chat/:clientId/profile',
    {
      schema: {
        tags: ['chat'],
        summary: 'What a visitor says about themselves, once they have a conversation; null clears',
        security: [{}, { visitorKey: [] }] as { [scheme: string]: string[] }[],
        params: ClientIdParamSchema,
        body: PatchProfileSchema,
        response: { 200: DoneSchema, ...errors },
      },
    },
    async (request) => {
      const { clientId } = request.params
      const { keyHash, ip: address } = request
      const caller = request.admin ?? ({ side: 'visitor', clientId, keyHash, address } as const)
      await visitors.report(caller, clientId, request.body, request.headers['user-agent'])
      return { message: 'Details saved' }
    },
  )
}
