import { once } from 'node:events'
import { Socket } from 'node:net'
import { createClient } from '@redis/client'
import { MongoClient } from 'mongodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeOnMongo, testMongo } from '../mongo-server.ts'
import { describeOnRedis, redisTestUrl } from '../redis-server.ts'
import { findFreePort } from '../server-process.ts'
import { ChildServer } from './child-server.ts'
import { hasImap } from './imap-process.ts'
import { startRedis } from './redis-process.ts'

describe('the servers of the tests', () => {
  // On other machines a run without them skips their tests and reports it.
  it('are there on a build machine', async () => {
    const imap = (await hasImap()) || null
    const missing = Object.entries({ MongoDB: testMongo, Redis: redisTestUrl(), Dovecot: imap }).filter(
      ([, it]) => it === null,
    )
    expect(process.env.CI ? missing : []).toEqual([])
  })

  it('distinguish a crash from a stop', async () => {
    const crashing = new ChildServer('node', ['-e', 'console.log("out of memory"); process.exit(3)'])
    await expect(crashing.untilReady(async () => false)).rejects.toThrow(/exit code 3.*\n.*out of memory/)
    const stopped = new ChildServer('node', ['-e', 'setInterval(() => {}, 1000)'])
    await stopped.stop('SIGKILL')
    expect([crashing.hasEnded, stopped.hasEnded, stopped.crash]).toEqual([true, true, null])
  })

  it('end with their children', async () => {
    const port = await findFreePort()
    const child = `require('node:net').createServer(() => {}).listen(${port}, '127.0.0.1')`
    const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}])`
    const server = new ChildServer('node', ['-e', parent], { withChildren: true })
    const socket = new Socket()
    await server.untilReady(async () => {
      await once(socket.connect(port, '127.0.0.1'), 'connect')
      return true
    })
    // Killing the child may reset the connection, and `once` would reject with that.
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.resume().once('close', resolve))
    await server.stop('SIGKILL')
    await closed
  })
})

describeOnMongo('a MongoDB server', (freshUrl) => {
  it('gives each test file a database of its own', async () => {
    const open = async () => {
      const client = new MongoClient(freshUrl())
      onTestFinished(() => client.close())
      return client.db().collection('things')
    }
    const [mine, other] = [await open(), await open()]
    await mine.insertOne({ name: 'mine' })
    expect([await mine.countDocuments(), await other.countDocuments()]).toEqual([1, 0])
  })
})

describeOnRedis('a Redis of a test', () => {
  it('comes back empty on the same port after it was killed', async () => {
    const server = await startRedis()
    onTestFinished(server.close)
    const client = createClient({ url: server.url })
    client.on('error', () => {})
    onTestFinished(() => client.destroy())
    await client.connect()
    await client.set('key', 'value')
    await server.stop('SIGKILL')
    expect(server.crash).toBeNull()
    await server.start()
    await expect.poll(() => client.get('key'), { timeout: 20_000 }).toBeNull()
  })
})
