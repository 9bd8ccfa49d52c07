import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface Unsealed {
  text: string
  /** Whether JWT_SECRET_PREVIOUS opened the text. Seal it again, or it is lost when that variable is removed. */
  stale: boolean
}

interface Secrets {
  /** JWT_SECRET */
  secret: string
  /** JWT_SECRET_PREVIOUS */
  previousSecret?: string | undefined
}

/**
 * Encrypts secrets that the store has to give back. Without JWT_SECRET they are lost. The cipher is AES-256-GCM with a
 * key for each purpose, derived from JWT_SECRET by HKDF-SHA256 (RFC 5869). The result is nonce, tag, and text in
 * base64url.
 */
export function createSeal({ secret, previousSecret }: Secrets) {
  return {
    /**
     * Seals a text. `purpose` names the kind of secret and the row that holds it, because the text must not open in
     * another row.
     */
    seal(purpose: string, text: string): string {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyOf(secret, purpose), nonce)
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
    },
    /** Opens a sealed text; null if neither secret opens it for this purpose. */
    unseal(purpose: string, sealed: string): Unsealed | null {
      const text = open(keyOf(secret, purpose), sealed)
      if (text !== null) return { text, stale: false }
      const old = previousSecret === undefined ? null : open(keyOf(previousSecret, purpose), sealed)
      return old === null ? null : { text: old, stale: true }
    },
  }
}

export type Seal = ReturnType<typeof createSeal>

function keyOf(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `sealed-text ${purpose}`, 32))
}

function open(key: Buffer, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  try {
    return (
      decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    )
  } catch {
    // The key was another one, or the bytes were changed.
    return null
  }
}
