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

const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }
const security = [{ accessToken: [] }]

export function teamRoutes(app: TypedApp, { team }: { team: TeamUseCases }): void {
  app.get(
    '/team',
    {
      schema: {
        tags: ['team'],
        summary: 'All admins, in order of creation',
        security,
        response: { 200: TeamSchema, ...errors },
      },
    },
    (request) => team.list(adminOf(request)),
  )

  app.post(
    '/team',
    {
      schema: {
        tags: ['team'],
        summary: 'Invite an admin; for one who is invited already, replaces the link',
        security,
        body: InviteAdminSchema,
        response: { 201: InvitedAdminSchema, ...errors },
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
        tags: ['team'],
        summary: 'Change the display name of an admin, disable or enable them',
        security,
        params: TeamAdminParamSchema,
        body: ChangeAdminSchema,
        response: { 200: ChangedAdminSchema, ...errors },
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
        tags: ['team'],
        summary: 'Remove an admin who has not used the invitation',
        security,
        params: TeamAdminParamSchema,
        response: { 204: Type.Null(), ...errors },
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
