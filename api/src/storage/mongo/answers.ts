import type { AnswerRepository } from '../answers.ts'
import { newId } from '../ids.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections } from './documents.ts'

export function openAnswers({ answers }: Collections, settled: MongoConnection['settled']): AnswerRepository {
  return {
    async add({ at, waitedMs }) {
      await answers.insertOne({ _id: newId(at), at, waitedMs })
    },
    async waits(since, limit) {
      const found = await answers
        .find({ at: { $gte: since } }, { ...settled, projection: { _id: 0, waitedMs: 1 } })
        .sort({ at: -1 })
        .limit(limit)
        .toArray()
      return found.map(({ waitedMs }) => waitedMs)
    },
    async removeBefore(at) {
      await answers.deleteMany({ at: { $lt: at } })
    },
  }
}
