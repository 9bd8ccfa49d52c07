import { AppError } from '@proctorpass/shared/errors'
import { VIDEO_ORIGINS } from '@proctorpass/shared/post-format'
import { TRUSTED_TYPES_POLICY } from '@proctorpass/shared/trusted-types'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Env } from '../env.ts'
import { CSP_REPORT_PATH } from './csp-report-routes.ts'
import { isOwnOrigin } from './origin.ts'

/** Features that somebody needs: the chat's chime, and a video in a post that fills the screen. */
const ALLOWED: Readonly<Record<string, string>> = {
  autoplay: '(self)',
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
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=${ALLOWED[feature] ?? '()'}`)
  .join(', ')

/** What a page of ours may load and do. The socket's address is named because older Safaris do not count it as 'self'. */
function contentSecurityPolicy({ publicUrl, apiPrefix }: Env): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src 'self'",
    `frame-src ${VIDEO_ORIGINS.join(' ')}`,
    `connect-src 'self' ${publicUrl.replace(/^http/, 'ws')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${TRUSTED_TYPES_POLICY}`,
    `report-uri ${apiPrefix}${CSP_REPORT_PATH}`,
  ].join('; ')
}

/** Puts the headers on that every answer carries. */
export type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void

export function createSecurityHeaders(env: Env): SetHeaders {
  const headers: Record<string, string> = {
    'content-security-policy': contentSecurityPolicy(env),
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
    reply.headers(headers)
    if (/^\/dashboard(\/|$)/i.test(path)) reply.header('referrer-policy', 'no-referrer')
  }
}

/** Every answer gets the headers, and a state change that a foreign site asks for is refused. */
export function guardAgainstForeignSites(app: FastifyInstance, env: Env, setHeaders: SetHeaders): void {
  app.addHook('onRequest', async (request, reply) => {
    setHeaders(request, reply)
    const { access } = request.routeOptions.config
    const changesNothing = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
    // The answer is for one person: no cache stores it, not even the browser's. By the route, since a path has many
    // spellings. A route may still say otherwise.
    if (access !== 'anyone' || !changesNothing) reply.header('cache-control', 'no-store')
    // A bearer token is put there by a script of ours: no foreign page can make a browser add it.
    if (request.headers.authorization !== undefined) return
    if (changesNothing && access !== 'browser') return
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const isForeign =
      origin === undefined
        ? site !== undefined && site !== 'same-origin' && site !== 'none'
        : !isOwnOrigin(origin, host, env.publicUrl)
    if (isForeign) throw new AppError('forbidden', 'This can only be done from our own pages.')
  })
}
