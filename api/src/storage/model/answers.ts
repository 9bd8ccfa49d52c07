import { Count, Id, Time } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** How long a visitor waited for an answer. It says nothing of who they are. Times are in milliseconds. */
export interface AnswerRecord {
  _id: string
  /** When the answer came, since 1970 UTC. */
  at: number
  waitedMs: number
}

export interface AnswerRepository {
  add(answer: Omit<AnswerRecord, '_id'>): Promise<void>
  /** How long visitors waited for the newest `limit` answers since then. */
  waits(since: number, limit: number): Promise<number[]>
  /** Removes the answers before that time. */
  removeBefore(at: number): Promise<void>
}

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
