import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WireError } from '@proctorpass/shared/errors'
import type {
  AdminCommands,
  AdminFacts,
  Side,
  VisitorCommands,
  VisitorFacts,
} from '@proctorpass/shared/events'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { io, type ManagerOptions, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import WebSocket from 'ws'
import { startTestServer, type TestServer } from '../../test/test-server.ts'
import { COMMAND_ACCESS } from '../auth/access.ts'
import { openStores } from '../storage/open-storage.ts'

type VisitorClient = Socket<VisitorFacts, VisitorCommands>
type AdminClient = Socket<AdminFacts, AdminCommands>

const VISITOR = 'Visitor0000000000001'
const OTHER = 'Visitor0000000000002'

let server: TestServer
const clients: Socket[] = []

beforeEach(async () => {
  server = await startTestServer()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  await server.close()
})

function open(path: string, auth: object, options: Partial<ManagerOptions> = {}, url = server.url): Socket {
  const client = io(url + path, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: auth as { [key: string]: unknown },
    ...options,
  })
  clients.push(client)
  return client
}

function connected<S extends Socket>(client: S): Promise<S> {
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve(client))
    client.once('connect_error', reject)
  })
}

function refused(client: Socket): Promise<Error & { data?: { code: string } }> {
  return new Promise((resolve, reject) => {
    client.once('connect', () => reject(new Error('The socket was admitted.')))
    client.once('connect_error', resolve)
  })
}

const visitor = (clientId = VISITOR) => connected(open('/visitor', { clientId }) as unknown as VisitorClient)
const admin = async () =>
  connected(open('/admin', { token: (await server.signIn()).accessToken }) as unknown as AdminClient)

/** The facts of one kind that a client receives from now on. */
function collect<T>(client: VisitorClient | AdminClient, event: keyof AdminFacts): T[] {
  const facts: T[] = []
  ;(client as unknown as Socket).on(event, (fact: T) => facts.push(fact))
  return facts
}

let count = 0
const nonce = () => `nonce-${++count}-xxxx`

describe('message:send', () => {
  it('is acknowledged to the sender and emitted to all other sockets of the conversation', async () => {
    const [first, second, adminClient] = await Promise.all([visitor(), visitor(), admin()])
    const own = collect<Message>(first, 'message:created')
    const tab = collect<Message>(second, 'message:created')
    const toAdmin = collect<Message>(adminClient, 'message:created')
    const sent = await first.emitWithAck('message:send', { nonce: nonce(), message: ' hello ' })
    expect(sent).toMatchObject({
      ok: true,
      data: { message: 'hello', seq: 1, clientId: VISITOR, senderId: VISITOR },
    })
    const reply = await adminClient.emitWithAck('message:send', {
      clientId: VISITOR,
      nonce: nonce(),
      message: 'hi',
    })
    expect(reply).toMatchObject({ ok: true, data: { message: 'hi', seq: 2, senderId: server.adminId } })
    await vi.waitFor(() => {
      expect(tab.map(({ message }) => message)).toEqual(['hello', 'hi'])
      expect(own.map(({ message }) => message)).toEqual(['hi'])
      expect(toAdmin.map(({ message }) => message)).toEqual(['hello'])
    })
  })

  it('emits the status that an admin gives with it behind the message', async () => {
    const [sender, other] = await Promise.all([admin(), admin()])
    await server.post('/chat', { clientId: VISITOR, senderId: VISITOR, message: 'hello', nonce: nonce() })
    const facts: string[] = []
    other.onAny((name: string, fact?: { status?: string; kind?: string; seq?: number }) => {
      const word = fact?.status ?? fact?.kind ?? (name === 'message:created' ? fact?.seq : undefined)
      if (word !== undefined && word !== 1) facts.push(`${name} ${word}`)
    })
    const input = { clientId: VISITOR, nonce: nonce(), message: 'bye' }
    const over = { status: 'snoozed', snoozedUntil: '2026-01-01T00:00:00Z' } as const
    expect(await sender.emitWithAck('message:send', { ...input, then: over })).toMatchObject({
      ok: false,
      error: { code: 'invalid-input', details: [{ field: 'snoozedUntil' }] },
    })
    const sent = await sender.emitWithAck('message:send', { ...input, then: { status: 'resolved' } })
    expect(sent).toMatchObject({ ok: true, data: { seq: 2 } })
    await vi.waitFor(() =>
      expect(facts).toEqual([
        'message:created 2',
        'conversation:changed resolved',
        'activity:created assignee',
        'activity:created status',
      ]),
    )
    const visitorSend = { nonce: nonce(), message: 'wait', then: { status: 'resolved' } }
    expect(await (await visitor()).emitWithAck('message:send', visitorSend)).toMatchObject({ ok: true })
    await vi.waitFor(() => expect(facts).toContain('conversation:changed open'))
    expect(facts.filter((fact) => fact.endsWith('resolved'))).toHaveLength(1)
  })

  it('is emitted if it was posted by REST, and readable by REST if it was sent by socket', async () => {
    const [socket, adminClient] = await Promise.all([visitor(), admin()])
    const toAdmin = collect<Message>(adminClient, 'message:created')
    await server.post('/chat', { clientId: VISITOR, senderId: VISITOR, message: 'by REST', nonce: nonce() })
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'by socket' })
    await vi.waitFor(() => expect(toAdmin.map(({ message }) => message)).toEqual(['by REST', 'by socket']))
    const page = (await server.get(`/chat/${VISITOR}`)) as { messages: Message[] }
    expect(page.messages.map(({ message }) => message)).toEqual(['by REST', 'by socket'])
  })

  it('answers a repeated nonce with the stored message, by socket and by REST', async () => {
    const socket = await visitor()
    const input = { nonce: nonce(), message: 'once' }
    const first = await socket.emitWithAck('message:send', input)
    expect(await socket.emitWithAck('message:send', input)).toEqual(first)
    await server.post('/chat', { clientId: VISITOR, senderId: VISITOR, ...input })
    const page = await socket.emitWithAck('conversation:sync', {})
    expect(page).toMatchObject({ ok: true, data: { seq: 1 } })
  })

  it('takes the sender from the connection, never from the payload', async () => {
    const socket = await visitor()
    const forged = {
      nonce: nonce(),
      message: 'x',
      clientId: OTHER,
      senderId: server.adminId,
      seq: 9,
      _id: 'x',
    }
    const sent = await socket.emitWithAck('message:send', forged)
    expect(sent).toMatchObject({ ok: true, data: { clientId: VISITOR, senderId: VISITOR, seq: 1 } })
  })
})

describe('facts', () => {
  it('of one visitor never reach another', async () => {
    const [first, second] = await Promise.all([visitor(), visitor(OTHER)])
    const all: unknown[] = []
    second.onAny((event) => event !== 'presence:changed' && all.push(event))
    const adminClient = await admin()
    await first.emitWithAck('message:send', { nonce: nonce(), message: 'secret' })
    first.emit('typing:set', { typing: true }, () => {})
    await adminClient.emitWithAck('conversation:read', { clientId: VISITOR, seq: 1 })
    // Facts arrive in order: all earlier ones have arrived with this message.
    const own = collect<Message>(second, 'message:created')
    await adminClient.emitWithAck('message:send', { clientId: OTHER, nonce: nonce(), message: 'yours' })
    await vi.waitFor(() => expect(own).toHaveLength(1))
    expect(all).toEqual(['message:created'])
  })

  it('of the inbox go to every admin, and to no visitor', async () => {
    const [socket, first, second] = await Promise.all([visitor(), admin(), admin()])
    const atVisitor: unknown[] = []
    socket.onAny((event, fact) => event !== 'presence:changed' && atVisitor.push(fact))
    const lists = [first, second].map((client) => ({
      changed: collect<ConversationSummary>(client, 'conversation:changed'),
      activity: collect<Activity>(client, 'activity:created'),
    }))
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'hello' })
    // Assigns the conversation. The admin whose reply it was hears it too.
    await first.emitWithAck('message:send', { clientId: VISITOR, nonce: nonce(), message: 'answer' })
    const headers = { authorization: `Bearer ${(await server.signIn()).accessToken}` }
    const send = (method: string, path: string, body: object) =>
      fetch(`${server.url}/api/chat/admin/${VISITOR}${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await send('PATCH', '', { status: 'resolved', labels: ['Secret'] })
    await send('POST', '/notes', { nonce: nonce(), text: 'for admins' })
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'again' })
    for (const { changed, activity } of lists) {
      await vi.waitFor(() => {
        expect(changed.map(({ version, status, assigneeId }) => [version, status, assigneeId])).toEqual([
          [1, 'open', server.adminId],
          [2, 'resolved', server.adminId],
          [3, 'open', server.adminId],
        ])
        expect(activity.map(({ n, kind }) => [n, kind])).toEqual([
          [1, 'assignee'],
          [2, 'status'],
          [3, 'labels'],
          [4, 'note'],
          [5, 'status'],
        ])
      })
    }
    expect(atVisitor).toEqual([expect.objectContaining({ message: 'answer' })])
  })

  it('of what a visitor said go to admins, who see that they are online', async () => {
    const [socket, other, adminClient] = await Promise.all([visitor(), visitor(), admin()])
    const atVisitors: unknown[] = []
    for (const client of [socket, other]) {
      client.onAny((event, fact) => event !== 'presence:changed' && atVisitors.push(fact))
    }
    const changed = collect<ConversationSummary>(adminClient, 'conversation:changed')
    const said = (body: object) =>
      fetch(`${server.url}/api/chat/${VISITOR}/profile`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'hello' })
    const answer = await said({ name: 'Zoë', page: '/faq' })
    expect([answer.status, await answer.json()]).toEqual([200, { message: 'Details saved' }])
    await vi.waitFor(() => expect(changed).toMatchObject([{ version: 0, visitor: { name: 'Zoë' } }]))
    const known = (clientId: string) => server.get(`/chat/admin/${clientId}/visitor`, { admin: true })
    expect(await known(VISITOR)).toMatchObject({ name: 'Zoë', page: '/faq', online: true })
    await server.post('/chat', { clientId: OTHER, senderId: OTHER, message: 'by REST', nonce: nonce() })
    expect(await known(OTHER)).toMatchObject({ name: null, online: false })
    // Facts arrive in order: all earlier ones have arrived with this message.
    await adminClient.emitWithAck('message:send', { clientId: VISITOR, nonce: nonce(), message: 'hi' })
    await vi.waitFor(() => expect(atVisitors).toHaveLength(3))
    expect(JSON.stringify(atVisitors)).not.toMatch(/Zoë|faq/)
  })

  it('show read marks to both sides, and unread counts to admins', async () => {
    const [socket, adminClient] = await Promise.all([visitor(), admin()])
    const marks = collect(socket, 'conversation:read')
    const unread = collect<{ adminUnread: number }>(adminClient, 'unread:changed')
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'one' })
    await vi.waitFor(() =>
      expect(unread.at(-1)).toEqual({ totalAdminUnread: 1, clientId: VISITOR, adminUnread: 1 }),
    )
    const marked = await adminClient.emitWithAck('conversation:read', { clientId: VISITOR, seq: 5 })
    expect(marked).toEqual({ ok: true, data: { seq: 1, adminUnread: 0 } })
    await vi.waitFor(() => {
      expect(marks).toEqual([{ clientId: VISITOR, by: 'admin', seq: 1 }])
      expect(unread.at(-1)).toMatchObject({ totalAdminUnread: 0, adminUnread: 0 })
    })
  })

  it('show typing to the other side and to the other admins, until the socket closes', async () => {
    const [socket, adminClient, otherAdmin] = await Promise.all([visitor(), admin(), admin()])
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'hello' })
    const seen = collect(socket, 'typing:changed')
    const own = collect(adminClient, 'typing:changed')
    const theirs = collect(otherAdmin, 'typing:changed')
    await adminClient.emitWithAck('typing:set', { clientId: VISITOR, typing: true })
    const fact = { clientId: VISITOR, by: 'admin', typing: true }
    await vi.waitFor(() => {
      expect(seen).toEqual([fact])
      expect(theirs).toEqual([{ ...fact, userId: server.adminId }])
    })
    adminClient.disconnect()
    await vi.waitFor(() => expect(seen.at(-1)).toEqual({ ...fact, typing: false }))
    expect(own).toEqual([])
  })

  it('show presence', async () => {
    const socket = open('/visitor', { clientId: VISITOR }) as unknown as VisitorClient
    const admins = collect(socket, 'presence:changed')
    await connected(socket)
    await vi.waitFor(() => expect(admins).toEqual([{ online: false }]))
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'hello' })
    const adminClient = open('/admin', {
      token: (await server.signIn()).accessToken,
    }) as unknown as AdminClient
    const visitors = collect(adminClient, 'presence:changed')
    await connected(adminClient)
    await vi.waitFor(() => {
      expect(admins.at(-1)).toEqual({ online: true })
      expect(visitors).toEqual([{ clientId: VISITOR, online: true }])
    })
    await adminClient.emitWithAck('conversation:sync', { clientId: OTHER })
    await vi.waitFor(() => expect(visitors.at(-1)).toEqual({ clientId: OTHER, online: false }))
  })
})

describe('a conversation with a key', () => {
  const KEY = 'k'.repeat(43)
  const WRONG_KEY = 'w'.repeat(43)
  const withKey = (key: string) => open('/visitor', { clientId: VISITOR, key })
  const owner = () => connected(withKey(KEY) as unknown as VisitorClient)
  /** Names of the facts about the conversation. The others come some time after a connect. */
  function collectNames(client: Socket): unknown[] {
    const facts: unknown[] = []
    const isOther = (event: string) => ['presence:changed', 'now:changed'].includes(event)
    client.onAny((event) => isOther(event) || facts.push(event))
    return facts
  }

  it('admits visitors with its key only', async () => {
    const socket = await owner()
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'mine' })
    const tab = await owner()
    const own = collect<Message>(tab, 'message:created')
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'more' })
    await vi.waitFor(() => expect(own).toHaveLength(1))
    for (const auth of [{ clientId: VISITOR }, { clientId: VISITOR, key: WRONG_KEY }]) {
      expect(await refused(open('/visitor', auth))).toMatchObject({ data: { code: 'unauthorized' } })
    }
    expect(await tab.emitWithAck('conversation:sync', {})).toMatchObject({ ok: true, data: { seq: 2 } })
  })

  it('disconnects sockets that connected before it had a key', async () => {
    const keyless = await visitor()
    await keyless.emitWithAck('message:send', { nonce: nonce(), message: 'from an older page' })
    const other = await connected(withKey(WRONG_KEY))
    const [socket, adminClient] = await Promise.all([owner(), admin()])
    const strangers = [keyless as unknown as Socket, other]
    const facts = strangers.map(collectNames)
    const gone = strangers.map((client) => new Promise((resolve) => client.once('disconnect', resolve)))
    const own = collect<Message>(socket, 'message:created')
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'mine' })
    await adminClient.emitWithAck('message:send', { clientId: VISITOR, nonce: nonce(), message: 'a reply' })
    await adminClient.emitWithAck('conversation:read', { clientId: VISITOR, seq: 3 })
    await Promise.all(gone)
    await vi.waitFor(() => expect(own).toHaveLength(1))
    expect(facts).toEqual([[], []])
    for (const client of strangers) {
      client.connect()
      expect(await refused(client)).toMatchObject({ data: { code: 'unauthorized' } })
    }
  })

  it('neither sends to nor accepts from a socket of before, even if it stays connected', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'keys-'))
    const stores = await openStores({ dataDir })
    const shared = await startTestServer({}, { dataDir, stores })
    const at = (path: string, auth: object) => connected(open(path, auth, {}, shared.url))
    try {
      const strangers = await Promise.all([
        at('/visitor', { clientId: VISITOR }),
        at('/visitor', { clientId: VISITOR, key: WRONG_KEY }),
      ])
      const socket = await at('/visitor', { clientId: VISITOR, key: KEY })
      const adminClient = await at('/admin', { token: (await shared.signIn()).accessToken })
      const facts = strangers.map(collectNames)
      const own = collectNames(socket)
      // As stored by another node that dies before it emits the fact.
      const keyHash = hash('sha256', KEY, 'base64url')
      const first = { clientId: VISITOR, senderId: VISITOR, message: 'mine', nonce: nonce(), at: Date.now() }
      await stores.storage.messages.append({ ...first, keyHash })

      const toAdmin = collectNames(adminClient)
      for (const stranger of strangers) {
        for (const [command, input] of [
          ['message:send', { nonce: nonce(), message: 'x' }],
          ['message:send', { nonce: first.nonce, message: 'mine' }],
          ['conversation:sync', {}],
          ['conversation:read', { seq: 1 }],
        ] as const) {
          const answer = await stranger.emitWithAck(command, input)
          expect(answer).toMatchObject({ ok: false, error: { code: 'forbidden', retryable: false } })
        }
      }
      for (const stranger of strangers) await stranger.emitWithAck('typing:set', { typing: true })
      expect(toAdmin).toEqual([])
      await adminClient.emitWithAck('message:send', { clientId: VISITOR, nonce: nonce(), message: 'a reply' })
      await adminClient.emitWithAck('conversation:read', { clientId: VISITOR, seq: 2 })
      await adminClient.emitWithAck('typing:set', { clientId: VISITOR, typing: true })
      await vi.waitFor(() => expect(own).toEqual(['message:created', 'conversation:read', 'typing:changed']))
      await socket.emitWithAck('typing:set', { typing: true })
      await socket.emitWithAck('message:send', { nonce: nonce(), message: 'more' })
      // A fact would have come before this answer.
      for (const stranger of strangers) await stranger.emitWithAck('typing:set', { typing: false })
      expect(facts).toEqual([[], []])
    } finally {
      await shared.close()
      await stores.storage.close()
      rmSync(dataDir, { recursive: true })
    }
  })

  it.each([
    ['short', 'x'],
    ['long', `${KEY}x`],
    ['no text', 5],
    ['null', null],
    ['an operator', { $ne: '' }],
    ['a list', [KEY]],
  ])('refuses a key that is %s', async (_, key) => {
    const refusal = await refused(open('/visitor', { clientId: VISITOR, key }))
    expect(refusal).toMatchObject({ data: { code: 'invalid-input' } })
  })

  it('counts the sockets of strangers apart from those of its owner', async () => {
    for (let each = 0; each < 20; each += 1) await visitor()
    expect(await refused(open('/visitor', { clientId: VISITOR }))).toMatchObject({
      data: { code: 'rate-limited' },
    })
    const socket = await owner()
    await socket.emitWithAck('message:send', { nonce: nonce(), message: 'mine' })
    await owner()
  })
})

describe('conversation:sync', () => {
  it('is charged to the address by bytes, and refused once the limit of the address is used up', async () => {
    const [socket, adminClient] = await Promise.all([visitor(), admin()])
    for (let index = 0; index < 20; index += 1) {
      await socket.emitWithAck('message:send', { nonce: nonce(), message: '😀'.repeat(3_900) })
    }
    const left = async () => (await server.app.useCases.limits.take('address', '127.0.0.1'))?.remaining ?? 0
    const before = await left()
    const page = await socket.emitWithAck('conversation:sync', {})
    expect(page).toMatchObject({ ok: true, data: { seq: 20, more: true } })
    expect(before - (await left())).toBeGreaterThan(20)

    await server.app.useCases.limits.charge('address', '127.0.0.1', 11_990 - (12_000 - (await left())))
    expect(await socket.emitWithAck('conversation:sync', {})).toMatchObject({ ok: true })
    for (const answer of [
      await socket.emitWithAck('conversation:sync', {}),
      await adminClient.emitWithAck('conversation:sync', { clientId: VISITOR }),
    ]) {
      expect(answer).toMatchObject({ ok: false, error: { code: 'rate-limited', retryable: true } })
    }
    // Only reading is refused.
    expect(await socket.emitWithAck('message:send', { nonce: nonce(), message: 'hi' })).toMatchObject({
      ok: true,
    })
  })

  it('pages from a seq to the last message, and marks nothing as read', async () => {
    const [socket, adminClient] = await Promise.all([visitor(), admin()])
    for (let index = 1; index <= 5; index++) {
      await socket.emitWithAck('message:send', { nonce: nonce(), message: `m${index}` })
    }
    const first = await adminClient.emitWithAck('conversation:sync', {
      clientId: VISITOR,
      after: 1,
      limit: 2,
    })
    expect(first).toMatchObject({ ok: true, data: { seq: 5, more: true, read: { admin: 0 } } })
    const last = await adminClient.emitWithAck('conversation:sync', { clientId: VISITOR, after: 3, limit: 2 })
    expect(last).toMatchObject({ ok: true, data: { messages: [{ seq: 4 }, { seq: 5 }], more: false } })
    expect(await server.get('/chat/unread/count', { admin: true })).toEqual({ totalAdminUnread: 5 })
  })
})

describe('bad input', () => {
  it.each([
    ['no payload', []],
    ['null', [null]],
    ['a text', ['hello']],
    ['a list', [[]]],
    ['a number for a message', [{ nonce: 'nonce-1234', message: 5 }]],
    ['a short nonce', [{ nonce: 'short', message: 'x' }]],
    ['an operator for a nonce', [{ nonce: { $gt: '' }, message: 'x' }]],
    ['an empty message', [{ nonce: 'nonce-1234', message: ' ' }]],
    ['bytes', [Buffer.from('hello')]],
    ['half a surrogate pair', [{ nonce: 'nonce-1234', message: '\ud83d' }]],
  ])('%s is answered with the wire error, and the socket stays connected', async (_name, args) => {
    const socket = await visitor()
    const answer = await (socket as unknown as Socket).emitWithAck('message:send', ...args)
    expect(answer).toMatchObject({
      ok: false,
      error: { code: 'invalid-input', retryable: false, requestId: expect.any(String) },
    })
    expect(await socket.emitWithAck('conversation:sync', {})).toMatchObject({ ok: true, data: { seq: 0 } })
  })

  it.each(['no:such-command', 'constructor', '__proto__', 'toString', 'message:created'])(
    'the unknown command %s is refused if an acknowledgement is asked for, and ignored otherwise',
    async (event) => {
      const socket = (await visitor()) as unknown as Socket
      expect(await socket.emitWithAck(event, {})).toMatchObject({
        ok: false,
        error: { code: 'invalid-input' },
      })
      socket.emit(event)
      expect(await socket.emitWithAck('conversation:sync', {})).toMatchObject({ ok: true })
    },
  )

  it('without acknowledgement, a message is stored', async () => {
    const [socket, adminClient] = await Promise.all([visitor(), admin()])
    const toAdmin = collect<Message>(adminClient, 'message:created')
    ;(socket as unknown as Socket).emit('message:send', { nonce: nonce(), message: 'quiet' })
    await vi.waitFor(() => expect(toAdmin).toHaveLength(1))
  })

  it('of 2 MB in one frame disconnects that socket only', async () => {
    const [socket, other] = await Promise.all([visitor(), visitor(OTHER)])
    const gone = new Promise((resolve) => socket.once('disconnect', resolve))
    socket.emit('message:send', { nonce: nonce(), message: 'x'.repeat(2_000_000) }, () => {})
    await gone
    expect(await other.emitWithAck('conversation:sync', {})).toMatchObject({ ok: true })
  })

  it.each([
    '4abc',
    '40/__proto__,',
    '42["message:send",{}]',
    '45a-',
    '451-["x",{"_placeholder":true,"num":9}]',
    '9',
    '',
  ])('the frame %j crashes nothing', async (frame) => {
    const raw = new WebSocket(`${server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
    await new Promise((resolve) => raw.once('open', resolve))
    raw.send(frame)
    raw.send(`40/visitor,${JSON.stringify({ clientId: VISITOR })}`)
    raw.close()
    const socket = await visitor()
    expect(await socket.emitWithAck('conversation:sync', {})).toMatchObject({ ok: true })
  })

  it('beyond the budget is answered with a time to retry, and far beyond it disconnects', async () => {
    const socket = await visitor()
    const type = () => socket.emitWithAck('typing:set', { typing: true })
    const answers = await Promise.all(Array.from({ length: 300 }, type))
    expect(answers.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(200)
    expect(answers.at(-1)).toMatchObject({
      ok: false,
      error: { code: 'rate-limited', retryable: true, retryAfterMs: expect.any(Number) },
    })
    const gone = new Promise((resolve) => socket.once('disconnect', resolve))
    for (let index = 0; index < 1_000; index++) socket.emit('typing:set', { typing: true }, () => {})
    await gone
  })
})

describe('admission', () => {
  it.each([
    ['an empty handshake', {}],
    ['a short clientId', { clientId: 'short' }],
    ['an object', { clientId: { $gt: '' } }],
    ['a line break', { clientId: `${VISITOR}\n` }],
  ])('to /visitor is refused with %s', async (_name, auth) => {
    expect((await refused(open('/visitor', auth))).data).toEqual({ code: 'invalid-input' })
  })

  it.each([
    ['no token', {}],
    ['a made-up token', { token: 'a.b.c' }],
    ['a clientId', { clientId: VISITOR }],
    ['an object', { token: {} }],
  ])('to /admin is refused with %s', async (_name, auth) => {
    expect((await refused(open('/admin', auth))).data).toEqual({ code: 'unauthorized' })
  })

  it('to /admin is refused with a role other than Admin', async () => {
    const { accessToken } = await server.signIn({ roles: ['Editor'] })
    expect((await refused(open('/admin', { token: accessToken }))).data).toEqual({ code: 'unauthorized' })
  })

  it('is refused to both sides when messages are polled', async () => {
    await server.close()
    server = await startTestServer({ CHAT_TRANSPORT: 'polling' })
    expect((await refused(open('/visitor', { clientId: VISITOR }))).data).toEqual({ code: 'push-disabled' })
    const { accessToken } = await server.signIn()
    expect((await refused(open('/admin', { token: accessToken }))).data).toEqual({ code: 'push-disabled' })
  })

  it('is refused to the default namespace', async () => {
    expect((await refused(open('/', { clientId: VISITOR }))).data).toEqual({ code: 'invalid-input' })
  })

  it.each(['null', 'http://evil.example', 'file://'])('is refused to a page of origin %s', async (origin) => {
    const client = open('/visitor', { clientId: VISITOR }, { extraHeaders: { origin } })
    expect((await refused(client)).data).toBeUndefined()
  })

  it('is granted to a page of the requested host', async () => {
    await connected(open('/visitor', { clientId: VISITOR }, { extraHeaders: { origin: server.url } }))
  })

  it('is granted again on the same connection', async () => {
    const { accessToken } = await server.signIn()
    const adminClient = await connected(open('/admin', { token: accessToken }))
    const chat = adminClient.io.socket('/visitor', { auth: { clientId: VISITOR } })
    await connected(chat)
    chat.disconnect()
    expect(await adminClient.emitWithAck('conversation:sync', { clientId: VISITOR })).toMatchObject({
      ok: true,
    })
    chat.connect()
    await connected(chat)
    expect(await chat.emitWithAck('conversation:sync', {})).toMatchObject({ ok: true })
  })

  it.each(['40/admin,{"token":"a.b.c"}', '40/nowhere,{}'])(
    'ends for a connection that repeats the namespace connect %s',
    async (frame) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
      const gone = once(socket, 'close')
      await once(socket, 'message')
      socket.send(`40/visitor,{"clientId":"${VISITOR}"}`)
      for (let time = 0; time < 30; time++) socket.send(frame)
      await gone
    },
  )

  it('is limited to 20 sockets per conversation', async () => {
    await Promise.all(Array.from({ length: 20 }, () => visitor()))
    expect((await refused(open('/visitor', { clientId: VISITOR }))).data).toMatchObject({
      code: 'rate-limited',
      retryAfterMs: expect.any(Number),
    })
    clients[0]?.disconnect()
    await vi.waitFor(() => visitor())
  })

  it('ends with the session of the admin', async () => {
    const signedIn = await server.signIn()
    const adminClient = await connected(open('/admin', { token: signedIn.accessToken }))
    const gone = new Promise((resolve) => adminClient.once('disconnect', resolve))
    await signedIn.signOut()
    await gone
    expect((await refused(open('/admin', { token: signedIn.accessToken }))).data).toEqual({
      code: 'unauthorized',
    })
  })
})

describe('COMMAND_ACCESS', () => {
  const table = COMMAND_ACCESS as Record<string, Record<string, Side>>
  const rows = structuredClone(table)
  afterEach(() => Object.assign(table, structuredClone(rows)))

  async function answersToAll(): Promise<WireError[]> {
    const clients: Record<string, unknown> = { '/visitor': await visitor(), '/admin': await admin() }
    const answers: WireError[] = []
    for (const [namespace, commands] of Object.entries(rows)) {
      for (const command of Object.keys(commands)) {
        answers.push((await (clients[namespace] as Socket).emitWithAck(command, null)).error)
      }
    }
    return answers
  }

  it('decides which side each command is served to', async () => {
    const served = await answersToAll()
    const count = Object.values(rows).flatMap(Object.keys).length
    expect(served.map(({ code }) => code)).toEqual(Array(count).fill('invalid-input'))
    expect(served.map(({ message }) => message)).not.toContain('Unknown command.')

    for (const commands of Object.values(table)) {
      for (const [command, side] of Object.entries(commands)) {
        commands[command] = side === 'admin' ? 'visitor' : 'admin'
      }
    }
    await server.stop()
    await server.restart()
    expect((await answersToAll()).map(({ code }) => code)).toEqual(Array(count).fill('forbidden'))
  })

  it.each(['/visitor', '/admin'])('stops the start when a command of %s has no row', async (namespace) => {
    await server.stop()
    delete table[namespace]?.['typing:set']
    await expect(server.restart()).rejects.toThrow(`${namespace} typing:set has no row in access.ts`)
  })
})

it('closes transports at shutdown so that clients reconnect, after storing the commands received', async () => {
  const socket = await visitor()
  const reason = new Promise((resolve) => socket.once('disconnect', resolve))
  const sent = await socket.emitWithAck('message:send', { nonce: nonce(), message: 'before' })
  const epoch = sent.ok ? sent.data.epoch : 'none'
  socket.emit('message:send', { nonce: nonce(), message: 'just in time', epoch }, () => {})
  await socket.emitWithAck('conversation:sync', {})
  await server.stop()
  // Clients reconnect by themselves after this reason, and not after 'io server disconnect'.
  expect(await reason).toBe('transport close')
  await server.restart()
  const page = (await server.get(`/chat/${VISITOR}`)) as { messages: Message[] }
  expect(page.messages.map(({ message }) => message)).toEqual(['before', 'just in time'])
})
