import { Readable } from 'node:stream'
import { BlockedSchema, PostRatingSchema } from '@proctorpass/shared/schemas/chat'
import { ConversationExportSchema } from '@proctorpass/shared/schemas/export'
import { ClientIdParamSchema } from '@proctorpass/shared/schemas/ids'
import {
  BlockSchema,
  CorrectVisitorSchema,
  PatchProfileSchema,
  ReportedSchema,
  VisitorSchema,
} from '@proctorpass/shared/schemas/inbox'
import { DoneSchema } from '@proctorpass/shared/schemas/list'
import type { FastifyRequest } from 'fastify'
import { adminOf } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import type { TypedApp } from '../http/validation.ts'
import { type Limits, pointsForBytes } from '../limits/limits.ts'
import type { Chat } from './chat.ts'

interface VisitorRoutesOptions {
  chat: Pick<Chat, 'visitors' | 'blocks' | 'ratings' | 'export'>
  limits: Pick<Limits, 'charge'>
}

/** Serves visitors' data and ratings. */
export function visitorRoutes(app: TypedApp, options: VisitorRoutesOptions): void {
  adminRoutes(app, options)
  ownRoutes(app, options)
}

function adminRoutes(app: TypedApp, { chat: { visitors, blocks } }: VisitorRoutesOptions): void {
  app.get(
    '/chat/admin/:clientId/visitor',
    {
      schema: {
        summary: 'The data of a visitor',
        params: ClientIdParamSchema,
        response: { 200: VisitorSchema },
      },
    },
    async (request) => visitors.find(adminOf(request), request.params.clientId),
  )

  app.patch(
    '/chat/admin/:clientId/visitor',
    {
      schema: {
        summary: 'Correct what a visitor said about themselves; null clears',
        params: ClientIdParamSchema,
        body: CorrectVisitorSchema,
        response: { 200: VisitorSchema },
      },
    },
    async (request) => visitors.correct(adminOf(request), request.params.clientId, request.body),
  )

  app.post(
    '/chat/admin/:clientId/block',
    {
      schema: {
        summary:
          'Block a visitor for some hours, or for good: their messages are refused, and the conversation is resolved',
        params: ClientIdParamSchema,
        body: BlockSchema,
        response: { 200: BlockedSchema },
      },
    },
    async (request) => ({
      message: 'Visitor blocked',
      ...(await blocks.set(adminOf(request), request.params.clientId, request.body)),
    }),
  )

  app.delete(
    '/chat/admin/:clientId/block',
    {
      schema: {
        summary: 'Lift the block of a visitor, which reopens nothing',
        params: ClientIdParamSchema,
        response: { 200: BlockedSchema },
      },
    },
    async (request) => ({
      message: 'Visitor unblocked',
      ...(await blocks.set(adminOf(request), request.params.clientId, null)),
    }),
  )
}

function ownRoutes(app: TypedApp, { chat, limits }: VisitorRoutesOptions): void {
  app.patch(
    '/chat/:clientId/profile',
    {
      schema: {
        summary: 'What a visitor says about themselves, once they have a conversation; null clears',
        params: ClientIdParamSchema,
        body: PatchProfileSchema,
        response: { 200: ReportedSchema },
      },
    },
    async (request) => {
      const { clientId } = request.params
      const userAgent = request.headers['user-agent']
      const { unsubscribed } = await chat.visitors.report(
        callerOf(request),
        clientId,
        request.body,
        userAgent,
      )
      return { message: 'Details saved', ...(unsubscribed ? { unsubscribed } : {}) }
    },
  )

  app.post(
    '/chat/:clientId/rating',
    {
      schema: {
        summary: 'Rate a resolved conversation, once for each time that it is resolved',
        description: 'The same rating again answers 200.',
        params: ClientIdParamSchema,
        body: PostRatingSchema,
        response: { 200: DoneSchema, 201: DoneSchema },
      },
    },
    async (request, reply) => {
      const { repeated } = await chat.ratings.rate(callerOf(request), request.params.clientId, request.body)
      reply.code(repeated ? 200 : 201)
      return { message: 'Rating saved' }
    },
  )

  app.get(
    '/chat/:clientId/export',
    {
      schema: {
        summary: 'A conversation as a file, for its visitor',
        params: ClientIdParamSchema,
        response: { 200: ConversationExportSchema },
      },
    },
    async (request, reply) => {
      const { clientId } = request.params
      const parts = await chat.export(callerOf(request), clientId)
      reply.header('content-type', 'application/json; charset=utf-8')
      reply.header('content-disposition', 'attachment; filename="conversation.json"')
      reply.header('cache-control', 'private, no-store')
      // Each part is charged to the address, just as any other answer is charged as a whole.
      async function* charged() {
        for await (const part of parts) {
          await limits.charge('address', request.ip, pointsForBytes(Buffer.byteLength(part)))
          yield part
        }
      }
      return reply.send(Readable.from(charged()) as never)
    },
  )
}

/** An admin may do the same with an access token. */
function callerOf(request: FastifyRequest<{ Params: { clientId: string } }>): Caller {
  const { keyHash, ip: address } = request
  return request.admin ?? { side: 'visitor', clientId: request.params.clientId, keyHash, address }
}
