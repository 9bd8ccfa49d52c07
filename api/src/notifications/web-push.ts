import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** The size of a push's only record. The payload and what encryption adds must fit into it. */
const RECORD_BYTES = 4_096
const ADDED_BYTES = 17

/** A subscription's `p256dh` and `auth`, in base64url. */
interface BrowserKeys {
  p256dh: string
  auth: string
}

/** Creates a key pair and salt for each push. Tests pass those of the RFC. */
function fresh() {
  const own = createECDH('prime256v1')
  own.generateKeys()
  return { own, salt: randomBytes(16) }
}

/**
 * Encrypts a push's body so that only the browser can read it (RFC 8291, with RFC 8188's encoding `aes128gcm`).
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
  // The delimiter 2 marks the last record.
  const encrypted = [cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]
  const sizes = Buffer.alloc(5)
  sizes.writeUInt32BE(RECORD_BYTES)
  sizes.writeUInt8(ownKey.length, 4)
  return Buffer.concat([salt, sizes, ownKey, ...encrypted])
}
