import { type KeyHashes, keysAfterErase, opens } from './visitor-keys.ts'

/** The keys that stay when the history is erased; null when it may not be, or is empty. Options as in `erase`. */
export function decideErase(
  { seq, lastAt, keyHashes }: { seq: number; lastAt: number; keyHashes: KeyHashes },
  { keyHash, idleSince = Infinity }: { keyHash?: string | null | undefined; idleSince?: number | undefined },
): KeyHashes | null {
  if (seq === 0 || lastAt > idleSince) return null
  if (keyHash !== undefined && !opens(keyHashes, keyHash)) return null
  return keysAfterErase(keyHashes, keyHash)
}
