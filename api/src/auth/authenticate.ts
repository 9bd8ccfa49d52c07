import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import { AppError } from '@proctorpass/shared/errors'
import { ID_PATTERN, KEY_PREFIX, VISITOR_KEY_PATTERN } from '@proctorpass/shared/limits'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type { KeyScope } from '@proctorpass/shared/schemas/key'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Env } from '../env/env.ts'
import { showLimit } from '../http/rate-limits.ts'
import { type Access, type AdminQuery, accessOf } from './access.ts'
import { type AdminCaller, confirmRequired } from './caller.ts'
import { describeRoute } from './describe-route.ts'
import type { Keys } from './keys.ts'
import { CLOCK_SKEW_MS, type Sessions } from './sessions.ts'
import { hashOfKey } from './visitor-key.ts'

const ISSUER = 'proctorpass'
const AUDIENCE = 'proctorpass-api'
const ACCESS_SECONDS = 15 * 60
/** This server's tokens have about 300 characters. */
const TOKEN_LENGTH_MAX = 2_048

/** The user and session of an access token, with the user's current roles in the store. */
export interface VerifiedAccess {
  userId: string
  userName: string
  sid: string
  roles: string[]
  /** Whether the session was confirmed, see `LivingSession`. */
  isConfirmed: boolean
  /** Milliseconds since 1970 UTC. */
  expiresAt: number
}

/** Verifies access tokens, API keys, and visitor keys, and enforces each route's row in access.ts. */
export async function registerAuth(
  app: FastifyInstance,
  { env, sessions, keys }: { env: Env; sessions: Sessions; keys: Keys },
): Promise<void> {
  await app.register(cookie)
  await app.register(jwt, {
    secret: env.jwtSecret,
    sign: { algorithm: 'HS256', iss: ISSUER, aud: AUDIENCE, expiresIn: ACCESS_SECONDS },
    verify: {
      algorithms: ['HS256'],
      allowedIss: ISSUER,
      allowedAud: AUDIENCE,
      requiredClaims: ['iss', 'aud', 'sub', 'sid', 'iat', 'exp'],
      cache: false,
    },
  })

  function claimsOf(token: string): { sub: string; sid: string; exp: number } {
    if (token.length > TOKEN_LENGTH_MAX || !hasOwnHeader(token)) throw badToken()
    const secrets = env.jwtSecretPrevious === undefined ? [undefined] : [undefined, env.jwtSecretPrevious]
    for (const key of secrets) {
      try {
        const claims = app.jwt.verify<Record<string, unknown>>(token, key === undefined ? undefined : { key })
        const { sub, sid, exp, iat } = claims
        const isCurrent = typeof iat === 'number' && iat * 1_000 <= Date.now() + CLOCK_SKEW_MS
        if (isId(sub) && isId(sid) && typeof exp === 'number' && isCurrent) return { sub, sid, exp }
      } catch {
        // The answer is the same for each kind of bad token.
      }
    }
    throw badToken()
  }

  app.decorate('signAccess', (user: { _id: string }, sid: string) => app.jwt.sign({ sub: user._id, sid }))

  app.decorate('verifyAccess', async (token: string, setsUpFactor = false): Promise<VerifiedAccess> => {
    const { sub, sid, exp } = claimsOf(token)
    const living = await sessions.living(sid, sub)
    if (living === null) throw badToken()
    if (living.lacksFactor && !setsUpFactor) {
      throw new AppError('factor-required', 'Set up a second factor under Account first.')
    }
    const { _id: userId, userName, roles } = living.user
    return { userId, userName, sid, roles, isConfirmed: living.isConfirmed, expiresAt: exp * 1_000 }
  })

  app.decorateRequest('admin', null)
  app.decorateRequest('keyHash', null)

  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      const row = accessOf(method, route.url, env.apiPrefix)
      route.config = { ...row, ...route.config }
      describeRoute(route, row.access, env.apiPrefix)
    }
  })

  app.addHook('onRequest', async (request, reply) => {
    const { confirmed = false, setsUpFactor = false } = request.routeOptions.config
    const { access, keyScope } = accessTo(request)
    const { authorization } = request.headers
    // A bad header is refused. It never falls back to a visitor without a key.
    if (access !== 'admin' && !(access === 'visitor' && authorization !== undefined)) return
    if (authorization === undefined) throw new AppError('unauthorized', 'Sign in to continue.')
    if (access === 'visitor' && VISITOR_SCHEME.test(authorization)) {
      request.keyHash = hashOfKey(visitorKeyOf(authorization))
      return
    }
    const token = bearerOf(request)
    if (token.startsWith(KEY_PREFIX)) {
      const { caller, limit } = await keys.admit(token, keyScope, request.ip)
      showLimit(reply, 'key', limit)
      request.admin = caller
      return
    }
    const { userId, userName, sid, roles, isConfirmed } = await app.verifyAccess(token, setsUpFactor)
    if (!roles.includes(ADMIN_ROLE)) throw new AppError('forbidden', "Your account isn't allowed to do this.")
    if (confirmed && !isConfirmed) throw confirmRequired()
    request.admin = { side: 'admin', userId, userName, sid, address: request.ip, isConfirmed }
  })
}

/** Returns the route's access, which can depend on the query. */
function accessTo({ routeOptions, query }: FastifyRequest) {
  const { access, keyScope = null, adminQuery = null } = routeOptions.config
  if (adminQuery === null || !Object.hasOwn(query as object, adminQuery.parameter))
    return { access, keyScope }
  return { access: 'admin' as const, keyScope: adminQuery.keyScope }
}

/** Returns the caller of a route with the access `admin`: an admin or an API key. */
export function adminOf(request: FastifyRequest): AdminCaller {
  if (request.admin === null) throw new AppError('unauthorized', 'Sign in to continue.')
  return request.admin
}

const VISITOR_SCHEME = /^visitor\b/i
const VISITOR_KEY = new RegExp(VISITOR_KEY_PATTERN)

function visitorKeyOf(authorization: string): string {
  const key = authorization.slice('visitor'.length).trim()
  if (!VISITOR_KEY.test(key)) {
    throw new AppError('forbidden', "Your chat key isn't valid. Reload the page.")
  }
  return key
}

function bearerOf(request: FastifyRequest): string {
  const token = /^bearer +([A-Za-z0-9._-]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw badToken()
  return token
}

/** Accepts only the header that this server writes, without key IDs, key URLs, or compression. */
function hasOwnHeader(token: string): boolean {
  const [header = ''] = token.split('.', 1)
  try {
    const { alg, typ = 'JWT', ...rest } = JSON.parse(Buffer.from(header, 'base64url').toString())
    return alg === 'HS256' && typ === 'JWT' && Object.keys(rest).length === 0
  } catch {
    return false
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && new RegExp(ID_PATTERN).test(value)
}

function badToken(): AppError {
  return new AppError('forbidden', 'Your session has expired. Sign in again.')
}

declare module 'fastify' {
  interface FastifyInstance {
    signAccess(user: { _id: string }, sid: string): string
    /**
     * Throws an AppError `forbidden` for an invalid token or a token of an ended session, and `factor-required` if the
     * user lacks a second factor that every admin needs. `setsUpFactor` exempts the routes that set one up.
     */
    verifyAccess(token: string, setsUpFactor?: boolean): Promise<VerifiedAccess>
  }
  interface FastifyRequest {
    /** Set on routes with the access `admin`, for an admin or an API key. */
    admin: AdminCaller | null
    /** The hash of the visitor key in the request. */
    keyHash: string | null
  }
  interface FastifyContextConfig {
    access?: Access
    keyScope?: KeyScope | null
    adminQuery?: AdminQuery | null
    confirmed?: boolean
    setsUpFactor?: boolean
  }
}
