import Type from 'typebox'
import { ClientId, Hash, OrNull, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A link of a mail, or what else leads from it to its conversation: known by the SHA-256 hash of its token. */
export interface LinkRecord {
  hash: string
  kind: LinkKind
  clientId: string
  /** The conversation's epoch when the link was made. */
  epoch: string
  /** The address that was mailed, see `AddressRecord`; null in links of older releases. */
  addressId: string | null
  expiresAt: number
}

/**
 * `resume` opens the conversation; `unsubscribe` only ends mails to its address, or begins them again; `reply` is the
 * token of an address for answers by mail; `sent` is the mail's Message-ID, which a bounce names.
 */
export type LinkKind = 'resume' | 'unsubscribe' | 'reply' | 'sent'

export const LINKS: PlainTable<LinkRecord> = {
  name: 'links',
  key: 'hash',
  fields: {
    hash: Hash,
    kind: Type.Union(['resume', 'unsubscribe', 'reply', 'sent'].map((kind) => Type.Literal(kind))),
    clientId: ClientId,
    epoch: Token,
    addressId: OrNull(Hash),
    expiresAt: Time,
  },
  missing: { addressId: null },
  indexes: { client: { by: { clientId: 1 } }, expiry: { by: { expiresAt: 1 } } },
}

/** Erasing a conversation removes its links except `unsubscribe`: its mails can still be unsubscribed from. */
export function openLinks(links: Rows<LinkRecord>) {
  return {
    /** Stores links, and removes those of the store that have expired at `now`. */
    async create(created: readonly LinkRecord[], now: number): Promise<void> {
      await Promise.all([
        links.remove({ expiresAt: { '<=': now } }),
        ...created.map((link) => links.insert(link)),
      ])
    },
    /** Null when it is missing, of another kind, or expired at `now`. */
    find: (hash: string, kind: LinkKind, now: number) => links.find({ hash, kind, expiresAt: { '>': now } }),
  }
}
