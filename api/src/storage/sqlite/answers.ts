import type { DatabaseSync } from 'node:sqlite'
import type { AnswerRepository } from '../answers.ts'
import { newId } from '../ids.ts'
import type { WriteQueue } from './write-queue.ts'

export function openAnswers(db: DatabaseSync, queue: WriteQueue): AnswerRepository {
  const sql = {
    add: db.prepare('INSERT INTO answers (_id, at, waitedMs) VALUES (?, ?, ?)'),
    waits: db.prepare('SELECT waitedMs FROM answers WHERE at >= ? ORDER BY at DESC LIMIT ?'),
    removeBefore: db.prepare('DELETE FROM answers WHERE at < ?'),
  }
  return {
    add: ({ at, waitedMs }) => queue.write(() => void sql.add.run(newId(at), at, waitedMs)),
    waits: async (since, limit) =>
      sql.waits.all(since, limit).map((row) => (row as { waitedMs: number }).waitedMs),
    removeBefore: (at) => queue.write(() => void sql.removeBefore.run(at)),
  }
}
