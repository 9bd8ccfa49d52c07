import { AppError } from '@proctorpass/shared/errors'

const RETRY_MS = 10_000

export interface BatchesLog {
  error(details: object, message: string): void
}

interface BatchesDeps {
  /** One batch; its answer: whether there is more to do. */
  step(): Promise<boolean>
  /** Milliseconds from a batch to the next; null: none is planned. After a batch that failed it is RETRY_MS. */
  pause(more: boolean, tookMs: number): number | null
  log: () => BatchesLog
  /** The log message when a batch fails. */
  failure: string
}

/** Background work of this process in small batches, one after another, with pauses in which others are served. */
export function createBatches({ step, pause, log, failure }: BatchesDeps) {
  let closed = false
  /** Of the batch that is planned or under way. */
  let timer: NodeJS.Timeout | undefined
  /** Of the planned batch; 0 while one is under way. */
  let plannedAt = 0
  let running: Promise<unknown> = Promise.resolve()

  /** Runs the next batch after so many milliseconds, unless one is planned, or under way: then `pause` says when. */
  function schedule(ms: number): void {
    if (closed || timer !== undefined) return
    plannedAt = performance.now() + ms
    timer = setTimeout(async () => {
      plannedAt = 0
      const from = performance.now()
      const more = await exclusively(step)
      timer = undefined
      const next = more === undefined ? RETRY_MS : pause(more, performance.now() - from)
      if (next !== null) schedule(next)
    }, ms)
    timer.unref()
  }

  /** As `schedule`, but a batch that is planned for later runs then too. */
  function expedite(ms: number): void {
    if (plannedAt > performance.now() + ms) {
      clearTimeout(timer)
      timer = undefined
    }
    schedule(ms)
  }

  /** Runs this when the batch under way has ended. Undefined when it failed, which is logged, and after `close`. */
  function exclusively<T>(run: () => Promise<T>): Promise<T | undefined> {
    const result = running.then(async () => {
      if (closed) return undefined
      try {
        return await run()
      } catch (error) {
        // The store reports its own outages.
        const isOutage = error instanceof AppError && error.code === 'unavailable'
        if (!isOutage) log().error({ err: error }, failure)
        return undefined
      }
    })
    running = result
    return result
  }

  return {
    schedule,
    expedite,
    exclusively,
    /** Resolves once the batch under way has ended. */
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await running
    },
  }
}
