import fastify from 'fastify'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeWithOwnRedis } from '../../test/redis-server.ts'
import { type RedisProcess, startRedis } from '../../test/servers/redis-process.ts'
import { connectRedis, type Redis } from './redis.ts'

describeWithOwnRedis('Redis', () => {
  let server: RedisProcess
  let redis: Redis
  let log: string[]
  beforeEach(async () => {
    server = await startRedis()
    log = []
  })
  afterEach(async () => {
    await redis.close()
    await server.close()
  })

  function connect(url: string): void {
    const logger = { stream: { write: (line: string) => void log.push(line) } }
    redis = connectRedis(url, fastify({ logger }).log)
  }
  const untilUp = () => vi.waitFor(async () => expect(await redis.ping()).toBe(true))

  it('counts as away when it refuses the credentials, which are never logged', async () => {
    connect(server.url.replace('//', '//stranger:a-secret-word@'))
    await vi.waitFor(() => expect(log.join()).toContain('Redis is unreachable'))
    expect(await redis.ping()).toBe(false)
    await expect(redis.store.del('anything')).rejects.toThrow()
    expect(log.join()).not.toContain('secret')
  })

  it('may die with commands in flight: they reject, and the client reconnects', async () => {
    connect(server.url)
    const received: string[] = []
    redis.subscribe(['news'], (message) => received.push(String(message)))
    await untilUp()

    server.freeze()
    for (let each = 0; each < 100; each += 1) redis.publish('news', `lost ${each}`)
    const late = expect(redis.store.del('anything')).rejects.toThrow()
    await server.stop('SIGKILL')
    await late
    // Rejects at once: nothing is queued.
    await vi.waitFor(() => expect(redis.store.del('anything')).rejects.toThrow('The client is offline'))

    await server.start()
    await vi.waitFor(() => {
      redis.publish('news', 'back')
      expect(received).toContain('back')
    })
    expect(received.filter((each) => each.startsWith('lost'))).toEqual([])
  })

  it('is replaced within two seconds when it stops answering while publications go on', async () => {
    connect(server.url)
    await untilUp()
    server.freeze()
    const publishing = setInterval(() => redis.publish('news', 'lost'), 20)
    try {
      await vi.waitFor(() => expect(log.join()).toContain('no answer'), { timeout: 2_000 })
      await expect(redis.store.del('anything')).rejects.toThrow('The client is offline')
    } finally {
      clearInterval(publishing)
    }
    server.thaw()
    await untilUp()
  })

  it('is noticed to be stuck without any command', { timeout: 20_000 }, async () => {
    connect(server.url)
    await untilUp()
    server.freeze()
    await vi.waitFor(() => expect(log.join()).toContain('Redis is unreachable'), { timeout: 8_000 })
    server.thaw()
    await untilUp()
  })

  it('stays connected when a listener throws', async () => {
    connect(server.url)
    const received: string[] = []
    redis.subscribe(['news'], (message) => {
      if (String(message) === 'odd') throw new Error('What is this?')
      received.push(String(message))
    })
    await untilUp()
    await vi.waitFor(() => {
      redis.publish('news', 'odd')
      redis.publish('news', 'good')
      expect(received).toContain('good')
    })
    expect(log.join()).toContain("couldn't be handled")
    expect(log.join()).not.toContain('Redis is unreachable')
  })
})
