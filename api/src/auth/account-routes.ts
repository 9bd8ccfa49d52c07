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

/** Serves an admin's own profile, password, and sessions. */
export function accountRoutes(app: TypedApp, { account }: { account: OwnAccount }): void {
  app.get('/account', { schema: { summary: 'Your account', response: { 200: AccountSchema } } }, (request) =>
    account.read(adminOf(request)),
  )

  app.patch(
    '/account',
    {
      schema: {
        summary: 'Change your display name, whether you are on duty, your email, and your weekly mail',
        body: AccountChangeSchema,
        response: { 200: AccountSchema },
      },
    },
    (request) => account.change(adminOf(request), request.body),
  )

  app.post(
    '/account/password',
    {
      schema: {
        summary: 'Change your password; ends all your other sessions',
        body: PasswordChangeSchema,
        response: { 200: DoneSchema },
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
    { schema: { summary: 'Your sessions, newest first', response: { 200: SessionListSchema } } },
    (request) => account.sessions(adminOf(request)),
  )

  app.delete(
    '/account/sessions/:id',
    {
      schema: {
        summary: 'End one of your sessions',
        params: SessionIdParamSchema,
        response: { 200: DoneSchema },
      },
    },
    async (request) => {
      await account.endSession(adminOf(request), request.params.id)
      return { message: 'Session ended' }
    },
  )
}
