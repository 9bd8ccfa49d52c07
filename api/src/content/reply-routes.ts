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

/** Serves canned replies, all to admins. */
export function replyRoutes(app: TypedApp, { replies }: { replies: Replies }): void {
  app.get(
    '/replies',
    {
      schema: {
        summary: 'All canned replies, in order of shortcut',
        response: { 200: CannedReplyListSchema },
      },
    },
    (request) => replies.list(adminOf(request)),
  )

  app.post(
    '/replies',
    {
      schema: {
        summary: 'Add a canned reply; refused with 409 when its shortcut is taken',
        body: NewCannedReplySchema,
        response: { 201: SavedCannedReplySchema },
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
        summary: 'Change a canned reply; refused with 409 when the stored version is not the given one',
        params: CannedReplyIdParamSchema,
        body: CannedReplyChangeSchema,
        response: { 200: SavedCannedReplySchema },
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
        summary: 'Delete a canned reply for good',
        params: CannedReplyIdParamSchema,
        response: { 204: Type.Null() },
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
