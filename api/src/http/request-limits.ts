import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance } from 'fastify'
import { type IsOwnHost, namesTwoHosts } from './origin.ts'

const URL_LENGTH_MAX = 2_048
const QUERY_KEYS_MAX = 20
/** Proxies and monitors ask these by an address or by the name of a service. */
const FOR_ANY_HOST: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics'])

/** How large a request may be, and none once the process is to end. */
export function setRequestLimits(app: FastifyInstance, { isOwnHost }: { isOwnHost: IsOwnHost }): void {
  app.addHook('onRequest', async (request, reply) => {
    // Whoever keeps connections open, such as a proxy, takes another one next time, and hits no closing door.
    if (app.leaving) reply.header('connection', 'close')
    // A proxy's form (`http://host/path`) or `*`: what looks at paths must see the same path as the router.
    if (!request.url.startsWith('/')) throw new AppError('invalid-input', 'This address is not valid.')
    if (request.url.length > URL_LENGTH_MAX) throw new AppError('uri-too-long', 'This address is too long.')
    if (Object.keys(request.query as object).length > QUERY_KEYS_MAX) {
      throw new AppError('invalid-input', `At most ${QUERY_KEYS_MAX} query parameters can be given.`)
    }
    if (namesTwoHosts(request.raw)) throw new AppError('invalid-input', 'The request names two hosts.')
    if (!isOwnHost(request.raw) && !FOR_ANY_HOST.has(request.routeOptions.url)) {
      throw new AppError('misdirected', 'This server does not serve that address.')
    }
    if (/^\/socket\.io(?=[/?]|$)/.test(request.url)) {
      throw new AppError('invalid-input', 'Please connect here by WebSocket.')
    }
    const { access } = request.routeOptions.config
    if (!app.accepting && request.url !== '/healthz' && request.url !== '/readyz' && access !== 'operator') {
      throw new AppError('unavailable', 'The server is restarting. Please try again in a moment.', {
        retryAfterMs: 2_000,
      })
    }
  })

  // `Expect` with an unknown value: Node would answer it with a bare 417, past limits, headers and log.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
}
