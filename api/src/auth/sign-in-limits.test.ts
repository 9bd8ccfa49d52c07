import type { AppError } from '@proctorpass/shared/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCounters } from '../limits/counters.ts'
import { createLimits } from '../limits/limits.ts'
import { createSignInLimits, type SignInLimits } from './sign-in-limits.ts'

let limits: SignInLimits
let told: string[]
beforeEach(() => {
  vi.useFakeTimers()
  const counters = createCounters(null)
  told = []
  limits = createSignInLimits({
    ...{ enabled: true, limits: createLimits({ enabled: true, counters }), counters },
    onManyWrongCodes: (userId) => told.push(userId),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The delay of an attempt in milliseconds, or the code of its error. */
async function attempt(
  userName: string,
  address: string,
  { known = null, succeeds = false }: { known?: string | null; succeeds?: boolean } = {},
): Promise<number | string> {
  const from = Date.now()
  const begun = limits.begin({ userName, address, knownUserId: known }).then(
    async (each) => {
      const waited = Date.now() - from
      if (succeeds) await each.succeeded()
      return waited
    },
    (error) => error.code as string,
  )
  await vi.advanceTimersByTimeAsync(5_000)
  return begun
}

const address = (count: number) => `192.0.2.${count}`

describe('sign-in limits', () => {
  it('allow five failures, then delay a name longer and longer, up to 3 seconds', async () => {
    const waits = []
    for (let count = 0; count < 12; count += 1) waits.push(await attempt('admin', address(count)))
    expect(waits).toEqual([0, 0, 0, 0, 0, 200, 400, 800, 1_600, 3_000, 3_000, 3_000])
  })

  it('count one name in any case', async () => {
    for (let count = 0; count < 5; count += 1) await attempt('admin', address(count))
    expect(await attempt('ADMIN', address(9))).toBe(200)
    expect(await attempt('other', address(9))).toBe(0)
  })

  it('reset a name after a successful sign-in', async () => {
    for (let count = 0; count < 5; count += 1) await attempt('admin', address(count))
    expect(await attempt('admin', address(9), { succeeds: true })).toBe(200)
    expect(await attempt('admin', address(9))).toBe(0)
  })

  it('refuse an address after twenty failures, an IPv6 address with its /64', async () => {
    for (let count = 0; count < 20; count += 1) expect(await attempt(`name${count}`, '2001:db8::1')).toBe(0)
    expect(await attempt('admin', '2001:db8::2')).toBe('rate-limited')
    expect(await attempt('admin', '2001:db8:0:1::1')).toBe(0)
  })

  it('do not count successes against an address', async () => {
    for (let count = 0; count < 50; count += 1) {
      expect(await attempt(`name${count}`, address(1), { succeeds: true })).toBe(0)
    }
  })

  it('do not delay a known browser for failures of others, within a limit of its own', async () => {
    for (let count = 0; count < 20; count += 1) await attempt('admin', address(1))
    const waits = []
    for (let count = 0; count < 11; count += 1) waits.push(await attempt('admin', address(1), { known: 'a' }))
    expect(waits).toEqual([...Array.from({ length: 10 }, () => 0), 'rate-limited'])
  })

  it('let twenty attempts of a name wait in one line, whatever their addresses, and refuse the others', async () => {
    for (let count = 0; count < 12; count += 1) await attempt('admin', address(count))
    const { judgedAt, refused } = flood('admin', 600)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(judgedAt).toHaveLength(20)
    expect(gaps(judgedAt).every((gap) => gap >= 3_000)).toBe(true)
    expect(refused).toHaveLength(580)
    expect(refused[0]).toMatchObject({ code: 'rate-limited', retryAfterMs: 30_000 })
    expect(await attempt('other', address(9))).toBe(0)
  })

  it('let the owner on a new browser and network pass a flood by networks that failed before', async () => {
    for (let round = 0; round < 8; round += 1) {
      flood('admin', 100)
      await vi.advanceTimersByTimeAsync(10_000)
    }
    flood('admin', 100)
    const from = Date.now()
    let waited = Number.POSITIVE_INFINITY
    void limits
      .begin({ userName: 'admin', address: '198.51.100.7', knownUserId: null })
      .then(() => (waited = Date.now() - from))
    for (let second = 0; second < 60; second += 1) {
      flood('admin', 100)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(waited).toBeLessThanOrEqual(6_000)
  })

  it('count the networks of a /48 as one that failed', async () => {
    for (let count = 0; count < 12; count += 1) await attempt('admin', address(count))
    const { judgedAt } = flood('admin', 60, (count) => `2001:db8:1:${count}::1`)
    await vi.advanceTimersByTimeAsync(1_000)
    const from = Date.now()
    const owner = limits.begin({ userName: 'admin', address: '198.51.100.7', knownUserId: null })
    await vi.advanceTimersByTimeAsync(6_000)
    expect(await owner.then(() => Date.now() - from)).toBe(6_000)
    expect(judgedAt).toHaveLength(1)
  })

  it('bound how many attempts of all names wait at once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `name${index}`)
    const floods = names.map((name, index) => flood(name, 25, (count) => `10.2.${index}.${count}`))
    await vi.advanceTimersByTimeAsync(120_000)
    const codes = floods.flatMap(({ refused }) => refused.map(({ code }) => code))
    expect(codes.filter((code) => code === 'unavailable')).toHaveLength(100)
    expect(floods.flatMap(({ judgedAt }) => judgedAt)).toHaveLength(30 * 5 + 500)
  })

  it('judge a code every 30 seconds after ten wrong ones, and tell of them once', async () => {
    const begin = (each: number) =>
      limits.begin({ codeOf: 'u1', address: address(each), knownUserId: null }).then(async (attempt) => {
        attempt.failed()
        return Date.now()
      })
    for (let count = 0; count < 10; count += 1) {
      expect(told).toEqual([])
      const begun = begin(count)
      await vi.advanceTimersByTimeAsync(5_000)
      await begun
    }
    expect(told).toEqual(['u1'])
    const first = await begin(0)
    const refused = expect(begin(1)).rejects.toMatchObject({ code: 'rate-limited' })
    await expect(begin(2)).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 30_000 })
    // The owner has not failed: they take the place of another network.
    const owner = begin(99)
    await refused
    await vi.advanceTimersByTimeAsync(31_000)
    expect((await owner) - first).toBeGreaterThanOrEqual(30_000)
    expect(told).toEqual(['u1'])
  })

  it('never hold up what cannot be guessed', async () => {
    for (let count = 0; count < 30; count += 1)
      await limits.begin({ address: address(count), knownUserId: null })
    for (let count = 1; count < 20; count += 1) await limits.begin({ address: address(1), knownUserId: null })
    await expect(limits.begin({ address: address(1), knownUserId: null })).rejects.toMatchObject({
      code: 'rate-limited',
    })
  })
})

/** Attempts at once, each from an address of its own: when each was judged, and the errors of the others. */
function flood(userName: string, count: number, addressOf = (each: number) => `10.1.0.${each}`) {
  const judgedAt: number[] = []
  const refused: AppError[] = []
  for (let each = 0; each < count; each += 1) {
    limits.begin({ userName, address: addressOf(each), knownUserId: null }).then(
      () => judgedAt.push(Date.now()),
      (error) => refused.push(error),
    )
  }
  return { judgedAt, refused }
}

const gaps = (times: number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0))
