import type { AdminCommands, AdminFacts, VisitorCommands, VisitorFacts } from '@proctorpass/shared/events'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { createClient } from '@redis/client'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeWithOwnRedis } from '../../test/redis-server.ts'
import { type RedisProcess, startRedis } from '../../test/servers/redis-process.ts'
import { startNodes, type TestNodes, type TestServer } from '../../test/start-server.ts'
import type { Stores } from '../storage/storage.ts'

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
  running = await startNodes(2, { REDIS_URL: redis.url }, change)
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

/** Everything of one kind that a client hears from now on. */
function heard<T>(client: Client, event: keyof AdminFacts): T[] {
  const facts: T[] = []
  ;(client as unknown as Socket).on(event, (fact: T) => facts.push(fact))
  return facts
}
const texts = (messages: Message[]) => messages.map(({ message }) => message)

let count = 0
const say = (client: VisitorClient, message: string) =>
  client.emitWithAck('message:send', { nonce: `nonce-${++count}-xxxx`, message })
const reply = (client: AdminClient, message: string, clientId = VISITOR) =>
  client.emitWithAck('message:send', { clientId, nonce: `nonce-${++count}-xxxx`, message })

/** Facts of one process arrive in order: once this one is there, so is all that was told before. */
async function everythingFrom(node: TestServer, arrived: Message[]): Promise<void> {
  const last = `last ${++count}`
  await node.post('/chat', { clientId: OTHER, message: last })
  await vi.waitFor(() => expect(texts(arrived)).toContain(last))
}

describeWithOwnRedis('two processes', () => {
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

  it('tell each message to every socket of both but the one that sent it, once', async () => {
    const [here, there, deskHere, deskThere] = await Promise.all([visitor(a), visitor(b), admin(a), admin(b)])
    const lists = [here, there, deskHere, deskThere].map((client) =>
      heard<Message>(client, 'message:created'),
    )
    const [own, tab, own2, colleague] = lists as [Message[], Message[], Message[], Message[]]
    const stranger = heard<Message>(await visitor(b, 'Visitor0000000000003'), 'message:created')

    await say(here, 'from a')
    await reply(deskThere, 'from b')
    await b.post('/chat', { clientId: VISITOR, senderId: VISITOR, message: 'by REST' })
    await everythingFrom(a, colleague)
    await everythingFrom(b, own2)
    const ofVisitor = (messages: Message[]) =>
      texts(messages.filter(({ clientId }) => clientId === VISITOR)).sort()
    expect(ofVisitor(own)).toEqual(['by REST', 'from b'])
    expect(ofVisitor(tab)).toEqual(['by REST', 'from a', 'from b'])
    expect(ofVisitor(own2)).toEqual(['by REST', 'from a', 'from b'])
    expect(ofVisitor(colleague)).toEqual(['by REST', 'from a'])
    expect(stranger).toEqual([])
  })

  it('disconnect sockets on both that came before a conversation had its key', async () => {
    const key = 'k'.repeat(43)
    const owner = (node: TestServer) =>
      connected<VisitorClient>(`${node.url}/visitor`, { clientId: VISITOR, key })
    const strangers = await Promise.all([visitor(a), visitor(b)])
    const facts = strangers.map((client) => heard<Message>(client, 'message:created'))
    const gone = strangers.map((client) => new Promise((resolve) => client.once('disconnect', resolve)))
    const [here, there, agent] = await Promise.all([owner(a), owner(b), admin(b)])
    const own = heard<Message>(there, 'message:created')
    await say(here, 'mine')
    await reply(agent, 'a reply')
    await vi.waitFor(() => expect(texts(own).sort()).toEqual(['a reply', 'mine']))
    await Promise.all(gone)
    expect(facts).toEqual([[], []])
    for (const node of [a, b]) {
      await expect(visitor(node)).rejects.toMatchObject({ data: { code: 'unauthorized' } })
    }
    expect(await say(there, 'more')).toMatchObject({ ok: true })
  })

  it('tell what was read, who types and what is unread', async () => {
    const [socket, agent, colleague] = await Promise.all([visitor(a), admin(b), admin(a)])
    const read = heard(socket, 'conversation:read')
    const typing = heard(socket, 'typing:changed')
    const unread = heard<{ adminUnread: number }>(agent, 'unread:changed')
    const unreadHere = heard<{ adminUnread: number }>(colleague, 'unread:changed')

    await say(socket, 'one')
    const one = { totalAdminUnread: 1, clientId: VISITOR, adminUnread: 1 }
    await vi.waitFor(() => expect([unread.at(-1), unreadHere.at(-1)]).toEqual([one, one]))

    await agent.emitWithAck('typing:set', { clientId: VISITOR, typing: true })
    await vi.waitFor(() => expect(typing).toEqual([{ clientId: VISITOR, by: 'admin', typing: true }]))
    await agent.emitWithAck('conversation:read', { clientId: VISITOR, seq: 1 })
    const none = { totalAdminUnread: 0, clientId: VISITOR, adminUnread: 0 }
    await vi.waitFor(() => {
      expect(read).toEqual([{ clientId: VISITOR, by: 'admin', seq: 1 }])
      expect([unread.at(-1), unreadHere.at(-1)]).toEqual([none, none])
    })
  })

  it('tell an admin of unread messages five times a second at most, though both have some', async () => {
    const [here, there, agent] = await Promise.all([visitor(a), visitor(b, OTHER), admin(b)])
    const unread = heard<{ clientId: string; adminUnread: number }>(agent, 'unread:changed')
    const from = performance.now()
    for (let each = 1; each <= 40; each += 1) await Promise.all([say(here, `${each}`), say(there, `${each}`)])
    await vi.waitFor(() => {
      for (const clientId of [VISITOR, OTHER]) {
        expect(unread.findLast((fact) => fact.clientId === clientId)).toMatchObject({ adminUnread: 40 })
      }
    })
    // Each telling is of both conversations at most, and one comes at once.
    const tellings = Math.ceil((performance.now() - from) / 200) + 1
    expect(unread.length).toBeLessThanOrEqual(2 * tellings)
  })

  it('see each other’s people come and go', async () => {
    await a.post('/chat', { clientId: VISITOR, message: 'hello' })
    const agent = await admin(b)
    const visitors = heard<{ clientId?: string; online: boolean }>(agent, 'presence:changed')
    const socket = await visitor(a)
    await vi.waitFor(() => expect(visitors).toEqual([{ clientId: VISITOR, online: true }]))

    const admins = heard<{ online: boolean }>(socket, 'presence:changed')
    const late = await visitor(a, OTHER)
    const toLate = heard<{ online: boolean }>(late, 'presence:changed')
    agent.disconnect()
    await vi.waitFor(() => expect([admins, toLate]).toEqual([[{ online: false }], [{ online: false }]]))

    const colleague = await admin(b)
    const seen = heard<{ clientId?: string; online: boolean }>(colleague, 'presence:changed')
    await colleague.emitWithAck('conversation:sync', { clientId: VISITOR })
    await vi.waitFor(() => expect(seen).toContainEqual({ clientId: VISITOR, online: true }))
    socket.disconnect()
    await vi.waitFor(() => expect(seen.at(-1)).toEqual({ clientId: VISITOR, online: false }))
  })

  it('do not miss somebody who moves from one to the other', async () => {
    for (const clientId of [VISITOR, OTHER]) await a.post('/chat', { clientId, message: 'hello' })
    const [agent, socket] = await Promise.all([admin(b), visitor(a)])
    const seen = heard<{ clientId?: string; online: boolean }>(agent, 'presence:changed')
    await agent.emitWithAck('conversation:sync', { clientId: VISITOR })
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

  it('go on when somebody says what nobody understands', async () => {
    const [here, there] = await Promise.all([visitor(a), visitor(b)])
    const far = heard<Message>(there, 'message:created')
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
    await say(here, 'still there')
    await vi.waitFor(() => expect(texts(far)).toEqual(['still there']))
    expect(b.log.filter((line) => line.includes('this release cannot handle'))).toHaveLength(2)
    expect([await status(a), await status(b)]).toEqual(['ok', 'ok'])
  })

  it('count together how often somebody may do something', async () => {
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

  it('serve their own sockets at once while Redis is away, say so, and find back to each other', async () => {
    const [here, hereToo, there] = await Promise.all([visitor(a), visitor(a), visitor(b)])
    const near = heard<Message>(hereToo, 'message:created')
    const far = heard<Message>(there, 'message:created')
    await say(here, 'before')
    await vi.waitFor(() => expect([texts(near), texts(far)]).toEqual([['before'], ['before']]))

    await redis.stop('SIGKILL')
    await untilBoth('degraded')
    expect(await say(here, 'meanwhile')).toMatchObject({ ok: true, data: { seq: 2 } })
    await vi.waitFor(() => expect(texts(near)).toEqual(['before', 'meanwhile']))
    // What was not told is there for who asks, as every client does twice a minute.
    const page = await there.emitWithAck('conversation:sync', { after: 1 })
    expect(page).toMatchObject({ ok: true, data: { messages: [{ message: 'meanwhile' }] } })

    await redis.start()
    await untilBoth('ok')
    await say(here, 'after')
    await vi.waitFor(() => expect([...texts(far)].pop()).toBe('after'))
    expect(texts(near)).toEqual(['before', 'meanwhile', 'after'])
  })

  it('wait for nobody while Redis is stuck', async () => {
    const [here, hereToo] = await Promise.all([visitor(a), visitor(a)])
    const near = heard<Message>(hereToo, 'message:created')
    redis.freeze()
    expect(await say(here, 'one')).toMatchObject({ ok: true })
    await vi.waitFor(() => expect(texts(near)).toEqual(['one']))
    await untilBoth('degraded')
    expect(await say(here, 'two')).toMatchObject({ ok: true })
    redis.thaw()
    await untilBoth('ok')
  })
})

describeWithOwnRedis('a process whose Redis is not there yet', () => {
  it('starts all the same, and finds the others once it is', async () => {
    redis = await startRedis()
    await redis.stop('SIGKILL')
    await startBoth()
    await untilBoth('degraded')
    const [here, there] = await Promise.all([visitor(a), visitor(b)])
    const far = heard<Message>(there, 'message:created')
    await say(here, 'alone')

    await redis.start()
    await untilBoth('ok')
    await say(here, 'together')
    await vi.waitFor(() => expect(texts(far)).toEqual(['together']))

    for (const node of [a, b]) {
      const said = node.log.filter((line) => line.includes('Redis is'))
      expect(said.map((line) => JSON.parse(line).level)).toEqual([40, 30])
    }
    for (const client of clients.splice(0)) client.disconnect()
    await running.close()
    await redis.close()
  })
})

describeWithOwnRedis('an ended session', () => {
  it('closes an admin’s sockets on both processes, without a look into the store', async () => {
    redis = await startRedis()
    const forgetful = ({ storage, ...stores }: Stores): Stores => ({
      ...stores,
      // The look that each process takes at its sessions again and again finds it as good as ever.
      storage: { ...storage, sessions: { ...storage.sessions, async end() {} } },
    })
    await startBoth(forgetful)
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
