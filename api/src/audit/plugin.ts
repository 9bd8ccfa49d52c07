import type { TypedApp } from '../http/validation.ts'
import type { Audit } from './audit.ts'
import { auditRoutes } from './audit-routes.ts'

export function auditPlugin(api: TypedApp, { audit }: { audit: Audit }): void {
  api.addHook('onReady', async () => audit.start())
  auditRoutes(api, { audit })
}
