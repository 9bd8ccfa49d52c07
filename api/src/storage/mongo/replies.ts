import { newId } from '../ids.ts'
import type { ReplyRepository } from '../replies.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections } from './documents.ts'
import { isDuplicate } from './outage.ts'

const BY_SHORTCUT = { shortcut: 1 } as const

export function openReplies({ replies }: Collections, settled: MongoConnection['settled']): ReplyRepository {
  return {
    list: () =>
      replies
        // The least shortcut begins with a digit, so this is all of them, along the index.
        .find({ shortcut: { $gte: '' } }, settled)
        .sort(BY_SHORTCUT)
        .toArray(),

    async create({ shortcut, text, createdAt }, max) {
      const reply = { _id: newId(createdAt), shortcut, text, version: 1 }
      if ((await replies.findOne({ shortcut }, { projection: { _id: 1 } })) !== null) {
        return { outcome: 'shortcut-taken' }
      }
      if ((await replies.countDocuments({}, { hint: BY_SHORTCUT })) >= max) return { outcome: 'full' }
      try {
        await replies.insertOne(reply)
        return { outcome: 'stored', reply }
      } catch (error) {
        if (isDuplicate(error)) return { outcome: 'shortcut-taken' }
        throw error
      }
    },

    async update(id, { shortcut, text }, version) {
      // Not by a settled read: the write requires this version.
      const before = await replies.findOne({ _id: id })
      if (before === null) return { outcome: 'missing' }
      const fields = {
        shortcut: shortcut ?? before.shortcut,
        text: text ?? before.text,
        version: version + 1,
      }
      try {
        const { modifiedCount } = await replies.updateOne({ _id: id, version }, { $set: fields })
        // A reply that was removed meanwhile counts as changed.
        return modifiedCount === 1
          ? { outcome: 'stored', reply: { _id: id, ...fields } }
          : { outcome: 'stale' }
      } catch (error) {
        if (isDuplicate(error)) return { outcome: 'shortcut-taken' }
        throw error
      }
    },

    async remove(id) {
      const { deletedCount } = await replies.deleteOne({ _id: id })
      return deletedCount === 1
    },
  }
}
