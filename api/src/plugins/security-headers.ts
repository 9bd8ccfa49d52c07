import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Env } from '../env.ts'
import { isOwnOrigin } from '../origin.ts'

const PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'bluetooth',
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
  // The chime of the chat needs autoplay on our own pages.
  .map((feature) => (feature === 'autoplay' ? 'autoplay=(self)' : `${feature}=()`))
  .join(', ')

/** What a page of ours may load and do. The socket's address is named because older Safaris do not count it as 'self'. */
function contentSecurityPolicy(publicUrl: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src 'self'",
    `connect-src 'self' ${publicUrl.replace(/^http/, 'ws')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The headers that every answer carries, and the refusal of state changes that a foreign site asks for. */
export function setSecurityHeaders(app: FastifyInstance, env: Env): void {
  const headers: Record<string, string> = {
    'content-security-policy': contentSecurityPolicy(env.publicUrl),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': PERMISSIONS,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
  if (env.publicUrl.startsWith('https:'))
    headers['strict-transport-security'] = 'max-age=31536000; includeSubDomains'
  // What auth and chat answer belongs to one person: no cache keeps it, not even the browser's.
  const noStore = [`${env.apiPrefix}/auth`, `${env.apiPrefix}/chat`]

  app.decorateReply('setSecurityHeaders', function (this: FastifyReply) {
    const [path = ''] = this.request.url.split('?')
    this.headers(headers)
    if (noStore.some((start) => path === start || path.startsWith(`${start}/`)))
      this.header('cache-control', 'no-store')
    if (path === '/dashboard' || path.startsWith('/dashboard/')) this.header('referrer-policy', 'no-referrer')
    return this
  })

  app.addHook('onRequest', async (request, reply) => {
    reply.setSecurityHeaders()
    // A bearer token is put there by a script of ours: no foreign page can make a browser add it.
    const changes = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'OPTIONS'
    const isOurs = !changes && request.routeOptions.config.access !== 'browser'
    if (isOurs || request.headers.authorization !== undefined) return
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const isForeign =
      origin === undefined
        ? site !== undefined && site !== 'same-origin' && site !== 'none'
        : !isOwnOrigin(origin, host, env.publicUrl)
    if (isForeign) throw new AppError('forbidden', 'This can only be done from our own pages.')
  })
}

declare module 'fastify' {
  interface FastifyReply {
    setSecurityHeaders(): this
  }
}
