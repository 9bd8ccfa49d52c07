import { AppError } from '@proctorpass/shared/errors'
import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Counter } from '../limits/counters.ts'

/** The limit for all lines together, so that strangers cannot hold any number of requests. */
const WAITING_MAX = 500

export interface QueuedAttempt {
  /** A lower rank goes first, and takes the place of the highest one in a full line. */
  rank: number
  /** How long the line waits before it begins this attempt. */
  delayMs: number
  /** Lets one attempt of a key begin at a time, on all nodes; null if only this node's line does. */
  pace: Counter | null
  waitingMax: number
  /** Makes the error for an attempt that does not fit into the line. */
  refusal: () => AppError
}

interface Waiting extends QueuedAttempt {
  begin: () => void
  refuse: (error: AppError) => void
}

/** Lets the attempts of one key begin one after another, each after its delay. */
export function createSignInLines(): (key: string, attempt: QueuedAttempt) => Promise<void> {
  const lines = new Map<string, Waiting[]>()
  let waiting = 0

  async function serve(key: string, line: Waiting[]): Promise<void> {
    for (let first = line[0]; first !== undefined; first = line[0]) {
      if (first.pace !== null) await untilFree(first.pace, key)
      // Other attempts may have come before this one in the meantime. The first one keeps its place in the line during
      // its delay.
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
      // A counter rejects with nothing else, because counters count in memory while Redis is away.
      if (!(state instanceof RateLimiterRes)) return
      await pause(Math.max(10, state.msBeforeNext))
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
