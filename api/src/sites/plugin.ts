import type { Env } from '../env/env.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Continuity } from './continuity.ts'
import type { Identities } from './identify.ts'
import { siteRoutes } from './site-routes.ts'
import type { SiteTests } from './site-tests.ts'
import type { Sites } from './sites.ts'
import { visitRoutes } from './visit-routes.ts'

export function sitesPlugin(api: TypedApp, options: { sites: Sites; siteTests: SiteTests }): void {
  siteRoutes(api, options)
}

/** Serves the routes that frames call, at the root. */
export function visitsPlugin(
  app: TypedApp,
  { env, ...options }: { continuity: Continuity; identities: Identities; siteTests: SiteTests; env: Env },
): void {
  visitRoutes(app, { ...options, publicUrl: env.publicUrl })
}
