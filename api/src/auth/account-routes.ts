import {
  AccountChangeSchema,
  AccountSchema,
  PasswordChangeSchema,
  SessionIdParamSchema,
  SessionListSchema,
} from '@proctorpass/shared/schemas/account'
import { DoneSchema } from '@proctorpass/shared/schemas/list'
import type { TypedApp } from '../http/validation.ts'
import { adminOf } from './authenticate.ts'
import type { OwnAccount } from './own-account.ts'

const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }
const security = [{ accessToken: [] }]

/** An admin's own profile, password and sessions. */
export function accountRoutes(app: TypedApp, { account }: { account: OwnAccount }): void {
  app.get(
    '/account',
    {
      schema: {
        tags: ['account'],
        summary: 'Your account',
        security,
        response: { 200: AccountSchema, ...errors },
      },
    },
    (request) => account.read(adminOf(request)),
  )

  app.patch(
    '/account',
    {
      schema: {
        tags: ['account'],
        summary: 'Change your display name, whether you are on duty, and your email',
        security,
        body: AccountChangeSchema,
        response: { 200: AccountSchema, ...errors },
      },
    },
    (request) => account.change(adminOf(request), request.body),
  )

  app.post(
    '/account/password',
    {
      schema: {
        tags: ['account'],
        summary: 'Change your password; ends all your other sessions',
        security,
        body: PasswordChangeSchema,
        response: { 200: DoneSchema, ...errors },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      await account.changePassword(admin, request.body)
      request.log.info({ userId: admin.userId }, 'password changed')
      return { message: "Your password was changed. You're signed out everywhere else." }
    },
  )

  app.get(
    '/account/sessions',
    {
      schema: {
        tags: ['account'],
        summary: 'Your sessions, newest first',
        security,
        response: { 200: SessionListSchema, ...errors },
      },
    },
    (request) => account.sessions(adminOf(request)),
  )

  app.delete(
    '/account/sessions/:id',
    {
      schema: {
        tags: ['account'],
        summary: 'End one of your sessions',
        security,
        params: SessionIdParamSchema,
        response: { 200: DoneSchema, ...errors },
      },
    },
    async (request) => {
      await account.endSession(adminOf(request), request.params.id)
      return { message: 'Session ended' }
    },
  )
}
