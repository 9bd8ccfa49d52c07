import { AppError } from '@proctorpass/shared/errors'

const RETRY_AFTER_MS = 2_000

interface Bounds {
  atOnce: number
  waitingMax: number
}

interface Waiting {
  key: string
  first: boolean
  resume: () => void
}

/**
 * Limits how many operations run at once and how many wait. They are served in order, except that operations with
 * `first` are served before all others, and those of a key that has reached its own limits let others pass. If too many
 * wait, throws an AppError `unavailable`.
 */
export function createSemaphore(
  options: Bounds & {
    /** The limits for one key. The default is the limits for all. */
    ofKey?: Bounds
    /** The error's message. */
    refusal: string
  },
): <T>(run: () => Promise<T>, caller?: { key?: string; first?: boolean }) => Promise<T> {
  const { atOnce, waitingMax, ofKey = options, refusal } = options
  let running = 0
  const runningOf = new Map<string, number>()
  const waiting: Waiting[] = []

  const countOf = (key: string) => runningOf.get(key) ?? 0
  const mayStart = (key: string) => running < atOnce && countOf(key) < ofKey.atOnce

  function start(key: string): void {
    running += 1
    runningOf.set(key, countOf(key) + 1)
  }

  function end(key: string): void {
    running -= 1
    if (countOf(key) > 1) runningOf.set(key, countOf(key) - 1)
    else runningOf.delete(key)
    const index = waiting.findIndex((each) => mayStart(each.key))
    const [next] = index < 0 ? [] : waiting.splice(index, 1)
    if (next === undefined) return
    // The operation counts before it runs, so that a new caller cannot overtake it.
    start(next.key)
    next.resume()
  }

  function wait(key: string, first: boolean): Promise<void> {
    const ofSameKey = waiting.filter((each) => each.key === key)
    if (waiting.length >= waitingMax || ofSameKey.length >= ofKey.waitingMax) {
      throw new AppError('unavailable', refusal, { retryAfterMs: RETRY_AFTER_MS })
    }
    const behind = first ? waiting.findIndex((each) => !each.first) : -1
    return new Promise((resume) => {
      waiting.splice(behind < 0 ? waiting.length : behind, 0, { key, first, resume })
    })
  }

  return async (run, { key = '', first = false } = {}) => {
    if (mayStart(key)) start(key)
    else await wait(key, first)
    try {
      return await run()
    } finally {
      end(key)
    }
  }
}
