import Type from 'typebox'
import { ClientId, Hash, OrNull, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A link in a mail, or something else that leads from the mail to its conversation, by its token's SHA-256 hash. */
export interface LinkRecord {
  hash: string
  kind: LinkKind
  clientId: string
  /** The conversation's epoch when the link was made. */
  epoch: string
  /** The mailed address, see `AddressRecord`. Null in links from older releases. */
  addressId: string | null
  expiresAt: number
}

/**
 * `resume` opens the conversation. `unsubscribe` only stops mails to its address or starts them again. `reply` is the
 * token in a reply address. `sent` is the mail's Message-ID, which a bounce names.
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

/** Opens the links. Erasing a conversation keeps its `unsubscribe` links, so that its mails can still be stopped. */
export function openLinks(links: Rows<LinkRecord>) {
  return {
    /** Stores links, and removes the links that have expired at `now`. */
    async create(created: readonly LinkRecord[], now: number): Promise<void> {
      await Promise.all([
        links.remove({ expiresAt: { '<=': now } }),
        ...created.map((link) => links.insert(link)),
      ])
    },
    /** Returns null when the link is missing, has another kind, or has expired at `now`. */
    find: (hash: string, kind: LinkKind, now: number) => links.find({ hash, kind, expiresAt: { '>': now } }),
  }
}
