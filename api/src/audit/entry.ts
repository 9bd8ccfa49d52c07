import type { AuditAction } from '@proctorpass/shared/audit'
import { networkOf } from '../limits/networks.ts'
import type { NewAuditEntry } from '../storage/model/audit.ts'

/** The admin who did something, with the request's address. */
export interface Actor {
  userId: string
  address: string
}

interface What {
  target?: string | undefined
  details?: Readonly<Record<string, unknown>>
}

/** Creates the entry for what an admin did. A null actor is a visitor, the server, or its operator. */
export function auditEntry(
  actor: Actor | null,
  action: AuditAction,
  { target, details = {} }: What = {},
): NewAuditEntry {
  const by = actor?.userId ?? null
  const address = actor === null ? null : auditNetwork(actor.address)
  return { by, action, target: target ?? null, details, address, at: Date.now() }
}

/** Returns an address's network: the /24 for IPv4, the /48 for IPv6. */
export function auditNetwork(address: string): string {
  const network = networkOf(address)
  const [, groups] = /^((?:[0-9a-f]+:){3})[0-9a-f]+::\/64$/.exec(network) ?? []
  if (groups !== undefined) return `${groups}:/48`
  return `${network.split('.').slice(0, 3).join('.')}.0/24`
}
