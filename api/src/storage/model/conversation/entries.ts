import type { LeftOutData, MailEntryData } from '@proctorpass/shared/schemas/inbox'
import type { ActivityRecord, Conversation, ToStore } from './conversation.ts'

export interface NewNote {
  clientId: string
  nonce: string
  by: string
  text: string
  /** User ids. */
  mentions: readonly string[]
  at: number
}

/** A mail that is no message, or what a message by mail could not have. */
export interface NewMailEntry {
  clientId: string
  /** The epoch of the history that the mail answers. */
  epoch: string
  nonce: string
  data: MailEntryData | LeftOutData
  at: number
}

export type NoteAdded =
  | { outcome: 'stored'; activity: ActivityRecord }
  | { outcome: 'repeated'; activity: ActivityRecord }
  | { outcome: 'missing' }
  | { outcome: 'nonce-taken' }

/** A new note. `found`: the note that is stored under its nonce. */
export function decideNote(
  { seq }: Pick<Conversation, 'seq'>,
  { nonce, by, text, mentions, at }: NewNote,
  found: ActivityRecord | null,
):
  | { outcome: 'missing' | 'nonce-taken' }
  | { outcome: 'repeated'; activity: ActivityRecord }
  | ToStore<object> {
  if (seq === 0) return { outcome: 'missing' }
  if (found === null) {
    const data = { text, mentions: [...mentions] }
    return { outcome: 'stored', set: {}, entries: [{ kind: 'note', by, at, data, nonce }] }
  }
  const isSame = found.by === by && (found.data as { text: string }).text === text
  return isSame ? { outcome: 'repeated', activity: found } : { outcome: 'nonce-taken' }
}

/** An entry for a mail. `found`: the entry that is stored under its nonce. */
export function decideMailEntry(
  { seq, epoch }: Pick<Conversation, 'seq' | 'epoch'>,
  { nonce, data, at, ...mail }: NewMailEntry,
  found: ActivityRecord | null,
): { outcome: 'missing' } | { outcome: 'repeated'; activity: ActivityRecord } | ToStore<object> {
  if (seq === 0 || epoch !== mail.epoch) return { outcome: 'missing' }
  if (found !== null) return { outcome: 'repeated', activity: found }
  return { outcome: 'stored', set: {}, entries: [{ kind: 'mail', by: null, at, data, nonce }] }
}

/** The nonce of an entry: one for each other conversation. */
export const identityNonce = (otherClientId: string) => `identity-${otherClientId}`

/** The entry that says that a site signed the visitor; null without messages, and when it is stored: `found`. */
export function decideIdentity(
  { seq }: { seq: number },
  data: { sub: string; clientId: string },
  at: number,
  found: ActivityRecord | null,
): ToStore<object> | null {
  if (seq === 0 || found !== null) return null
  const entry = { kind: 'identity' as const, by: null, at, data, nonce: identityNonce(data.clientId) }
  return { outcome: 'stored', set: {}, entries: [entry] }
}
