import { EMAIL_MAX } from '@proctorpass/shared/limits'
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

/** An address whose local part is quoted. The quotes stay only where they are needed. */
function quotedAddress(local: string, domain: string): string | null {
  const plain = `${local}@${domain}`
  if (!/^\.|\.\.|\.$/.test(local) && isEmailAddress(plain)) return plain
  const address = `"${local.replace(/["\\]/g, '\\$&')}"@${domain}`
  const isSound = local !== '' && !/[\p{C}\u2028\u2029]/u.test(local) && isEmailAddress(`x@${domain}`)
  return isSound && address.length <= EMAIL_MAX ? address : null
}

/** Other signs stay: the lower case of the Kelvin sign is the letter k, which names another mailbox. */
export function asciiLowerCase(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
