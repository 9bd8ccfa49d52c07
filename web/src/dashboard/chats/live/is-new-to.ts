import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'

/** If an admin has not seen older messages, they are not new, unless they are unread. */
const NEW_MS = 7 * 86_400_000

/**
 * Returns whether an admin has not seen the newest message. A summary that came as a fact has no `seen`, and then only
 * unread messages are known to be new. Spam is never new.
 */
export function isNewTo(
  userId: string,
  { status, seen, lastMessage, adminUnread }: ConversationSummary,
  now: number,
): boolean {
  if (status === 'spam') return false
  if (adminUnread > 0) return true
  if (seen === undefined || status === 'resolved') return false
  // The own answer may not be marked yet, but the message before it is, unless the admin marked it as unread.
  const isOwn = lastMessage.senderId === userId
  if (isOwn && (seen === 0 || seen >= lastMessage.seq - 1)) return false
  return lastMessage.seq > seen && Date.parse(lastMessage.createdAt) > now - NEW_MS
}
