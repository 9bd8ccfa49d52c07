import type { Side } from '@proctorpass/shared/events'
import type { Conversation } from './conversation.ts'
import { opens } from './visitor-keys.ts'

/** Where the read mark of a side moves to; null when it stays. */
export function movedReadMark(
  row: Pick<Conversation, 'seq' | 'keyHashes'> & { adminRead: number; visitorRead: number },
  side: Side,
  wanted: number,
  keyHash: string | null | undefined,
): number | null {
  const seq = Math.min(wanted, row.seq)
  if (side === 'admin') return seq > row.adminRead ? seq : null
  return seq > row.visitorRead && opens(row.keyHashes, keyHash) ? seq : null
}
