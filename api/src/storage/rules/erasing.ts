import { NEW_INBOX } from '../port/inbox.ts'
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

/** The totals and the inbox of a conversation without messages. */
export const EMPTY_HISTORY = {
  seq: 0,
  lastAt: 0,
  visitorCount: 0,
  waitingSince: null,
  visitorRead: 0,
  adminRead: 0,
  adminReadCount: 0,
  settledSeq: 0,
  activityN: 0,
  ...NEW_INBOX,
}
