import type { ActivityRecord, NewMailEntry, NewNote } from '../port/inbox.ts'
import type { Conversation, ToStore } from './conversation.ts'

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
