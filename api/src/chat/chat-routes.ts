import {
  type ConversationList,
  ConversationListSchema,
  ConversationsQuerySchema,
  MarkedSchema,
  MarkReadSchema,
  PageQuerySchema,
  PageSchema,
  PostedMessageSchema,
  PostMessageSchema,
  UnreadCountSchema,
} from '@proctorpass/shared/schemas/chat'
import { ClientIdParamSchema } from '@proctorpass/shared/schemas/ids'
import { keyIdOf } from '@proctorpass/shared/schemas/key'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { readLimitKey } from '../auth/visitor-key.ts'
import { showLimit } from '../http/rate-limits.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Limits } from '../limits/limits.ts'
import type { Chat } from './chat.ts'
import { inboxRoutes } from './inbox-routes.ts'
import { scheduledRoutes } from './scheduled-routes.ts'

interface ChatRoutesOptions {
  chat: Chat
  limits: Limits
  apiPrefix: string
}

/** Serves the chat over HTTP: for the polling transport, and while no socket connects. */
export function chatRoutes(app: TypedApp, options: ChatRoutesOptions): void {
  adminRoutes(app, options)
  inboxRoutes(app, options.chat)
  scheduledRoutes(app, options.chat.scheduled)
  visitorRoutes(app, options)
}

function adminRoutes(app: TypedApp, { chat, apiPrefix }: ChatRoutesOptions): void {
  app.get(
    '/chat/unread/count',
    {
      schema: {
        summary: 'The number of messages that no admin has read',
        response: { 200: UnreadCountSchema },
      },
    },
    async (request) => chat.unreadCount(adminOf(request)),
  )

  app.get(
    '/chat',
    {
      schema: {
        summary: 'The conversations, the longest waiting first',
        querystring: ConversationsQuerySchema,
        response: { 200: ConversationListSchema },
      },
    },
    async (request, reply): Promise<ConversationList> => {
      const { conversations, next } = await chat.conversations(adminOf(request), request.query)
      if (next !== null) {
        const query = new URLSearchParams(
          Object.entries({ ...request.query, cursor: next }).map(([name, value]): [string, string] => [
            name,
            String(value),
          ]),
        )
        reply.header('link', `<${apiPrefix}/chat?${query}>; rel="next"`)
      }
      const isEmpty = conversations.length === 0 && request.query.cursor === undefined
      return isEmpty ? { message: 'No messages found!' } : conversations
    },
  )

  app.get(
    '/chat/admin/:clientId',
    {
      schema: {
        summary:
          'A conversation, for an admin; marks the returned messages as read unless after or before is given, or a key reads',
        params: ClientIdParamSchema,
        querystring: PageQuerySchema,
        response: { 200: PageSchema },
      },
    },
    async (request) => {
      const { after, before } = request.query
      const admin = adminOf(request)
      const isPerson = keyIdOf(admin.userId) === null
      const markRead = after === undefined && before === undefined && request.method === 'GET' && isPerson
      return chat.page(admin, request.params.clientId, request.query, { markRead })
    },
  )

  app.delete(
    '/chat/admin/:clientId',
    {
      schema: {
        summary: 'Erase a conversation',
        params: ClientIdParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await chat.erase(admin, request.params.clientId)
      request.log.info({ by: admin.userId }, 'conversation erased')
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/chat/admin/:clientId/read',
    {
      schema: {
        summary: 'Move the read mark of the admins up to seq',
        params: ClientIdParamSchema,
        body: MarkReadSchema,
        response: { 200: MarkedSchema },
      },
    },
    async (request) => chat.markRead(adminOf(request), request.params.clientId, request.body.seq),
  )
}

/** Serves visitors, and also admins with an access token. */
function visitorRoutes(app: TypedApp, { chat, limits }: ChatRoutesOptions): void {
  const callerOf = (request: FastifyRequest, clientId: string): Caller =>
    request.admin ?? { side: 'visitor', clientId, keyHash: request.keyHash, address: request.ip }

  app.post(
    '/chat',
    {
      schema: {
        summary: 'Send a message: as an admin with an access token, otherwise as the visitor',
        body: PostMessageSchema,
        response: { 200: PostedMessageSchema, 201: PostedMessageSchema },
      },
    },
    async (request, reply) => {
      const sent = await chat.send(callerOf(request, request.body.clientId), request.body)
      reply.code(sent.repeated ? 200 : 201)
      return { message: 'Message sent', data: sent.message }
    },
  )

  app.get(
    '/chat/:clientId',
    {
      schema: {
        summary: "A visitor's own conversation",
        params: ClientIdParamSchema,
        querystring: PageQuerySchema,
        response: { 200: PageSchema },
      },
    },
    async (request, reply) => {
      const { clientId } = request.params
      showLimit(reply, 'poll', await limits.take('poll', readLimitKey(clientId, request.ip)))
      return chat.page(callerOf(request, clientId), clientId, request.query)
    },
  )

  app.delete(
    '/chat/:clientId',
    {
      schema: {
        summary: 'Erase a conversation, as its visitor or as an admin',
        params: ClientIdParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { clientId } = request.params
      await limits.take('poll', readLimitKey(clientId, request.ip))
      await chat.erase(callerOf(request, clientId), clientId)
      request.log.info({ by: request.admin?.userId ?? 'visitor' }, 'conversation erased')
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/chat/:clientId/read',
    {
      schema: {
        summary: 'Move the read mark of the visitor up to seq',
        params: ClientIdParamSchema,
        body: MarkReadSchema,
        response: { 200: MarkedSchema },
      },
    },
    async (request) => {
      const { clientId } = request.params
      await limits.take('poll', readLimitKey(clientId, request.ip))
      return chat.markRead(callerOf(request, clientId), clientId, request.body.seq)
    },
  )
}
