import {
  CannedReplyChangeSchema,
  CannedReplyIdParamSchema,
  CannedReplyListSchema,
  NewCannedReplySchema,
  SavedCannedReplySchema,
} from '@proctorpass/shared/schemas/reply'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import { fillMissing } from './fill-missing.ts'
import type { Replies } from './replies.ts'

const tags = ['replies']
const security = [{ accessToken: [] }]
const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }

/** Canned replies, all for admins. */
export function replyRoutes(app: TypedApp, { replies }: { replies: Replies }): void {
  app.get(
    '/replies',
    {
      schema: {
        tags,
        summary: 'All canned replies, in order of shortcut',
        security,
        response: { 200: CannedReplyListSchema, ...errors },
      },
    },
    (request) => replies.list(adminOf(request)),
  )

  app.post(
    '/replies',
    {
      schema: {
        tags,
        summary: 'Add a canned reply; refused with 409 when its shortcut is taken',
        security,
        body: NewCannedReplySchema,
        response: { 201: SavedCannedReplySchema, ...errors },
      },
      preValidation: async (request) => fillMissing(request, { shortcut: '', text: '' }),
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await replies.create(admin, request.body)
      request.log.info({ userId: admin.userId, replyId: data._id }, 'canned reply added')
      reply.code(201)
      return { message: 'Reply saved', data }
    },
  )

  app.patch(
    '/replies/:id',
    {
      schema: {
        tags,
        summary: 'Change a canned reply; refused with 409 when the stored version is not the given one',
        security,
        params: CannedReplyIdParamSchema,
        body: CannedReplyChangeSchema,
        response: { 200: SavedCannedReplySchema, ...errors },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await replies.update(admin, request.params.id, request.body)
      request.log.info(
        { userId: admin.userId, replyId: data._id, version: data.version },
        'canned reply changed',
      )
      return { message: 'Reply saved', data }
    },
  )

  app.delete(
    '/replies/:id',
    {
      schema: {
        tags,
        summary: 'Delete a canned reply for good',
        security,
        params: CannedReplyIdParamSchema,
        response: { 204: Type.Null(), ...errors },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await replies.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, replyId: request.params.id }, 'canned reply deleted')
      return reply.code(204).send(null)
    },
  )
}
