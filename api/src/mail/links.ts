import { AppError } from '@proctorpass/shared/errors'
import type { Resumed } from '@proctorpass/shared/schemas/link'
import { hashOfToken, randomToken } from '../auth/session-tokens.ts'
import { hashOfKey } from '../auth/visitor-key.ts'
import type { KeyedHash } from '../credentials/store-secret.ts'
import type { Limits } from '../limits/limits.ts'
import type { LinkKind, LinkRecord } from '../storage/port/links.ts'
import type { Storage } from '../storage/port/storage.ts'
import { addressIdOf } from './mailboxes.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** The mail says so too. */
export const RESUME_DAYS = 7
const GOOD_FOR_MS: Readonly<Record<LinkKind, number>> = {
  resume: RESUME_DAYS * DAY_MS,
  unsubscribe: 90 * DAY_MS,
}
/** What an unknown token costs its address, as a wrong visitor key does. */
const UNKNOWN_POINTS = 20

/** @see docs/decisions/0046-mailed-links.md */
export interface Links {
  /** The tokens of a mail to the address. The store has only their hashes. */
  create(mail: Pick<LinkRecord, 'clientId' | 'epoch' | 'addressId'>): Promise<{ [K in LinkKind]: string }>
  /** A new key of the link's conversation. Throws AppError `not-found` for an unknown, expired or void link. */
  resume(token: string, address: string): Promise<Resumed>
  /** Ends all mails to the address of the link. Throws AppError `not-found` for an unknown or expired link. */
  unsubscribe(token: string, address: string): Promise<void>
  /** Begins them again, by the same link: only who reads the address's mail has it. */
  subscribe(token: string, address: string): Promise<void>
}

interface LinksDeps {
  storage: Pick<Storage, 'links' | 'conversations' | 'visitors' | 'addresses'>
  hash: KeyedHash
  limits: Pick<Limits, 'take' | 'charge'>
  now: () => number
}

export function createLinks({ storage, hash, limits, now }: LinksDeps): Links {
  const find = (token: string, kind: LinkKind) => storage.links.find(hashOfToken(token), kind, now())

  async function unknownLink(address: string): Promise<AppError> {
    await limits.charge('address', address, UNKNOWN_POINTS)
    return new AppError('not-found', 'This link is unknown or too old.')
  }

  async function setUnsubscribed(token: string, address: string, isUnsubscribed: boolean): Promise<void> {
    const link = await find(token, 'unsubscribe')
    if (link === null) throw await unknownLink(address)
    const { clientId } = link
    const email = (await storage.visitors.find(clientId))?.email
    const present = email ? await addressIdOf(email, hash) : null
    const addressId = link.addressId ?? present
    if (addressId === null) return
    await storage.addresses.setUnsubscribed(addressId, isUnsubscribed ? now() : null)
    // Another address may stand there by now.
    if (addressId === present) await storage.visitors.setUnsubscribed(clientId, isUnsubscribed)
  }

  return {
    async create({ clientId, epoch, addressId }) {
      const at = now()
      const tokens = { resume: randomToken(), unsubscribe: randomToken() }
      const record = (kind: LinkKind): LinkRecord => ({
        ...{
          kind,
          hash: hashOfToken(tokens[kind]),
          clientId,
          epoch,
          addressId,
          expiresAt: at + GOOD_FOR_MS[kind],
        },
      })
      await storage.links.create([record('resume'), record('unsubscribe')], at)
      return tokens
    },

    async resume(token, address) {
      await limits.take('resume', address)
      const link = await find(token, 'resume')
      const key = randomToken()
      const isOpen =
        link !== null && (await storage.conversations.addKey(link.clientId, hashOfKey(key), link.epoch))
      if (!isOpen) throw await unknownLink(address)
      return { clientId: link.clientId, key }
    },

    unsubscribe: (token, address) => setUnsubscribed(token, address, true),

    async subscribe(token, address) {
      await limits.take('resume', address)
      await setUnsubscribed(token, address, false)
    },
  }
}
