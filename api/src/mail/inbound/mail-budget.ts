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
/** Of all senders who are not verified, and whose mails lead to no conversation: they can be of as many as anyone forges. */
const OF_UNVERIFIED: PlaceLimit = { max: 100, windowMs: HOUR_MS }
const BEGUN_MS = DAY_MS

/** A mail before its body is read. */
export interface Announced {
  head: MailHead
  /** Of its bytes. */
  hash: string
  at: number
  /** False: no sender, or not verified by the own mail server. */
  verified: boolean
  automatic: boolean
  /** Of the address that the mail was sent to; null without a good one. */
  link: LinkRecord | null
}

interface BudgetDeps {
  storage: Pick<Storage, 'mails' | 'addresses'>
  keyed: KeyedHash
  rateLimits: boolean
  now: () => number
}

/** What the body of a mail may cost, decided by its headers. */
export function createMailBudget({ storage, keyed, rateLimits, now }: BudgetDeps) {
  /** The mails that this process has begun: those that it begins again did not end it. */
  const begun = new Set<string>()

  return {
    /** False when the sender, the conversation, or all unverified senders had their share. A repeated mail keeps its place. */
    async hasPlace({ head, hash, at, verified, automatic, link }: Announced): Promise<boolean> {
      if (!rateLimits) return true
      const name = await keyed('mail-place', hash)
      const isFree = async (scope: string, value: string, limit: PlaceLimit) =>
        (await storage.addresses.take(await keyed(scope, value), name, limit, at)) === null
      // Forged mails take no places of the real sender.
      const of = verified ? 'verified' : 'claimed'
      if (!(await isFree(`mail-sender ${of}`, head.from ?? '', OF_SENDER))) return false
      if (link !== null) return isFree(`mail-conversation ${of}`, link.clientId, OF_CONVERSATION)
      const kind = automatic || isReport(head) ? 'program' : 'contact'
      return verified || isFree('mail-unverified', kind, OF_UNVERIFIED)
    },
    /** False for a mail that was begun twice, and each time ended its process. */
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

/** Beside the hashes of the mails that were read, as one of them. */
function markOf(time: 'first' | 'second', hash: string): string {
  return createHash('sha256').update(`${time} reading of ${hash}`).digest('base64url')
}
