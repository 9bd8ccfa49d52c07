import { SignedInSchema } from '@proctorpass/shared/schemas/auth'
import {
  FactorAnswerSchema,
  PasskeyOptionsSchema,
  PasskeyQuestionSchema,
  PasskeySignInSchema,
} from '@proctorpass/shared/schemas/factors'
import type { TypedApp } from '../http/validation.ts'
import type { Auth } from './auth.ts'
import { type AuthCookies, requesterOf } from './auth-cookies.ts'
import { challengeIn } from './passkeys.ts'
import { randomToken } from './session-tokens.ts'

/** Serves the second step of a sign-in, and signing in with a passkey alone. */
export function factorSignInRoutes(
  app: TypedApp,
  { auth, cookies }: { auth: Auth; cookies: AuthCookies },
): void {
  app.post(
    '/auth/factor',
    {
      schema: {
        summary: 'Sign in, second step: with a code of the authenticator app, a recovery code, or a passkey',
        body: FactorAnswerSchema,
        response: { 200: SignedInSchema },
      },
    },
    async (request, reply) => {
      const known = cookies.knownOf(request)
      const browser = cookies.takeBrowser(request, request.body.challenge, reply)
      const requester = requesterOf(request)
      const signedIn = await auth.signInWithFactor({ ...request.body, requester, known, browser })
      request.log.info({ userId: signedIn.user._id }, 'signed in with a second factor')
      return cookies.presentNew(signedIn, reply)
    },
  )

  app.post(
    '/auth/passkey/options',
    {
      schema: {
        summary: 'What the browser needs to ask for a passkey: to sign in alone, or in the second step',
        body: PasskeyQuestionSchema,
        response: { 200: PasskeyOptionsSchema },
      },
    },
    async (request, reply) => {
      const challenge = request.body?.challenge
      if (challenge !== undefined) {
        return auth.passkeyOptions(challenge, cookies.browserOf(request, challenge))
      }
      const browser = randomToken()
      const { challenge: asked, ...question } = await auth.askForPasskey(browser, request.ip)
      cookies.bind(asked, browser, reply)
      return question
    },
  )

  app.post(
    '/auth/passkey',
    {
      schema: {
        summary: 'Sign in with a passkey, without name and password',
        body: PasskeySignInSchema,
        response: { 200: SignedInSchema },
      },
    },
    async (request, reply) => {
      const known = cookies.knownOf(request)
      const { response } = request.body
      const browser = cookies.takeBrowser(request, challengeIn(response) ?? '', reply)
      const requester = requesterOf(request)
      const signedIn = await auth.signInWithPasskey({ response, requester, known, browser })
      request.log.info({ userId: signedIn.user._id }, 'signed in with a passkey')
      return cookies.presentNew(signedIn, reply)
    },
  )
}
