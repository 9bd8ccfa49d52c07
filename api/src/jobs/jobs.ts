import type { JobRecord, JobRepository, NewJob } from '../storage/model/jobs.ts'
import { createLeaseWatch } from './lease-watch.ts'

/** How often a node looks for due jobs. */
export const LOOK_EVERY_MS = 1_000
/**
 * The length of a lease. A running job renews it three times as often. Other nodes that see no renewal for this long
 * take over the job.
 */
export const LEASE_MS = 12_000
/** How many jobs of one kind a node runs at once, unless the kind's handler was added with another number. */
const AT_ONCE = 5
/** No stored job has this revision. */
const NO_REVISION = -1
const RETRY_MAX_MS = 60 * 60 * 1_000

/** When the job is due again, and the data that its handler finds then. Null ends the job. */
export type JobResult = { dueAt: number; data: unknown } | null

export interface JobRun {
  job: JobRecord
  /** When the job was claimed. */
  now: number
  /**
   * Stores progress for a node that continues the job. Rejects if another node has claimed the job; the handler must
   * stop then.
   */
  save(data: unknown): Promise<void>
}

/** Runs a job. If it rejects, the job is due again, after pauses that grow to an hour. */
export type JobHandler = (run: JobRun) => Promise<JobResult>

interface JobsLog {
  info(context: object, message: string): void
  error(context: object, message: string): void
}

/** Another node has claimed the job, because this one stood still for longer than the lease. */
class ClaimedByAnother extends Error {}

interface Kind {
  handler: JobHandler
  atOnce: number
  running: number
  /** Whether the last look found as many jobs as it could take. */
  hasMore: boolean
}

interface JobsDeps {
  jobs: JobRepository
  now: () => number
  lookEveryMs?: number | undefined
  leaseMs?: number
  /**
   * Whether no other process uses the store. If so, each claim found at the start belongs to a process that has ended.
   */
  isAlone?: boolean
  /** Returns milliseconds from a clock that cannot be set. */
  monotonic?: () => number
}

/**
 * Runs due jobs. The store holds them, so any node can run them.
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
  /** The jobs that wait to be scheduled, by their keys. */
  const unscheduled = new Map<string, NewJob>()
  let looking: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isFirstLook = true
  let log: JobsLog | undefined
  const overIn = createLeaseWatch(leaseMs, monotonic)

  function look(): void {
    if (isClosed) return
    looking ??= claimDue()
      // The store's calls log an outage.
      .catch(() => {})
      .finally(() => {
        looking = null
      })
  }

  async function claimDue(): Promise<void> {
    for (const [key, job] of unscheduled) {
      await jobs.schedule(job)
      // An earlier one may have replaced it in the meantime.
      if (unscheduled.get(key) === job) unscheduled.delete(key)
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

  /** Returns due jobs whose node has ended or can't reach the store. */
  async function abandoned(at: number): Promise<JobRecord[]> {
    const own = new Set([...running.keys()].map(({ key }) => key))
    const held = (await jobs.claimed(at, [...kinds.keys()])).filter(({ key }) => !own.has(key))
    const over = new Set(overIn(held.map(leaseOf)))
    const isAfterStart = isFirstLook && isAlone
    isFirstLook = false
    return isAfterStart ? held : held.filter((job) => over.has(leaseOf(job)))
  }

  const leaseOf = ({ key, leaseUntil, attempts }: JobRecord) => `${leaseUntil} ${attempts} ${key}`

  /**
   * Returns a lease that differs from the last one, whatever the clock says. Nodes on older releases read it as a time.
   */
  function nextLease({ leaseUntil }: JobRecord, at: number): number {
    return Math.max(at + leaseMs, leaseUntil + 1)
  }

  function run(job: JobRecord, kind: Kind, at: number): void {
    const own = [...running.keys()].find(({ key }) => key === job.key)
    if (own !== undefined) {
      // Another node had taken over the job and left it. What still runs here keeps the new claim. It may have read
      // before the job was scheduled, so no revision is its own, and the job runs again.
      const { leaseUntil, attempts } = job
      Object.assign(own, { leaseUntil, attempts, revision: NO_REVISION })
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
      // The key is left out, because it can contain a clientId.
      if (error instanceof ClaimedByAnother)
        log?.info({ kind, attempts }, 'another node has claimed this job')
      else log?.error({ err: error, kind, attempts }, 'job failed')
      await claim.release()
      const dueAt = now() + Math.min(1_000 * 2 ** attempts, RETRY_MAX_MS)
      // The store's calls log an outage, and the lease ends without this call.
      await jobs.finish(job, now(), { dueAt, data: job.data, attempts }).catch(() => {})
    }
  }

  /** Renews the lease until it is released. Writes run one at a time, because each names the lease that it replaces. */
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
          if (!(await jobs.save(job, data))) throw new ClaimedByAnother('Another node has claimed this job.')
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
     * Adds a kind's handler. Call it before `start`. Jobs of one kind never wait for jobs of another. Jobs of a kind
     * without a handler wait for a node that has one.
     */
    handle(kind: string, handler: JobHandler, atOnce: number = AT_ONCE): void {
      kinds.set(kind, { handler, atOnce, running: 0, hasMore: false })
    },
    /** See `JobRepository.schedule`. */
    schedule: (job: NewJob): Promise<void> => jobs.schedule(job),
    /**
     * Schedules the job in the background, and retries at each look while the store is down. Of jobs with the same key,
     * the earliest is scheduled.
     */
    scheduleLater(job: NewJob): void {
      const waiting = unscheduled.get(job.key)
      if (waiting === undefined || job.dueAt < waiting.dueAt) unscheduled.set(job.key, job)
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
