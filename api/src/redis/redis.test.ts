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
  const untilThere = () => vi.waitFor(async () => expect(await redis.answers()).toBe(true))

  it('that refuses us is away, and nobody sees the password that it refused', async () => {
    connect(server.url.replace('//', '//stranger:a-secret-word@'))
    await vi.waitFor(() => expect(log.join()).toContain('Redis is away'))
    expect(await redis.answers()).toBe(false)
    await expect(redis.store.del('anything')).rejects.toThrow()
    expect(log.join()).not.toContain('secret')
  })

  it('that ends with things under way throws nothing at anybody, and is there again by itself', async () => {
    connect(server.url)
    const heard: string[] = []
    redis.subscribe(['news'], (message) => heard.push(String(message)))
    await untilThere()

    server.freeze()
    for (let each = 0; each < 100; each += 1) redis.publish('news', `lost ${each}`)
    const late = expect(redis.store.del('anything')).rejects.toThrow()
    await server.stop('SIGKILL')
    await late
    // At once, and not after a while in a queue.
    await vi.waitFor(() => expect(redis.store.del('anything')).rejects.toThrow('The client is offline'))

    await server.start()
    await vi.waitFor(() => {
      redis.publish('news', 'back')
      expect(heard).toContain('back')
    })
    expect(heard.filter((each) => each.startsWith('lost'))).toEqual([])
  })

  it('stays connected when a listener cannot take what comes', async () => {
    connect(server.url)
    const heard: string[] = []
    redis.subscribe(['news'], (message) => {
      if (String(message) === 'odd') throw new Error('What is this?')
      heard.push(String(message))
    })
    await untilThere()
    await vi.waitFor(() => {
      redis.publish('news', 'odd')
      redis.publish('news', 'good')
      expect(heard).toContain('good')
    })
    expect(log.join()).toContain('something odd')
    expect(log.join()).not.toContain('Redis is away')
  })
})
