import {
  type ChatState,
  LiveConfigSchema,
  type PublicConfig,
  VersionSchema,
} from '@proctorpass/shared/schemas/config'
import type { TypedApp } from '../http/validation.ts'
import { VERSION } from '../installation.ts'

interface Deps {
  config: PublicConfig
  chatState: () => Promise<ChatState>
}

export function configRoutes(app: TypedApp, { config, chatState }: Deps): void {
  app.get(
    '/config',
    {
      schema: {
        tags: ['config'],
        summary: 'What browsers need to know, with the state of the chat at this moment',
        response: { 200: LiveConfigSchema },
      },
      config: { errors: false },
    },
    async (_request, reply) => {
      // Open pages must notice a changed configuration, and the opening hours.
      reply.header('cache-control', 'no-cache')
      return { ...config, chat: { ...config.chat, ...(await chatState()) } }
    },
  )

  app.get(
    '/version',
    { schema: { tags: ['config'], summary: 'The version of the server', response: { 200: VersionSchema } } },
    () => ({ version: VERSION }),
  )
}
