import { createHash } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import type { CounterFactory } from '../limits/counters.ts'
import type { Limits } from '../limits/limits.ts'
import { nameKey } from '../storage/rules/ids.ts'

const FREE_FAILURES = 5
const FORGET_SECONDS = 15 * 60
const DELAY_MAX_MS = 3_000
const WAITING_MAX = 500

export interface Attempt {
  succeeded(): Promise<void>
}

export interface SignInLimits {
  /**
   * Call it before the password is verified. Delays repeated failures for a user name, and refuses an address with too
   * many. A name is never refused, so that a stranger cannot lock out its owner.
   * @param knownUserId set when the browser proved an earlier sign-in of this user: then only its own failures count
   */
  begin(options: { userName: string; address: string; knownUserId: string | null }): Promise<Attempt>
}

/** @see docs/decisions/0007-slow-sign-in.md */
export function createSignInLimits(options: {
  enabled: boolean
  limits: Limits
  counters: CounterFactory
}): SignInLimits {
  const { enabled, limits, counters } = options
  const failures = counters({ name: 'failed-sign-in', points: FREE_FAILURES, seconds: FORGET_SECONDS })
  let waiting = 0

  async function slowDown(key: string): Promise<void> {
    const before = (await failures.penalty(key)).consumedPoints - 1
    if (before < FREE_FAILURES) return
    if (waiting >= WAITING_MAX) {
      const message = 'Too many people are signing in. Try again in a few seconds.'
      throw new AppError('unavailable', message, { retryAfterMs: DELAY_MAX_MS })
    }
    waiting += 1
    try {
      const delay = Math.min(DELAY_MAX_MS, 200 * 2 ** (before - FREE_FAILURES))
      await new Promise((resolve) => setTimeout(resolve, delay))
    } finally {
      waiting -= 1
    }
  }

  return {
    async begin({ userName, address, knownUserId }) {
      if (!enabled) return { succeeded: async () => {} }
      if (knownUserId !== null && (await isWithin(limits.take('known-sign-in', knownUserId)))) {
        return { succeeded: () => limits.refund('known-sign-in', knownUserId) }
      }
      // An attempt counts as a failure until it succeeds, so parallel attempts gain nothing.
      await limits.take('sign-in', address)
      // Names are stored as hashes: people type passwords into the wrong field.
      const key = createHash('sha256').update(nameKey(userName)).digest('base64')
      await slowDown(key)
      return {
        async succeeded() {
          await limits.refund('sign-in', address)
          await failures.delete(key)
        },
      }
    },
  }
}

async function isWithin(taking: Promise<unknown>): Promise<boolean> {
  try {
    await taking
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate-limited') return false
    throw error
  }
}
