/** SHA-256 hashes of a conversation's keys. Empty: any visitor who knows the clientId may enter. */
export type KeyHashes = readonly string[]

/**
 * Whether a visitor with this key may enter. Compared as plain text: what an attacker controls is the input of the
 * hash and not the hash, so the time that a comparison takes tells nothing of use.
 */
export function opens(keyHashes: KeyHashes, keyHash: string | null | undefined): boolean {
  return keyHashes.length === 0 || (typeof keyHash === 'string' && keyHashes.includes(keyHash))
}
