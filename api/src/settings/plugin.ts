import type { ChatState, PublicConfig } from '@proctorpass/shared/schemas/config'
import type { TypedApp } from '../http/validation.ts'
import type { Languages } from '../languages/languages.ts'
import { configRoutes } from './config-routes.ts'
import type { SettingsUseCases } from './settings.ts'
import { settingsRoutes } from './settings-routes.ts'

interface PluginOptions {
  config: PublicConfig
  chatState: (lang?: string) => Promise<ChatState>
  languages: Languages
  settings: SettingsUseCases
}

export function settingsPlugin(
  api: TypedApp,
  { config, chatState, languages, settings }: PluginOptions,
): void {
  api.addHook('onReady', () => settings.load())
  configRoutes(api, { config, chatState, languages })
  settingsRoutes(api, { settings })
}
