import type { Message } from '@proctorpass/shared/schemas/chat'
import type { NewMessage } from '../port/storage.ts'
import { hasAttachments } from './attachments.ts'
import { isBlocked } from './blocks-and-ratings.ts'
import type { MessageRow } from './chat-rows.ts'
import type { Conversation } from './conversation.ts'
import { opens } from './visitor-keys.ts'

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
