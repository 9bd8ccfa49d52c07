import type { TypedApp } from '../http/validation.ts'
import type { Notifications } from './notifications.ts'
import { pushRoutes } from './push-routes.ts'

interface PluginOptions {
  notifications: Notifications
}

export function notificationsPlugin(api: TypedApp, { notifications }: PluginOptions): void {
  api.addHook('onReady', async () => notifications.start(api.log))
  pushRoutes(api, { devices: notifications.devices })
}
