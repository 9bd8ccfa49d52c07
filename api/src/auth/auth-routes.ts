import {
  LoginSchema,
  type SignedIn,
  SignedInSchema,
  UserIdParamSchema,
} from '@proctorpass/shared/schemas/auth'
import { ChallengeSchema, FactorAnswerSchema } from '@proctorpass/shared/schemas/factors'
import { AcceptInviteSchema, InvitedNameSchema, InviteTokenSchema } from '@proctorpass/shared/schemas/team'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Env } from '../env/env.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Auth } from './auth.ts'
import { randomToken } from './session-tokens.ts'
import type { Requester, SignedInUser } from './sessions.ts'
import type { TeamUseCases } from './team.ts'

const REFRESH_COOKIE = 'refresh'
const KNOWN_COOKIE = 'known'
const CHALLENGE_COOKIE = 'challenge'
const CHALLENGE_SECONDS = 5 * 60
const KNOWN_SECONDS = 365 * 24 * 60 * 60

/** Sign-in, also with an invitation, refresh and sign-out. The refresh token stays in a cookie that scripts cannot read. */
export function authRoutes(
  app: TypedApp,
  { auth, team, env }: { auth: Auth; team: Pick<TeamUseCases, 'acceptInvite' | 'invitedName'>; env: Env },
): void {
  const cookie = {
    path: `${env.apiPrefix}/auth`,
    httpOnly: true,
    sameSite: 'strict',
    secure: env.publicUrl.startsWith('https:'),
  } as const

  /** The first answer of a session: the browser is known from then on. */
  function presentNew(signedIn: SignedInUser, reply: FastifyReply): SignedIn {
    reply.setCookie(KNOWN_COOKIE, auth.knownToken(signedIn.user._id), { ...cookie, maxAge: KNOWN_SECONDS })
    return present(signedIn, reply)
  }

  /** A random cookie, so that only the browser that gave the password can give the code. */
  function browserOf(request: FastifyRequest): string {
    const had = request.cookies[CHALLENGE_COOKIE] ?? ''
    return /^[A-Za-z0-9_-]{43}$/.test(had) ? had : randomToken()
  }

  function requesterOf({ ip, headers }: FastifyRequest): Requester {
    return { address: ip, userAgent: headers['user-agent'] }
  }

  function present({ user, sid, refreshToken, endsInMs }: SignedInUser, reply: FastifyReply): SignedIn {
    reply.setCookie(REFRESH_COOKIE, refreshToken, { ...cookie, maxAge: Math.floor(endsInMs / 1_000) })
    return {
      accessToken: app.signAccess(user, sid),
      roles: user.roles,
      user_Id: user._id,
      userName: user.userName,
    }
  }

  app.post(
    '/auth',
    {
      schema: {
        tags: ['auth'],
        summary: 'Sign in; with a second factor set up, the answer is a challenge',
        body: LoginSchema,
        response: {
          200: Type.Union([SignedInSchema, ChallengeSchema]),
          '4xx': { $ref: 'Error#' },
          '5xx': { $ref: 'Error#' },
        },
      },
    },
    async (request, reply) => {
      const { userName, password } = request.body
      const known = request.cookies[KNOWN_COOKIE]
      let userId: string | undefined
      const onUser = (id: string) => {
        userId = id
      }
      try {
        const browser = browserOf(request)
        const signedIn = await auth.signIn({
          userName,
          password,
          requester: requesterOf(request),
          known,
          browser,
          onUser,
        })
        if ('challenge' in signedIn) {
          reply.setCookie(CHALLENGE_COOKIE, browser, { ...cookie, maxAge: CHALLENGE_SECONDS })
          return signedIn
        }
        request.log.info({ userId }, 'signed in')
        return presentNew(signedIn, reply)
      } catch (error) {
        // Without the typed name: it can be a password in the wrong field.
        request.log.info({ userId }, 'sign-in failed')
        throw error
      }
    },
  )

  app.post(
    '/auth/factor',
    {
      schema: {
        tags: ['auth'],
        summary: 'Sign in, second step: with a code of the authenticator app, or a recovery code',
        body: FactorAnswerSchema,
        response: { 200: SignedInSchema, '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } },
      },
    },
    async (request, reply) => {
      const known = request.cookies[KNOWN_COOKIE]
      const browser = browserOf(request)
      const requester = requesterOf(request)
      const signedIn = await auth.signInWithFactor({ ...request.body, requester, known, browser })
      request.log.info({ userId: signedIn.user._id }, 'signed in with a second factor')
      return presentNew(signedIn, reply)
    },
  )

  app.post(
    '/invite',
    {
      schema: {
        tags: ['auth'],
        summary: 'Choose a password with the link of an invitation, and sign in',
        body: AcceptInviteSchema,
        response: { 200: SignedInSchema, '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } },
      },
    },
    async (request, reply) => {
      const { token, password } = request.body
      const signedIn = await team.acceptInvite({ token, password, requester: requesterOf(request) })
      request.log.info({ userId: signedIn.user._id }, 'invitation accepted')
      return presentNew(signedIn, reply)
    },
  )

  app.post(
    '/invite/name',
    {
      schema: {
        tags: ['auth'],
        summary: 'The user name that the link of an invitation is for',
        body: InviteTokenSchema,
        response: { 200: InvitedNameSchema, '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } },
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
        tags: ['auth'],
        summary: 'A new access token for an active session',
        security: [{ refreshCookie: [] }],
        params: UserIdParamSchema,
        response: { 200: SignedInSchema, '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } },
      },
    },
    async (request, reply) => {
      const { params, cookies } = request
      const refreshed = auth.sessions.refresh(params.userId, cookies[REFRESH_COOKIE], requesterOf(request))
      return present(await refreshed, reply)
    },
  )

  app.post(
    '/auth/logout',
    {
      schema: {
        tags: ['auth'],
        summary: "End this browser's session",
        security: [{ refreshCookie: [] }],
        response: {
          200: Type.Object({ message: Type.String() }),
          '4xx': { $ref: 'Error#' },
          '5xx': { $ref: 'Error#' },
        },
      },
    },
    async (request, reply) => {
      // First, so that the cookie is cleared even when the store fails.
      reply.clearCookie(REFRESH_COOKIE, cookie)
      const userId = await auth.sessions.signOut(request.cookies[REFRESH_COOKIE], request.ip)
      if (userId !== null) request.log.info({ userId }, 'signed out')
      return { message: "You're signed out." }
    },
  )
}
