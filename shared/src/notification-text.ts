import { aliasOf } from './alias.ts'
import { nameWithoutLink } from './fields/name.ts'
import type { Message } from './schemas/chat.ts'
import type { PushPayload } from './schemas/push.ts'

/** The most characters from a message or note in a notification. In every script, they stay far below a push's 4 KB. */
const WORDS_MAX = 200

/**
 * Returns a message's notification, which is the same by Web Push and from an open tab. It leaves out the visitor's
 * words and name unless the device wants previews, because a lock screen shows them to anyone.
 */
export function messageNotification(
  { _id, clientId, message }: Pick<Message, '_id' | 'clientId' | 'message'>,
  name: string | null,
  previews: boolean,
): PushPayload {
  const alias = aliasOf(clientId)
  return {
    title: previews ? (nameWithoutLink(name) ?? alias) : alias,
    body: previews ? shortened(message) || 'Sent a file' : 'A visitor is waiting',
    ...conversationOf(clientId),
    id: _id,
  }
}

/** Returns a note's notification for an admin whom the note mentions. */
export function mentionNotification(
  { _id, clientId, text }: { _id: string; clientId: string; text: string },
  previews: boolean,
): PushPayload {
  return {
    title: 'You were mentioned in a note',
    body: previews ? shortened(text) : `Conversation with ${aliasOf(clientId)}`,
    ...conversationOf(clientId),
    id: _id,
  }
}

/** Returns a text such as "3 visitors are waiting". */
export function waitingText({ count, more }: { count: number; more: boolean }): string {
  if (more) return `More than ${count} visitors are waiting`
  return count === 1 ? 'A visitor is waiting' : `${count} visitors are waiting`
}

/** Returns the notification for conversations that do not notify on their own. */
export function summaryNotification(waiting: { count: number; more: boolean }, id: string): PushPayload {
  return {
    title: waitingText(waiting),
    body: 'Open the unread conversations.',
    tag: 'waiting',
    url: '/dashboard/chats?unread=1',
    id,
  }
}

function conversationOf(clientId: string): Pick<PushPayload, 'tag' | 'url'> {
  return { tag: clientId, url: `/dashboard/messages/${clientId}` }
}

function shortened(text: string): string {
  const characters = [
    ...text
      .slice(0, 2 * WORDS_MAX + 2)
      .replace(/\s+/g, ' ')
      .trim(),
  ]
  return characters.length > WORDS_MAX
    ? `${characters.slice(0, WORDS_MAX - 1).join('')}…`
    : characters.join('')
}

/** Returns a test notification. Each one rings, because its `id` differs. */
export const testNotification = (id: string): PushPayload => ({
  title: 'Test notification',
  body: 'Notifications work on this device',
  tag: 'test',
  url: '/dashboard/account',
  id,
})
