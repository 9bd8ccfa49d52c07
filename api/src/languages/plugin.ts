import type { TypedApp } from '../http/validation.ts'
import { languageRoutes } from './language-routes.ts'
import type { Languages } from './languages.ts'

export function languagesPlugin(api: TypedApp, { languages }: { languages: Languages }): void {
  api.addHook('onReady', () => languages.start(api.log))
  api.addHook('onClose', async () => languages.close())
  languageRoutes(api, { languages })
}
