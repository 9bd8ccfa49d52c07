import {
  NewPasskeySchema,
  PasskeyChangeSchema,
  PasskeyIdParamSchema,
  PasskeyOptionsSchema,
  RecoveryCodesSchema,
} from '@proctorpass/shared/schemas/factors'
import Type from 'typebox'
import type { TypedApp } from '../http/validation.ts'
import { adminOf } from './authenticate.ts'
import type { OwnPasskeys } from './own-passkeys.ts'

/** Serves an admin's own passkeys. */
export function passkeyRoutes(app: TypedApp, { passkeys }: { passkeys: OwnPasskeys }): void {
  app.post(
    '/account/passkeys/options',
    {
      schema: {
        summary: 'What the browser needs to make a passkey',
        response: { 200: PasskeyOptionsSchema },
      },
    },
    (request) => passkeys.begin(adminOf(request)),
  )

  app.post(
    '/account/passkeys',
    {
      schema: {
        summary: 'Add a passkey that the browser made; ends all your other sessions',
        body: NewPasskeySchema,
        response: { 201: RecoveryCodesSchema },
      },
    },
    async (request, reply) => {
      const recovery = await passkeys.add(adminOf(request), request.body)
      reply.code(201)
      return { recovery }
    },
  )

  app.patch(
    '/account/passkeys/:id',
    {
      schema: {
        summary: 'Rename a passkey',
        params: PasskeyIdParamSchema,
        body: PasskeyChangeSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await passkeys.rename(adminOf(request), request.params.id, request.body.name)
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/account/passkeys/:id',
    {
      schema: {
        summary: 'Remove a passkey; ends all your other sessions',
        params: PasskeyIdParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await passkeys.remove(adminOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
