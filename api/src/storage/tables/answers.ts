import type { AnswerRecord, AnswerRepository } from '../port/answers.ts'
import { newId } from '../rules/ids.ts'
import { Count, Id, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

export const ANSWERS: PlainTable<AnswerRecord> = {
  name: 'answers',
  key: '_id',
  fields: { _id: Id, at: Time, waitedMs: Count },
  indexes: { at: { by: { at: -1 } } },
}

export function openAnswers(answers: Rows<AnswerRecord>): AnswerRepository {
  return {
    async add({ at, waitedMs }) {
      await answers.insert({ _id: newId(at), at, waitedMs })
    },
    async waits(since, limit) {
      const newest = await answers.list({ at: { '>=': since } }, { order: { at: -1 }, limit })
      return newest.map(({ waitedMs }) => waitedMs)
    },
    async removeBefore(at) {
      await answers.remove({ at: { '<': at } })
    },
  }
}
