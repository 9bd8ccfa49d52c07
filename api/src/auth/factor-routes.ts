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

const tags = ['account']
const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }
const security = [{ accessToken: [] }]

/** An admin's own second factors. */
export function factorRoutes(app: TypedApp, { factors }: { factors: OwnFactors }): void {
  app.get(
    '/account/factors',
    {
      schema: { tags, summary: 'Your second factors', security, response: { 200: FactorsSchema, ...errors } },
    },
    (request) => factors.list(adminOf(request)),
  )

  app.post(
    '/account/totp',
    {
      schema: {
        tags,
        summary: 'Begin to set up an authenticator app',
        security,
        response: { 200: TotpSetupSchema, ...errors },
      },
    },
    (request) => factors.beginTotp(adminOf(request)),
  )

  app.post(
    '/account/totp/confirm',
    {
      schema: {
        tags,
        summary: 'Confirm an authenticator app with its code; ends all your other sessions',
        security,
        body: TotpCodeSchema,
        response: { 200: RecoveryCodesSchema, ...errors },
      },
    },
    async (request) => ({ recovery: await factors.confirmTotp(adminOf(request), request.body.code) }),
  )

  app.delete(
    '/account/totp',
    {
      schema: {
        tags,
        summary: 'Remove your authenticator app and recovery codes; ends all your other sessions',
        security,
        response: { 200: DoneSchema, ...errors },
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
        tags,
        summary: 'Ten new recovery codes in place of yours; ends all your other sessions',
        security,
        response: { 200: RecoveryCodesSchema, ...errors },
      },
    },
    async (request) => ({ recovery: await factors.renewRecovery(adminOf(request)) }),
  )
}
