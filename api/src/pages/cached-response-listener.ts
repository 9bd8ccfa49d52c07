import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { FindSentResponse } from '../http/cached-response.ts'
import { clientAddress, type Trust } from '../http/client-address.ts'
import type { Connections } from '../http/connections.ts'
import { hasKeyInQuery, type IsOwnHost, namesTwoHosts } from '../http/origin.ts'
import { limitHeaders } from '../http/rate-limits.ts'
import type { Limits } from '../limits/limits.ts'
import type { Metrics } from '../metrics/metrics.ts'

export interface CachedResponseOptions {
  find: FindSentResponse
  limits: Limits
  trust: Trust
  isOwnHost: IsOwnHost
  connections: Pick<Connections, 'admits'>
  metrics: Pick<Metrics, 'requestAnswered'> | null
}

/**
 * Repeats cached answers ahead of the router. The first request passed the router and its hooks, and headers and bytes
 * are the same for all clients. For each request, the listener checks the Host, the address's limit, and the accepted
 * encodings. All other requests go to the router.
 * @see docs/decisions/0032-cached-responses-ahead-of-the-router.md
 */
export function serveCachedResponses(
  app: FastifyInstance,
  { find, limits, trust, isOwnHost, connections, metrics }: CachedResponseOptions,
): void {
  const listeners = app.server.listeners('request')
  app.server.removeAllListeners('request')
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const route = () => {
      for (const listener of listeners) listener.call(app.server, request, response)
    }
    const from = performance.now()
    const { method, url = '', headers } = request
    const isPlainRead = method === 'GET' && headers['if-none-match'] === undefined
    const sent =
      isPlainRead && app.accepting && !app.leaving ? find(url, headers['accept-encoding']) : undefined
    if (sent === undefined || hasKeyInQuery(url) || namesTwoHosts(request) || !isOwnHost(request))
      return route()
    if (!connections.admits(sent.body.length)) return route()

    // Over the limit, the router answers 429.
    limits.take('address', clientAddress(request, trust)).then((state) => {
      response.writeHead(
        200,
        state === null ? sent.headers : [...sent.headers, ...limitHeaders('address', state)],
      )
      response.end(sent.body)
      if (metrics === null) return
      response.once('finish', () => {
        const seconds = (performance.now() - from) / 1_000
        metrics.requestAnswered({ method: 'GET', route: sent.route, status: 200, seconds, refusedFor: null })
      })
    }, route)
  })
}
