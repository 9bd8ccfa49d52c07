import type { DatabaseSync } from 'node:sqlite'
import { AUDIT, type AuditRecord, type NewAuditEntry, nextEntry } from '../model/audit.ts'
import { columnsOf, insertionOf } from './columns.ts'

/**
 * Returns a function that appends an entry to the chain in its caller's transaction. The entry may be a function of the
 * chain's last entry, which is null in an empty chain.
 */
export function openAuditChain(
  db: DatabaseSync,
): (entry: NewAuditEntry | ((head: AuditRecord | null) => NewAuditEntry)) => void {
  const newest = db.prepare("SELECT * FROM audit WHERE _id > '' ORDER BY _id DESC LIMIT 1")
  const insert = db.prepare(insertionOf(AUDIT.name, Object.keys(AUDIT.fields)))
  return (entry) => {
    const head = (newest.get() ?? null) as AuditRecord | null
    insert.run(columnsOf(nextEntry(head, typeof entry === 'function' ? entry(head) : entry)))
  }
}
