import { EMAIL_MAX } from '@proctorpass/shared/limits'
import { isEmailAddress } from '../../env/mail-settings.ts'
import { unquoted } from './authentication.ts'

const ENCODED_WORD = /=\?[^?\s]+\?[bq]\?[^?\s]*\?=/gi

/**
 * Returns the sender in lower case; null unless the `From` headers have exactly one address. The address must stand
 * there literally: an address in an encoded word, a quoted name, or a comment does not count, because the mail server
 * that verified the sender saw no address there.
 */
export function senderIn(values: readonly string[]): string | null {
  const [value, ...others] = values
  if (value === undefined || others.length > 0) return null
  const { text, quotes, isClosed } = unquoted(value)
  if (!isClosed) return null
  let count = 0
  const numbered = text.replace(/"/g, () => `"${count++}"`)
  const words = numbered.replace(ENCODED_WORD, ' ').split(/[\s<>,;:()[\]]+/)
  const addresses = new Set(words.filter((word) => word.includes('@')).map(asciiLowerCase))
  const [address] = addresses
  if (address === undefined || addresses.size > 1) return null
  const [, number, domain = ''] = /^"(\d+)"@([^@"]+)$/.exec(address) ?? []
  if (number !== undefined) return quotedAddress(asciiLowerCase(quotes[Number(number)] ?? ''), domain)
  return isEmailAddress(address) ? address : null
}

/** Returns an address whose local part was quoted. It keeps the quotes only if it needs them. */
function quotedAddress(local: string, domain: string): string | null {
  const plain = `${local}@${domain}`
  if (!/^\.|\.\.|\.$/.test(local) && isEmailAddress(plain)) return plain
  const address = `"${local.replace(/["\\]/g, '\\$&')}"@${domain}`
  const isSound = local !== '' && !/[\p{C}\u2028\u2029]/u.test(local) && isEmailAddress(`x@${domain}`)
  return isSound && address.length <= EMAIL_MAX ? address : null
}

/** Lowers only ASCII letters: the Kelvin sign's lower case is the letter k, which would name another mailbox. */
export function asciiLowerCase(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
