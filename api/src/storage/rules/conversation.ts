import type { ActivityRecord, InboxRecord } from '../port/inbox.ts'
import type { KeyHashes } from './visitor-keys.ts'

/** A conversation as decisions see it. Without messages `seq` is 0. */
export interface Conversation extends InboxRecord {
  epoch: string
  seq: number
  keyHashes: KeyHashes
  blockedUntil: number | null
  /** Whether the last resolve was rated. */
  rated: boolean
}

/** An entry of the log before it has a number. */
export type NewEntry = Pick<ActivityRecord, 'kind' | 'by' | 'at' | 'data'> & { nonce?: string }

/** What a decision stores in one write. */
export interface ToStore<Fields> {
  outcome: 'stored'
  /** The fields that get a value: of the conversation, or of its visitor. */
  set: Fields
  entries: NewEntry[]
}
