import { type PublicConfig, PublicConfigSchema } from '@proctorpass/shared/schemas/config'
import type { FastifyInstance } from 'fastify'

export function configRoutes(app: FastifyInstance, { config }: { config: PublicConfig }): void {
  app.get(
    '/config',
    {
      schema: {
        tags: ['config'],
        summary: 'The settings that browsers need',
        response: { 200: PublicConfigSchema },
      },
    },
    async (_request, reply) => {
      // Open pages must notice a changed configuration after a restart.
      reply.header('cache-control', 'no-cache')
      return config
    },
  )
}
