import { randomInt } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import type { Resume, Resumed } from '@proctorpass/shared/schemas/link'
import { hashOfToken, randomToken } from '../auth/session-tokens.ts'
import { hashOfKey } from '../auth/visitor-key.ts'
import type { KeyedHash } from '../credentials/store-secret.ts'
import type { Limits } from '../limits/limits.ts'
import type { LinkKind, LinkRecord } from '../storage/model/links.ts'
import type { Storage } from '../storage/model/storage.ts'
import { addressIdOf } from './mailboxes.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** The mail also states this number. */
export const RESUME_DAYS = 7
const GOOD_FOR_MS: Readonly<Record<LinkKind, number>> = {
  resume: RESUME_DAYS * DAY_MS,
  unsubscribe: 90 * DAY_MS,
  reply: 90 * DAY_MS,
  sent: 90 * DAY_MS,
}
const REPLY_TOKEN_LENGTH = 24
/** Base32 in lower case, because some mail servers change an address's case. */
const REPLY_SIGNS = 'abcdefghijklmnopqrstuvwxyz234567'
/** The points that an unknown token costs its network address, which a wrong visitor key costs too. */
export const UNKNOWN_POINTS = 20

type MailOfLinks = Pick<LinkRecord, 'clientId' | 'epoch' | 'addressId'> & { mailId: string }
type Tokens = Record<'resume' | 'unsubscribe' | 'reply', string>

interface LinksDeps {
  storage: Pick<Storage, 'links' | 'conversations' | 'visitors' | 'addresses'>
  hash: KeyedHash
  limits: Pick<Limits, 'take' | 'charge'>
  /** Whether answers by mail are read. */
  answersByMail: boolean
  now: () => number
}

/** @see docs/decisions/0046-mailed-links.md */
export function createLinks({ storage, hash, limits, answersByMail, now }: LinksDeps) {
  const find = (token: string, kind: LinkKind) => storage.links.find(hashOfToken(token), kind, now())

  async function unknownLink(address: string): Promise<AppError> {
    await limits.charge('address', address, UNKNOWN_POINTS)
    return new AppError('not-found', 'This link is unknown or too old.')
  }

  async function isKeyOf({ clientId }: LinkRecord, key: string): Promise<boolean> {
    return (await storage.conversations.find(clientId))?.keyHashes.includes(hashOfKey(key)) === true
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
    // The visitor may have given another address since.
    if (addressId === present) await storage.visitors.setUnsubscribed(clientId, isUnsubscribed)
  }

  return {
    /**
     * Creates the tokens of a mail to the address; the store has only their hashes. `mailId` is the mail's `id` (see
     * `Mail`), which is remembered so that a bounce can be matched.
     */
    async create({ clientId, epoch, addressId, mailId }: MailOfLinks): Promise<Tokens> {
      const at = now()
      const tokens = { resume: randomToken(), unsubscribe: randomToken(), reply: randomReplyToken() }
      const named = { ...tokens, sent: mailId }
      const record = (kind: LinkKind): LinkRecord => ({
        ...{
          kind,
          hash: hashOfToken(named[kind]),
          clientId,
          epoch,
          addressId,
          expiresAt: at + GOOD_FOR_MS[kind],
        },
      })
      const kinds = answersByMail ? KINDS : KINDS.slice(0, 2)
      await storage.links.create(kinds.map(record), at)
      return tokens
    },

    /** Finds the conversation to which a reply address's token, or the hash in a mail's Message-ID, leads. */
    findConversation: async (
      by: { token: string } | { messageIdHash: string },
    ): Promise<LinkRecord | null> =>
      'token' in by ? find(by.token, 'reply') : storage.links.find(by.messageIdHash, 'sent', now()),

    /**
     * Resumes the link's conversation with the browser's own key if that key opens it, or else with a new one. Throws
     * an AppError `not-found` for an unknown, expired, or void link.
     */
    async resume({ token, key: own }: Resume, address: string): Promise<Resumed> {
      await limits.take('resume', address)
      const link = await find(token, 'resume')
      const key = own !== undefined && link !== null && (await isKeyOf(link, own)) ? own : randomToken()
      const isOpen =
        link !== null && (await storage.conversations.addKey(link.clientId, hashOfKey(key), link.epoch))
      if (!isOpen) throw await unknownLink(address)
      return { clientId: link.clientId, key }
    },

    /** Ends all mails to the link's address. Throws an AppError `not-found` for an unknown or expired link. */
    unsubscribe: (token: string, address: string): Promise<void> => setUnsubscribed(token, address, true),

    /** Begins the mails again with the same link, which only readers of the address's mail have. */
    async subscribe(token: string, address: string): Promise<void> {
      await limits.take('resume', address)
      await setUnsubscribed(token, address, false)
    },
  }
}

export type Links = ReturnType<typeof createLinks>

const KINDS: readonly LinkKind[] = ['resume', 'unsubscribe', 'reply', 'sent']

function randomReplyToken(): string {
  return Array.from({ length: REPLY_TOKEN_LENGTH }, () => REPLY_SIGNS[randomInt(REPLY_SIGNS.length)]).join('')
}
