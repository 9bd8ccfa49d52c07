import type { AdminCommands, AdminFacts, VisitorCommands, VisitorFacts } from '@proctorpass/shared/events'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type { SeenMark } from '@proctorpass/shared/schemas/updates'
import { createClient } from '@redis/client'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeWithOwnRedis } from '../../test/redis-server.ts'
import { type RedisProcess, startRedis } from '../../test/servers/redis-process.ts'
import { startTestNodes, type TestNodes, type TestServer } from '../../test/test-server.ts'
import type { Stores } from '../storage/model/storage.ts'

type VisitorClient = Socket<VisitorFacts, VisitorCommands>
type AdminClient = Socket<AdminFacts, AdminCommands>
type Client = VisitorClient | AdminClient

const VISITOR = 'Visitor0000000000001'
const OTHER = 'Visitor0000000000002'

let redis: RedisProcess
let running: TestNodes
let a: TestServer
let b: TestServer
const clients: Socket[] = []

async function startBoth(change?: (stores: Stores) => Stores): Promise<void> {
  running = await startTestNodes(2, { REDIS_URL: redis.url }, change)
  ;[a, b] = running.nodes as [TestServer, TestServer]
}
const status = async ({ url }: TestServer) =>
  ((await (await fetch(`${url}/readyz`)).json()) as { status: string }).status
const untilBoth = (wanted: string) =>
  vi.waitFor(async () => expect([await status(a), await status(b)]).toEqual([wanted, wanted]))

async function connected<S extends Client>(url: string, auth: object): Promise<S> {
  const client = io(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: auth as { [key: string]: unknown },
  })
  clients.push(client)
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('connect_error', reject)
  })
  return client as unknown as S
}
const visitor = (node: TestServer, clientId = VISITOR) =>
  connected<VisitorClient>(`${node.url}/visitor`, { clientId })
const admin = async (node: TestServer) =>
  connected<AdminClient>(`${node.url}/admin`, { token: (await node.signIn()).accessToken })

/** The facts of one kind that a client receives from now on. */
function collect<T>(client: Client, event: keyof AdminFacts): T[] {
  const facts: T[] = []
  ;(client as unknown as Socket).on(event, (fact: T) => facts.push(fact))
  return facts
}
const texts = (messages: Message[]) => messages.map(({ message }) => message)

let count = 0
const send = (client: VisitorClient, message: string) =>
  client.emitWithAck('message:send', { nonce: `nonce-${++count}-xxxx`, message })
const reply = (client: AdminClient, message: string, clientId = VISITOR) =>
  client.emitWithAck('message:send', { clientId, nonce: `nonce-${++count}-xxxx`, message })

/** Facts of one node arrive in order: this one arrives after all that were emitted before. */
async function allFactsFrom(node: TestServer, arrived: Message[]): Promise<void> {
  const last = `last ${++count}`
  await node.post('/chat', { clientId: OTHER, message: last })
  await vi.waitFor(() => expect(texts(arrived)).toContain(last))
}

describeWithOwnRedis('two nodes', () => {
  beforeEach(async () => {
    redis = await startRedis()
    await startBoth()
    await untilBoth('ok')
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    await running.close()
    await redis.close()
  })

  it('tell what an admin has seen to the tabs of that admin on both', async () => {
    const { accessToken } = await a.signIn()
    const tabs = await Promise.all([admin(a), admin(b)])
    const seen = tabs.map((client) => collect<SeenMark>(client, 'conversation:seen'))
    await a.post('/chat', { clientId: VISITOR, message: 'hello' })
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
    const listed = await fetch(`${a.url}/api/chat`, { headers })
    const [summary] = (await listed.json()) as ConversationSummary[]
    const mark = { clientId: VISITOR, epoch: summary?.lastMessage.epoch, seq: 1, n: 0 }
    const body = JSON.stringify({ marks: [mark] })
    const sent = await fetch(`${a.url}/api/chat/updates/seen`, { method: 'POST', headers, body })
    expect(sent.status).toBe(204)
    await vi.waitFor(() => expect(seen).toEqual([[mark], [mark]]))
  })

  it('emit each message once to every socket of both, except the one that sent it', async () => {
    const [here, there, adminHere, adminThere] = await Promise.all([
      visitor(a),
      visitor(b),
      admin(a),
      admin(b),
    ])
    const lists = [here, there, adminHere, adminThere].map((client) =>
      collect<Message>(client, 'message:created'),
    )
    const [own, tab, own2, otherAdmin] = lists as [Message[], Message[], Message[], Message[]]
    const stranger = collect<Message>(await visitor(b, 'Visitor0000000000003'), 'message:created')

    await send(here, 'from a')
    await reply(adminThere, 'from b')
    await b.post('/chat', { clientId: VISITOR, senderId: VISITOR, message: 'by REST' })
    await allFactsFrom(a, otherAdmin)
    await allFactsFrom(b, own2)
    const ofVisitor = (messages: Message[]) =>
      texts(messages.filter(({ clientId }) => clientId === VISITOR)).sort()
    expect(ofVisitor(own)).toEqual(['by REST', 'from b'])
    expect(ofVisitor(tab)).toEqual(['by REST', 'from a', 'from b'])
    expect(ofVisitor(own2)).toEqual(['by REST', 'from a', 'from b'])
    expect(ofVisitor(otherAdmin)).toEqual(['by REST', 'from a'])
    expect(stranger).toEqual([])
  })

  it('disconnect sockets on both that connected before the conversation had a key', async () => {
    const key = 'k'.repeat(43)
    const owner = (node: TestServer) =>
      connected<VisitorClient>(`${node.url}/visitor`, { clientId: VISITOR, key })
    const strangers = await Promise.all([visitor(a), visitor(b)])
    const facts = strangers.map((client) => collect<Message>(client, 'message:created'))
    const gone = strangers.map((client) => new Promise((resolve) => client.once('disconnect', resolve)))
    const [here, there, adminClient] = await Promise.all([owner(a), owner(b), admin(b)])
    const own = collect<Message>(there, 'message:created')
    await send(here, 'mine')
    await reply(adminClient, 'a reply')
    await vi.waitFor(() => expect(texts(own).sort()).toEqual(['a reply', 'mine']))
    await Promise.all(gone)
    expect(facts).toEqual([[], []])
    for (const node of [a, b]) {
      await expect(visitor(node)).rejects.toMatchObject({ data: { code: 'unauthorized' } })
    }
    expect(await send(there, 'more')).toMatchObject({ ok: true })
  })

  it('exchange read marks, typing and unread counts', async () => {
    const [socket, adminClient, otherAdmin] = await Promise.all([visitor(a), admin(b), admin(a)])
    const read = collect(socket, 'conversation:read')
    const typing = collect(socket, 'typing:changed')
    const unread = collect<{ adminUnread: number }>(adminClient, 'unread:changed')
    const unreadHere = collect<{ adminUnread: number }>(otherAdmin, 'unread:changed')

    await send(socket, 'one')
    const one = { totalAdminUnread: 1, clientId: VISITOR, adminUnread: 1 }
    await vi.waitFor(() => expect([unread.at(-1), unreadHere.at(-1)]).toEqual([one, one]))

    await adminClient.emitWithAck('typing:set', { clientId: VISITOR, typing: true })
    await vi.waitFor(() => expect(typing).toEqual([{ clientId: VISITOR, by: 'admin', typing: true }]))
    await adminClient.emitWithAck('conversation:read', { clientId: VISITOR, seq: 1 })
    const none = { totalAdminUnread: 0, clientId: VISITOR, adminUnread: 0 }
    await vi.waitFor(() => {
      expect(read).toEqual([{ clientId: VISITOR, by: 'admin', seq: 1 }])
      expect([unread.at(-1), unreadHere.at(-1)]).toEqual([none, none])
    })
  })

  it('exchange changes of the inbox and its log', async () => {
    const [socket, adminHere, adminThere] = await Promise.all([visitor(a), admin(a), admin(b)])
    const changed = [adminHere, adminThere].map((client) => collect(client, 'conversation:changed'))
    const activity = [adminHere, adminThere].map((client) => collect(client, 'activity:created'))
    await send(socket, 'one')
    await reply(adminThere, 'two')
    for (const list of [...changed, ...activity]) {
      await vi.waitFor(() => expect(list).toMatchObject([{ clientId: VISITOR }]))
    }
  })

  it('emit unread counts to an admin at most five times a second, even if both have changes', async () => {
    const [here, there, adminClient] = await Promise.all([visitor(a), visitor(b, OTHER), admin(b)])
    const unread = collect<{ clientId: string; adminUnread: number }>(adminClient, 'unread:changed')
    const from = performance.now()
    for (let each = 1; each <= 40; each += 1)
      await Promise.all([send(here, `${each}`), send(there, `${each}`)])
    await vi.waitFor(() => {
      for (const clientId of [VISITOR, OTHER]) {
        expect(unread.findLast((fact) => fact.clientId === clientId)).toMatchObject({ adminUnread: 40 })
      }
    })
    // Each batch holds both conversations at most, and the first comes at once.
    const batches = Math.ceil((performance.now() - from) / 200) + 1
    expect(unread.length).toBeLessThanOrEqual(2 * batches)
  })

  it('exchange presence', async () => {
    await a.post('/chat', { clientId: VISITOR, message: 'hello' })
    const adminClient = await admin(b)
    const visitors = collect<{ clientId?: string; online: boolean }>(adminClient, 'presence:changed')
    const socket = await visitor(a)
    await vi.waitFor(() => expect(visitors).toEqual([{ clientId: VISITOR, online: true }]))

    const admins = collect<{ online: boolean }>(socket, 'presence:changed')
    const late = await visitor(a, OTHER)
    const toLate = collect<{ online: boolean }>(late, 'presence:changed')
    adminClient.disconnect()
    await vi.waitFor(() => expect([admins, toLate]).toEqual([[{ online: false }], [{ online: false }]]))

    const otherAdmin = await admin(b)
    const seen = collect<{ clientId?: string; online: boolean }>(otherAdmin, 'presence:changed')
    await otherAdmin.emitWithAck('conversation:sync', { clientId: VISITOR })
    await vi.waitFor(() => expect(seen).toContainEqual({ clientId: VISITOR, online: true }))
    socket.disconnect()
    await vi.waitFor(() => expect(seen.at(-1)).toEqual({ clientId: VISITOR, online: false }))
  })

  it('keep a visitor present who moves from one to the other', async () => {
    for (const clientId of [VISITOR, OTHER]) await a.post('/chat', { clientId, message: 'hello' })
    const [adminClient, socket] = await Promise.all([admin(b), visitor(a)])
    const seen = collect<{ clientId?: string; online: boolean }>(adminClient, 'presence:changed')
    await adminClient.emitWithAck('conversation:sync', { clientId: VISITOR })
    await vi.waitFor(() => expect(seen.at(-1)).toEqual({ clientId: VISITOR, online: true }))
    seen.length = 0
    await a.stop()
    await new Promise((resolve) => (socket.connected ? socket.once('disconnect', resolve) : resolve(null)))
    await visitor(b)
    await visitor(b, OTHER)
    await vi.waitFor(() => expect(seen).toContainEqual({ clientId: OTHER, online: true }))
    expect(seen.filter(({ clientId, online }) => clientId === VISITOR && !online)).toEqual([])
    await a.restart()
  })

  it('ignore peer events that they cannot handle', async () => {
    const [here, there] = await Promise.all([visitor(a), visitor(b)])
    const far = collect<Message>(there, 'message:created')
    const stranger = await createClient({ url: redis.url }).connect()
    await stranger.publish('proctorpass-0#/visitor#', 'not packed at all')
    for (const data of [
      ['presence', null],
      ['unread', 5],
      ['presence', { node: 'x', version: 'y' }],
    ]) {
      await stranger.publish('proctorpass-0-request#/admin#', JSON.stringify({ uid: 'other', type: 6, data }))
    }
    stranger.destroy()
    await send(here, 'still there')
    await vi.waitFor(() => expect(texts(far)).toEqual(['still there']))
    expect(b.log.filter((line) => line.includes("this release can't handle"))).toHaveLength(2)
    expect([await status(a), await status(b)]).toEqual(['ok', 'ok'])
  })

  it('share rate limits', async () => {
    const write = async ({ url }: TestServer) => {
      const answer = await fetch(`${url}/api/contacts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'a@example.com', title: 'Hello', message: 'How are you?' }),
      })
      return answer.status
    }
    const statuses = []
    for (let each = 0; each < 11; each += 1) statuses.push(await write(a), await write(b))
    expect(statuses.filter((each) => each === 429)).toHaveLength(2)
    expect(statuses.slice(-2)).toEqual([429, 429])
  })

  it('serve their own sockets and report degraded while Redis is down, and reconnect after it', async () => {
    const [here, hereToo, there] = await Promise.all([visitor(a), visitor(a), visitor(b)])
    const near = collect<Message>(hereToo, 'message:created')
    const far = collect<Message>(there, 'message:created')
    await send(here, 'before')
    await vi.waitFor(() => expect([texts(near), texts(far)]).toEqual([['before'], ['before']]))

    await redis.stop('SIGKILL')
    await untilBoth('degraded')
    expect(await send(here, 'meanwhile')).toMatchObject({ ok: true, data: { seq: 2 } })
    await vi.waitFor(() => expect(texts(near)).toEqual(['before', 'meanwhile']))
    // A sync finds the message that was not emitted; every client syncs twice a minute.
    const page = await there.emitWithAck('conversation:sync', { after: 1 })
    expect(page).toMatchObject({ ok: true, data: { messages: [{ message: 'meanwhile' }] } })

    await redis.start()
    await untilBoth('ok')
    await send(here, 'after')
    await vi.waitFor(() => expect([...texts(far)].pop()).toBe('after'))
    expect(texts(near)).toEqual(['before', 'meanwhile', 'after'])
  })

  it('do not wait for a Redis that hangs', async () => {
    const [here, hereToo] = await Promise.all([visitor(a), visitor(a)])
    const near = collect<Message>(hereToo, 'message:created')
    redis.freeze()
    expect(await send(here, 'one')).toMatchObject({ ok: true })
    await vi.waitFor(() => expect(texts(near)).toEqual(['one']))
    await untilBoth('degraded')
    expect(await send(here, 'two')).toMatchObject({ ok: true })
    redis.thaw()
    await untilBoth('ok')
  })

  it('tell both sides on both nodes of an erased conversation, and only its visitors', async () => {
    const [here, there, adminHere, adminThere] = await Promise.all([
      visitor(a),
      visitor(b),
      admin(a),
      admin(b),
    ])
    await send(here, 'forget this')
    const lists = [here, there, adminHere, adminThere].map((client) =>
      collect<{ clientId: string }>(client, 'conversation:erased'),
    )
    const stranger = collect<{ clientId: string }>(await visitor(b, OTHER), 'conversation:erased')
    const answer = await fetch(`${a.url}/api/chat/${VISITOR}`, { method: 'DELETE' })
    expect(answer.status).toBe(204)
    await vi.waitFor(() => expect(lists).toEqual(lists.map(() => [{ clientId: VISITOR }])))
    expect(stranger).toEqual([])
  })

  it('tell a visitor on the other node when a rating is wanted, and no admin', async () => {
    const { accessToken } = await a.signIn()
    const call = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
      const answer = await fetch(`${a.url}/api${path}`, { method, headers, body: JSON.stringify(body) })
      expect(answer.ok).toBe(true)
      return (await answer.json()) as object
    }
    await call('PUT', '/settings', { ...(await call('GET', '/settings')), rating: true })
    const [there, adminThere] = await Promise.all([visitor(b), admin(b)])
    const asked = collect<{ ask: string | null }>(there, 'ask:changed' as never)
    const seen = collect<object>(adminThere, 'ask:changed' as never)
    await send(there, 'hello')
    await call('PATCH', `/chat/admin/${VISITOR}`, { status: 'resolved' })
    await vi.waitFor(() => expect(asked).toEqual([{ ask: 'rating' }]))
    await call('PATCH', `/chat/admin/${VISITOR}`, { status: 'open' })
    await vi.waitFor(() => expect(asked).toEqual([{ ask: 'rating' }, { ask: null }]))
    await call('PATCH', `/chat/admin/${VISITOR}`, { status: 'resolved' })
    await vi.waitFor(() => expect(asked).toHaveLength(3))
    const rated = await a.post(`/chat/${VISITOR}/rating`, { score: 5 })
    expect(rated).toBeDefined()
    await vi.waitFor(() => expect(asked.at(-1)).toEqual({ ask: null }))
    expect(asked).toHaveLength(4)
    expect(seen).toEqual([])
  })
})

describeWithOwnRedis('a node without Redis at the start', () => {
  it('starts, and finds its peers once Redis is up', async () => {
    redis = await startRedis()
    await redis.stop('SIGKILL')
    await startBoth()
    await untilBoth('degraded')
    const [here, there] = await Promise.all([visitor(a), visitor(b)])
    const far = collect<Message>(there, 'message:created')
    await send(here, 'alone')

    await redis.start()
    await untilBoth('ok')
    await send(here, 'together')
    await vi.waitFor(() => expect(texts(far)).toEqual(['together']))

    for (const node of [a, b]) {
      const lines = node.log.filter((line) => line.includes('Redis is'))
      expect(lines.map((line) => JSON.parse(line).level)).toEqual([40, 30])
    }
    for (const client of clients.splice(0)) client.disconnect()
    await running.close()
    await redis.close()
  })
})

describeWithOwnRedis('an ended session', () => {
  it('disconnects the admin on both nodes at once, before the recheck of the store', async () => {
    redis = await startRedis()
    const keepSessions = ({ storage, ...stores }: Stores): Stores => ({
      ...stores,
      // The session stays valid in the store, so that the recheck cannot be the reason.
      storage: { ...storage, sessions: { ...storage.sessions, async end() {} } },
    })
    await startBoth(keepSessions)
    await untilBoth('ok')
    const signedIn = await a.signIn()
    const sockets = await Promise.all(
      [a, b].map(({ url }) => connected<AdminClient>(`${url}/admin`, { token: signedIn.accessToken })),
    )
    const gone = sockets.map((socket) => new Promise((resolve) => socket.once('disconnect', resolve)))
    await signedIn.signOut()
    await Promise.all(gone)
    await running.close()
    await redis.close()
  })
})
