import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** Of the one record that a push is: the payload and what encryption adds must fit. */
const RECORD_BYTES = 4_096
const ADDED_BYTES = 17

/** `p256dh` and `auth` of a subscription, base64url. */
interface BrowserKeys {
  p256dh: string
  auth: string
}

/** New for each push; tests give those of the RFC. */
function fresh() {
  const own = createECDH('prime256v1')
  own.generateKeys()
  return { own, salt: randomBytes(16) }
}

/**
 * The body of a push that only the browser can read: RFC 8291, in the encoding `aes128gcm` of RFC 8188.
 * @throws when a key is malformed or the payload too long
 */
export function encryptPush(payload: string, { p256dh, auth }: BrowserKeys, { own, salt } = fresh()): Buffer {
  const text = Buffer.from(payload)
  if (text.length + ADDED_BYTES > RECORD_BYTES) throw new Error('The payload is too long.')
  const browserKey = Buffer.from(p256dh, 'base64url')
  const ownKey = own.getPublicKey()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browserKey, ownKey])
  const secret = own.computeSecret(browserKey)
  const material = hkdfSync('sha256', secret, Buffer.from(auth, 'base64url'), info, 32)
  const derived = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(material), salt, `Content-Encoding: ${name}\0`, bytes))
  const cipher = createCipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12))
  // 2 ends the last record.
  const encrypted = [cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]
  const sizes = Buffer.alloc(5)
  sizes.writeUInt32BE(RECORD_BYTES)
  sizes.writeUInt8(ownKey.length, 4)
  return Buffer.concat([salt, sizes, ownKey, ...encrypted])
}
