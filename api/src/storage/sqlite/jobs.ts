import type { DatabaseSync } from 'node:sqlite'
import type { JobRecord, JobRepository, NewJob } from '../port/jobs.ts'
import type { WriteQueue } from './write-queue.ts'

type JobRow = Omit<JobRecord, 'data'> & { data: string }

/** Schedules a job within another job of the write queue. */
export function openScheduling(db: DatabaseSync): (job: NewJob) => void {
  const schedule = db.prepare(
    `INSERT INTO jobs (key, kind, clientId, dueAt, leaseUntil, attempts, revision, data)
     VALUES (:key, :kind, :clientId, :dueAt, 0, 0, 0, :data)
     ON CONFLICT DO UPDATE SET dueAt = min(dueAt, excluded.dueAt), revision = revision + 1`,
  )
  return ({ data, ...job }) => void schedule.run({ ...job, data: JSON.stringify(data) })
}

export function openJobs(db: DatabaseSync, queue: WriteQueue): JobRepository {
  const schedule = openScheduling(db)
  const sql = {
    due: db.prepare(
      'SELECT * FROM jobs WHERE kind = ? AND dueAt <= ? AND leaseUntil <= ? ORDER BY dueAt LIMIT ?',
    ),
    claim: db.prepare('UPDATE jobs SET leaseUntil = ?, attempts = attempts + 1 WHERE key = ?'),
    // A claim is known by its lease: it is gone once another node has claimed the job.
    remove: db.prepare('DELETE FROM jobs WHERE key = ? AND leaseUntil = ? AND attempts = ? AND revision = ?'),
    keep: db.prepare(
      `UPDATE jobs SET leaseUntil = 0, attempts = :next, data = coalesce(:data, data),
         dueAt = CASE WHEN revision = :revision THEN :dueAt ELSE min(:dueAt, :now) END
       WHERE key = :key AND leaseUntil = :leaseUntil AND attempts = :attempts`,
    ),
    save: db.prepare('UPDATE jobs SET data = ? WHERE key = ? AND leaseUntil = ? AND attempts = ?'),
    renew: db.prepare('UPDATE jobs SET leaseUntil = ? WHERE key = ? AND leaseUntil = ? AND attempts = ?'),
    cancel: db.prepare('DELETE FROM jobs WHERE key = ?'),
  }
  return {
    schedule: (job) => queue.write(() => schedule(job)),

    claim: async ({ now, leaseUntil, limits }) => {
      const dueNow = () =>
        Object.entries(limits).flatMap(
          ([kind, limit]) => sql.due.all(kind, now, now, limit) as unknown as JobRow[],
        )
      // Most looks find nothing: those cost no commit.
      if (dueNow().length === 0) return []
      return queue.write(() =>
        dueNow().map(({ data, ...row }) => {
          sql.claim.run(leaseUntil, row.key)
          return { ...row, leaseUntil, attempts: row.attempts + 1, data: JSON.parse(data) as unknown }
        }),
      )
    },

    finish: ({ key, leaseUntil, attempts, revision }, now, next) =>
      queue.write(() => {
        if (next === undefined && sql.remove.run(key, leaseUntil, attempts, revision).changes === 1)
          return true
        const { changes } = sql.keep.run({
          ...{ key, leaseUntil, attempts, revision, now },
          dueAt: next?.dueAt ?? now,
          next: next?.attempts ?? 0,
          data: next === undefined ? null : JSON.stringify(next.data),
        })
        return changes === 1
      }),

    renew: ({ key, leaseUntil, attempts }, until) =>
      queue.write(() => sql.renew.run(until, key, leaseUntil, attempts).changes === 1),

    save: ({ key, leaseUntil, attempts }, data) =>
      queue.write(() => sql.save.run(JSON.stringify(data), key, leaseUntil, attempts).changes === 1),

    cancel: (key) => queue.write(() => void sql.cancel.run(key)),
  }
}
