import { LoginSchema, SignedInSchema, UserIdParamSchema } from '@proctorpass/shared/schemas/auth'
import { ChallengeSchema } from '@proctorpass/shared/schemas/factors'
import { AcceptInviteSchema, InvitedNameSchema, InviteTokenSchema } from '@proctorpass/shared/schemas/team'
import Type from 'typebox'
import { REFUSALS_LISTED } from '../http/refusal-log.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Auth } from './auth.ts'
import { type AuthCookies, requesterOf } from './auth-cookies.ts'
import { randomToken } from './session-tokens.ts'
import type { TeamUseCases } from './team.ts'

type Team = Pick<TeamUseCases, 'acceptInvite' | 'invitedName'>

/** Serves sign-in, invitations, refresh, and sign-out. The refresh token stays in a cookie that scripts cannot read. */
export function authRoutes(
  app: TypedApp,
  { auth, team, cookies }: { auth: Auth; team: Team; cookies: AuthCookies },
): void {
  app.post(
    '/auth',
    {
      schema: {
        summary: 'Sign in; with a second factor set up, the answer is a challenge',
        body: LoginSchema,
        response: { 200: Type.Union([SignedInSchema, ChallengeSchema]) },
      },
    },
    async (request, reply) => {
      const { userName, password } = request.body
      const known = cookies.knownOf(request)
      let userId: string | undefined
      const onUser = (id: string) => {
        userId = id
      }
      try {
        const browser = randomToken()
        const signedIn = await auth.signIn({
          userName,
          password,
          requester: requesterOf(request),
          known,
          browser,
          onUser,
        })
        if ('challenge' in signedIn) {
          cookies.bind(signedIn.challenge, browser, reply)
          return signedIn
        }
        request.log.info({ userId }, 'signed in')
        return cookies.presentNew(signedIn, reply)
      } catch (error) {
        // The log omits the typed name, because it can be a password in the wrong field.
        if (app.refusals.mayList('sign-in failed', REFUSALS_LISTED)) {
          request.log.info({ userId }, 'sign-in failed')
        }
        throw error
      }
    },
  )

  app.post(
    '/invite',
    {
      schema: {
        tags: ['auth'],
        summary: 'Choose a password with the link of an invitation, and sign in',
        body: AcceptInviteSchema,
        response: { 200: SignedInSchema },
      },
    },
    async (request, reply) => {
      const { token, password } = request.body
      const signedIn = await team.acceptInvite({ token, password, requester: requesterOf(request) })
      request.log.info({ userId: signedIn.user._id }, 'invitation accepted')
      return cookies.presentNew(signedIn, reply)
    },
  )

  app.post(
    '/invite/name',
    {
      schema: {
        tags: ['auth'],
        summary: 'The user name that the link of an invitation is for',
        body: InviteTokenSchema,
        response: { 200: InvitedNameSchema },
      },
    },
    async (request) => ({
      userName: await team.invitedName({ token: request.body.token, address: request.ip }),
    }),
  )

  app.get(
    '/auth/refresh/:userId',
    {
      schema: {
        summary: 'A new access token for an active session',
        security: [{ refreshCookie: [] }],
        params: UserIdParamSchema,
        response: { 200: SignedInSchema },
      },
    },
    async (request, reply) => {
      const { userId } = request.params
      const token = cookies.refreshOf(request)
      return cookies.present(await auth.sessions.refresh(userId, token, requesterOf(request)), reply)
    },
  )

  app.post(
    '/auth/logout',
    {
      schema: {
        summary: "End this browser's session",
        security: [{ refreshCookie: [] }],
        response: { 200: Type.Object({ message: Type.String() }) },
      },
    },
    async (request, reply) => {
      // The cookie is cleared first, so that it is gone even if the store fails.
      cookies.clear(reply)
      const userId = await auth.sessions.signOut(cookies.refreshOf(request), request.ip)
      if (userId !== null) request.log.info({ userId }, 'signed out')
      return { message: "You're signed out." }
    },
  )
}
