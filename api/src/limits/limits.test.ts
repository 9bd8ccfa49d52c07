import { AppError } from '@proctorpass/shared/errors'
import { describe, expect, it, vi } from 'vitest'
import { createCounters } from './counters.ts'
import { createLimits } from './limits.ts'

const counters = createCounters(null)

describe('limits', () => {
  it('refuses over the limit, with the time to wait in the message', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    for (let count = 0; count < 120; count += 1) await limits.take('send', 'a')
    const error = await limits.take('send', 'a').catch((caught: AppError) => caught)
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'rate-limited' })
    expect((error as AppError).message).toMatch(/ in \d+ seconds?\.$/)
    expect((error as AppError).retryAfterMs).toBeGreaterThanOrEqual(1_000)
    await expect(limits.take('send', 'b')).resolves.toMatchObject({ remaining: 119 })
    await expect(limits.take('poll', 'a')).resolves.toMatchObject({ remaining: 599 })
  })

  it('never asks to wait longer than the window when the clock was set back', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * 24 * 3_600_000 })
    try {
      for (let count = 0; count < 120; count += 1) await limits.take('send', 'a')
    } finally {
      vi.useRealTimers()
    }
    const error = await limits.take('send', 'a').catch((caught: AppError) => caught)
    expect((error as AppError).retryAfterMs).toBeLessThanOrEqual(60_000)
    expect((error as AppError).message).toContain('in 60 seconds')
  })

  it('takes several points at once, and refuses more than remain', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    await expect(limits.take('poll', 'a', 599)).resolves.toMatchObject({ remaining: 1 })
    await expect(limits.take('poll', 'a', 2)).rejects.toMatchObject({ code: 'rate-limited' })
  })

  it('charges without refusing, and refuses the next take', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    await limits.take('address', '192.0.2.1')
    await expect(limits.charge('address', '192.0.2.1', 100)).resolves.toMatchObject({ remaining: 11_899 })
    await expect(limits.charge('address', '192.0.2.1', 20_000)).resolves.toMatchObject({ remaining: 0 })
    await expect(limits.take('address', '192.0.2.1')).rejects.toMatchObject({ code: 'rate-limited' })
    await expect(limits.take('address', '192.0.2.2')).resolves.toMatchObject({ remaining: 11_999 })
  })

  it('returns at most the taken points', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    await limits.take('unsent', '192.0.2.1', 10)
    await limits.refund('unsent', '192.0.2.1', 9)
    await expect(limits.take('unsent', '192.0.2.1')).resolves.toMatchObject({ remaining: 131_070 })
    await limits.refund('unsent', '192.0.2.1', 500)
    await limits.refund('unsent', '192.0.2.2', 500)
    for (const address of ['192.0.2.1', '192.0.2.2'])
      await expect(limits.take('unsent', address)).resolves.toMatchObject({ remaining: 131_071 })
  })

  it('counts an IPv6 household as one', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    await limits.take('conversation', '2001:db8:1:2::1')
    await expect(limits.take('conversation', '2001:db8:1:2::2')).resolves.toMatchObject({ remaining: 118 })
    await expect(limits.take('conversation', '2001:db8:1:3::2')).resolves.toMatchObject({ remaining: 119 })
  })

  it('lets a /48 have eight times as much as one network of it', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    const take = (network: number) => limits.take('review', `2001:db8:1:${network}::1`)
    for (let count = 0; count < 80; count += 1) await take(count)
    await expect(take(80)).rejects.toMatchObject({ code: 'rate-limited' })
    await expect(limits.take('review', '2001:db8:2::1')).resolves.toMatchObject({ remaining: 9, limit: 10 })
    for (const network of [0, 1]) await limits.refund('review', `2001:db8:1:${network}::1`)
    await expect(take(81)).resolves.toMatchObject({ remaining: 0, limit: 80 })
  })

  it('counts what one network asks in vain for that network only', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    for (let count = 0; count < 500; count += 1)
      await limits.take('review', '2001:db8:1:1::1').catch(() => {})
    await expect(limits.take('review', '2001:db8:1:2::1')).resolves.toMatchObject({ remaining: 9 })
  })

  it('counts an address of IPv4 once, however IPv6 writes it', async () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    await limits.take('review', '192.0.2.7')
    for (const address of ['2002:c000:207:1::1', '2002:c000:207:2::1', '64:ff9b::192.0.2.7'])
      await limits.take('review', address)
    await expect(limits.take('review', '::ffff:192.0.2.7')).resolves.toMatchObject({ remaining: 5 })
  })

  it('allows everything when disabled', async () => {
    const limits = createLimits({ enabled: false, counters })
    for (let count = 0; count < 1_000; count += 1) await limits.take('send', 'a')
  })
})
