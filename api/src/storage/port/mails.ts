/** A mail that was read from the mailbox: known by the SHA-256 hash of its bytes. */
export interface MailRecord {
  hash: string
  expiresAt: number
}

export interface MailRepository {
  /** Remembers a mail, and removes those of the store that have expired at `now`. */
  add(mail: MailRecord, now: number): Promise<void>
  has(hash: string): Promise<boolean>
}
