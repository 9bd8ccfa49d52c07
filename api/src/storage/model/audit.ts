import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { AuditAction } from '@proctorpass/shared/audit'
import Type from 'typebox'
import { Id, OrNull, Time, text } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** An audit entry before it is numbered. */
export interface NewAuditEntry {
  /** The actor: an admin's user ID, or `key:ID` for an API key. Null for a visitor, the server, or its operator. */
  by: string | null
  action: AuditAction
  /** The changed object's ID. Null where the action says everything. */
  target: string | null
  /** JSON values. They never contain a secret, a message's text, or anything about a visitor. */
  details: Readonly<Record<string, unknown>>
  /** The network from which the request came. Null where `by` is null. */
  address: string | null
  /** The time in milliseconds since 1970 UTC. An entry is never dated before its predecessor. */
  at: number
}

/** A stored entry in the chain. */
export interface AuditRecord extends Omit<NewAuditEntry, 'action' | 'details'> {
  /** The number `n` with leading zeros, so that keys sort by number. */
  _id: string
  action: string
  /** The details as JSON, in the form that was hashed. */
  details: string
  /** The SHA-256 hash over the predecessor's hash and this entry in lower-case hex, see `hashOf`. */
  hash: string
  /** A unique ID, so that an entry that a process wrote before it died is not stored twice. */
  source: string
}

export interface AuditQuery {
  /** The first and last times, both inclusive, in milliseconds since 1970 UTC. */
  from?: number | undefined
  to?: number | undefined
  by?: string | undefined
  action?: string | undefined
  /** Lists only entries with a lower `_id`. */
  before?: string | undefined
  limit: number
}

/** The most characters in the details' JSON. */
const DETAILS_MAX = 8_192

const NEWEST_FIRST = { _id: -1 } as const

export const AUDIT: PlainTable<AuditRecord> = {
  name: 'audit',
  key: '_id',
  fields: {
    _id: Type.String({ pattern: '^[0-9]{16}$' }),
    at: Time,
    by: OrNull(text(64)),
    action: Type.String({ pattern: '^[a-z.-]{1,64}$' }),
    target: OrNull(text(256)),
    details: Type.String({ maxLength: DETAILS_MAX }),
    address: OrNull(text(64)),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    source: Id,
  },
  indexes: {
    by: { by: { by: 1, _id: -1 } },
    action: { by: { action: 1, _id: -1 } },
    source: { by: { source: 1 }, unique: true },
    time: { by: { at: 1, _id: 1 } },
  },
}

/**
 * Opens the audit log, a chain of entries that only grows at its end and is cut at its beginning. A change's entry is
 * stored with the change, see `withEntry`. `append` stores an entry at the chain's end.
 */
export function openAudit(rows: Rows<AuditRecord>, append: (entry: NewAuditEntry) => Promise<void>) {
  async function first(where: { at: { '>'?: number; '>='?: number } }): Promise<AuditRecord | undefined> {
    return (await rows.list(where, { order: { at: 1, _id: 1 }, limit: 1 }))[0]
  }

  return {
    /** Stores an entry that does not belong to a change. */
    append,

    /**
     * Lists the newest entries first. Times never decrease along the chain, so bounds on times are bounds on numbers.
     */
    async list({ from = 0, to, by, action, before, limit }: AuditQuery): Promise<AuditRecord[]> {
      const later = to === undefined ? undefined : (await first({ at: { '>': to } }))?._id
      const upper = [before, later].filter((id) => id !== undefined).sort()[0]
      const where = {
        ...(by !== undefined && { by }),
        ...(action !== undefined && { action }),
        ...(upper !== undefined && { _id: { '<': upper } }),
      }
      const found = await rows.list(where, { order: NEWEST_FIRST, limit })
      return found.filter(({ at }) => at >= from)
    },

    /** Lists entries in the order of n: those after `_id`, or with null from the first one. */
    page: (after: string | null, limit: number) =>
      rows.list(after === null ? {} : { _id: { '>': after } }, { order: { _id: 1 }, limit }),

    /**
     * Removes the entries before a time, and appends an entry that holds the last removed one's hash. Returns how many
     * were removed.
     */
    async cut(before: number, at: number): Promise<number> {
      const [kept] = [await first({ at: { '>=': before } })]
      const [head] = await rows.list({}, { order: NEWEST_FIRST, limit: 1 })
      const [oldest] = await rows.list({}, { order: { _id: 1 }, limit: 1 })
      if (head === undefined || oldest === undefined) return 0
      const upTo = kept === undefined ? numberOf(head) : numberOf(kept) - 1
      const last = await rows.find({ _id: keyOfNumber(upTo) })
      if (last === null || upTo < numberOf(oldest)) return 0
      const details = { upTo, hash: last.hash }
      await append({ by: null, action: 'audit.cut', target: null, details, address: null, at })
      return rows.remove({ _id: { '<=': last._id } })
    },
  }
}

export type AuditRepository = ReturnType<typeof openAudit>

const DIGITS = 16

export function keyOfNumber(n: number): string {
  return String(n).padStart(DIGITS, '0')
}

export const numberOf = ({ _id }: Pick<AuditRecord, '_id'>) => Number(_id)

/** Returns the entry as the chain's next one. `source` identifies it, in case it is stored again. */
export function nextEntry(
  head: AuditRecord | null,
  { details, at, ...entry }: NewAuditEntry,
  source = newId(at),
): AuditRecord {
  const record = {
    ...entry,
    _id: keyOfNumber(head === null ? 1 : numberOf(head) + 1),
    details: JSON.stringify(details),
    at: Math.max(at, head?.at ?? 0),
    source,
  }
  return { ...record, hash: hashOf(head?.hash ?? '', record) }
}

/** Returns the entry that the first start after a restore or a migration appends. `head` is the last copied entry. */
export function copiedEntry(head: AuditRecord | null): NewAuditEntry {
  const system = { by: null, target: null, address: null }
  const details = head === null ? {} : { n: numberOf(head), hash: head.hash }
  return { ...system, action: 'store.copied', details, at: Date.now() }
}

/** Hashes the predecessor's hash (the empty string before the first entry), a line feed, and the entry as JSON. */
function hashOf(previous: string, record: Omit<AuditRecord, 'hash'>): string {
  const { at, by, action, target, details, address } = record
  const content = [
    numberOf(record),
    new Date(at).toISOString(),
    by,
    action,
    target,
    JSON.parse(details),
    address,
  ]
  return createHash('sha256')
    .update(`${previous}\n${JSON.stringify(content)}`)
    .digest('hex')
}

/**
 * Checks that each entry follows from its predecessor. It takes the entries in the order of n, so that they do not stay
 * in memory.
 */
export class ChainCheck {
  #count = 0
  #last: AuditRecord | null = null
  #brokenAt: number | null = null
  /** The first entry, until it is known to begin the chain or to follow the entries that were cut. */
  #first: AuditRecord | null = null

  add(entry: AuditRecord): void {
    this.#count += 1
    const last = this.#last
    this.#last = entry
    if (
      last !== null &&
      (numberOf(entry) !== numberOf(last) + 1 || hashOf(last.hash, entry) !== entry.hash)
    ) {
      this.#brokenAt ??= numberOf(entry)
    }
    if (last === null) this.#first = entry
    if (
      this.#first !== null &&
      hashOf(this.#hashBefore(this.#first, entry), this.#first) === this.#first.hash
    ) {
      this.#first = null
    }
  }

  /**
   * Returns the hash before the first entry: empty if it begins the chain, or the hash in a later entry about the cut.
   */
  #hashBefore(first: AuditRecord, { action, details }: AuditRecord): string {
    if (action !== 'audit.cut') return ''
    const { upTo, hash } = JSON.parse(details)
    return upTo === numberOf(first) - 1 ? hash : ''
  }

  /**
   * Returns the result. `brokenAt` is the first entry's number that does not follow from its predecessor, or null for
   * an unbroken chain. `head` is the last entry.
   */
  result(): { count: number; brokenAt: number | null; head: AuditRecord | null } {
    const brokenAt = this.#first === null ? this.#brokenAt : numberOf(this.#first)
    return { count: this.#count, brokenAt, head: this.#last }
  }
}

/** The entry of the current change, until a write stores it. */
export interface DueEntry {
  readonly entry: NewAuditEntry
  isStored: boolean
}

const due = new AsyncLocalStorage<DueEntry | undefined>()

/**
 * Calls a store method so that its write also stores the entry: either both are stored or neither is. A write that
 * changes nothing, because what it expects is not stored, stores no entry. `change` must call one method that changes
 * something, and the first write that does takes the entry.
 * @see docs/decisions/0068-audit-log.md
 */
export function withEntry<T>(entry: NewAuditEntry, change: () => Promise<T>): Promise<T> {
  return due.run({ entry, isStored: false }, change)
}

/**
 * Runs a write that is not the change that the entry reports, so it does not take the entry. Wrappers of the store use
 * this.
 */
export function withoutEntry<T>(write: () => Promise<T>): Promise<T> {
  return due.run(undefined, write)
}

/** Returns the due entry, which an adapter's write has to store, or undefined. */
export function dueEntry(): DueEntry | undefined {
  const found = due.getStore()
  return found?.isStored ? undefined : found
}
