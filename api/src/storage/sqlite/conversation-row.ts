import type { CopiedConversation } from '../store-copy.ts'
import type { KeyHashes } from '../visitor-keys.ts'

export interface ConversationRow extends Omit<CopiedConversation, 'keyHashes'> {
  adminUnread: number
  /** A JSON array. */
  keyHashes: string
}

const NO_KEYS: KeyHashes = []

export function keysOf(row: ConversationRow | undefined): KeyHashes {
  return row === undefined || row.keyHashes === '[]' ? NO_KEYS : (JSON.parse(row.keyHashes) as string[])
}
