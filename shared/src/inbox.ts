// These values are not beside the schemas, because the browser needs them without the schema library.
import type { InboxState, VisitorClaim } from './schemas/inbox.ts'

export const UNKNOWN_VISITOR: VisitorClaim = {
  name: null,
  email: null,
  locale: null,
  timeZone: null,
  examAt: null,
  signed: null,
}

/** A new conversation's state. */
export const NEW_INBOX_STATE: InboxState = {
  status: 'open',
  snoozedUntil: null,
  assigneeId: null,
  labels: [],
  version: 0,
}

/** Returns the nonce for the message that "Add to conversation" makes from an entry. Visitors don't know the ID. */
export function nonceOfMailEntry(entryId: string): string {
  return `mail-${entryId}`
}
