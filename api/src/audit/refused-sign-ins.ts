import type { AuditRepository } from '../storage/port/audit.ts'
import { type Actor, auditEntry } from './entry.ts'

const MINUTE_MS = 60_000
/** Entries of one minute: strangers must not flood the log. */
const A_MINUTE_MAX = 50

/**
 * Notes a refused sign-in to an existing account, or a refused confirmation: once a minute for each network and account, on all nodes. A failure of
 * the store is no reason to answer otherwise than to an unknown name.
 */
export async function noteRefusal(
  audit: AuditRepository,
  actor: Actor,
  refused: 'session.refused' | 'confirmation.refused' = 'session.refused',
): Promise<void> {
  const entry = auditEntry(actor, refused)
  try {
    const { action, by, address, at } = entry
    const recent = await audit.list({ action, from: at - MINUTE_MS, limit: A_MINUTE_MAX })
    const isNoted = recent.some((each) => each.by === by && each.address === address)
    if (!isNoted && recent.length < A_MINUTE_MAX) await audit.append(entry)
  } catch {
    // See above.
  }
}
