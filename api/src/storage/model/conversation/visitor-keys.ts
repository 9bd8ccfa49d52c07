import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'

/**
 * The SHA-256 hashes of a conversation's keys. Without keys, any visitor who knows the clientId may enter.
 * @see docs/decisions/0033-visitor-keys.md
 */
export type KeyHashes = readonly string[]

/**
 * Returns whether a visitor with this key may enter. Comparing the hashes in variable time is safe, because an attacker
 * controls the hash function's input but not the hash.
 */
export function opens(keyHashes: KeyHashes, keyHash: string | null | undefined): boolean {
  return keyHashes.length === 0 || (typeof keyHash === 'string' && keyHashes.includes(keyHash))
}

/** Returns the keys with another one, or the same keys if none is added. */
export function keysWith(keyHashes: KeyHashes, keyHash: string): KeyHashes {
  const [first, ...more] = keyHashes
  if (first === undefined || keyHashes.includes(keyHash)) return keyHashes
  return [first, ...more.slice(Math.max(0, more.length + 2 - VISITOR_KEYS_MAX)), keyHash]
}

/** Does what `keysWith` does, and adds the first key of a conversation without messages. */
export function keysAdmitting(
  { seq, keyHashes }: { seq: number; keyHashes: KeyHashes },
  keyHash: string,
): KeyHashes {
  return seq === 0 && keyHashes.length === 0 ? [keyHash] : keysWith(keyHashes, keyHash)
}

/**
 * Returns the keys that stay when a history is erased: the first key, and the key of the visitor who erases it. The
 * others came from mailed links. Their address may have been another person's, who must not read what follows.
 */
export function keysAfterErase([first, ...more]: KeyHashes, eraser: string | null | undefined): KeyHashes {
  return first === undefined ? [] : [first, ...more.filter((keyHash) => keyHash === eraser)]
}
