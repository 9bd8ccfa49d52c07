import type { AuditRepository } from '../storage/model/audit.ts'
import { KeyedMutex } from '../storage/model/keyed-mutex.ts'
import { type Actor, auditEntry } from './entry.ts'

const MINUTE_MS = 60_000
/** The most entries in one minute, because strangers must not flood the log. */
const A_MINUTE_MAX = 50
/** By the store, because a process of a simulation has several. */
const turns = new WeakMap<AuditRepository, KeyedMutex>()

/**
 * Adds an entry for a refused sign-in to an existing account, confirmation, or old password: once a minute for each
 * network and account, on all nodes. Refusals that happen at once wait for each other, so that this node writes one
 * entry. If the store fails, the answer must not differ from the one for an unknown name.
 */
export async function noteRefusal(
  audit: AuditRepository,
  actor: Actor,
  refused: 'session.refused' | 'confirmation.refused' | 'password.refused' = 'session.refused',
): Promise<void> {
  const entry = auditEntry(actor, refused)
  const { action, by, address, at } = entry
  const ownTurns = turns.get(audit) ?? new KeyedMutex()
  turns.set(audit, ownTurns)
  const noted = ownTurns.run(`${action} ${by} ${address}`, async () => {
    const recent = await audit.list({ action, from: at - MINUTE_MS, limit: A_MINUTE_MAX })
    const isNoted = recent.some((each) => each.by === by && each.address === address)
    if (!isNoted && recent.length < A_MINUTE_MAX) await audit.append(entry)
  })
  await noted.catch(() => {})
}
