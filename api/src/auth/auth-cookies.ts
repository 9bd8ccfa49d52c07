import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Env } from '../env/env.ts'
import type { Auth } from './auth.ts'
import { hashOfToken } from './session-tokens.ts'
import type { Requester, SignedInUser } from './sessions.ts'

const REFRESH_COOKIE = 'refresh'
const KNOWN_COOKIE = 'known'
const CHALLENGE_SECONDS = 5 * 60
const KNOWN_SECONDS = 365 * 24 * 60 * 60

export function requesterOf({ ip, headers }: FastifyRequest): Requester {
  return { address: ip, userAgent: headers['user-agent'] }
}

/** Reads and sets the cookies of the auth calls, which scripts cannot read. */
export function createAuthCookies(
  app: Pick<FastifyInstance, 'signAccess'>,
  { auth, env }: { auth: Pick<Auth, 'knownToken'>; env: Env },
) {
  const cookie = {
    path: `${env.apiPrefix}/auth`,
    httpOnly: true,
    sameSite: 'strict',
    secure: env.publicUrl.startsWith('https:'),
  } as const

  /** Returns the cookie that `bind` gave to the browser; empty without one. */
  function browserOf(request: FastifyRequest, challenge: string): string {
    return request.cookies[challengeCookie(challenge)] ?? ''
  }

  /** Answers the browser of a living session. */
  function present({ user, sid, refreshToken, endsInMs }: SignedInUser, reply: FastifyReply): SignedIn {
    reply.setCookie(REFRESH_COOKIE, refreshToken, { ...cookie, maxAge: Math.floor(endsInMs / 1_000) })
    return {
      accessToken: app.signAccess(user, sid),
      roles: user.roles,
      user_Id: user._id,
      userName: user.userName,
    }
  }

  return {
    present,
    /** Answers the first call of a session. The browser is a known one from then on. */
    presentNew(signedIn: SignedInUser, reply: FastifyReply): SignedIn {
      reply.setCookie(KNOWN_COOKIE, auth.knownToken(signedIn.user._id), { ...cookie, maxAge: KNOWN_SECONDS })
      return present(signedIn, reply)
    },
    refreshOf: (request: FastifyRequest): string | undefined => request.cookies[REFRESH_COOKIE],
    knownOf: (request: FastifyRequest): string | undefined => request.cookies[KNOWN_COOKIE],
    /** Gives the browser a cookie for this challenge, so that only this browser can answer. */
    bind(challenge: string, browser: string, reply: FastifyReply): void {
      reply.setCookie(challengeCookie(challenge), browser, { ...cookie, maxAge: CHALLENGE_SECONDS })
    },
    browserOf,
    /** Returns what `browserOf` does, and removes the cookie, because an answer spends the challenge. */
    takeBrowser(request: FastifyRequest, challenge: string, reply: FastifyReply): string {
      const browser = browserOf(request, challenge)
      if (browser !== '') reply.clearCookie(challengeCookie(challenge), cookie)
      return browser
    },
    clear(reply: FastifyReply): void {
      reply.clearCookie(REFRESH_COOKIE, cookie)
    },
  }
}

export type AuthCookies = ReturnType<typeof createAuthCookies>

/** Each challenge has its own cookie, so that answers that cross do not take each other's. */
function challengeCookie(challenge: string): string {
  return `challenge-${hashOfToken(challenge).slice(0, 12)}`
}
