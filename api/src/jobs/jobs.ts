import type { JobRecord, JobRepository, NewJob } from '../storage/model/jobs.ts'
import { createLeaseWatch } from './lease-watch.ts'

/** How often due jobs are looked for. */
export const LOOK_EVERY_MS = 1_000
/** A running job renews its lease three times as often. Other nodes that see none for so long take the job over. */
export const LEASE_MS = 12_000
/** Jobs of a kind that one node runs at once, unless its handler was added with another number. */
const AT_ONCE = 5
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

interface Kind {
  handler: JobHandler
  atOnce: number
  running: number
  /** The last look found as many as it could take. */
  hasMore: boolean
}

interface JobsDeps {
  jobs: JobRepository
  now: () => number
  lookEveryMs?: number | undefined
  leaseMs?: number
  /** No other process uses the store: at the start, each claim is of a process that has ended. */
  isAlone?: boolean
  /** Milliseconds that no one sets. */
  monotonic?: () => number
}

/**
 * Runs due jobs. They are in the store, so any node can run them.
 * @see docs/decisions/0104-two-runs-at-once.md
 */
export function createJobs({
  jobs,
  now,
  lookEveryMs = LOOK_EVERY_MS,
  leaseMs = LEASE_MS,
  isAlone = false,
  monotonic = () => performance.now(),
}: JobsDeps) {
  const kinds = new Map<string, Kind>()
  const running = new Map<JobRecord, Promise<void>>()
  const unscheduled = new Set<NewJob>()
  let looking: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isFirstLook = true
  let log: JobsLog | undefined
  const overIn = createLeaseWatch(leaseMs, monotonic)

  function look(): void {
    if (isClosed) return
    looking ??= claimDue()
      // A store that is away is logged by its own calls.
      .catch(() => {})
      .finally(() => {
        looking = null
      })
  }

  async function claimDue(): Promise<void> {
    for (const job of unscheduled) {
      await jobs.schedule(job)
      unscheduled.delete(job)
    }
    const at = now()
    for (const job of await abandoned(at)) {
      const kind = kinds.get(job.kind)
      if (kind === undefined || kind.running >= kind.atOnce) continue
      const claimed = await jobs.takeOver(job, nextLease(job, at))
      if (claimed !== null) run(claimed, kind, at)
    }
    const limits = Object.fromEntries([...kinds].map(([name, kind]) => [name, kind.atOnce - kind.running]))
    const claimed = await jobs.claim({ now: at, leaseUntil: at + leaseMs, limits })
    for (const [name, kind] of kinds) {
      const found = claimed.filter((job) => job.kind === name)
      kind.hasMore = found.length === limits[name]
      for (const job of found) run(job, kind, at)
    }
  }

  /** Due jobs whose node has ended, or can't reach the store. */
  async function abandoned(at: number): Promise<JobRecord[]> {
    const own = new Set([...running.keys()].map(({ key }) => key))
    const held = (await jobs.claimed(at, [...kinds.keys()])).filter(({ key }) => !own.has(key))
    const over = new Set(overIn(held.map(leaseOf)))
    const isAfterStart = isFirstLook && isAlone
    isFirstLook = false
    return isAfterStart ? held : held.filter((job) => over.has(leaseOf(job)))
  }

  const leaseOf = ({ key, leaseUntil, attempts }: JobRecord) => `${leaseUntil} ${attempts} ${key}`

  /** Another one than before, whatever the clock says. Nodes of older releases read it as a time. */
  function nextLease({ leaseUntil }: JobRecord, at: number): number {
    return Math.max(at + leaseMs, leaseUntil + 1)
  }

  function run(job: JobRecord, kind: Kind, at: number): void {
    const own = [...running.keys()].find(({ key }) => key === job.key)
    if (own !== undefined) {
      // Another node had taken it over, and has left it: what still runs here keeps the new claim.
      const { leaseUntil, attempts } = job
      Object.assign(own, { leaseUntil, attempts })
      return
    }
    kind.running += 1
    const settled = settle(job, kind.handler, at).finally(() => {
      kind.running -= 1
      running.delete(job)
      if (kind.hasMore) look()
    })
    running.set(job, settled)
  }

  async function settle(job: JobRecord, handler: JobHandler, at: number): Promise<void> {
    const { kind, attempts } = job
    const claim = heldClaim(job)
    try {
      const result = await handler({ job, now: at, save: claim.save })
      await claim.release()
      await jobs.finish(job, now(), result === null ? undefined : { ...result, attempts: 0 })
    } catch (error) {
      // Without the key, which can contain a clientId.
      log?.error({ err: error, kind, attempts }, 'job failed')
      await claim.release()
      const dueAt = now() + Math.min(1_000 * 2 ** attempts, RETRY_MAX_MS)
      // A store that is away is logged by its own calls; the lease ends by itself.
      await jobs.finish(job, now(), { dueAt, data: job.data, attempts }).catch(() => {})
    }
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
      void inOrder(async () => {
        const leaseUntil = nextLease(job, now())
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
    /**
     * Adds the handler of a kind, before `start`. No kind waits for jobs of another one. Jobs of kinds without a handler
     * wait for a node that has it.
     */
    handle(kind: string, handler: JobHandler, atOnce: number = AT_ONCE): void {
      kinds.set(kind, { handler, atOnce, running: 0, hasMore: false })
    },
    /** See `JobRepository.schedule`. */
    schedule: (job: NewJob): Promise<void> => jobs.schedule(job),
    /** Schedules in the background: while the store is away, again at each look. */
    scheduleLater(job: NewJob): void {
      unscheduled.add(job)
    },
    start(toLog: JobsLog): void {
      log = toLog
      timer = setInterval(look, lookEveryMs).unref()
    },
    /** Claims no further jobs, and resolves once the running ones have settled. */
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      await looking
      await Promise.allSettled(running.values())
    },
  }
}

export type Jobs = ReturnType<typeof createJobs>
