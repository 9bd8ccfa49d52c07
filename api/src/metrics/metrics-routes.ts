import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Limits } from '../limits/limits.ts'
import type { Metrics } from './metrics.ts'

interface MetricsOptions {
  metrics: Metrics
  token: string
  limits: Limits
}

/** Serves Prometheus, which sends METRICS_TOKEN as `Authorization: Bearer`. */
export function metricsRoutes(app: FastifyInstance, { metrics, token, limits }: MetricsOptions): void {
  const expected = digestOf(`Bearer ${token}`)
  app.get(
    '/metrics',
    {
      schema: {
        tags: ['health'],
        summary: 'Metrics in the Prometheus text format; requires METRICS_TOKEN',
        security: [{ metricsToken: [] }],
        response: { 200: Type.String(), 401: { $ref: 'Error#' } },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (!timingSafeEqual(expected, digestOf(request.headers.authorization ?? ''))) {
        await limits.take('address', request.ip)
        reply.header('www-authenticate', 'Bearer')
        throw new AppError('unauthorized', 'The metrics require METRICS_TOKEN as a bearer token.')
      }
      const { type, text } = await metrics.scrape()
      return reply.type(type).send(text)
    },
  )
}

/** Hashes the text, because digests have one length and can be compared in constant time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
