import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import type { RedisStore } from '../redis/redis.ts'

export interface CounterOptions {
  name: string
  points: number
  seconds: number
  /**
   * The points that each process counts locally before it uses Redis, so that normal use costs no round trip. Each
   * additional process allows as many more.
   */
  local?: number
  /** If true, points are never refunded, so keys over the limit are refused without asking Redis again. */
  final?: boolean
}

/** Counts points per key, and resolves to a key's state. `consume` rejects with a RateLimiterRes over the limit. */
export interface Counter {
  consume(key: string, points?: number): Promise<RateLimiterRes>
  /** Adds points, even beyond the limit. Never rejects with a RateLimiterRes. */
  penalty(key: string, points?: number): Promise<RateLimiterRes>
  reward(key: string, points?: number): Promise<Pick<RateLimiterRes, 'consumedPoints'>>
  delete(key: string): Promise<unknown>
}

/**
 * Creates a counter in Redis, which all processes share. Without Redis, or while it is down, the counter is in memory.
 */
export type CounterFactory = (options: CounterOptions) => Counter

export function createCounters(redis: { key: string; store: RedisStore } | null): CounterFactory {
  return ({ name, points, seconds, local = 0, final = false }) => {
    const inMemory = (ofPoints: number) =>
      new RateLimiterMemory({ keyPrefix: name, points: ofPoints, duration: seconds })
    if (redis === null) return inMemory(points)
    const sharedPoints = points - local
    const shared = new RateLimiterRedis({
      storeClient: redis.store,
      useRedisPackage: true,
      keyPrefix: `${redis.key}:${name}`,
      points: sharedPoints,
      duration: seconds,
      insuranceLimiter: inMemory(sharedPoints),
      ...(final ? { inMemoryBlockOnConsumed: sharedPoints + 1 } : {}),
    })
    return local === 0 ? shared : localFirst(inMemory(local), shared)
  }
}

function localFirst(own: RateLimiterMemory, shared: RateLimiterAbstract): Counter {
  return {
    async consume(key, count) {
      try {
        const { remainingPoints, msBeforeNext, consumedPoints } = await own.consume(key, count)
        return new RateLimiterRes(remainingPoints + shared.points, msBeforeNext, consumedPoints)
      } catch {
        return shared.consume(key, count)
      }
    },
    async penalty(key, count = 1) {
      const { remainingPoints, msBeforeNext, consumedPoints } = await own.penalty(key, count)
      const beyond = Math.min(count, consumedPoints - own.points)
      if (beyond > 0) return shared.penalty(key, beyond)
      return new RateLimiterRes(remainingPoints + shared.points, msBeforeNext, consumedPoints)
    },
    reward: (key, count) => shared.reward(key, count),
    delete: (key) => shared.delete(key),
  }
}
