import { AppError } from '@proctorpass/shared/errors'
import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Counter } from '../limits/counters.ts'

/** Of all lines together, so that strangers cannot hold requests without end. */
const WAITING_MAX = 500

export interface QueuedAttempt {
  /** The lower goes first, and takes the place of the highest in a full line. */
  rank: number
  /** How long the line waits for this one when it is its turn. */
  delayMs: number
  /** Lets one of a key begin at a time, on all nodes. Null: only the line of this node does. */
  pace: Counter | null
  waitingMax: number
  /** For those beyond. */
  refusal: () => AppError
}

interface Waiting extends QueuedAttempt {
  begin: () => void
  refuse: (error: AppError) => void
}

/** Lets attempts of one key begin one after another, each after its delay. */
export function createSignInLines(): (key: string, attempt: QueuedAttempt) => Promise<void> {
  const lines = new Map<string, Waiting[]>()
  let waiting = 0

  async function serve(key: string, line: Waiting[]): Promise<void> {
    for (let first = line[0]; first !== undefined; first = line[0]) {
      if (first.pace !== null) await untilFree(first.pace, key)
      // Others may have come before it meanwhile. It keeps its place in the line during its delay.
      const next = line[0] ?? first
      next.rank = Number.NEGATIVE_INFINITY
      if (next.delayMs > 0) await pause(next.delayMs)
      line.shift()
      waiting -= 1
      next.begin()
    }
    lines.delete(key)
  }

  function enter(key: string, attempt: Waiting): void {
    const line = lines.get(key) ?? []
    const last = line.at(-1)
    if (line.length >= attempt.waitingMax && last !== undefined) {
      if (last.rank <= attempt.rank) throw attempt.refusal()
      line.pop()
      last.refuse(last.refusal())
    } else if (waiting >= WAITING_MAX) {
      const message = 'Too many people are signing in. Try again in a few seconds.'
      throw new AppError('unavailable', message, { retryAfterMs: 3_000 })
    } else waiting += 1
    const behind = line.findIndex((each) => each.rank > attempt.rank)
    line.splice(behind < 0 ? line.length : behind, 0, attempt)
    if (lines.has(key)) return
    lines.set(key, line)
    void serve(key, line)
  }

  return (key, attempt) => new Promise<void>((begin, refuse) => enter(key, { ...attempt, begin, refuse }))
}

async function untilFree(pace: Counter, key: string): Promise<void> {
  for (;;) {
    try {
      await pace.consume(key)
      return
    } catch (state) {
      // Counters fail in no other way: they count in memory while Redis is away.
      if (!(state instanceof RateLimiterRes)) return
      await pause(Math.max(10, state.msBeforeNext))
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
