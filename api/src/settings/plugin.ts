import type { ChatState, PublicConfig } from '@proctorpass/shared/schemas/config'
import type { TypedApp } from '../http/validation.ts'
import { configRoutes } from './config-routes.ts'
import type { SettingsUseCases } from './settings.ts'
import { settingsRoutes } from './settings-routes.ts'

interface PluginOptions {
  config: PublicConfig
  chatState: () => Promise<ChatState>
  settings: SettingsUseCases
}

export function settingsPlugin(api: TypedApp, { config, chatState, settings }: PluginOptions): void {
  api.addHook('onReady', () => settings.load())
  configRoutes(api, { config, chatState })
  settingsRoutes(api, { settings })
}
