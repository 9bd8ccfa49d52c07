import type { TypedApp } from '../http/validation.ts'
import { savedSearchRoutes } from './saved-search-routes.ts'
import type { SavedSearches } from './saved-searches.ts'
import type { Search } from './search.ts'
import { searchRoutes } from './search-routes.ts'

interface PluginOptions {
  search: Search
  savedSearches: SavedSearches
}

export function searchPlugin(api: TypedApp, { search, savedSearches }: PluginOptions): void {
  api.addHook('onReady', async () => search.start(api.log))
  api.addHook('onClose', async () => search.close())
  searchRoutes(api, { search })
  savedSearchRoutes(api, { savedSearches })
}
