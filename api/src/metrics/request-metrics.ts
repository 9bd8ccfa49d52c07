import type { FastifyInstance } from 'fastify'
import type { Metrics } from './metrics.ts'

/** Counts HTTP answers by their route's pattern, because addresses are unbounded. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    metrics.requestAnswered({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
      refusedFor: reply.refusedFor,
    })
  })
}
