/**
 * SHA-256 hashes of a conversation's keys. Empty: any visitor who knows the clientId may enter.
 * @see docs/decisions/0033-visitor-keys.md
 */
export type KeyHashes = readonly string[]

/**
 * Whether a visitor with this key may enter. Comparing the hashes in variable time is safe: an attacker controls the
 * input of the hash, not the hash.
 */
export function opens(keyHashes: KeyHashes, keyHash: string | null | undefined): boolean {
  return keyHashes.length === 0 || (typeof keyHash === 'string' && keyHashes.includes(keyHash))
}
