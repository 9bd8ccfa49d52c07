import type { AdminCommands, AdminFacts } from '@proctorpass/shared/events'
import { NOW_THROTTLE_MS } from '@proctorpass/shared/limits'
import type { Now } from '@proctorpass/shared/schemas/report'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { describeWithOwnRedis } from '../../test/redis-server.ts'
import { type RedisProcess, startRedis } from '../../test/servers/redis-process.ts'
import { startTestNodes, type TestNodes, type TestServer } from '../../test/test-server.ts'
import { createNowChanged } from './now-changed.ts'
import type { AdminNamespace } from './types.ts'

const VISITOR = 'Visitor0000000000001'

describe('the throttle of now:changed', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('emits the first change at once, those after it together, and tells peers of those by this node', () => {
    const emitted: string[] = []
    let told = 0
    const local = { emit: (fact: string) => emitted.push(fact) }
    const changed = createNowChanged({ local } as unknown as AdminNamespace, () => (told += 1))
    changed({ byThisNode: false })
    vi.advanceTimersByTime(1)
    expect([emitted, told]).toEqual([['now:changed'], 0])
    for (let index = 0; index < 50; index++) changed({ byThisNode: index === 0 })
    vi.advanceTimersByTime(NOW_THROTTLE_MS - 2)
    expect([emitted.length, told]).toEqual([1, 0])
    vi.advanceTimersByTime(2)
    expect([emitted.length, told]).toEqual([2, 1])
    vi.advanceTimersByTime(10 * NOW_THROTTLE_MS)
    expect([emitted.length, told]).toEqual([2, 1])
  })
})

describeWithOwnRedis('now:changed on two nodes', () => {
  let redis: RedisProcess
  let running: TestNodes
  const clients: Socket[] = []

  beforeEach(async () => {
    redis = await startRedis()
    running = await startTestNodes(2, { REDIS_URL: redis.url })
    // Before, what one tells the other is lost.
    for (const { url } of running.nodes) {
      await vi.waitFor(async () =>
        expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ok' }),
      )
    }
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    await running.close()
    await redis.close()
  })

  async function connect(
    url: string,
    auth: Record<string, string>,
  ): Promise<Socket<AdminFacts, AdminCommands>> {
    const client = io(url, { transports: ['websocket'], forceNew: true, reconnection: false, auth })
    clients.push(client)
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      client.once('connect_error', reject)
    })
    return client
  }

  it('lets a page on one know what changes by the other', async () => {
    const [a, b] = running.nodes as [TestServer, TestServer]
    const { accessToken } = await b.signIn()
    let shown: Now | null = null
    // Reads as the page does: only after a fact.
    const page = await connect(`${b.url}/admin`, { token: accessToken })
    let reads = 0
    page.on('now:changed', async () => {
      const read = ++reads
      const now = (await b.get('/reports/now', { admin: true })) as Now
      if (read === reads) shown = now
    })
    const until = (wanted: object) => vi.waitFor(() => expect(shown).toMatchObject(wanted))
    await until({ adminsOnline: 1, waiting: { count: 0 } })

    await a.post('/chat', { clientId: VISITOR, message: 'hello' })
    await until({ waiting: { count: 1, conversations: [{ clientId: VISITOR }] }, visitorsOnline: 0 })
    await connect(`${a.url}/visitor`, { clientId: VISITOR })
    await until({ visitorsOnline: 1 })
    const second = await a.signIn()
    const other = await connect(`${a.url}/admin`, { token: second.accessToken })
    await other.emitWithAck('message:send', {
      clientId: VISITOR,
      nonce: 'nonce-1-xxxx',
      message: 'An answer',
    })
    // The figures follow, by the node that derives them.
    await until({ waiting: { count: 0 }, firstWait: { n: 1 } })
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
    const off = { method: 'PATCH', headers, body: JSON.stringify({ onDuty: false }) }
    expect((await fetch(`${a.url}/api/account`, off)).status).toBe(200)
    await until({ onDuty: 0 })
    expect(shown).toEqual(await a.get('/reports/now', { admin: true }))
  })

  it('is not for visitors', async () => {
    const [a] = running.nodes as [TestServer]
    const { accessToken } = await a.signIn()
    const visitor = await connect(`${a.url}/visitor`, { clientId: VISITOR })
    let wrong = 0
    visitor.on('now:changed', () => (wrong += 1))
    const admin = await connect(`${a.url}/admin`, { token: accessToken })
    const told = new Promise<void>((resolve) => admin.once('now:changed', () => resolve()))
    await a.post('/chat', { clientId: VISITOR, message: 'hello' })
    await told
    expect(wrong).toBe(0)
  })
})
