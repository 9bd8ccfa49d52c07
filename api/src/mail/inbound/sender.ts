import { isEmailAddress } from '../../env/mail-settings.ts'
import { unquoted } from './authentication.ts'

const ENCODED_WORD = /=\?[^?\s]+\?[bq]\?[^?\s]*\?=/gi

/**
 * The sender, in lower case; null unless the `From` headers have exactly one address. It must stand there as it is: what an
 * encoded word, a quoted name or a comment says is none, since the mail server that verified the sender read none there.
 */
export function senderIn(values: readonly string[]): string | null {
  const [value, ...others] = values
  if (value === undefined || others.length > 0) return null
  const { text, isClosed } = unquoted(value)
  if (!isClosed) return null
  const words = text.replace(ENCODED_WORD, ' ').split(/[\s<>,;:()[\]]+/)
  const addresses = new Set(words.filter((word) => word.includes('@')).map(asciiLowerCase))
  const [address] = addresses
  return address !== undefined && addresses.size === 1 && isEmailAddress(address) ? address : null
}

/** Other signs stay: the lower case of the Kelvin sign is the letter k, which names another mailbox. */
export function asciiLowerCase(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
