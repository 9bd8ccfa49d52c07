import {
  ChangeAdminSchema,
  ChangedAdminSchema,
  InviteAdminSchema,
  InvitedAdminSchema,
  TeamAdminParamSchema,
  TeamSchema,
} from '@proctorpass/shared/schemas/team'
import Type from 'typebox'
import type { TypedApp } from '../http/validation.ts'
import { adminOf } from './authenticate.ts'
import type { TeamUseCases } from './team.ts'

export function teamRoutes(app: TypedApp, { team }: { team: TeamUseCases }): void {
  app.get(
    '/team',
    { schema: { summary: 'All admins, in order of creation', response: { 200: TeamSchema } } },
    (request) => team.list(adminOf(request)),
  )

  app.post(
    '/team',
    {
      schema: {
        summary:
          'Invite an admin, and mail the link if an address is given; for one who is invited already, replaces the link',
        body: InviteAdminSchema,
        response: { 201: InvitedAdminSchema },
      },
    },
    async (request, reply) => {
      const caller = adminOf(request)
      const invited = await team.invite(caller, request.body)
      request.log.info({ userId: invited.admin.userId, by: caller.userId }, 'admin invited')
      return reply.code(201).send(invited)
    },
  )

  app.patch(
    '/team/:userId',
    {
      schema: {
        summary: 'Change the display name of an admin, disable or enable them',
        params: TeamAdminParamSchema,
        body: ChangeAdminSchema,
        response: { 200: ChangedAdminSchema },
      },
    },
    async (request) => {
      const caller = adminOf(request)
      const { userId } = request.params
      const { disabled } = request.body
      const admin = await team.change(caller, userId, request.body)
      request.log.info(
        { userId, by: caller.userId, ...(disabled === undefined ? {} : { disabled }) },
        'admin changed',
      )
      return { admin }
    },
  )

  app.delete(
    '/team/:userId',
    {
      schema: {
        summary: 'Remove an admin who has not used the invitation',
        params: TeamAdminParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = adminOf(request)
      const { userId } = request.params
      await team.remove(caller, userId)
      request.log.info({ userId, by: caller.userId }, 'invited admin removed')
      return reply.code(204).send(null)
    },
  )
}
