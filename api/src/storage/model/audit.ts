import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { AuditAction } from '@proctorpass/shared/audit'
import Type from 'typebox'
import { Id, OrNull, Time, text } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows } from './plain-table.ts'

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

/** Characters of the JSON of the details. */
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
 * The audit log: a chain of entries that only grows at its end and is cut at its beginning. An entry of a change is
 * stored with the change, see `withEntry`. `append` stores an entry at the end of the chain.
 */
export function openAudit(rows: Rows<AuditRecord>, append: (entry: NewAuditEntry) => Promise<void>) {
  async function first(where: { at: { '>'?: number; '>='?: number } }): Promise<AuditRecord | undefined> {
    return (await rows.list(where, { order: { at: 1, _id: 1 }, limit: 1 }))[0]
  }

  return {
    /** Stores an entry that belongs to no change. */
    append,

    /** Newest first. Times never decrease along the chain, so bounds of time are bounds of numbers. */
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

    /** In order of n, those after `_id`; null: from the first. */
    page: (after: string | null, limit: number) =>
      rows.list(after === null ? {} : { _id: { '>': after } }, { order: { _id: 1 }, limit }),

    /** Removes the entries before this time, and appends one that carries their last hash on. Answers how many. */
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

/** The entry as the next of the chain. `source` names it, in case that it is stored again. */
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

/** The first start after a restore or a migration appends it. `head` is the last entry that was copied. */
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

/** Checks that each entry follows from the one before. Takes them in order of n, so that none stays in memory. */
export class ChainCheck {
  #count = 0
  #last: AuditRecord | null = null
  #brokenAt: number | null = null
  /** The first entry, until it is known what it follows from: entries that were cut. */
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

  /** The first entry begins the chain, or a later one says with which hash the cut entries ended. */
  #hashBefore(first: AuditRecord, { action, details }: AuditRecord): string {
    if (action !== 'audit.cut') return ''
    const { upTo, hash } = JSON.parse(details)
    return upTo === numberOf(first) - 1 ? hash : ''
  }

  /** `brokenAt`: the number of the first entry that does not follow; null for an unbroken chain. `head`: the last one. */
  result(): { count: number; brokenAt: number | null; head: AuditRecord | null } {
    const brokenAt = this.#first === null ? this.#brokenAt : numberOf(this.#first)
    return { count: this.#count, brokenAt, head: this.#last }
  }
}

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

/** Wrappers of the store use it: `write` is not the change that the entry tells of, and does not take it. */
export function withoutEntry<T>(write: () => Promise<T>): Promise<T> {
  return due.run(undefined, write)
}

/** The entry that an adapter's write has to store. */
export function dueEntry(): DueEntry | undefined {
  const found = due.getStore()
  return found?.isStored ? undefined : found
}
