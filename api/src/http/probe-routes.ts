import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Limits } from '../limits/limits.ts'

export const PROBE_PATH = '/probe'
export const PROBE_HEADER = 'proctorpass-probe'
export const PROBE_METHODS = ['POST', 'PATCH', 'DELETE'] as const satisfies HTTPMethods[]
/** Enough for an image of 10 MB with its form, and for proxies that count in other units. */
export const PROBE_BYTES_MAX = 12_000_000
/** Longer than the doctor runs, even if the clocks differ by a minute. */
const VALID_MS = 3 * 60_000

const SeenSchema = Type.Object({
  /** The client's address, by which limits count. */
  address: Type.String(),
  /** The number of addresses in X-Forwarded-For. */
  forwarded: Type.Integer(),
})
export type Seen = Static<typeof SeenSchema>

interface ProbeOptions {
  jwtSecret: string
  limits: Limits
}

/**
 * Tells the doctor what arrives of a request behind the proxy. The doctor makes its token with JWT_SECRET, and the
 * token expires soon. A body is read to its end and forgotten.
 * @see docs/decisions/0107-probes-of-the-doctor.md
 */
export async function probeRoutes(app: FastifyInstance, { jwtSecret, limits }: ProbeOptions): Promise<void> {
  app.addContentTypeParser(
    'application/octet-stream',
    async (_request: unknown, body: AsyncIterable<Buffer>) => {
      let length = 0
      for await (const chunk of body) {
        length += chunk.length
        if (length > PROBE_BYTES_MAX) throw new AppError('too-large', "The probe's body is too large.")
      }
    },
  )
  for (const method of PROBE_METHODS) {
    app.route({
      method,
      url: PROBE_PATH,
      bodyLimit: PROBE_BYTES_MAX,
      schema: {
        tags: ['health'],
        summary: 'What arrives behind the proxy; for `npm run doctor`',
        response: { 200: SeenSchema, '4xx': { $ref: 'Error#' } },
      },
      // The token is checked before the body is read.
      onRequest: async ({ headers, ip }) => {
        if (isProbeToken(String(headers[PROBE_HEADER]), jwtSecret, Date.now())) return
        await limits.take('address', ip)
        throw new AppError('unauthorized', 'Only "npm run doctor" may call this address.')
      },
      handler: async ({ ip, headers }): Promise<Seen> => {
        const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
        return { address: ip, forwarded: forwarded.filter((entry) => entry.trim() !== '').length }
      },
    })
  }
}

export function probeToken(jwtSecret: string, now: number): string {
  return `${now}.${createHmac('sha256', jwtSecret).update(`probe ${now}`).digest('hex')}`
}

function isProbeToken(token: string, jwtSecret: string, now: number): boolean {
  const [at = ''] = token.split('.', 1)
  if (!/^\d{13}$/.test(at) || Math.abs(now - Number(at)) > VALID_MS) return false
  const [given, expected] = [Buffer.from(token), Buffer.from(probeToken(jwtSecret, Number(at)))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
