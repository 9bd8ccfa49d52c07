/** A link of a mail: known by the SHA-256 hash of its token. */
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

/** `resume` opens the conversation; `unsubscribe` only ends mails to its address, or begins them again. */
export type LinkKind = 'resume' | 'unsubscribe'

/** Erasing a conversation removes its resume links: its mails can still be unsubscribed from. */
export interface LinkRepository {
  /** Stores links, and removes those of the store that have expired at `now`. */
  create(links: readonly LinkRecord[], now: number): Promise<void>
  /** Null when it is missing, of another kind, or expired at `now`. */
  find(hash: string, kind: LinkKind, now: number): Promise<LinkRecord | null>
}
