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
   * So many of the points are counted by each process alone before it asks Redis: what ordinary people do costs no
   * round trip. Several processes let through so many more, each.
   */
  alone?: number
  /** What was counted is never given back: whoever is beyond the limit is refused without asking Redis again. */
  final?: boolean
}

/** What is counted of one key: resolves with where it stands, rejects with a RateLimiterRes when it is too much. */
export interface Counter {
  consume(key: string, points?: number): Promise<RateLimiterRes>
  /** Adds points, also beyond the limit. Never rejects with a RateLimiterRes. */
  penalty(key: string, points?: number): Promise<RateLimiterRes>
  reward(key: string): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/** Makes counters: in Redis for all processes together, in memory where there is none or while it is away. */
export type CounterFactory = (options: CounterOptions) => Counter

export function createCounters(redis: { key: string; store: RedisStore } | null): CounterFactory {
  return ({ name, points, seconds, alone = 0, final = false }) => {
    const inMemory = (ofPoints: number) =>
      new RateLimiterMemory({ keyPrefix: name, points: ofPoints, duration: seconds })
    if (redis === null) return inMemory(points)
    const together = points - alone
    const shared = new RateLimiterRedis({
      storeClient: redis.store,
      useRedisPackage: true,
      keyPrefix: `${redis.key}:${name}`,
      points: together,
      duration: seconds,
      insuranceLimiter: inMemory(together),
      ...(final ? { inMemoryBlockOnConsumed: together + 1 } : {}),
    })
    return alone === 0 ? shared : aloneFirst(inMemory(alone), shared)
  }
}

function aloneFirst(own: RateLimiterMemory, shared: RateLimiterAbstract): Counter {
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
    reward: (key) => shared.reward(key),
    delete: (key) => shared.delete(key),
  }
}
