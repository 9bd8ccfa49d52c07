import type { AuditAction } from '@proctorpass/shared/audit'

/** Something that was done, before it is numbered. */
export interface NewAuditEntry {
  /** The user id of an admin, `key:ID` of an API key, or null: a visitor, the server, or its operator. */
  by: string | null
  action: AuditAction
  /** The id of the changed object; null where the action says all. */
  target: string | null
  /** Values of JSON. Never a secret, the text of a message, or anything about a visitor. */
  details: Readonly<Record<string, unknown>>
  /** The network that the request came from; null where `by` is null. */
  address: string | null
  /** Milliseconds since 1970 UTC. An entry is never dated before its predecessor. */
  at: number
}

/** An entry of the chain, as it is stored. */
export interface AuditRecord extends Omit<NewAuditEntry, 'action' | 'details'> {
  /** `n` with leading zeros, so that keys are in the order of numbers. */
  _id: string
  action: string
  /** JSON, as it was hashed. */
  details: string
  /** SHA-256 over the hash of the predecessor and this entry, see `hashOf`. Lower-case hex. */
  hash: string
  /** Unique: an entry that a process wrote before it died is not stored twice. */
  source: string
}

export interface AuditQuery {
  /** Both inclusive, in milliseconds since 1970 UTC. */
  from?: number | undefined
  to?: number | undefined
  by?: string | undefined
  action?: string | undefined
  /** Only entries with a lower `_id`. */
  before?: string | undefined
  limit: number
}

/**
 * The audit log: a chain of entries that only grows at its end and is cut at its beginning. An entry of a change is
 * stored with the change, see `withEntry`.
 */
export interface AuditRepository {
  /** Stores an entry that belongs to no change. */
  append(entry: NewAuditEntry): Promise<void>
  /** Newest first. */
  list(query: AuditQuery): Promise<AuditRecord[]>
  /** In order of n, those after `_id`; null: from the first. */
  page(after: string | null, limit: number): Promise<AuditRecord[]>
  /** Removes the entries before this time, and appends one that carries their last hash on. Answers how many. */
  cut(before: number, at: number): Promise<number>
}
