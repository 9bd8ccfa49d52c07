import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCounters } from '../limits/counters.ts'
import { createLimits } from '../limits/limits.ts'
import { createSignInLimits, type SignInLimits } from './sign-in-limits.ts'

let limits: SignInLimits
beforeEach(() => {
  vi.useFakeTimers()
  const counters = createCounters(null)
  limits = createSignInLimits({ enabled: true, limits: createLimits({ enabled: true, counters }), counters })
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

  it('bound how many attempts wait at once', async () => {
    for (let count = 0; count < 12; count += 1) await attempt('admin', address(count))
    const many = Array.from({ length: 600 }, (_, count) =>
      limits
        .begin({
          userName: 'admin',
          address: `10.1.${count % 250}.${Math.floor(count / 250)}`,
          knownUserId: null,
        })
        .then(
          () => 'let in',
          (error) => error.code as string,
        ),
    )
    await vi.advanceTimersByTimeAsync(5_000)
    const outcomes = await Promise.all(many)
    expect(outcomes.filter((outcome) => outcome === 'unavailable')).toHaveLength(100)
  })
})
