import { describe, inject } from 'vitest'
import { hasRedis } from './servers/redis-process.ts'

/**
 * The Redis of this run; null when there is none. All test files share it and receive what any of them publishes: a
 * test that must not receive it starts its own with `startRedis`.
 */
export function redisTestUrl(): string | null {
  return inject('redis')?.url ?? null
}

/** Tests that need Redis. Without one they are skipped, and the run reports it at its end. */
export function describeOnRedis(name: string, tests: (url: string) => void): void {
  const url = redisTestUrl()
  if (url === null) describe.skip(`${name} (left out: there is no Redis)`, () => tests(''))
  else describe(name, () => tests(url))
}

const canStartRedis = await hasRedis()

/** Tests that start their own Redis, to end it or to share it with none. Skipped where none can be started. */
export function describeWithOwnRedis(name: string, tests: () => void): void {
  if (canStartRedis) describe(name, tests)
  else describe.skip(`${name} (left out: no redis-server can be started)`, tests)
}
