import { AppError } from '@proctorpass/shared/errors'

const RETRY_MS = 10_000

export interface BatchesLog {
  error(details: object, message: string): void
}

interface BatchesDeps {
  /** Runs one batch. Resolves to whether there is more to do. */
  step(): Promise<boolean>
  /**
   * Returns the milliseconds from one batch to the next; null plans no batch. After a failed batch the pause is
   * RETRY_MS.
   */
  pause(more: boolean, tookMs: number): number | null
  log: () => BatchesLog
  /** The log message for a failed batch. */
  failure: string
}

/**
 * Runs background work in this process in small batches, one after another, with pauses in which the process serves
 * others.
 */
export function createBatches({ step, pause, log, failure }: BatchesDeps) {
  let closed = false
  /** The timer of the batch that is planned or running. */
  let timer: NodeJS.Timeout | undefined
  /** When the planned batch starts, by the monotonic clock; 0 while a batch is running. */
  let plannedAt = 0
  let running: Promise<unknown> = Promise.resolve()

  /**
   * Runs the next batch after this many milliseconds, unless one is planned or running, in which case `pause` decides.
   */
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

  /** Does what `schedule` does, and brings forward a batch that is planned for later. */
  function expedite(ms: number): void {
    if (plannedAt > performance.now() + ms) {
      clearTimeout(timer)
      timer = undefined
    }
    schedule(ms)
  }

  /**
   * Runs the function once the running batch has ended. Resolves to undefined if the function failed, which is logged,
   * and after `close`.
   */
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
    /** Resolves once the running batch has ended. */
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await running
    },
  }
}
