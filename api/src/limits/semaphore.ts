import { AppError } from '@proctorpass/shared/errors'

const RETRY_AFTER_MS = 2_000

/** Bounds how many operations run at once and how many wait, first come first served. Beyond: AppError `unavailable`. */
export function createSemaphore(options: {
  atOnce: number
  waitingMax: number
  /** The error's message. */
  refusal: string
}): <T>(run: () => Promise<T>) => Promise<T> {
  const { atOnce, waitingMax, refusal } = options
  let running = 0
  const waiting: (() => void)[] = []
  return async (run) => {
    if (running >= atOnce) {
      if (waiting.length >= waitingMax) {
        throw new AppError('unavailable', refusal, { retryAfterMs: RETRY_AFTER_MS })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await run()
    } finally {
      // Passed on directly: a new caller must not overtake those waiting.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
