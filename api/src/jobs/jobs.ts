import type { JobRecord, JobRepository, NewJob } from '../storage/jobs.ts'

/** How often due jobs are looked for. */
export const LOOK_EVERY_MS = 1_000
/** A node that dies leaves its jobs to the others after this long. A running job renews its lease. */
export const LEASE_MS = 15_000
/** Jobs that one node runs at once. */
const AT_ONCE = 8
const RETRY_MAX_MS = 60 * 60 * 1_000

/** When the job is due again, and what its handler then finds; null ends the job. */
export type JobResult = { dueAt: number; data: unknown } | null

export interface JobRun {
  job: JobRecord
  /** When it was claimed. */
  now: number
  /** Stores progress, for the node that continues. Rejects when another node has claimed the job: stop then. */
  save(data: unknown): Promise<void>
}

/** A rejection makes the job due again, after pauses that grow to an hour. */
export type JobHandler = (run: JobRun) => Promise<JobResult>

interface JobsLog {
  error(context: object, message: string): void
}

/** Runs what is due. Jobs are in the store: every node looks, and none is needed. */
export interface Jobs {
  /** Adds the handler of a kind, before `start`. Jobs of kinds without one wait for a node that has it. */
  handle(kind: string, handler: JobHandler): void
  /** See `JobRepository.schedule`. */
  schedule(job: NewJob): Promise<void>
  start(log: JobsLog): void
  /** Claims no further jobs, and resolves once the running ones have settled. */
  close(): Promise<void>
}

interface JobsDeps {
  jobs: JobRepository
  now: () => number
  lookEveryMs?: number | undefined
  leaseMs?: number
}

export function createJobs({ jobs, now, lookEveryMs = LOOK_EVERY_MS, leaseMs = LEASE_MS }: JobsDeps): Jobs {
  const handlers = new Map<string, JobHandler>()
  const running = new Set<Promise<void>>()
  let looking: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let log: JobsLog | undefined

  async function look(): Promise<void> {
    const limit = AT_ONCE - running.size
    if (limit === 0) return
    const at = now()
    const claimed = await jobs.claim({ now: at, leaseUntil: at + leaseMs, limit })
    for (const job of claimed) {
      const run = settle(job, at).finally(() => running.delete(run))
      running.add(run)
    }
  }

  async function settle(job: JobRecord, at: number): Promise<void> {
    const { key, kind, attempts } = job
    const claim = heldClaim(job)
    try {
      const result = await resultOf(job, at, claim.save)
      await claim.release()
      await jobs.finish(job, now(), result === null ? undefined : { ...result, attempts: 0 })
    } catch (error) {
      log?.error({ err: error, key, kind, attempts }, 'job failed')
      await claim.release()
      const dueAt = now() + Math.min(1_000 * 2 ** attempts, RETRY_MAX_MS)
      // A store that is away is logged by its own calls; the lease ends by itself.
      await jobs.finish(job, now(), { dueAt, data: job.data, attempts }).catch(() => {})
    }
  }

  async function resultOf(job: JobRecord, at: number, save: JobRun['save']): Promise<JobResult> {
    const handler = handlers.get(job.kind)
    return handler === undefined
      ? { dueAt: now() + RETRY_MAX_MS, data: job.data }
      : handler({ job, now: at, save })
  }

  /** Renews the lease until it is released. One write at a time, because each names the lease that it replaces. */
  function heldClaim(job: JobRecord): { save: JobRun['save']; release: () => Promise<void> } {
    let last: Promise<unknown> = Promise.resolve()
    function inOrder<T>(write: () => Promise<T>): Promise<T> {
      const done = last.then(write)
      last = done.catch(() => {})
      return done
    }
    const renewal = setInterval(() => {
      const leaseUntil = now() + leaseMs
      void inOrder(async () => {
        if (await jobs.renew(job, leaseUntil)) job.leaseUntil = leaseUntil
      }).catch(() => {})
    }, leaseMs / 3).unref()
    return {
      save: (data) =>
        inOrder(async () => {
          if (!(await jobs.save(job, data))) throw new Error('Another node has claimed this job.')
          job.data = data
        }),
      async release() {
        clearInterval(renewal)
        await last
      },
    }
  }

  return {
    handle(kind, handler) {
      handlers.set(kind, handler)
    },
    schedule: (job) => jobs.schedule(job),
    start(toLog) {
      log = toLog
      timer = setInterval(() => {
        looking ??= look()
          .catch(() => {})
          .finally(() => {
            looking = null
          })
      }, lookEveryMs).unref()
    },
    async close() {
      clearInterval(timer)
      await looking
      await Promise.allSettled(running)
    },
  }
}
