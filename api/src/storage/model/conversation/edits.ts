import { EDIT_MS } from '@proctorpass/shared/limits'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ActivityRecord, Conversation, NewEntry, ToStore } from './conversation.ts'
import { type MessageRow, newestWords } from './rows.ts'
import type { KeyHashes } from './visitor-keys.ts'

/** An admin's new words for their message. */
export interface NewEdit {
  clientId: string
  seq: number
  nonce: string
  by: string
  /** The trimmed and validated text. It may be empty only if the message has files. */
  message: string
  /** When given, it must be the conversation's epoch. */
  epoch?: string | undefined
  at: number
}

export type Edited =
  | { outcome: 'stored'; message: Message; activity: ActivityRecord; keyHashes: KeyHashes }
  /** The message has these words already, or had them after the edit with this nonce. */
  | { outcome: 'unchanged'; message: Message }
  | { outcome: EditRefusal }

export type EditRefusal =
  | 'stale-epoch'
  | 'missing'
  /** Another person wrote the message. */
  | 'not-theirs'
  /** The nonce belongs to other words, another message, or a note. */
  | 'nonce-taken'
  /** The text is empty, and the message has no files. */
  | 'empty'
  /** A newer message exists. */
  | 'answered'
  | 'too-late'

/** The newest entries about corrections that an adapter reads to judge a repeated nonce. */
export const EDITS_READ = 200

/** What the stored conversation has. `target` is the message to correct, with its newest words. */
interface FoundForEdit {
  conversation: Conversation
  target: MessageRow | null
  /** The entry that is stored under the nonce. */
  entry: ActivityRecord | null
  /** The newest entries about corrections, read only if there is an entry under the nonce. */
  edits: readonly ActivityRecord[]
}

type Decided = { outcome: EditRefusal } | { outcome: 'unchanged' } | ToStore<{ edits: number }>

/**
 * Decides on a correction. A retry, and words that the message already has, change nothing at any later time, because an
 * answer may have been lost. Anything else requires that the message is the newest one and younger than EDIT_MS.
 */
export function decideEdit(
  { conversation, target, entry, edits }: FoundForEdit,
  { seq, nonce, by, message: text, epoch, at }: NewEdit,
): Decided {
  if (epoch !== undefined && epoch !== conversation.epoch) return { outcome: 'stale-epoch' }
  if (target === null) return { outcome: 'missing' }
  if (target.senderId !== by || by === target.clientId) return { outcome: 'not-theirs' }
  const words = newestWords(target)
  if (entry !== null) {
    const isRepeated = entry.by === by && wordsAfter(entry, seq, words, edits) === text
    return { outcome: isRepeated ? 'unchanged' : 'nonce-taken' }
  }
  if (words === text) return { outcome: 'unchanged' }
  if (text === '' && (target.attachments ?? []).length === 0) return { outcome: 'empty' }
  if (seq !== conversation.seq) return { outcome: 'answered' }
  if (at - target.createdAt > EDIT_MS) return { outcome: 'too-late' }
  const edit = conversation.edits + 1
  // A correction is never dated before the message.
  const editedAt = Math.max(at, target.createdAt)
  const logged: NewEntry = { kind: 'edit', by, at: editedAt, data: { seq, edit, text: words }, nonce }
  return {
    outcome: 'stored',
    set: { edits: edit },
    entries: [logged],
    words: { seq, edit, message: text, at: editedAt },
  }
}

/**
 * Returns the words that an entry's correction gave the message: the earlier words of the next correction, or the present
 * ones. Undefined if the entry is about something else.
 */
function wordsAfter(
  { kind, data }: ActivityRecord,
  seq: number,
  present: string,
  edits: readonly ActivityRecord[],
): string | undefined {
  if (kind !== 'edit') return undefined
  const { seq: edited, edit } = data as EditData
  if (edited !== seq) return undefined
  const next = edits.find((other) => {
    const of = other.data as EditData
    return of.seq === seq && of.edit === edit + 1
  })
  return next === undefined ? present : (next.data as EditData).text
}

export interface EditData {
  seq: number
  edit: number
  text: string
}
