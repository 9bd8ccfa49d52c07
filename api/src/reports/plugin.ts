import type { TypedApp } from '../http/validation.ts'
import type { Deriver } from './deriver.ts'
import { reportRoutes } from './report-routes.ts'
import type { ReportUseCases } from './reports.ts'

interface PluginOptions {
  deriver: Deriver
  reports: ReportUseCases
}

export function reportsPlugin(api: TypedApp, { deriver, reports }: PluginOptions): void {
  api.addHook('onReady', async () => deriver.start(api.log))
  api.addHook('onClose', async () => deriver.close())
  reportRoutes(api, { reports })
}
