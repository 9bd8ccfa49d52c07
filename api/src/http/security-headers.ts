import { ANY_CALL, CALL_HEADER, CALL_NAME_PATTERN } from '@proctorpass/shared/call-name'
import { AppError } from '@proctorpass/shared/errors'
import { VIDEO_ORIGINS } from '@proctorpass/shared/post-format'
import { TRUSTED_TYPES_POLICY } from '@proctorpass/shared/trusted-types'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Env } from '../env/env.ts'
import { CSP_REPORT_PATH } from './csp-report-routes.ts'
import { isOwnOrigin } from './origin.ts'

/** Permissions for the chat's chime, passkeys, and full-screen videos in posts. */
const ALLOWED: Readonly<Record<string, string>> = {
  autoplay: '(self)',
  'publickey-credentials-create': '(self)',
  'publickey-credentials-get': '(self)',
  fullscreen: `(self ${VIDEO_ORIGINS.map((origin) => `"${origin}"`).join(' ')})`,
}
const PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=${ALLOWED[feature] ?? '()'}`)
  .join(', ')

/**
 * Writes the Content-Security-Policy. `connect-src` names the socket's address, because older Safari versions do not
 * count it as 'self'. `img-src` has `blob:` for the images of messages, which are private: a script loads them with its
 * credential and shows the result.
 */
export function contentSecurityPolicy(
  { publicUrl, apiPrefix }: Env,
  frameAncestors: readonly string[],
): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "media-src 'self'",
    `frame-src ${VIDEO_ORIGINS.join(' ')}`,
    `connect-src 'self' ${publicUrl.replace(/^http/, 'ws')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    `trusted-types ${TRUSTED_TYPES_POLICY}`,
    `report-uri ${apiPrefix}${CSP_REPORT_PATH}`,
  ].join('; ')
}

const CALL_NAME = new RegExp(CALL_NAME_PATTERN)

/** Returns the name that the client gave this call. */
function callName({ headers }: FastifyRequest): string {
  const name = String(headers[CALL_HEADER])
  return CALL_NAME.test(name) ? name : ANY_CALL
}

/** Sets the headers of every answer. */
export type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void

export function createSecurityHeaders(env: Env): SetHeaders {
  const headers: Record<string, string> = {
    'content-security-policy': contentSecurityPolicy(env, []),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': PERMISSIONS,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
  if (env.publicUrl.startsWith('https:')) {
    headers['strict-transport-security'] = 'max-age=31536000; includeSubDomains'
  }

  return (request, reply) => {
    const [path = ''] = request.url.split('?')
    reply.headers(headers).header(CALL_HEADER, callName(request))
    if (/^\/dashboard(\/|$)/i.test(path)) reply.header('referrer-policy', 'no-referrer')
  }
}

/**
 * Refuses calls from other pages, because browsers send a frame's cookie with the calls of every page that shows the
 * frame.
 */
function refuseAllButOwnScripts({ headers }: FastifyRequest, { publicUrl }: Env): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOwn = origin !== undefined && isOwnOrigin(origin, host, publicUrl)
  const isTold = site === 'same-origin' || (site === undefined && isOwn)
  if (!isTold || (origin !== undefined && !isOwn)) {
    throw new AppError('forbidden', 'This works only from our own pages.')
  }
}

/** Sets the security headers, and refuses state changes from foreign sites. */
export function guardAgainstForeignSites(app: FastifyInstance, env: Env, setHeaders: SetHeaders): void {
  app.addHook('onRequest', async (request, reply) => {
    setHeaders(request, reply)
    const { access } = request.routeOptions.config
    const changesNothing = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
    // Answers for one client must not be cached, not even by the browser. The route decides, because a path has many
    // spellings. A route may override this.
    if (access !== 'anyone' || !changesNothing) reply.header('cache-control', 'no-store')
    else reply.header(CALL_HEADER, ANY_CALL)
    if (access === 'frame') return refuseAllButOwnScripts(request, env)
    // A foreign page can neither add a bearer token, as our scripts do, nor know a link's token.
    if (request.headers.authorization !== undefined || access === 'link') return
    if (changesNothing && access !== 'browser') return
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const isForeign =
      origin === undefined
        ? site !== undefined && site !== 'same-origin' && site !== 'none'
        : !isOwnOrigin(origin, host, env.publicUrl)
    if (isForeign) throw new AppError('forbidden', 'This works only from our own pages.')
  })
}
