import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { FindKept } from '../http/cached-response.ts'
import { clientAddress, type Trust } from '../http/client-address.ts'
import type { Connections } from '../http/connections.ts'
import { type IsOwnHost, namesTwoHosts } from '../http/origin.ts'
import { limitHeaders } from '../http/rate-limits.ts'
import type { Limits } from '../limits/limits.ts'
import type { Metrics } from '../metrics/metrics.ts'

interface Options {
  find: FindKept
  limits: Limits
  trust: Trust
  isOwnHost: IsOwnHost
  connections: Pick<Connections, 'admits'>
  metrics: Pick<Metrics, 'requestAnswered'> | null
}

/**
 * Gives answers again ahead of the router. The first reader's went through it and through every rule; headers and bytes
 * are the same for everybody. What may differ from one reader to the next is asked here: how often their network has
 * called, and which encoding they take. Whatever is not plainly the same question goes on to the router.
 */
export function answerKept(
  app: FastifyInstance,
  { find, limits, trust, isOwnHost, connections, metrics }: Options,
): void {
  const listeners = app.server.listeners('request')
  app.server.removeAllListeners('request')
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const goOn = () => {
      for (const listener of listeners) listener.call(app.server, request, response)
    }
    const from = performance.now()
    const { method, url = '', headers } = request
    const isPlainRead = method === 'GET' && headers['if-none-match'] === undefined
    const answer =
      isPlainRead && app.accepting && !app.leaving ? find(url, headers['accept-encoding']) : undefined
    if (answer === undefined || namesTwoHosts(request) || !isOwnHost(request)) return goOn()
    if (!connections.admits(answer.body.length)) return goOn()

    // Who called too often is refused by the router, as with any other request.
    limits.take('address', clientAddress(request, trust)).then((state) => {
      const { route, body } = answer
      response.writeHead(
        200,
        state === null ? answer.headers : [...answer.headers, ...limitHeaders('address', state)],
      )
      response.end(body)
      if (metrics === null) return
      response.once('finish', () => {
        const seconds = (performance.now() - from) / 1_000
        metrics.requestAnswered({ method: 'GET', route, status: 200, seconds, refusedFor: null })
      })
    }, goOn)
  })
}
