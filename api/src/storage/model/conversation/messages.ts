import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { NewJob } from '../jobs.ts'
import { isBlocked } from './blocks-and-ratings.ts'
import type { Conversation, ConversationState } from './conversation.ts'
import type { InboxChanged } from './inbox-changes.ts'
import type { MessageRow } from './rows.ts'
import { opens } from './visitor-keys.ts'

export interface NewMessage {
  clientId: string
  senderId: string
  /** Trimmed and validated; empty only with attachments. */
  message: string
  /** The ids of its files, which the sender uploaded; distinct, in the order in which the message shows them. */
  attachments?: readonly string[] | undefined
  nonce: string
  /** When given, it must be the conversation's epoch. */
  epoch?: string | undefined
  /** The number of visitor messages at which a conversation is full for its visitor. */
  visitorMessagesMax?: number | undefined
  /** The site of the frame that sends it. The conversation gets it with its first message, unless it has one. */
  site?: ConversationSite | null | undefined
  /** The hash of the visitor's key, when they sent one. Ignored in an admin's message. */
  keyHash?: string | null | undefined
  /**
   * Set when the message came by mail: its sender was verified by other means than a key. `quoted` is empty without
   * any.
   */
  mail?: { quoted: string } | undefined
  /**
   * Scheduled before the message counts as stored, also when it is repeated: a process that dies in between loses
   * neither.
   */
  job?: NewJob | null | undefined
  /** The time of arrival. A message is never dated before its predecessor. */
  at: number
}

export type Appended =
  /** The message with this nonce, sender, text and files was stored before. */
  | { outcome: 'repeated'; message: Message; state: ConversationState }
  /** `keyAdded`: the message brought the conversation's first key. */
  | {
      outcome: 'stored'
      message: Message
      state: ConversationState
      keyAdded: boolean
      /** For an admin's message: the time of the visitor's oldest message that waited for it; null without one. */
      waitedSince: number | null
      /** The change of the inbox that the message made: a visitor's reopens, an admin's takes a free conversation. */
      inboxChanged: InboxChanged | null
    }
  /** The visitor has none of the conversation's keys. Checked before everything else. */
  | { outcome: 'wrong-key' }
  /** The nonce belongs to another text, other files or another sender of this conversation. */
  | { outcome: 'nonce-taken' }
  | { outcome: 'stale-epoch' }
  /** The visitor has reached `visitorMessagesMax`. */
  | { outcome: 'full' }
  /** The visitor is blocked. Messages that were stored before are still answered as repeated. */
  | { outcome: 'blocked' }
  /** The sender has not uploaded this file here, or it has expired. */
  | { outcome: 'unknown-file' }
  /** Another message has this file. */
  | { outcome: 'file-used' }

export function isStored(appended: Appended): appended is Extract<Appended, { message: unknown }> {
  return 'message' in appended
}

export interface MessagePage extends ConversationState {
  messages: Message[]
  more: boolean
}

/** What the next message of a conversation follows. */
export interface Head extends Pick<Conversation, 'epoch' | 'seq' | 'keyHashes'> {
  /** The time of the newest message. */
  lastAt: number
  visitorCount: number
  waitingSince: number | null
}

/** Why a message is refused, also one that was stored before. */
export function refusedEntry(
  { keyHashes, epoch }: Pick<Conversation, 'keyHashes' | 'epoch'>,
  input: NewMessage,
): 'wrong-key' | 'stale-epoch' | null {
  const needsKey = isOfVisitor(input) && input.mail === undefined
  if (needsKey && !opens(keyHashes, input.keyHash)) return 'wrong-key'
  return input.epoch === undefined || input.epoch === epoch ? null : 'stale-epoch'
}

/** Why a message is refused that was not stored before. */
export function refusedNew(
  { blockedUntil, visitorCount }: { blockedUntil: number | null | undefined; visitorCount: number },
  input: NewMessage,
): 'blocked' | 'full' | null {
  if (!isOfVisitor(input)) return null
  if (isBlocked(blockedUntil, input.at)) return 'blocked'
  return visitorCount >= (input.visitorMessagesMax ?? Infinity) ? 'full' : null
}

/** The message behind the head, with the totals of the conversation up to it, and the keys from then on. */
export function nextMessage(head: Head, input: NewMessage) {
  const { clientId, senderId, message, nonce, at, keyHash } = input
  const fromVisitor = isOfVisitor(input)
  const createdAt = Math.max(at, head.lastAt)
  const keyAdded = fromVisitor && head.keyHashes.length === 0 && typeof keyHash === 'string'
  return {
    message: {
      clientId,
      epoch: head.epoch,
      seq: head.seq + 1,
      senderId,
      message,
      createdAt,
      nonce,
      visitorCount: head.visitorCount + (fromVisitor ? 1 : 0),
      waitingSince: fromVisitor ? (head.waitingSince ?? createdAt) : null,
    },
    mail: input.mail === undefined ? null : { via: 'mail' as const, quoted: input.mail.quoted || null },
    keyAdded,
    keyHashes: keyAdded ? [keyHash] : head.keyHashes,
  }
}

/** Whether the message that is stored under the nonce is the same. */
export function isRepeated(
  stored: Pick<MessageRow, 'senderId' | 'message' | 'attachments'>,
  input: NewMessage,
) {
  const isSame = stored.senderId === input.senderId && stored.message === input.message
  return isSame && hasAttachments(stored.attachments, input.attachments)
}

export function isOfVisitor({ senderId, clientId }: Pick<Message, 'senderId' | 'clientId'>): boolean {
  return senderId === clientId
}

/** Whether a stored message has these files. */
function hasAttachments(
  stored: readonly Attachment[] | null | undefined,
  ids: readonly string[] | undefined,
): boolean {
  return (stored ?? []).map(({ _id }) => _id).join() === (ids ?? []).join()
}
