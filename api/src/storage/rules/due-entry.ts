import { AsyncLocalStorage } from 'node:async_hooks'
import type { NewAuditEntry } from '../port/audit.ts'

/** The entry of the change under way, until a write stores it. */
export interface DueEntry {
  readonly entry: NewAuditEntry
  isStored: boolean
}

const due = new AsyncLocalStorage<DueEntry | undefined>()

/**
 * Calls a method of the store so that its write also stores the entry: either both are stored, or neither. A write that
 * changes nothing, because what it expects is not stored, stores no entry. `change` calls one method that changes
 * something: the first write that does takes the entry.
 * @see docs/decisions/0068-audit-log.md
 */
export function withEntry<T>(entry: NewAuditEntry, change: () => Promise<T>): Promise<T> {
  return due.run({ entry, isStored: false }, change)
}

/** For wrappers of the store: `write` is not the change that the entry tells of, and does not take it. */
export function withoutEntry<T>(write: () => Promise<T>): Promise<T> {
  return due.run(undefined, write)
}

/** For adapters: the entry that the write has to store. */
export function dueEntry(): DueEntry | undefined {
  const found = due.getStore()
  return found?.isStored ? undefined : found
}
