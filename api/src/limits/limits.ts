import { isIPv6 } from 'node:net'
import { AppError } from '@proctorpass/shared/errors'
import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Counter, CounterFactory } from './counters.ts'

/**
 * How often something may happen to one key. Generous to people (forty behind one address, two tabs each,
 * a burst after hours offline), tight enough to stop a loop. The text ends with "Please try again in …".
 */
const KINDS = {
  /** Everything from one address: a point for each request, and more for what its answer costs. */
  address: { points: 12_000, seconds: 60, message: 'Too many requests come from your network.' },
  /** Reads of one conversation. */
  poll: { points: 600, seconds: 60, message: 'This conversation is being read too often.' },
  /** Messages a visitor writes in one conversation. */
  send: { points: 120, seconds: 60, message: 'You are sending messages very fast.' },
  /** Conversations begun from one address. */
  conversation: { points: 120, seconds: 600, message: 'Too many new conversations come from your network.' },
  /** Contact messages from one address. */
  contact: { points: 20, seconds: 600, message: 'Many messages have come from your network.' },
  /** What visitors store from one address, a point for each KB: 20 MB in an hour. */
  stored: { points: 20_480, seconds: 3_600, message: 'A lot of text has come from your network.' },
  /** Reviews submitted from one address. */
  review: { points: 10, seconds: 600, message: 'Many reviews have come from your network.' },
  /** What browsers report of the Content-Security-Policy, from one address. */
  report: { points: 30, seconds: 60, message: 'Too many reports come from your network.' },
  /** Sign-ins that failed, from one address. */
  'sign-in': { points: 20, seconds: 300, message: 'Too many failed sign-ins come from your network.' },
  /** Sign-ins that failed, from a browser where this user has signed in before. */
  'known-sign-in': { points: 10, seconds: 300, message: 'Too many failed sign-ins.' },
} as const

export type LimitKind = keyof typeof KINDS

/** A page that React renders takes 2 to 4 ms, a cached one a tenth of it: an address has ten a second rendered. */
export const RENDER_POINTS = 20

/** A list that is read from the store takes up to 1 ms, a cached one a fifth of it. */
export const LIST_READ_POINTS = 4

/** Bytes of an answer that each point pays for: an address reads less than 100 MB a minute. The request pays the first. */
const BYTES_PER_POINT = 8 * 1024

/** What an answer of so many bytes costs its address beyond the point of the request. */
export function pointsForBytes(bytes: number): number {
  return Math.max(0, Math.ceil(bytes / BYTES_PER_POINT) - 1)
}

/** A row and its entries in indexes, beside the texts. */
const ROW_BYTES = 400

/** What storing these texts takes from the limit `stored`. */
export function pointsToStore(...texts: string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), ROW_BYTES) / 1_024)
}

/** Asked so often that a process counts a tenth alone before it asks the others. */
const FREQUENT: ReadonlySet<LimitKind> = new Set(['address', 'poll'])
const GIVEN_BACK: ReadonlySet<LimitKind> = new Set(['sign-in', 'known-sign-in'])
const ADDRESSES: ReadonlySet<LimitKind> = new Set([
  'address',
  'contact',
  'conversation',
  'report',
  'review',
  'sign-in',
  'stored',
])

/** What is left of a limit after taking from it. */
export interface LimitState {
  limit: number
  windowSeconds: number
  remaining: number
  resetMs: number
}

export interface Limits {
  /**
   * Takes `points` (default 1); throws AppError `rate-limited` when too few are left. The key of `address`, `contact`,
   * `conversation`, `report`, `review`, `sign-in` and `stored` is an IP address. Null when limits are off.
   */
  take(kind: LimitKind, key: string, points?: number): Promise<LimitState | null>
  /** Takes points for what an answer has cost. Never refuses: the next `take` does. Null when limits are off. */
  charge(kind: LimitKind, key: string, points: number): Promise<LimitState | null>
  /** Takes the last count back, because it turned out not to matter. */
  giveBack(kind: LimitKind, key: string): Promise<void>
}

export function createLimits(options: { enabled: boolean; counters: CounterFactory }): Limits {
  const limiters = new Map(
    Object.entries(KINDS).map(([name, { points, seconds }]) => {
      const kind = name as LimitKind
      const alone = FREQUENT.has(kind) ? points / 10 : 0
      return [kind, options.counters({ name, points, seconds, alone, final: !GIVEN_BACK.has(kind) })]
    }),
  )
  const limiterOf = (kind: LimitKind) => limiters.get(kind) as Counter
  const keyOf = (kind: LimitKind, key: string) => (ADDRESSES.has(kind) ? networkOf(key) : key)
  // A clock that went back makes the rest of a window look longer than it is.
  const withinWindow = (kind: LimitKind, ms: number) => Math.min(ms, KINDS[kind].seconds * 1_000)
  const stateOf = (kind: LimitKind, { remainingPoints, msBeforeNext }: RateLimiterRes): LimitState => ({
    limit: KINDS[kind].points,
    windowSeconds: KINDS[kind].seconds,
    remaining: remainingPoints,
    resetMs: withinWindow(kind, msBeforeNext),
  })

  return {
    async take(kind, key, count = 1) {
      if (!options.enabled) return null
      try {
        return stateOf(kind, await limiterOf(kind).consume(keyOf(kind, key), count))
      } catch (state) {
        if (!(state instanceof RateLimiterRes)) throw state
        const retryAfterMs = Math.max(1_000, withinWindow(kind, state.msBeforeNext))
        throw new AppError(
          'rate-limited',
          `${KINDS[kind].message} Please try again ${inWords(retryAfterMs)}.`,
          {
            retryAfterMs,
          },
        )
      }
    },
    async charge(kind, key, points) {
      if (!options.enabled) return null
      return stateOf(kind, await limiterOf(kind).penalty(keyOf(kind, key), points))
    },
    async giveBack(kind, key) {
      if (options.enabled) await limiterOf(kind).reward(keyOf(kind, key))
    },
  }
}

/** Whom an address stands for: an IPv4 address itself, an IPv6 address its /64, which is what one household gets. */
export function networkOf(address: string): string {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length
  const full = [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...rest]
  return `${full
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

function inWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000)
  if (seconds < 90) return `in ${seconds} second${seconds === 1 ? '' : 's'}`
  return `in ${Math.ceil(seconds / 60)} minutes`
}
