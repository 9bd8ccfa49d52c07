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

const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }
const shared = { tags: ['account'], security: [{ accessToken: [] }] }

/** An admin's own passkeys. */
export function passkeyRoutes(app: TypedApp, { passkeys }: { passkeys: OwnPasskeys }): void {
  app.post(
    '/account/passkeys/options',
    {
      schema: {
        ...shared,
        summary: 'What the browser needs to make a passkey',
        response: { 200: PasskeyOptionsSchema, ...errors },
      },
    },
    (request) => passkeys.begin(adminOf(request)),
  )

  app.post(
    '/account/passkeys',
    {
      schema: {
        ...shared,
        summary: 'Add a passkey that the browser made; ends all your other sessions',
        body: NewPasskeySchema,
        response: { 201: RecoveryCodesSchema, ...errors },
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
        ...shared,
        summary: 'Rename a passkey',
        params: PasskeyIdParamSchema,
        body: PasskeyChangeSchema,
        response: { 204: Type.Null(), ...errors },
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
        ...shared,
        summary: 'Remove a passkey; ends all your other sessions',
        params: PasskeyIdParamSchema,
        response: { 204: Type.Null(), ...errors },
      },
    },
    async (request, reply) => {
      await passkeys.remove(adminOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
