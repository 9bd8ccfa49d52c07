import { type PublicConfig, PublicConfigSchema } from '@proctorpass/shared/schemas/config'
import type { FastifyInstance } from 'fastify'

/** What the browser must know to talk to us. */
export function configRoutes(app: FastifyInstance, { config }: { config: PublicConfig }): void {
  app.get(
    '/config',
    {
      schema: {
        tags: ['config'],
        summary: 'What the browser needs to know',
        response: { 200: PublicConfigSchema },
      },
    },
    async (_request, reply) => {
      // A restart may change it, and open pages are to follow.
      reply.header('cache-control', 'no-cache')
      return config
    },
  )
}
