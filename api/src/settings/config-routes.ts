import {
  type ChatState,
  LiveConfigSchema,
  type PublicConfig,
  VersionSchema,
} from '@proctorpass/shared/schemas/config'
import type { TypedApp } from '../http/validation.ts'
import { VERSION } from '../installation.ts'
import type { Languages } from '../languages/languages.ts'

interface Deps {
  config: PublicConfig
  chatState: () => Promise<ChatState>
  languages: Pick<Languages, 'shown'>
}

export function configRoutes(app: TypedApp, { config, chatState, languages }: Deps): void {
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
      const [state, shown] = await Promise.all([chatState(), languages.shown()])
      return { ...config, languages: shown, chat: { ...config.chat, ...state } }
    },
  )

  app.get(
    '/version',
    { schema: { tags: ['config'], summary: 'The version of the server', response: { 200: VersionSchema } } },
    () => ({ version: VERSION }),
  )
}
