import type { Guard } from './delivery.ts'
import type { OutboxEntry } from './outbox.ts'

/** Holds an admin's reply if others wrote after it was typed, and refuses it if the history that it answers was erased. */
export const guardReply: Guard = (reply, { timeline, senderId, mayOvertake }) => {
  const isOfThisHistory = reply.epoch === '' || reply.epoch === timeline.epoch
  const knownSeq = reply.epoch === timeline.epoch ? reply.knownSeq : 0
  const isOvertaken = timeline.messages.some(
    (message) => message.seq > knownSeq && message.senderId !== senderId,
  )
  if (isOvertaken && !(mayOvertake && isOfThisHistory)) return { state: 'held', reason: heldReason(reply) }
  // Sending the message would begin a conversation.
  if (!isOfThisHistory && timeline.messages.length === 0)
    return { state: 'refused', reason: 'This conversation was erased' }
  return null
}

function heldReason({ then }: OutboxEntry): string {
  return then === undefined
    ? 'There are newer messages. Check your reply before sending.'
    : `There are newer messages. Check your reply: sending it also ${then.status === 'resolved' ? 'resolves' : 'snoozes'} the conversation.`
}
