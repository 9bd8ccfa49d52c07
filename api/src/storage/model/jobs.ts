import Type from 'typebox'
import { ClientId, Count, OrNull, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** Something that is due at a time. The store has one job per key. Times are milliseconds since 1970 UTC. */
export interface JobRecord {
  key: string
  /** The name of the handler. */
  kind: string
  /** The conversation that the job is about, or null. Erasing it removes the job. */
  clientId: string | null
  dueAt: number
  /**
   * 0 while the job is free. Otherwise a node has claimed it, and each renewal changes the value. Other nodes do not
   * compare it with their clocks.
   */
  leaseUntil: number
  /** The number of claims since the job was last finished or rescheduled by its handler. */
  attempts: number
  /** A number that changes when the job is scheduled again while it is claimed. */
  revision: number
  /** The handler's own data, as JSON. */
  data: unknown
}

export interface NewJob {
  key: string
  kind: string
  clientId: string | null
  dueAt: number
  /** The data for a new job. An existing job keeps its own. */
  data: unknown
}

/** A stored job. Its `data` is JSON. */
export type JobRow = Omit<JobRecord, 'data'> & { data: string }

/** Copies leave jobs out, because jobs follow from the other tables. */
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

/** The most claimed jobs per kind that are listed. All nodes together run fewer. */
const CLAIMED_MAX = 1_000

/** Opens the jobs. Adapters schedule a job together with what it is about. */
export function openJobs(jobs: Rows<JobRow>, schedule: (job: NewJob) => Promise<void>) {
  return {
    /** Creates the job. An existing one becomes due at the earlier of the two times. */
    schedule,

    /**
     * Claims due jobs that are free, the earliest of each kind first. `limits` says how many of each kind. The write
     * itself decides, so only one of two nodes gets a job.
     */
    async claim({
      now,
      leaseUntil,
      limits,
    }: {
      now: number
      leaseUntil: number
      limits: Readonly<Record<string, number>>
    }): Promise<JobRecord[]> {
      const due = { dueAt: { '<=': now }, leaseUntil: 0 }
      // MongoDB takes a limit of 0 as no limit.
      const kinds = Object.entries(limits).filter(([, limit]) => limit > 0)
      const found = await Promise.all(
        kinds.map(([kind, limit]) => jobs.list({ kind, ...due }, { order: { dueAt: 1 }, limit })),
      )
      const claimed = await Promise.all(
        found.flat().map(({ key, kind, attempts }) =>
          // Another node may have claimed the job in the meantime, or finished it until a later time.
          jobs.change({ key, kind, attempts, ...due }, { leaseUntil, attempts: attempts + 1 }),
        ),
      )
      return claimed.flatMap((row) => (row === null ? [] : [toJob(row)]))
    },

    /**
     * Lists claimed jobs of these kinds that are due: the earliest of each kind first, and at most CLAIMED_MAX of each.
     */
    async claimed(now: number, kinds: readonly string[]): Promise<JobRecord[]> {
      const options = { order: { dueAt: 1 }, limit: CLAIMED_MAX } as const
      const found = await Promise.all(
        kinds.map((kind) => jobs.list({ kind, dueAt: { '<=': now }, leaseUntil: { '>': 0 } }, options)),
      )
      return found.flat().map(toJob)
    },

    /** Claims a job from another node. Returns null when that node has renewed or finished it in the meantime. */
    async takeOver(claimed: JobRecord, leaseUntil: number): Promise<JobRecord | null> {
      const attempts = claimed.attempts + 1
      const row = await jobs.change(claimOf(claimed), { leaseUntil, attempts })
      return row === null ? null : toJob(row)
    },

    /**
     * Ends a claim: removes the job or, with `next`, keeps it until then. If the job was scheduled again since the
     * claim, it stays and is due at `next.dueAt` or `now`, whichever is earlier. Returns false when the claim was lost.
     */
    async finish(
      claimed: JobRecord,
      now: number,
      next?: { dueAt: number; data: unknown; attempts: number },
    ): Promise<boolean> {
      const { revision } = claimed
      const claim = claimOf(claimed)
      const { dueAt = now, attempts = 0 } = next ?? {}
      const free = { leaseUntil: 0, attempts, ...(next && { data: JSON.stringify(next.data) }) }
      if (next === undefined) {
        if ((await jobs.remove({ ...claim, revision })) === 1) return true
      } else if ((await jobs.update({ ...claim, revision }, { ...free, dueAt })) === 'updated') return true
      // The job was scheduled again in the meantime, or the claim is lost.
      return (await jobs.update(claim, { ...free, dueAt: Math.min(dueAt, now) })) === 'updated'
    },

    /** Moves a claim's end. Returns false when the claim was lost. */
    renew: async (claimed: JobRecord, leaseUntil: number) =>
      (await jobs.update(claimOf(claimed), { leaseUntil })) === 'updated',

    /** Stores the handler's data within a claim, so that another node can continue. Returns false without the claim. */
    save: async (claimed: JobRecord, data: unknown) =>
      (await jobs.update(claimOf(claimed), { data: JSON.stringify(data) })) === 'updated',

    /** Removes a job even if it is claimed. */
    async cancel(key: string): Promise<void> {
      await jobs.remove({ key })
    },
  }
}

export type JobRepository = ReturnType<typeof openJobs>

function toJob(row: JobRow): JobRecord {
  return { ...row, data: JSON.parse(row.data) as unknown }
}

/** Identifies a claim by its lease. The claim is lost once another node has claimed the job. */
const claimOf = ({ key, leaseUntil, attempts }: JobRecord) => ({ key, leaseUntil, attempts })
