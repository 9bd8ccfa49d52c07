import type { KeyHashes } from '../visitor-keys.ts'

export interface ConversationRow {
  clientId: string
  epoch: string
  seq: number
  lastAt: number
  visitorCount: number
  waitingSince: number | null
  visitorRead: number
  adminRead: number
  adminReadCount: number
  adminUnread: number
  /** A JSON array. */
  keyHashes: string
}

const NO_KEYS: KeyHashes = []

export function keysOf(row: ConversationRow | undefined): KeyHashes {
  return row === undefined || row.keyHashes === '[]' ? NO_KEYS : (JSON.parse(row.keyHashes) as string[])
}
