import { AppError } from '@proctorpass/shared/errors'
import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Counter, CounterFactory } from './counters.ts'
import { networkOf, WIDER, widerNetworkOf } from './networks.ts'

/**
 * Points per key and window. They are generous to people (forty behind one address, two tabs each, a burst after hours
 * offline), and tight enough to stop a loop. "Try again in …" is appended to the message.
 * @see docs/decisions/0034-limits-by-cost.md
 */
const KINDS = {
  /** Everything from one address, with one point for each request, and more for what its answer costs. */
  address: { points: 12_000, seconds: 60, message: 'Too many requests from your network.' },
  /** Reads of one conversation from one address. */
  poll: { points: 600, seconds: 60, message: 'This conversation is being read too often.' },
  /** Messages that a visitor writes in one conversation. */
  send: { points: 120, seconds: 60, message: "You're sending messages too fast." },
  /** What a visitor or their browser reports about itself in one conversation. */
  profile: { points: 60, seconds: 300, message: "You're changing your details too often." },
  /** Downloads of one conversation, or by one admin. */
  export: { points: 10, seconds: 600, message: 'Too many downloads of this conversation.' },
  /** Conversations started from one address. */
  conversation: { points: 120, seconds: 600, message: 'Too many new conversations from your network.' },
  /** Conversations that one address's visitors erase. Each is emitted to all admins, and stands in the audit log. */
  erase: { points: 60, seconds: 3_600, message: 'Too many erased conversations from your network.' },
  /** Mailed links opened from one address. */
  resume: { points: 60, seconds: 600, message: 'Too many links opened from your network.' },
  /** Previews of posts opened from one address, by links that work and by others. */
  preview: { points: 120, seconds: 600, message: 'Too many previews from your network.' },
  /** Contact messages from one address. */
  contact: { points: 20, seconds: 600, message: 'Too many messages from your network.' },
  /** Calls with one API key. */
  key: { points: 600, seconds: 60, message: 'Too many calls with this API key.' },
  /** One admin's reads of "Now". Each open page reads it after each `now:changed`. */
  now: { points: 300, seconds: 60, message: "You're loading the current figures too often." },
  /** One admin's reports and searches. */
  reports: { points: 120, seconds: 60, message: "You're loading reports too often." },
  search: { points: 120, seconds: 60, message: "You're searching too often." },
  /** One admin's reads of the saved searches, which run all of them, and what the admin saves. */
  savedSearches: { points: 60, seconds: 60, message: "You're loading saved searches too often." },
  /** Devices that one admin adds, and their tests. */
  push: { points: 30, seconds: 60, message: "You're changing notifications too often." },
  /** Invitations that one admin has mailed. */
  invitation: { points: 20, seconds: 3_600, message: "You're mailing invitations too often." },
  /** Text that visitors store from one address, with one point per KB: 20 MB in an hour. */
  stored: { points: 20_480, seconds: 3_600, message: 'Too much text from your network.' },
  /** Files that visitors send from one address, with one point per KB: 256 MB in an hour, or 1,000 small ones. */
  file: { points: 262_144, seconds: 3_600, message: 'Too many files from your network.' },
  /** The same files in a day: 512 MB, so that one address needs ten days to fill `UPLOADS_MAX`. */
  'file-day': { points: 524_288, seconds: 86_400, message: 'Too many files from your network today.' },
  /** Files that one address's visitors upload and do not send, with the same points: 128 MB in a day. */
  unsent: { points: 131_072, seconds: 86_400, message: 'Too many unsent files from your network.' },
  /**
   * Pixels that are decoded for one address's visitors, with one point per million. 40 points take up to 4 s on one
   * core. Browsers wait as long as this window by themselves.
   */
  pixels: { points: 80, seconds: 30, message: 'Too many large images from your network.' },
  /** Reviews submitted from one address. */
  review: { points: 10, seconds: 600, message: 'Too many reviews from your network.' },
  /** Suggested pages that one address's visitors opened, and messages that followed. */
  suggestion: { points: 120, seconds: 600, message: 'Too many opened pages from your network.' },
  /** Content-Security-Policy reports from one address. */
  report: { points: 30, seconds: 60, message: 'Too many reports from your network.' },
  /** Websites' wrong tokens from one address. */
  identify: { points: 20, seconds: 300, message: 'Too many failed sign-ins from your network.' },
  /** Failed sign-ins from one address. */
  'sign-in': { points: 20, seconds: 300, message: 'Too many failed sign-ins from your network.' },
  /** Passkey requests from one address. The sign-in page asks for a passkey when it opens. */
  passkey: { points: 120, seconds: 600, message: 'Too many sign-ins with passkeys from your network.' },
  /** Failed sign-ins from a browser where this user has signed in before. */
  'known-sign-in': { points: 10, seconds: 300, message: 'Too many failed sign-ins.' },
} as const

export type LimitKind = keyof typeof KINDS

/**
 * A render takes 2 to 4 ms, and a cached page a tenth of that. This allows at most ten renders a second per address.
 */
export const RENDER_POINTS = 20

/** Reading a list from the store takes up to 1 ms, and a cached list a fifth of that. */
export const LIST_READ_POINTS = 4

/**
 * Answer bytes per point, which allow less than 100 MB a minute per address. The request's own point covers the first
 * ones.
 */
const BYTES_PER_POINT = 8 * 1024

/** Returns an answer's points beyond its request's point. */
export function pointsForBytes(bytes: number): number {
  return Math.max(0, Math.ceil(bytes / BYTES_PER_POINT) - 1)
}

/** The bytes of a row and its index entries, without the texts. */
const ROW_BYTES = 400

/** Returns the points in the limit `stored` for these texts. */
export function pointsToStore(...texts: string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), ROW_BYTES) / 1_024)
}

/** The minimum for a file, because decoding and encoding take some time even for a small image. */
const FILE_POINTS = 256

/** Returns the points in the limits `file` and `unsent` for a file of this size. */
export function pointsForFile(bytes: number): number {
  return FILE_POINTS + Math.ceil(bytes / 1_024)
}

/** Limits that are used so often that a process counts a tenth of their points locally. */
const FREQUENT: ReadonlySet<LimitKind> = new Set(['address', 'poll'])
const REFUNDABLE: ReadonlySet<LimitKind> = new Set(['identify', 'sign-in', 'known-sign-in', 'unsent'])
const ADDRESSES: ReadonlySet<LimitKind> = new Set([
  'address',
  'contact',
  'conversation',
  'erase',
  'file',
  'file-day',
  'identify',
  'passkey',
  'pixels',
  'preview',
  'report',
  'resume',
  'review',
  'sign-in',
  'stored',
  'suggestion',
  'unsent',
])

/** A limit's state after taking from it. */
export interface LimitState {
  limit: number
  windowSeconds: number
  remaining: number
  resetMs: number
}

export function createLimits(options: { enabled: boolean; counters: CounterFactory }) {
  const limitersOf = (of: ReadonlySet<string> | null, { suffix = '', times = 1 } = {}) =>
    new Map(
      Object.entries(KINDS)
        .filter(([name]) => of?.has(name) ?? true)
        .map(([name, { points, seconds }]) => {
          const kind = name as LimitKind
          const local = FREQUENT.has(kind) ? (points * times) / 10 : 0
          const final = !REFUNDABLE.has(kind)
          return [
            kind,
            options.counters({ name: `${name}${suffix}`, points: points * times, seconds, local, final }),
          ]
        }),
    )
  const limiters = limitersOf(null)
  const widerLimiters = limitersOf(ADDRESSES, { suffix: '-48', times: WIDER.times })

  /** Returns what counts a key: its own limiter, and its /48's limiter. */
  function countsOf(kind: LimitKind, key: string): Count[] {
    const own = { limiter: limiters.get(kind) as Counter, key, times: 1 }
    if (!ADDRESSES.has(kind)) return [own]
    const wider = widerNetworkOf(key)
    const narrow = { ...own, key: networkOf(key) }
    if (wider === null) return [narrow]
    // The wider count comes second, so that one network's refused requests are not counted for its neighbors.
    return [narrow, { limiter: widerLimiters.get(kind) as Counter, key: wider, times: WIDER.times }]
  }

  // After a clock was set back, the rest of a window would be too long.
  const withinWindow = (kind: LimitKind, ms: number) => Math.min(ms, KINDS[kind].seconds * 1_000)
  const stateOf = (
    kind: LimitKind,
    { times }: Count,
    { remainingPoints, msBeforeNext }: RateLimiterRes,
  ): LimitState => ({
    limit: KINDS[kind].points * times,
    windowSeconds: KINDS[kind].seconds,
    remaining: remainingPoints,
    resetMs: withinWindow(kind, msBeforeNext),
  })

  /** Returns the state of the count with the fewest points left. */
  async function stateAfter(
    kind: LimitKind,
    key: string,
    taken: (count: Count) => Promise<RateLimiterRes>,
  ): Promise<LimitState | null> {
    let least: LimitState | null = null
    for (const count of countsOf(kind, key)) {
      const state = stateOf(kind, count, await taken(count))
      if (least === null || state.remaining < least.remaining) least = state
    }
    return least
  }

  return {
    /**
     * Takes `points` (default 1). Throws an AppError `rate-limited` if too few are left. For `address`, `contact`,
     * `conversation`, `erase`, `file`, `file-day`, `identify`, `passkey`, `pixels`, `report`, `resume`, `review`,
     * `sign-in`, `stored`, `suggestion`, and `unsent`, the key is an IP address or its network. An IPv6 /48 may use
     * eight times as much as one /64. Returns null if limits are off.
     */
    async take(kind: LimitKind, key: string, points: number = 1): Promise<LimitState | null> {
      if (!options.enabled) return null
      try {
        return await stateAfter(kind, key, (count) => count.limiter.consume(count.key, points))
      } catch (state) {
        if (!(state instanceof RateLimiterRes)) throw state
        const retryAfterMs = Math.max(1_000, withinWindow(kind, state.msBeforeNext))
        throw new AppError(
          'rate-limited',
          `${KINDS[kind].message} Try again ${durationText(retryAfterMs)}.`,
          {
            retryAfterMs,
          },
        )
      }
    },
    /** Takes points once the cost is known. Never refuses; the next `take` does. Returns null if limits are off. */
    async charge(kind: LimitKind, key: string, points: number): Promise<LimitState | null> {
      if (!options.enabled) return null
      return stateAfter(kind, key, (count) => count.limiter.penalty(count.key, points))
    },
    /**
     * Returns points (default 1), at most those taken, so that points that another key paid for are not added to this
     * one.
     */
    async refund(kind: LimitKind, key: string, points: number = 1): Promise<void> {
      if (!options.enabled) return
      for (const count of countsOf(kind, key)) {
        const { consumedPoints } = await count.limiter.reward(count.key, points)
        if (consumedPoints < 0) await count.limiter.penalty(count.key, -consumedPoints)
      }
    },
  }
}

export type Limits = ReturnType<typeof createLimits>

interface Count {
  limiter: Counter
  key: string
  /** How many times the limit's points this count has. */
  times: number
}

function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000)
  if (seconds < 90) return `in ${seconds} second${seconds === 1 ? '' : 's'}`
  return `in ${Math.ceil(seconds / 60)} minutes`
}
