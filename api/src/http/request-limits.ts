import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasKeyInQuery, type IsOwnHost, namesTwoHosts } from './origin.ts'
import { sendPlainPage } from './plain-page.ts'

const URL_LENGTH_MAX = 2_048
const QUERY_KEYS_MAX = 20
/** Proxies and monitors request these under an IP address or a service name. */
const FOR_ANY_HOST: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics'])

/** Limits the size of requests, checks their Host, and refuses them while the process stops. */
export function setRequestLimits(
  app: FastifyInstance,
  { isOwnHost, publicUrl }: { isOwnHost: IsOwnHost; publicUrl: string },
): void {
  app.addHook('onRequest', async (request, reply) => {
    // This header moves proxies with keep-alive connections to another node before this one refuses requests.
    if (app.leaving) reply.header('connection', 'close')
    // A URL in absolute form (`http://host/path`) or `*` is refused, because path checks must see the same path as the
    // router.
    if (!request.url.startsWith('/')) throw new AppError('invalid-input', "This address isn't valid.")
    if (request.url.length > URL_LENGTH_MAX) throw new AppError('uri-too-long', 'This address is too long.')
    if (Object.keys(request.query as object).length > QUERY_KEYS_MAX) {
      throw new AppError('invalid-input', `Too many query parameters: the limit is ${QUERY_KEYS_MAX}.`)
    }
    if (hasKeyInQuery(request.url)) {
      throw new AppError('invalid-input', 'Send API keys in the Authorization header, never in a URL.')
    }
    if (namesTwoHosts(request.raw)) throw new AppError('invalid-input', 'The request names two hosts.')
    if (!isOwnHost(request.raw) && !FOR_ANY_HOST.has(request.routeOptions.url)) {
      if (isNavigation(request)) return sendOwnAddress(reply, publicUrl)
      throw new AppError('misdirected', "This server doesn't serve that host.")
    }
    if (/^\/socket\.io(?=[/?]|$)/.test(request.url)) {
      throw new AppError('invalid-input', 'Connect here by WebSocket.')
    }
    const { access } = request.routeOptions.config
    if (!app.accepting && request.url !== '/healthz' && request.url !== '/readyz' && access !== 'operator') {
      throw new AppError('unavailable', 'The server is restarting. Try again in a moment.', {
        retryAfterMs: 2_000,
      })
    }
  })

  // Node would answer an unknown `Expect` with 417, without limits, headers, and log.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
}

/** Whether the request's headers show that a person opens the address in a browser. */
function isNavigation({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true
}

/** Answers a person who used another name of this server, such as `www`. The page contains nothing from the request. */
function sendOwnAddress(reply: FastifyReply, publicUrl: string): FastifyReply {
  reply.refusedFor = 'misdirected'
  return sendPlainPage(reply, {
    status: 421,
    title: 'This website has another address',
    content: `<p>Open <a href="${publicUrl}/">${publicUrl}</a>.</p>`,
  })
}
