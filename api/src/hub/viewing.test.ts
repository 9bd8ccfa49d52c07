import type {
  AdminCommands,
  AdminFacts,
  ViewingChanged,
  VisitorCommands,
  VisitorFacts,
} from '@proctorpass/shared/events'
import type { TeamAdmin } from '@proctorpass/shared/schemas/team'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { describeWithOwnRedis } from '../../test/redis-server.ts'
import { type RedisProcess, startRedis } from '../../test/servers/redis-process.ts'
import { startTestNodes, startTestServer, type TestNodes, type TestServer } from '../../test/test-server.ts'
import type { Stores } from '../storage/model/storage.ts'
import type { AdminNamespace } from './types.ts'
import { createViewing } from './viewing.ts'

type AdminClient = Socket<AdminFacts, AdminCommands>
type VisitorClient = Socket<VisitorFacts, VisitorCommands>

const VISITOR = 'Visitor0000000000001'
const OTHER = 'Visitor0000000000002'
const PASSWORD = 'marble-teapot-horizon'

const clients: Socket[] = []

async function connected(url: string, auth: { [key: string]: unknown }): Promise<Socket> {
  const client = io(url, { transports: ['websocket'], forceNew: true, reconnection: false, auth })
  clients.push(client)
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('connect_error', reject)
  })
  return client
}

interface Person {
  userId: string
  token: string
}

/** A socket of an admin, with the facts that it receives. */
async function tab({ url }: TestServer, { token }: Person) {
  const facts: ViewingChanged[] = []
  const client = io(`${url}/admin`, {
    ...{ transports: ['websocket'], forceNew: true, reconnection: false, auth: { token } },
  }) as unknown as AdminClient
  client.on('viewing:changed', (fact) => facts.push(fact))
  clients.push(client as unknown as Socket)
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('connect_error', reject)
  })
  return {
    client,
    facts,
    view: (clientId: string | null) => client.emitWithAck('viewing:set', { clientId }),
    sees: (clientId = VISITOR) => facts.findLast((fact) => fact.clientId === clientId)?.userIds ?? [],
  }
}

async function call<T>({ url }: TestServer, method: string, path: string, body?: object, token?: string) {
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(answer.ok, `${path} ${answer.status}`).toBe(true)
  return (await answer.json()) as T
}

async function firstAdmin(node: TestServer): Promise<Person> {
  return { userId: node.adminId, token: (await node.signIn()).accessToken }
}

/** Another admin, by an invitation. */
async function invited(node: TestServer, by: Person, userName = 'anna'): Promise<Person> {
  const { invite } = await call<{ invite: string }>(node, 'POST', '/team', { userName }, by.token)
  const answer = { token: new URL(invite).hash.slice(1), password: PASSWORD }
  const signedIn = await call<{ user_Id: string; accessToken: string }>(node, 'POST', '/invite', answer)
  return { userId: signedIn.user_Id, token: signedIn.accessToken }
}

async function onlineIn(node: TestServer, by: Person): Promise<string[]> {
  const { admins } = await call<{ admins: TeamAdmin[] }>(node, 'GET', '/team', undefined, by.token)
  return admins.filter(({ online }) => online).map(({ userId }) => userId)
}

afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect()
})

describe('viewing:set', () => {
  let server: TestServer
  let sam: Person
  let anna: Person
  beforeEach(async () => {
    server = await startTestServer()
    sam = await firstAdmin(server)
    anna = await invited(server, sam)
  })
  afterEach(() => server.close())

  it('tells each admin who views which conversation, those who come later too', async () => {
    const [first, second] = [await tab(server, sam), await tab(server, anna)]
    const both = [sam.userId, anna.userId].sort()
    expect(await first.view(VISITOR)).toEqual({ ok: true, data: null })
    await vi.waitFor(() => expect(second.sees()).toEqual([sam.userId]))
    await second.view(VISITOR)
    await vi.waitFor(() => expect([first.sees(), second.sees()]).toEqual([both, both]))
    const third = await tab(server, sam)
    await vi.waitFor(() => expect(third.sees()).toEqual(both))

    await first.view(OTHER)
    await vi.waitFor(() => expect([second.sees(), second.sees(OTHER)]).toEqual([[anna.userId], [sam.userId]]))
    await second.view(null)
    await vi.waitFor(() => expect(first.sees()).toEqual([]))
    first.client.disconnect()
    await vi.waitFor(() => expect(second.sees(OTHER)).toEqual([]))
  })

  it('answers who views a conversation to the tab that opens it', async () => {
    const [first, second, third] = [await tab(server, sam), await tab(server, sam), await tab(server, anna)]
    await first.view(VISITOR)
    await vi.waitFor(() => expect(third.sees()).toEqual([sam.userId]))
    await third.view(VISITOR)
    await vi.waitFor(() => expect(second.sees()).toHaveLength(2))
    second.facts.length = 0
    // Nothing changed for the others: this admin views it already.
    await second.view(VISITOR)
    expect(second.sees()).toHaveLength(2)
  })

  it('counts an admin with two tabs once', async () => {
    const [first, second, third] = [await tab(server, sam), await tab(server, sam), await tab(server, anna)]
    await first.view(VISITOR)
    await second.view(VISITOR)
    await vi.waitFor(() => expect(third.sees()).toEqual([sam.userId]))
    await first.view(null)
    await third.view(OTHER)
    await vi.waitFor(() => expect(third.sees(OTHER)).toEqual([anna.userId]))
    expect(third.facts.filter(({ clientId }) => clientId === VISITOR)).toEqual([
      { clientId: VISITOR, userIds: [sam.userId] },
    ])
  })

  it('gathers changes: a tab that switches all the time causes few facts', async () => {
    const [first, second] = [await tab(server, sam), await tab(server, anna)]
    const from = performance.now()
    for (let time = 0; time < 101; time += 1) await first.view(time % 2 === 0 ? VISITOR : OTHER)
    await vi.waitFor(() => expect([second.sees(), second.sees(OTHER)]).toEqual([[sam.userId], []]))
    const batches = (performance.now() - from) / 100 + 1
    expect(second.facts.length).toBeLessThanOrEqual(2 * batches)
  })

  it('refuses names of no conversation, and visitors', async () => {
    const first = await tab(server, sam)
    for (const input of [{ clientId: 'short' }, { clientId: 5 }, {}, null]) {
      const answer = await (first.client as unknown as Socket).emitWithAck('viewing:set', input)
      expect(answer).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
    }
    const visitor = await connected(`${server.url}/visitor`, { clientId: VISITOR })
    const facts: unknown[] = []
    visitor.onAny((event: string) => facts.push(event))
    expect(await visitor.emitWithAck('viewing:set', { clientId: VISITOR })).toMatchObject({ ok: false })
    await first.view(VISITOR)
    await vi.waitFor(() => expect(first.sees()).toEqual([sam.userId]))
    const page = await (visitor as unknown as VisitorClient).emitWithAck('conversation:sync', {})
    expect(page).toMatchObject({ ok: true })
    expect(facts).not.toContain('viewing:changed')
  })

  it('ends at once when the admin is disabled, and so does being online', async () => {
    const [first, second] = [await tab(server, sam), await tab(server, anna)]
    await second.view(VISITOR)
    await vi.waitFor(() => expect(first.sees()).toEqual([anna.userId]))
    expect((await onlineIn(server, sam)).sort()).toEqual([sam.userId, anna.userId].sort())
    const closed = new Promise((resolve) => second.client.once('disconnect', resolve))
    await call(server, 'PATCH', `/team/${anna.userId}`, { disabled: true }, sam.token)
    await closed
    await vi.waitFor(() => expect(first.sees()).toEqual([]))
    expect(await onlineIn(server, sam)).toEqual([sam.userId])
  })
})

describe('a node that dies', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is forgotten half a minute after its last event', async () => {
    vi.useFakeTimers()
    const facts: ViewingChanged[] = []
    const local = { emit: (_: string, fact: ViewingChanged) => facts.push(fact) }
    const viewing = createViewing({ sockets: new Map(), local } as unknown as AdminNamespace, {
      emitToPeers() {},
      onAdmins() {},
    })
    viewing.receive({ node: 'other', admins: [['anna', [VISITOR]]] })
    await vi.advanceTimersByTimeAsync(25_000)
    viewing.receive({ node: 'other', admins: [['anna', [VISITOR]]] })
    await vi.advanceTimersByTimeAsync(29_000)
    expect([facts, viewing.isOnline('anna')]).toEqual([[{ clientId: VISITOR, userIds: ['anna'] }], true])
    await vi.advanceTimersByTimeAsync(2_000)
    expect([facts.at(-1), viewing.isOnline('anna')]).toEqual([{ clientId: VISITOR, userIds: [] }, false])
    viewing.leave()
  })
})

describe('with polling', () => {
  it('an admin is online who used a session of late', async () => {
    const server = await startTestServer({ CHAT_TRANSPORT: 'polling' })
    const sam = await firstAdmin(server)
    expect(await onlineIn(server, sam)).toEqual([sam.userId])
    await server.close()
  })
})

/** A disabled admin's sessions stay valid in the store, so that the recheck of sockets cannot be what closes them. */
const keepSessions = ({ storage, ...stores }: Stores): Stores => ({
  ...stores,
  storage: {
    ...storage,
    users: {
      ...storage.users,
      async disable(userId) {
        const sessions = await storage.sessions.listOf(userId, Date.now())
        return { outcome: 'disabled', ended: sessions.map(({ _id }) => _id) }
      },
    },
  },
})

describeWithOwnRedis('on two nodes', () => {
  let redis: RedisProcess
  let running: TestNodes
  let a: TestServer
  let b: TestServer
  let sam: Person
  let anna: Person
  beforeEach(async () => {
    redis = await startRedis()
    running = await startTestNodes(2, { REDIS_URL: redis.url }, keepSessions)
    ;[a, b] = running.nodes as [TestServer, TestServer]
    for (const node of [a, b]) {
      await vi.waitFor(async () =>
        expect(await (await fetch(`${node.url}/readyz`)).json()).toMatchObject({ status: 'ok' }),
      )
    }
    sam = await firstAdmin(a)
    anna = await invited(a, sam)
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    await running.close()
    await redis.close()
  })

  it('admins see each other view, once each, and until the node of the other stops', async () => {
    const [first, second] = [await tab(a, sam), await tab(b, anna)]
    const again = await tab(b, sam)
    await second.view(VISITOR)
    await first.view(VISITOR)
    await again.view(VISITOR)
    const both = [sam.userId, anna.userId].sort()
    await vi.waitFor(() => expect([first.sees(), second.sees()]).toEqual([both, both]))
    expect((await onlineIn(a, sam)).sort()).toEqual(both)
    expect((await onlineIn(b, sam)).sort()).toEqual(both)
    await b.stop()
    await vi.waitFor(() => expect(first.sees()).toEqual([sam.userId]))
    expect(await onlineIn(a, sam)).toEqual([sam.userId])
    await b.restart()
    const back = await tab(b, anna)
    await vi.waitFor(() => expect(back.sees()).toEqual([sam.userId]))
  })

  it('an admin who is disabled on one is disconnected from the other at once', async () => {
    const [first, second] = [await tab(a, sam), await tab(b, anna)]
    await second.view(VISITOR)
    await vi.waitFor(() => expect(first.sees()).toEqual([anna.userId]))
    const closed = new Promise((resolve) => second.client.once('disconnect', resolve))
    await call(a, 'PATCH', `/team/${anna.userId}`, { disabled: true }, sam.token)
    await closed
    await vi.waitFor(() => expect(first.sees()).toEqual([]))
  })
})
