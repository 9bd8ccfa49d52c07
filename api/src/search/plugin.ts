import type { TypedApp } from '../http/validation.ts'
import type { Search } from './search.ts'
import { searchRoutes } from './search-routes.ts'

interface PluginOptions {
  search: Search
}

export function searchPlugin(api: TypedApp, { search }: PluginOptions): void {
  api.addHook('onReady', async () => search.start(api.log))
  api.addHook('onClose', async () => search.close())
  searchRoutes(api, { search })
}
