import type { Env } from '../env/env.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Continuity } from './continuity.ts'
import type { Identities } from './identify.ts'
import { siteRoutes } from './site-routes.ts'
import type { Sites } from './sites.ts'
import { visitRoutes } from './visit-routes.ts'

export function sitesPlugin(api: TypedApp, { sites }: { sites: Sites }): void {
  siteRoutes(api, { sites })
}

/** What frames call, at the root. */
export function visitsPlugin(
  app: TypedApp,
  { continuity, identities, env }: { continuity: Continuity; identities: Identities; env: Env },
): void {
  visitRoutes(app, { continuity, identities, publicUrl: env.publicUrl })
}
