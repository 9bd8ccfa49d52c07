import type { Collections, ConversationDoc } from './documents.ts'

export type ErasedConversation = Pick<ConversationDoc, '_id' | 'epoch' | 'erasedEpochs' | 'erasedAt'>

/**
 * Removes what is left of erased histories, by their epochs: a history that began meanwhile stays. The sweep repeats it
 * where a process died before the end.
 */
export function openErased({ conversations, messages, activity, attachments, jobs, links }: Collections) {
  return async function removeErased({
    _id,
    epoch,
    erasedEpochs = [],
    erasedAt = Number.MAX_SAFE_INTEGER,
  }: ErasedConversation): Promise<void> {
    // Their rows stay until their bytes are gone.
    await attachments.updateMany(
      { clientId: _id, createdAt: { $gt: 0, $lte: erasedAt } },
      { $set: { messageNonce: null, createdAt: 0, unsentAt: 0 } },
    )
    const ofErased = { clientId: _id, epoch: { $in: erasedEpochs } }
    await messages.deleteMany(ofErased)
    await activity.deleteMany(ofErased)
    // Jobs know no epoch. One of a history that began meanwhile is made again by its next message.
    await jobs.deleteMany({ clientId: _id })
    await links.deleteMany(ofErased)
    await conversations.updateOne({ _id, epoch }, { $unset: { erasedEpochs: '', erasedAt: '' } })
  }
}
