import { createHash } from 'node:crypto'
import type { AuditRecord, NewAuditEntry } from '../port/audit.ts'
import { newId } from './ids.ts'

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

/** For the first start after a restore or a migration: `head` is the last entry that was copied. */
export function copiedEntry(head: AuditRecord | null): NewAuditEntry {
  const system = { by: null, target: null, address: null }
  const details = head === null ? {} : { n: numberOf(head), hash: head.hash }
  return { ...system, action: 'store.copied', details, at: Date.now() }
}

/** Of the hash of the predecessor (the empty string before the first entry), a line feed, and the entry as JSON. */
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
