import type { DatabaseSync } from 'node:sqlite'
import type { NewJob } from '../port/jobs.ts'

/** Schedules a job within another job of the write queue. */
export function openScheduling(db: DatabaseSync): (job: NewJob) => void {
  const schedule = db.prepare(
    `INSERT INTO jobs (key, kind, clientId, dueAt, leaseUntil, attempts, revision, data)
     VALUES (:key, :kind, :clientId, :dueAt, 0, 0, 0, :data)
     ON CONFLICT DO UPDATE SET dueAt = min(dueAt, excluded.dueAt), revision = revision + 1`,
  )
  return ({ data, ...job }) => void schedule.run({ ...job, data: JSON.stringify(data) })
}
