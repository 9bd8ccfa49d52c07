import { AppError } from '@proctorpass/shared/errors'

const RETRY_AFTER_MS = 2_000

/** A few run, some wait in line, the rest are told to come back: AppError `unavailable` with the words of `refusal`. */
export function createTurns(options: {
  atOnce: number
  waitingMax: number
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
      // The place is handed on, so that nobody who comes now overtakes those who wait.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
