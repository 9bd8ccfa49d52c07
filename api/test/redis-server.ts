import { describe, inject } from 'vitest'

/**
 * The Redis of this run; null when there is none. All test files share it, and whoever publishes there is heard by
 * all: a test whose processes must not hear others' starts one of its own, with `startRedis`.
 */
export function redisTestUrl(): string | null {
  return inject('redis')?.url ?? null
}

/** Tests that need Redis. Where the run has none they are skipped, and the run says so at its end. */
export function describeOnRedis(name: string, tests: (url: string) => void): void {
  const url = redisTestUrl()
  if (url === null) describe.skip(`${name} (left out: there is no Redis)`, () => tests(''))
  else describe(name, () => tests(url))
}
