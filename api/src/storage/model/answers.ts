import { Count, Id, Time } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** The time for which a visitor waited for an answer. It does not identify the visitor. Times are in milliseconds. */
export interface AnswerRecord {
  _id: string
  /** The answer's time since 1970 UTC. */
  at: number
  waitedMs: number
}

export const ANSWERS: PlainTable<AnswerRecord> = {
  name: 'answers',
  key: '_id',
  fields: { _id: Id, at: Time, waitedMs: Count },
  indexes: { at: { by: { at: -1 } } },
}

export function openAnswers(answers: Rows<AnswerRecord>) {
  return {
    async add({ at, waitedMs }: Omit<AnswerRecord, '_id'>): Promise<void> {
      await answers.insert({ _id: newId(at), at, waitedMs })
    },
    /** Returns how long visitors waited for the newest `limit` answers since a time. */
    async waits(since: number, limit: number): Promise<number[]> {
      const newest = await answers.list({ at: { '>=': since } }, { order: { at: -1 }, limit })
      return newest.map(({ waitedMs }) => waitedMs)
    },
    /** Removes the answers before a time. */
    async removeBefore(at: number): Promise<void> {
      await answers.remove({ at: { '<': at } })
    },
  }
}
