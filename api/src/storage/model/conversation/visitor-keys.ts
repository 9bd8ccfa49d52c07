import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'

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

/** The keys with a further one; the same keys when none is added. */
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
 * The keys that stay when a history is erased: the first, and that of the visitor who erases it. The others came from
 * mailed links, whose address may have been another person's: that person must not read what follows.
 */
export function keysAfterErase([first, ...more]: KeyHashes, eraser: string | null | undefined): KeyHashes {
  return first === undefined ? [] : [first, ...more.filter((keyHash) => keyHash === eraser)]
}
