import type { FastifyInstance, FastifyReply } from 'fastify'
import { type LimitState, type Limits, pointsForBytes } from '../limits/limits.ts'

/** How often one address may call at all. Reads and writes of a conversation have limits of their own. */
export function setRateLimits(app: FastifyInstance, limits: Limits): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/healthz' || request.url === '/readyz') return
    // Who scrapes may share an address with everybody; wrong tokens are counted where they are refused.
    if (request.routeOptions.config.access === 'operator') return
    showLimit(reply, 'address', await limits.take('address', request.ip))
  })
}

/** Charges the address for the bytes of answers that are made for each request: not for files and cached answers. */
export function chargeForBytes(app: FastifyInstance, limits: Limits): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const points = typeof payload === 'string' ? pointsForBytes(Buffer.byteLength(payload)) : 0
    if (points === 0) return done()
    limits.charge('address', request.ip, points).then((state) => {
      // A narrower limit stays in its place.
      if (String(reply.getHeader('ratelimit-policy')).startsWith('"address"')) {
        showLimit(reply, 'address', state)
      }
      done()
    }, done)
  })
}

/** Tells what is left, in the fields of the IETF's draft; the narrower limit replaces the wider one. */
export function showLimit(reply: FastifyReply, name: string, state: LimitState | null): void {
  if (state === null) return
  const [policyName, policy, leftName, left] = limitHeaders(name, state)
  reply.header(policyName, policy).header(leftName, left)
}

/** Names and values in turns. */
export function limitHeaders(name: string, state: LimitState): [string, string, string, string] {
  const policy = `"${name}";q=${state.limit};w=${state.windowSeconds}`
  const left = `"${name}";r=${state.remaining};t=${Math.ceil(state.resetMs / 1_000)}`
  return ['ratelimit-policy', policy, 'ratelimit', left]
}
