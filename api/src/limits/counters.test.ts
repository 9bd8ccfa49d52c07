import { createClient } from '@redis/client'
import fastify from 'fastify'
import { RateLimiterRes } from 'rate-limiter-flexible'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeWithOwnRedis } from '../../test/redis-server.ts'
import { type RedisProcess, startRedis } from '../../test/servers/redis-process.ts'
import { createSignInLimits } from '../auth/sign-in-limits.ts'
import { connectRedis, type Redis } from '../redis/redis.ts'
import { createCounters } from './counters.ts'
import { createLimits } from './limits.ts'

const { log } = fastify()

describeWithOwnRedis('a counter of two processes', () => {
  let server: RedisProcess
  let both: [Redis, Redis]
  beforeEach(async () => {
    server = await startRedis()
    both = [connectRedis(server.url, log), connectRedis(server.url, log)]
    await untilThere()
  })
  afterEach(async () => {
    server.thaw()
    await Promise.all(both.map((redis) => redis.close()))
    await server.close()
  })

  const untilThere = () =>
    vi.waitFor(async () => expect(await Promise.all(both.map((redis) => redis.ping()))).toEqual([true, true]))
  const counters = (options: Parameters<ReturnType<typeof createCounters>>[0]) =>
    both.map((redis) => createCounters(redis)(options)) as [Counter, Counter]
  type Counter = ReturnType<ReturnType<typeof createCounters>>
  const isLetIn = (counter: Counter) =>
    counter.consume('caller').then(
      () => true,
      (refusal) => {
        if (refusal instanceof RateLimiterRes) return false
        throw refusal
      },
    )

  async function stored(): Promise<{ [key: string]: string | null }> {
    const client = await createClient({ url: server.url }).connect()
    const keys = await client.keys('*')
    const entries = await Promise.all(keys.map(async (key) => [key, await client.get(key)]))
    client.destroy()
    return Object.fromEntries(entries)
  }

  it('is one sum of all points and refunds', async () => {
    const [here, there] = counters({ name: 'send', points: 3, seconds: 60 })
    expect((await here.consume('caller')).remainingPoints).toBe(2)
    expect((await there.consume('caller')).remainingPoints).toBe(1)
    expect((await there.consume('else')).remainingPoints).toBe(2)
    expect(await isLetIn(here)).toBe(true)
    expect([await isLetIn(here), await isLetIn(there)]).toEqual([false, false])
    for (let each = 0; each < 3; each += 1) await there.reward('caller')
    expect(await isLetIn(here)).toBe(true)
    await here.delete('caller')
    expect((await there.penalty('caller')).consumedPoints).toBe(1)
  })

  it('is not used for points that a process counts locally', async () => {
    const [here, there] = counters({ name: 'poll', points: 20, seconds: 60, local: 5 })
    for (let each = 0; each < 5; each += 1) {
      await here.consume('caller')
      await there.consume('caller')
    }
    expect(await stored()).toEqual({})
    // The other fifteen are for both together.
    const letIn = []
    for (let each = 0; each < 10; each += 1) letIn.push(await isLetIn(here), await isLetIn(there))
    expect(letIn.filter(Boolean)).toHaveLength(15)
  })

  it('is not asked again for a key over its limit', async () => {
    const [here] = counters({ name: 'contact', points: 3, seconds: 60, final: true })
    const letIn = []
    for (let each = 0; each < 50; each += 1) letIn.push(await isLetIn(here))
    expect(letIn.filter(Boolean)).toHaveLength(3)
    expect(await stored()).toEqual({ 'proctorpass-0:contact:caller': '4' })
  })

  it('adds a charge to the local points first, then to the shared ones', async () => {
    const [here, there] = counters({ name: 'address', points: 100, seconds: 60, local: 10, final: true })
    await here.consume('caller')
    expect((await here.penalty('caller', 8)).remainingPoints).toBe(91)
    expect(await stored()).toEqual({})
    expect((await here.penalty('caller', 41)).remainingPoints).toBe(50)
    expect(await stored()).toEqual({ 'proctorpass-0:address:caller': '40' })
    // 50 points of the shared limit are left, and 10 of the other's own.
    expect((await there.penalty('caller', 70)).remainingPoints).toBe(0)
    expect([await isLetIn(here), await isLetIn(there)]).toEqual([false, false])
  })

  it.each(['stopped', 'stuck'] as const)('is local to each process while Redis is %s', async (how) => {
    const [here, there] = counters({ name: 'send', points: 2, seconds: 60 })
    await here.consume('caller')
    if (how === 'stopped') await server.stop('SIGKILL')
    else server.freeze()
    expect([await isLetIn(here), await isLetIn(here), await isLetIn(here)]).toEqual([true, true, false])
    expect([await isLetIn(there), await isLetIn(there), await isLetIn(there)]).toEqual([true, true, false])
    if (how === 'stopped') await server.start()
    else server.thaw()
    await untilThere()
    await vi.waitFor(async () => {
      await here.penalty('again')
      expect(Object.keys(await stored())).toContain('proctorpass-0:send:again')
    })
  })

  it('delays a name on both, and refuses an address on both', async () => {
    const [here, there] = both.map((redis) => {
      const counters = createCounters(redis)
      return createSignInLimits({
        enabled: true,
        counters,
        limits: createLimits({ enabled: true, counters }),
      })
    }) as [ReturnType<typeof createSignInLimits>, ReturnType<typeof createSignInLimits>]
    const begin = (limits: typeof here, userName: string, address: string) =>
      limits.begin({ userName, address, knownUserId: null })
    for (let each = 0; each < 20; each += 1) await begin(each % 2 ? here : there, `name${each}`, '192.0.2.1')
    await expect(begin(here, 'other', '192.0.2.1')).rejects.toMatchObject({ code: 'rate-limited' })
    await expect(begin(there, 'other', '192.0.2.1')).rejects.toMatchObject({ code: 'rate-limited' })

    for (let each = 0; each < 12; each += 1) {
      const held = begin(here, 'admin', `192.0.2.${each + 10}`)
      if (each < 5) await held
    }
    // Held back for three seconds, and another name not at all.
    const first = await Promise.race([
      begin(there, 'admin', '192.0.2.50').then(() => 'admin'),
      begin(there, 'another', '192.0.2.51').then(() => 'another'),
    ])
    expect(first).toBe('another')
  })

  it('judges one code of a user in thirty seconds on both', async () => {
    const told: string[] = []
    const [here, there] = both.map((redis) => {
      const counters = createCounters(redis)
      return createSignInLimits({
        ...{ enabled: true, counters, limits: createLimits({ enabled: true, counters }) },
        onManyWrongCodes: (userId) => told.push(userId),
      })
    }) as [ReturnType<typeof createSignInLimits>, ReturnType<typeof createSignInLimits>]
    const judged: number[] = []
    const begin = async (each: number) => {
      const guess = { codeOf: 'u1', address: `198.51.100.${each}`, knownUserId: null }
      const attempt = await (each % 2 ? here : there).begin(guess)
      judged.push(Date.now())
      attempt.failed()
    }
    await Promise.all(Array.from({ length: 10 }, (_, each) => begin(each + 20)))
    expect(told).toEqual(['u1'])
    judged.length = 0
    // One of them is judged at once. Each node lets one more wait, and refuses the third.
    const outcomes = Array.from({ length: 6 }, (_, each) =>
      begin(each + 40).then(
        () => 'judged',
        (error) => error.code as string,
      ),
    )
    await vi.waitFor(() => expect(judged).toHaveLength(1))
    expect(await Promise.race(outcomes.slice(-2))).toBe('rate-limited')
    expect(judged).toHaveLength(1)
  })
})
