import type { FastifyInstance, FastifyReply } from 'fastify'
import { type LimitState, type Limits, pointsForBytes } from '../limits/limits.ts'

/** Limits requests per address. A conversation's reads and writes have limits of their own. */
export function setRateLimits(app: FastifyInstance, limits: Limits): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/healthz' || request.url === '/readyz') return
    // A scraper may share its address with clients, so wrong tokens are counted where they are refused.
    if (request.routeOptions.config.access === 'operator') return
    showLimit(reply, 'address', await limits.take('address', request.ip))
  })
}

/** Charges the address for the bytes of dynamic answers. Files and cached responses cost nothing here. */
export function chargeForBytes(app: FastifyInstance, limits: Limits): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const points = typeof payload === 'string' ? pointsForBytes(Buffer.byteLength(payload)) : 0
    if (points === 0) return done()
    limits.charge('address', request.ip, points).then((state) => {
      // A narrower limit keeps the header.
      if (String(reply.getHeader('ratelimit-policy')).startsWith('"address"')) {
        showLimit(reply, 'address', state)
      }
      done()
    }, done)
  })
}

/** Sets the RateLimit headers of the IETF draft. A narrower limit replaces a wider one. */
export function showLimit(reply: FastifyReply, name: string, state: LimitState | null): void {
  if (state === null) return
  const [policyName, policy, leftName, left] = limitHeaders(name, state)
  reply.header(policyName, policy).header(leftName, left)
}

/** Returns the headers; names and values alternate. */
export function limitHeaders(name: string, state: LimitState): [string, string, string, string] {
  const policy = `"${name}";q=${state.limit};w=${state.windowSeconds}`
  const left = `"${name}";r=${state.remaining};t=${Math.ceil(state.resetMs / 1_000)}`
  return ['ratelimit-policy', policy, 'ratelimit', left]
}
