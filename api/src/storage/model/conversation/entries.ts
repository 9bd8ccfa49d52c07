import type { LeftOutData, MailEntryData } from '@proctorpass/shared/schemas/inbox'
import type { ActivityRecord, Conversation, InboxRecord, NewEntry, ToStore } from './conversation.ts'
import { decideInboxChange, type InboxChanged } from './inbox-changes.ts'

export interface NewNote {
  clientId: string
  nonce: string
  by: string
  text: string
  /** The mentioned admins' user IDs. */
  mentions: readonly string[]
  /** The admin who takes the conversation with this note. A repeated note does not assign again. */
  assignee?: { userId: string; isActive: boolean } | undefined
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
  /** `inboxChanged` is null unless the note assigned the conversation. */
  | { outcome: 'stored'; activity: ActivityRecord; inboxChanged: InboxChanged | null }
  | { outcome: 'repeated'; activity: ActivityRecord }
  | { outcome: 'missing' }
  | { outcome: 'nonce-taken' }
  /** The assignee is not active. A note that is already stored is still answered as repeated. */
  | { outcome: 'inactive-assignee' }

export type MailAdded = { outcome: 'stored' | 'repeated'; activity: ActivityRecord } | { outcome: 'missing' }

/** Decides on a new note. `found` is the note that is stored under its nonce. */
export function decideNote(
  conversation: Conversation,
  { nonce, by, text, mentions, assignee, at }: NewNote,
  found: ActivityRecord | null,
):
  | { outcome: 'missing' | 'nonce-taken' | 'inactive-assignee' }
  | { outcome: 'repeated'; activity: ActivityRecord }
  | ToStore<Partial<InboxRecord>> {
  if (conversation.seq === 0) return { outcome: 'missing' }
  if (found === null) {
    if (assignee?.isActive === false) return { outcome: 'inactive-assignee' }
    const note: NewEntry = { kind: 'note', by, at, data: { text, mentions: [...mentions] }, nonce }
    const assigneeId = assignee?.userId
    const assigned = assigneeId ? decideInboxChange(conversation, { assigneeId }, { by, at }) : null
    return assigned?.outcome === 'stored'
      ? { outcome: 'stored', set: assigned.set, entries: [note, ...assigned.entries] }
      : { outcome: 'stored', set: {}, entries: [note] }
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

/** Returns the words of an entry that a search may find: those of a note or a mail. */
export function wordsOf({ kind, data }: Pick<ActivityRecord, 'kind' | 'data'>): string | null {
  return (kind === 'note' || kind === 'mail') && 'text' in data ? (data.text ?? null) : null
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
