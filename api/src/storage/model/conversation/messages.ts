import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { NewJob } from '../jobs.ts'
import { isBlocked } from './blocks-and-ratings.ts'
import type { Conversation, ConversationState } from './conversation.ts'
import type { InboxChanged, StatusThen } from './inbox-changes.ts'
import type { MessageRow } from './rows.ts'
import { opens } from './visitor-keys.ts'

export interface NewMessage {
  clientId: string
  senderId: string
  /** The trimmed and validated text. It is empty only with attachments. */
  message: string
  /** The IDs of the sender's uploaded files. They are distinct and in the order in which the message shows them. */
  attachments?: readonly string[] | undefined
  nonce: string
  /** When given, it must be the conversation's epoch. */
  epoch?: string | undefined
  /** The number of visitor messages at which a conversation is full for its visitor. */
  visitorMessagesMax?: number | undefined
  /** The site whose frame sends the message. The conversation gets it with its first message, unless it has a site. */
  site?: ConversationSite | null | undefined
  /** The hash of the visitor's key, if they sent one. It is ignored in an admin's message. */
  keyHash?: string | null | undefined
  /**
   * Set when the message came by mail, whose sender was verified without a key. `quoted` is empty without quoted text.
   */
  mail?: { quoted: string } | undefined
  /** The status that an admin's message gives the conversation, in the same write. A repeated message gives none. */
  then?: StatusThen | null | undefined
  /** Set when the message was scheduled: the version that is sent. Only a message that waits in this version is stored. */
  scheduled?: number | undefined
  /**
   * The job to schedule before the message counts as stored, even when the message is repeated, so that a process that
   * dies in between loses neither of them.
   */
  job?: NewJob | null | undefined
  /** The arrival time. A message is never dated before its predecessor. */
  at: number
}

/** A message as far as its files are concerned. */
export type MessageWithFiles = Pick<
  NewMessage,
  'clientId' | 'senderId' | 'keyHash' | 'attachments' | 'nonce' | 'at'
>

export type Appended =
  /** A message with this nonce, sender, text, and files is already stored. */
  | { outcome: 'repeated'; message: Message; state: ConversationState }
  /** The message was stored. `keyAdded` is true if it brought the conversation's first key. */
  | {
      outcome: 'stored'
      message: Message
      state: ConversationState
      keyAdded: boolean
      /** The time of the visitor's oldest message that waited for this admin's message. Null if none waited. */
      waitedSince: number | null
      /**
       * The inbox change that the message made: a visitor's message reopens the conversation, and an admin's message
       * takes an unassigned one and gives the status in `then`.
       */
      inboxChanged: InboxChanged | null
    }
  /** The visitor has none of the conversation's keys. This is checked before everything else. */
  | { outcome: 'wrong-key' }
  /** The nonce belongs to another text, other files, or another sender in this conversation. */
  | { outcome: 'nonce-taken' }
  | { outcome: 'stale-epoch' }
  /** The visitor has reached `visitorMessagesMax`. */
  | { outcome: 'full' }
  /** The snooze in `then` would end at once. A message that is already stored is still answered as repeated. */
  | { outcome: 'snooze-over' }
  /** The visitor is blocked. A message that is already stored is still answered as repeated. */
  | { outcome: 'blocked' }
  /** The scheduled message does not wait in this version. One that is already stored is still answered as repeated. */
  | { outcome: 'unscheduled' }
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
  /** The messages with corrections above the query's `edits`, in their order. Undefined unless it was asked for. */
  corrected?: Message[]
}

/** The state that the next message in a conversation follows. */
export interface Head extends Pick<Conversation, 'epoch' | 'seq' | 'keyHashes'> {
  /** The newest message's time. */
  lastAt: number
  visitorCount: number
  waitingSince: number | null
}

/** Returns why a message is refused, even one that is already stored. Null if it is not refused. */
export function refusedEntry(
  { keyHashes, epoch }: Pick<Conversation, 'keyHashes' | 'epoch'>,
  input: NewMessage,
): 'wrong-key' | 'stale-epoch' | null {
  const needsKey = isOfVisitor(input) && input.mail === undefined
  if (needsKey && !opens(keyHashes, input.keyHash)) return 'wrong-key'
  return input.epoch === undefined || input.epoch === epoch ? null : 'stale-epoch'
}

export type RefusalOfNew = 'blocked' | 'full' | 'snooze-over'

/** Returns why a new message is refused, or null. A message that is already stored is not refused for these reasons. */
export function refusedNew(
  { blockedUntil, visitorCount }: { blockedUntil: number | null | undefined; visitorCount: number },
  input: NewMessage,
): RefusalOfNew | null {
  if (!isOfVisitor(input)) return (input.then?.snoozedUntil ?? Infinity) <= input.at ? 'snooze-over' : null
  if (isBlocked(blockedUntil, input.at)) return 'blocked'
  return visitorCount >= (input.visitorMessagesMax ?? Infinity) ? 'full' : null
}

/** Returns the message that follows the head with the conversation's totals up to it, and the keys from then on. */
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

/** Returns whether the message that is stored under the nonce is the same one. */
export function isRepeated(
  stored: Pick<MessageRow, 'senderId' | 'message' | 'attachments'>,
  input: NewMessage,
) {
  // The nonce was scheduled, so it is the same message, perhaps in another version.
  if (input.scheduled !== undefined) return true
  const isSame = stored.senderId === input.senderId && stored.message === input.message
  return isSame && hasAttachments(stored.attachments, input.attachments)
}

export function isOfVisitor({ senderId, clientId }: Pick<Message, 'senderId' | 'clientId'>): boolean {
  return senderId === clientId
}

/** Returns whether a stored message has these files. */
function hasAttachments(
  stored: readonly Attachment[] | null | undefined,
  ids: readonly string[] | undefined,
): boolean {
  return (stored ?? []).map(({ _id }) => _id).join() === (ids ?? []).join()
}
