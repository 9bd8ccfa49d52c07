import { AppError } from '@proctorpass/shared/errors'

const RETRY_MS = 10_000

export interface BatchesLog {
  error(details: object, message: string): void
}

/** Background work of this process in small batches, one after another, with pauses in which others are served. */
export interface Batches {
  /** Runs the next batch after so many milliseconds, unless one is planned. */
  schedule(ms: number): void
  /** Runs this when the batch under way has ended. Undefined when it failed, which is logged, and after `close`. */
  exclusively<T>(run: () => Promise<T>): Promise<T | undefined>
  /** Resolves once the batch under way has ended. */
  close(): Promise<void>
}

interface BatchesDeps {
  /** One batch; its answer: whether there is more to do. */
  step(): Promise<boolean>
  /** Milliseconds from a batch to the next; null: none is planned. After a batch that failed it is RETRY_MS. */
  pause(more: boolean, tookMs: number): number | null
  log: () => BatchesLog
  /** What is logged when a batch fails. */
  failure: string
}

export function createBatches({ step, pause, log, failure }: BatchesDeps): Batches {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()

  function schedule(ms: number): void {
    if (closed || timer !== undefined) return
    timer = setTimeout(async () => {
      const from = performance.now()
      const more = await exclusively(step)
      timer = undefined
      const next = more === undefined ? RETRY_MS : pause(more, performance.now() - from)
      if (next !== null) schedule(next)
    }, ms)
    timer.unref()
  }

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
    exclusively,
    async close() {
      closed = true
      clearTimeout(timer)
      await running
    },
  }
}
