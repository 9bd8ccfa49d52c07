import { createHash } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import type { CounterFactory } from '../limits/counters.ts'
import type { Limits } from '../limits/limits.ts'
import { networkOf, widerNetworkOf } from '../limits/networks.ts'
import { nameKey } from '../storage/model/users.ts'
import { createSignInLines, type QueuedAttempt } from './sign-in-line.ts'

const FREE_FAILURES = 5
const DELAY_MAX_MS = 3_000
/** The attempts of a line that take a minute, which is how long proxies wait for an answer. */
const WAITING_MAX = 20
const FORGET_NAME_SECONDS = 15 * 60
const DAY_SECONDS = 24 * 60 * 60
/** The number of wrong codes after which one code is judged every CODE_PACE_SECONDS. A longer line would outlast its codes. */
const FREE_CODES = 10
const CODE_PACE_SECONDS = 30
const CODES_WAITING_MAX = 1

export interface Attempt {
  succeeded(): Promise<void>
  /** Called after a wrong code, whose owner is told if there are many. Other attempts ignore it. */
  failed(): void
}

/** @see docs/decisions/0007-sign-in-delay.md, docs/decisions/0105-lines-of-sign-ins.md */
export function createSignInLimits(options: {
  enabled: boolean
  limits: Limits
  counters: CounterFactory
  /**
   * Called when another person knows this user's password and tries codes: at most once a day, or again after a right
   * code.
   */
  onManyWrongCodes?: (userId: string) => void
}) {
  const { enabled, limits, counters, onManyWrongCodes } = options
  const failures = counters({ name: 'failed-sign-in', points: FREE_FAILURES, seconds: FORGET_NAME_SECONDS })
  const wrongCodes = counters({ name: 'wrong-code', points: FREE_CODES, seconds: DAY_SECONDS })
  const ofNetworks = counters({ name: 'failed-network', points: WAITING_MAX, seconds: DAY_SECONDS })
  const pace = counters({ name: 'sign-in-pace', points: 1, seconds: DELAY_MAX_MS / 1_000 })
  const codePace = counters({ name: 'code-pace', points: 1, seconds: CODE_PACE_SECONDS })
  const wait = createSignInLines()

  /** Queues an attempt. `failed` counts the name's earlier failed attempts, or its wrong codes. */
  function queuedAttempt(failed: number, isCode: boolean, rank: number): QueuedAttempt {
    if (isCode && failed >= FREE_CODES) {
      return { rank, delayMs: 0, pace: codePace, waitingMax: CODES_WAITING_MAX, refusal: tooManyCodes }
    }
    const delayMs = Math.min(DELAY_MAX_MS, 200 * 2 ** (failed - FREE_FAILURES))
    const atPace = delayMs === DELAY_MAX_MS ? pace : null
    return { rank, delayMs, pace: atPace, waitingMax: WAITING_MAX, refusal: tooManyAttempts }
  }

  async function isKnown(userId: string | null): Promise<boolean> {
    return userId !== null && (await isWithin(limits.take('known-sign-in', userId)))
  }

  return {
    /**
     * Call this before anything is verified. After some failures, attempts for a name, or at the codes of a user's app,
     * wait in one line, in which networks with fewer failures go first. Attempts without a name or code (a passkey, a
     * recovery code, a link) cannot be guessed: only their address counts, so that strangers hold up no other user.
     * Throws an AppError `rate-limited` for an address with too many failures and for a full line, and `unavailable`.
     * @param knownUserId set if the browser proved an earlier sign-in of this user; then only the browser's own
     * failures count
     */
    async begin({
      userName,
      codeOf,
      address,
      knownUserId,
    }: {
      userName?: string
      codeOf?: string | undefined
      address: string
      knownUserId: string | null
    }): Promise<Attempt> {
      if (!enabled) return { succeeded: async () => {}, failed() {} }
      const isCode = codeOf !== undefined
      const counter = isCode ? wrongCodes : failures
      // Names are stored as hashes, because people type passwords into the wrong field.
      const key = createHash('sha256')
        .update(isCode ? `code ${codeOf}` : nameKey(userName ?? ''))
        .digest('base64')
      // An attempt counts as a failure until it succeeds, so parallel attempts gain nothing.
      const count = async () => (await counter.penalty(key)).consumedPoints
      const failed = (counted: number) => {
        if (isCode && counted === FREE_CODES) onManyWrongCodes?.(codeOf)
      }

      if (await isKnown(knownUserId)) {
        const counted = isCode ? await count() : 0
        return {
          async succeeded() {
            await limits.refund('known-sign-in', knownUserId ?? '')
            if (isCode) await counter.delete(key)
          },
          failed: () => failed(counted),
        }
      }
      await limits.take('sign-in', address)
      if (userName === undefined && !isCode) {
        return { succeeded: () => limits.refund('sign-in', address), failed() {} }
      }
      const network = widerNetworkOf(address) ?? networkOf(address)
      const rank = (await ofNetworks.penalty(network)).consumedPoints - 1
      const counted = await count()
      if (counted > FREE_FAILURES) await wait(key, queuedAttempt(counted - 1, isCode, rank))
      return {
        async succeeded() {
          await limits.refund('sign-in', address)
          await ofNetworks.reward(network)
          await counter.delete(key)
        },
        failed: () => failed(counted),
      }
    },
  }
}

export type SignInLimits = ReturnType<typeof createSignInLimits>

function tooManyAttempts(): AppError {
  const message =
    'Too many sign-ins with this name are waiting. Try again in 30 seconds, or in a browser where you have signed in before.'
  return new AppError('rate-limited', message, { retryAfterMs: 30_000 })
}

function tooManyCodes(): AppError {
  const message = 'Too many wrong codes. Try again in 30 seconds, or use a passkey or a recovery code.'
  return new AppError('rate-limited', message, { retryAfterMs: CODE_PACE_SECONDS * 1_000 })
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
