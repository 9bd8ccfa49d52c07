import { PostedMessageSchema } from '@proctorpass/shared/schemas/chat'
import { ClientIdParamSchema } from '@proctorpass/shared/schemas/ids'
import {
  PatchScheduledSchema,
  PostedScheduledSchema,
  PostScheduledSchema,
  ScheduledListSchema,
  ScheduledParamSchema,
} from '@proctorpass/shared/schemas/scheduled'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { ScheduledUseCases } from './scheduled.ts'

const tags = ['inbox']

/** Serves messages that are sent later. */
export function scheduledRoutes(app: TypedApp, scheduled: ScheduledUseCases): void {
  app.get(
    '/chat/admin/:clientId/scheduled',
    {
      schema: {
        tags,
        summary: 'The messages that are scheduled in a conversation, the earliest first',
        params: ClientIdParamSchema,
        response: { 200: ScheduledListSchema },
      },
    },
    async (request) => ({ scheduled: await scheduled.list(adminOf(request), request.params.clientId) }),
  )

  app.post(
    '/chat/admin/:clientId/scheduled',
    {
      schema: {
        tags,
        summary: 'Schedule a message; a repeated nonce answers 200 and schedules nothing again',
        params: ClientIdParamSchema,
        body: PostScheduledSchema,
        response: { 200: PostedScheduledSchema, 201: PostedScheduledSchema },
      },
    },
    async (request, reply) => {
      const { clientId } = request.params
      const { scheduled: data, repeated } = await scheduled.create(adminOf(request), clientId, request.body)
      reply.code(repeated ? 200 : 201)
      return { message: 'Message scheduled', data }
    },
  )

  app.patch(
    '/chat/admin/:clientId/scheduled/:id',
    {
      schema: {
        tags,
        summary: 'Change a scheduled message; 409 when another version is stored or it was sent',
        params: ScheduledParamSchema,
        body: PatchScheduledSchema,
        response: { 200: PostedScheduledSchema },
      },
    },
    async (request) => {
      const { clientId, id } = request.params
      const data = await scheduled.change(adminOf(request), clientId, id, request.body)
      return { message: 'Message changed', data }
    },
  )

  app.delete(
    '/chat/admin/:clientId/scheduled/:id',
    {
      schema: {
        tags,
        summary: 'Cancel a scheduled message',
        params: ScheduledParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { clientId, id } = request.params
      await scheduled.cancel(adminOf(request), clientId, id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/chat/admin/:clientId/scheduled/:id/send',
    {
      schema: {
        tags,
        summary: 'Send a scheduled message now; 200 when it was already sent',
        params: ScheduledParamSchema,
        response: { 200: PostedMessageSchema, 201: PostedMessageSchema },
      },
    },
    async (request, reply) => {
      const { clientId, id } = request.params
      const { message, repeated } = await scheduled.send(adminOf(request), clientId, id)
      reply.code(repeated ? 200 : 201)
      return { message: 'Message sent', data: message }
    },
  )
}
