import { ProofSchema } from '@proctorpass/shared/schemas/factors'
import Type from 'typebox'
import type { TypedApp } from '../http/validation.ts'
import type { AuthCookies } from './auth-cookies.ts'
import { adminOf } from './authenticate.ts'
import type { ConfirmSession } from './confirmation.ts'
import { challengeIn } from './passkeys.ts'

export function confirmationRoutes(
  app: TypedApp,
  { confirm, cookies }: { confirm: ConfirmSession; cookies: AuthCookies },
): void {
  app.post(
    '/auth/confirm',
    {
      schema: {
        summary:
          'Confirm who you are, with your password, a code or a passkey: good for 15 minutes in this session',
        body: ProofSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { passkey } = request.body
      const challenge = passkey && challengeIn(passkey)
      const browser = challenge ? cookies.takeBrowser(request, challenge, reply) : ''
      await confirm(adminOf(request), { ...request.body, browser })
      return reply.code(204).send(null)
    },
  )
}
