import { createHash } from 'node:crypto'
import type { KeyedHash } from '../../credentials/store-secret.ts'
import type { PlaceLimit } from '../../storage/model/addresses.ts'
import type { LinkRecord } from '../../storage/model/links.ts'
import type { Storage } from '../../storage/model/storage.ts'
import { isReport, type MailHead } from './parse-mail.ts'

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS
const OF_CONVERSATION: PlaceLimit = { max: 30, windowMs: HOUR_MS }
const OF_SENDER: PlaceLimit = { max: 200, windowMs: DAY_MS }
/**
 * The limit for all unverified senders together whose mails lead to no conversation, because anyone can forge any
 * number of senders.
 */
const OF_UNVERIFIED: PlaceLimit = { max: 100, windowMs: HOUR_MS }
const BEGUN_MS = DAY_MS

/** A mail before its body is read. */
export interface Announced {
  head: MailHead
  /** The SHA-256 hash of the mail's bytes. */
  hash: string
  at: number
  /** False if the mail has no sender, or if our own mail server did not verify the sender. */
  verified: boolean
  automatic: boolean
  /** The link of the reply address that the mail was sent to; null without a valid one. */
  link: LinkRecord | null
}

interface BudgetDeps {
  storage: Pick<Storage, 'mails' | 'addresses'>
  keyed: KeyedHash
  rateLimits: boolean
  now: () => number
}

/** Decides by a mail's headers whether its body may be read. */
export function createMailBudget({ storage, keyed, rateLimits, now }: BudgetDeps) {
  /** The mails that this process has begun: if it begins one again, that mail did not end the process. */
  const begun = new Set<string>()

  return {
    /**
     * Returns false when the sender, the conversation, or all unverified senders together have used their share. A
     * repeated mail keeps its place.
     */
    async hasPlace({ head, hash, at, verified, automatic, link }: Announced): Promise<boolean> {
      if (!rateLimits) return true
      const name = await keyed('mail-place', hash)
      const isFree = async (scope: string, value: string, limit: PlaceLimit) =>
        (await storage.addresses.take(await keyed(scope, value), name, limit, at)) === null
      // Verified and claimed senders are counted separately, so forged mails take none of the real sender's places.
      const of = verified ? 'verified' : 'claimed'
      if (!(await isFree(`mail-sender ${of}`, head.from ?? '', OF_SENDER))) return false
      if (link !== null) return isFree(`mail-conversation ${of}`, link.clientId, OF_CONVERSATION)
      const kind = automatic || isReport(head) ? 'program' : 'contact'
      return verified || isFree('mail-unverified', kind, OF_UNVERIFIED)
    },
    /** Returns false for a mail that was begun twice and ended its process both times. */
    async mayBegin(hash: string): Promise<boolean> {
      if (begun.has(hash)) return true
      const [first, second] = [markOf('first', hash), markOf('second', hash)]
      if (await storage.mails.has(second)) return false
      const mark = (await storage.mails.has(first)) ? second : first
      await storage.mails.add({ hash: mark, expiresAt: now() + BEGUN_MS }, now())
      begun.add(hash)
      return true
    },
    ended(hash: string): void {
      begun.delete(hash)
    },
  }
}

/** Makes the mark of a begun mail, which is stored like a read mail's hash. */
function markOf(time: 'first' | 'second', hash: string): string {
  return createHash('sha256').update(`${time} reading of ${hash}`).digest('base64url')
}
