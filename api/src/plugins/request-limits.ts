import type { Socket } from 'node:net'
import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance } from 'fastify'
import type { Env } from '../env.ts'
import { type IsOwnHost, namesTwoHosts } from '../origin.ts'
import { networkOf } from '../services/limits.ts'

const URL_LENGTH_MAX = 2_048
const QUERY_KEYS_MAX = 20
/** Forty people behind one address, each with six connections for pages and some sockets, stay far below. */
const CONNECTIONS_PER_ADDRESS = 2_000
/** Proxies and monitors ask these by an address or by the name of a service. */
const FOR_ANY_HOST: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics'])

/** How large a request may be, how many connections an address may hold, and none once the process is to end. */
export function setRequestLimits(
  app: FastifyInstance,
  { env, isOwnHost }: { env: Env; isOwnHost: IsOwnHost },
): void {
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

  // Behind a proxy all connections come from the proxy, and it does the counting.
  if (env.trustProxy !== false || !env.rateLimits) return
  const connections = new Map<string, number>()
  app.server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    const count = (connections.get(network) ?? 0) + 1
    connections.set(network, count)
    socket.once('close', () => {
      const left = (connections.get(network) ?? 1) - 1
      if (left === 0) connections.delete(network)
      else connections.set(network, left)
    })
    if (count > CONNECTIONS_PER_ADDRESS) socket.destroy()
  })
}
