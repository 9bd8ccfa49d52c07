import Type from 'typebox'
import type { JobRecord, JobRepository } from '../port/jobs.ts'
import { ClientId, Count, OrNull, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** `data` is JSON. */
export type JobRow = Omit<JobRecord, 'data'> & { data: string }

/** Copies leave it out: jobs follow from the other tables. */
export const JOBS: PlainTable<JobRow> = {
  name: 'jobs',
  key: 'key',
  fields: {
    key: Type.String(),
    kind: Type.String(),
    clientId: OrNull(ClientId),
    dueAt: Time,
    leaseUntil: Time,
    attempts: Count,
    revision: Count,
    data: Type.String(),
  },
  indexes: { 'due of kind': { by: { kind: 1, dueAt: 1 } }, client: { by: { clientId: 1 } } },
}

/** More than all nodes run of a kind. */
const CLAIMED_MAX = 1_000

/** Adapters schedule a job with what it is about. */
export function openJobs(jobs: Rows<JobRow>, schedule: JobRepository['schedule']): JobRepository {
  return {
    schedule,

    async claim({ now, leaseUntil, limits }) {
      const due = { dueAt: { '<=': now }, leaseUntil: 0 }
      // To MongoDB, a limit of 0 is none.
      const kinds = Object.entries(limits).filter(([, limit]) => limit > 0)
      const found = await Promise.all(
        kinds.map(([kind, limit]) => jobs.list({ kind, ...due }, { order: { dueAt: 1 }, limit })),
      )
      const claimed = await Promise.all(
        found.flat().map(({ key, kind, attempts }) =>
          // Another node may have claimed it meanwhile, or finished it until a later time.
          jobs.change({ key, kind, attempts, ...due }, { leaseUntil, attempts: attempts + 1 }),
        ),
      )
      return claimed.flatMap((row) => (row === null ? [] : [toJob(row)]))
    },

    async claimed(now, kinds) {
      const options = { order: { dueAt: 1 }, limit: CLAIMED_MAX } as const
      const found = await Promise.all(
        kinds.map((kind) => jobs.list({ kind, dueAt: { '<=': now }, leaseUntil: { '>': 0 } }, options)),
      )
      return found.flat().map(toJob)
    },

    async takeOver(claimed, leaseUntil) {
      const attempts = claimed.attempts + 1
      const row = await jobs.change(claimOf(claimed), { leaseUntil, attempts })
      return row === null ? null : toJob(row)
    },

    async finish(claimed, now, next) {
      const { revision } = claimed
      const claim = claimOf(claimed)
      const { dueAt = now, attempts = 0 } = next ?? {}
      const free = { leaseUntil: 0, attempts, ...(next && { data: JSON.stringify(next.data) }) }
      if (next === undefined) {
        if ((await jobs.remove({ ...claim, revision })) === 1) return true
      } else if ((await jobs.update({ ...claim, revision }, { ...free, dueAt })) === 'updated') return true
      // It was scheduled again meanwhile, or the claim is lost.
      return (await jobs.update(claim, { ...free, dueAt: Math.min(dueAt, now) })) === 'updated'
    },

    renew: async (claimed, leaseUntil) => (await jobs.update(claimOf(claimed), { leaseUntil })) === 'updated',

    save: async (claimed, data) =>
      (await jobs.update(claimOf(claimed), { data: JSON.stringify(data) })) === 'updated',

    async cancel(key) {
      await jobs.remove({ key })
    },
  }
}

function toJob(row: JobRow): JobRecord {
  return { ...row, data: JSON.parse(row.data) as unknown }
}

/** A claim is known by its lease: it is lost once another node has claimed the job. */
const claimOf = ({ key, leaseUntil, attempts }: JobRecord) => ({ key, leaseUntil, attempts })
