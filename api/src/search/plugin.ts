import type { TypedApp } from '../http/validation.ts'
import type { Search } from './search.ts'
import { searchRoutes } from './search-routes.ts'

export function searchPlugin(api: TypedApp, { search }: { search: Search }): void {
  api.addHook('onReady', async () => search.start(api.log))
  api.addHook('onClose', async () => search.close())
  searchRoutes(api, { search })
}
