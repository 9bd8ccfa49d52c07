import type { TypedApp } from '../http/validation.ts'
import type { Deriver } from './deriver.ts'
import { reportRoutes } from './report-routes.ts'
import type { ReportUseCases } from './report-use-cases.ts'
import { suggestionRoutes } from './suggestion-routes.ts'
import type { SuggestionUseCases } from './suggestions.ts'

interface PluginOptions {
  deriver: Deriver
  reports: ReportUseCases
  suggestions: SuggestionUseCases
}

export function reportsPlugin(api: TypedApp, { deriver, reports, suggestions }: PluginOptions): void {
  api.addHook('onReady', async () => deriver.start(api.log))
  api.addHook('onClose', async () => deriver.close())
  reportRoutes(api, { reports })
  suggestionRoutes(api, { suggestions })
}
