import { TeamSchema } from '@proctorpass/shared/schemas/team'
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
}
