/** A link of a mail, or what else leads from it to its conversation: known by the SHA-256 hash of its token. */
export interface LinkRecord {
  hash: string
  kind: LinkKind
  clientId: string
  /** Of the conversation when the link was made. */
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

/** Erasing a conversation removes its links except `unsubscribe`: its mails can still be unsubscribed from. */
export interface LinkRepository {
  /** Stores links, and removes those of the store that have expired at `now`. */
  create(links: readonly LinkRecord[], now: number): Promise<void>
  /** Null when it is missing, of another kind, or expired at `now`. */
  find(hash: string, kind: LinkKind, now: number): Promise<LinkRecord | null>
}
