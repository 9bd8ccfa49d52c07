import {
  FactorsSchema,
  RecoveryCodesSchema,
  TotpCodeSchema,
  TotpSetupSchema,
} from '@proctorpass/shared/schemas/factors'
import { DoneSchema } from '@proctorpass/shared/schemas/list'
import type { TypedApp } from '../http/validation.ts'
import { adminOf } from './authenticate.ts'
import type { OwnFactors } from './factors.ts'

/** Serves an admin's own second factors. */
export function factorRoutes(app: TypedApp, { factors }: { factors: OwnFactors }): void {
  app.get(
    '/account/factors',
    {
      schema: { summary: 'Your second factors', response: { 200: FactorsSchema } },
    },
    (request) => factors.list(adminOf(request)),
  )

  app.post(
    '/account/totp',
    { schema: { summary: 'Begin to set up an authenticator app', response: { 200: TotpSetupSchema } } },
    (request) => factors.beginTotp(adminOf(request)),
  )

  app.post(
    '/account/totp/confirm',
    {
      schema: {
        summary: 'Confirm an authenticator app with its code; ends all your other sessions',
        body: TotpCodeSchema,
        response: { 200: RecoveryCodesSchema },
      },
    },
    async (request) => ({ recovery: await factors.confirmTotp(adminOf(request), request.body.code) }),
  )

  app.delete(
    '/account/totp',
    {
      schema: {
        summary: 'Remove your authenticator app and recovery codes; ends all your other sessions',
        response: { 200: DoneSchema },
      },
    },
    async (request) => {
      await factors.removeTotp(adminOf(request))
      return { message: 'Your authenticator app was removed.' }
    },
  )

  app.post(
    '/account/recovery',
    {
      schema: {
        summary: 'Ten new recovery codes in place of yours; ends all your other sessions',
        response: { 200: RecoveryCodesSchema },
      },
    },
    async (request) => ({ recovery: await factors.renewRecovery(adminOf(request)) }),
  )
}
