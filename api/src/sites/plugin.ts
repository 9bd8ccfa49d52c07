import type { TypedApp } from '../http/validation.ts'
import { siteRoutes } from './site-routes.ts'
import type { Sites } from './sites.ts'

export function sitesPlugin(api: TypedApp, { sites }: { sites: Sites }): void {
  siteRoutes(api, { sites })
}
