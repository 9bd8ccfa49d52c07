import {
  type ChatState,
  LiveConfigSchema,
  type PublicConfig,
  VersionSchema,
} from '@proctorpass/shared/schemas/config'
import Type from 'typebox'
import type { TypedApp } from '../http/validation.ts'
import { VERSION } from '../installation.ts'
import type { Languages } from '../languages/languages.ts'

interface Deps {
  config: PublicConfig
  chatState: (lang?: string) => Promise<ChatState>
  languages: Pick<Languages, 'shown'>
}

export function configRoutes(app: TypedApp, { config, chatState, languages }: Deps): void {
  app.get(
    '/config',
    {
      schema: {
        tags: ['config'],
        summary: 'What browsers need to know, with the state of the chat at this moment',
        querystring: Type.Object({ lang: Type.Optional(Type.String({ maxLength: 2_048 })) }),
        response: { 200: LiveConfigSchema },
      },
      config: { errors: false },
    },
    async (request, reply) => {
      // Open pages must notice a changed configuration, and the opening hours.
      reply.header('cache-control', 'no-cache')
      const [state, shown] = await Promise.all([chatState(request.query.lang), languages.shown()])
      return { ...config, languages: shown, chat: { ...config.chat, ...state } }
    },
  )

  app.get(
    '/version',
    { schema: { tags: ['config'], summary: 'The version of the server', response: { 200: VersionSchema } } },
    () => ({ version: VERSION }),
  )
}
