import { movedMark, type SeenMark } from '../model/conversation/conversation.ts'
import type { SeenMarkRepository } from '../model/storage.ts'
import type { Collections, SeenMarkDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'

export function openSeenMarks(
  { seenMarks, conversations }: Collections,
  majority: MongoConnection['majority'],
): SeenMarkRepository {
  async function isCurrent({ clientId: _id, epoch }: SeenMark): Promise<boolean> {
    return (await conversations.findOne({ _id }, { projection: { epoch: 1 } }))?.epoch === epoch
  }

  return {
    async move(userId, wanted) {
      const { clientId, epoch, seq, n } = wanted
      const _id = seenMarkId(userId, clientId)
      const mark = movedMark((await seenMarks.findOne({ _id })) ?? undefined, wanted)
      if (mark === null || !(await isCurrent(wanted))) return null
      const { matchedCount } = await seenMarks.updateOne({ _id, epoch }, { $max: { seq, n } })
      // If two tabs see a new history at once, the lower mark may win. It moves on with the next mark.
      if (matchedCount === 0) {
        const first: SeenMarkDoc = { _id, userId, clientId, epoch, seq, n }
        await seenMarks.replaceOne({ _id }, first, { upsert: true })
        // The conversation was erased in the meantime, and nothing else would remove an erased history's mark.
        if (!(await isCurrent(wanted))) await seenMarks.deleteOne({ _id, epoch })
      }
      return markOf(mark)
    },

    async moveBack(userId, { clientId, epoch, seq }) {
      const moved = await seenMarks.findOneAndUpdate(
        { _id: seenMarkId(userId, clientId), epoch, seq: { $gt: seq } },
        { $set: { seq } },
        { returnDocument: 'after' },
      )
      return moved && markOf(moved)
    },

    async of(userId, clientIds) {
      const found = await seenMarks
        .find({ _id: { $in: clientIds.map((clientId) => seenMarkId(userId, clientId)) } }, majority)
        .toArray()
      if (found.length === 0) return []
      const current = await conversations
        .find(
          { _id: { $in: found.map(({ clientId }) => clientId) } },
          { ...majority, projection: { epoch: 1 } },
        )
        .toArray()
      const epochs = new Map(current.map(({ _id, epoch }) => [_id, epoch]))
      return found.filter(({ clientId, epoch }) => epochs.get(clientId) === epoch).map(markOf)
    },
  }
}

export function seenMarkId(userId: string, clientId: string): string {
  return `${userId} ${clientId}`
}

function markOf({ clientId, epoch, seq, n }: SeenMark | SeenMarkDoc): SeenMark {
  return { clientId, epoch, seq, n }
}
