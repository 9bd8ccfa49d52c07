import { hash } from 'node:crypto'

/**
 * The stored form of a visitor key. A plain hash is enough: 256 random bits cannot be guessed from it.
 * @see docs/decisions/0033-visitor-keys.md
 */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** The limit key of a visitor's calls. Callers without the visitor key cannot use up the limit of its holder. */
export function allowanceOf({ clientId, keyHash }: { clientId: string; keyHash: string | null }): string {
  return keyHash === null ? clientId : `${clientId} ${keyHash}`
}
