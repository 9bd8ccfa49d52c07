import type { LeftOutData, MailEntryData } from '@proctorpass/shared/schemas/inbox'
import type { ActivityRecord, Conversation, ToStore } from './conversation.ts'

export interface NewNote {
  clientId: string
  nonce: string
  by: string
  text: string
  /** The mentioned admins' user IDs. */
  mentions: readonly string[]
  at: number
}

/** A mail that did not become a message, or the parts of a mail that its message could not have. */
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

/** Decides on a new note. `found` is the note that is stored under its nonce. */
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

/** Decides on an entry for a mail. `found` is the entry that is stored under its nonce. */
export function decideMailEntry(
  { seq, epoch }: Pick<Conversation, 'seq' | 'epoch'>,
  { nonce, data, at, ...mail }: NewMailEntry,
  found: ActivityRecord | null,
): { outcome: 'missing' } | { outcome: 'repeated'; activity: ActivityRecord } | ToStore<object> {
  if (seq === 0 || epoch !== mail.epoch) return { outcome: 'missing' }
  if (found !== null) return { outcome: 'repeated', activity: found }
  return { outcome: 'stored', set: {}, entries: [{ kind: 'mail', by: null, at, data, nonce }] }
}

/** Returns an identity entry's nonce. Each other conversation has its own. */
export const identityNonce = (otherClientId: string) => `identity-${otherClientId}`

/**
 * Returns the entry that says that a site signed the visitor. Returns null without messages, or when it is stored as
 * `found`.
 */
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
