import type { DatabaseSync } from 'node:sqlite'
import type { NewJob } from '../model/jobs.ts'

/** Schedules a job within another job of the write queue. */
export function openScheduling(db: DatabaseSync): (job: NewJob) => void {
  const schedule = db.prepare(
    `INSERT INTO jobs (key, kind, clientId, dueAt, leaseUntil, attempts, revision, data)
     VALUES (?, ?, ?, ?, 0, 0, 0, ?)
     ON CONFLICT DO UPDATE SET dueAt = min(dueAt, excluded.dueAt), revision = revision + 1
     WHERE leaseUntil > 0 OR excluded.dueAt < dueAt`,
  )
  return ({ key, kind, clientId, dueAt, data }) =>
    void schedule.run(key, kind, clientId, dueAt, JSON.stringify(data))
}
