import { domainToASCII } from 'node:url'
import type { KeyedHash } from '../credentials/store-secret.ts'
import type { PlaceLimit } from '../storage/model/addresses.ts'

/** The limit for one address, over all conversations in which it was given. */
export const MAILS_TO_ADDRESS: PlaceLimit = { max: 3, windowMs: 24 * 60 * 60 * 1_000 }

/** Returns the ID under which the store remembers the mails to an address. */
export function addressIdOf(email: string, hash: KeyedHash): Promise<string> {
  return hash('mail', mailboxOf(email))
}

/**
 * Returns the same text for all spellings that most mail servers deliver to one mailbox: they ignore case, and what
 * follows a `+`.
 */
function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at).normalize('NFKC').toLowerCase()
  const domain = email.slice(at + 1)
  return `${local.replace(/(?<=.)\+.*$/s, '')}@${domainToASCII(domain) || domain.toLowerCase()}`
}
