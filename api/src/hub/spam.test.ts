import type { AskChanged } from '@proctorpass/shared/events'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../test/test-server.ts'

const VISITOR = 'Visitor0000000000001'
const clients: Socket[] = []
let server: TestServer
let token: string
beforeEach(async () => {
  server = await startTestServer()
  token = (await server.signIn()).accessToken
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  await server.close()
})

/** Returns a socket and the names of the facts that it has received. */
async function connect(namespace: 'visitor' | 'admin', auth: { [key: string]: string }) {
  const options = { transports: ['websocket'], forceNew: true, reconnection: false, auth }
  const socket = io(`${server.url}/${namespace}`, options)
  clients.push(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve())
    socket.once('connect_error', reject)
  })
  const facts: string[] = []
  socket.onAny((name: string) => {
    if (name !== 'presence:changed' && name !== 'now:changed') facts.push(name)
  })
  return { socket, facts }
}

async function call(method: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${server.url}/api${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  expect(answer.ok, `${path} ${answer.status}`).toBe(true)
}

const mark = (change: object) => call('PATCH', `/chat/admin/${VISITOR}`, change)

let count = 0
const send = (socket: Socket, message: string) =>
  socket.emitWithAck('message:send', { nonce: `nonce-${++count}-xxxx`, message })

it('tells admins of a message in spam, but not as unread, and the visitor nothing of the mark', async () => {
  const visitor = await connect('visitor', { clientId: VISITOR })
  const admin = await connect('admin', { token })
  await send(visitor.socket, 'buy now')
  await vi.waitFor(() => expect(admin.facts.sort()).toEqual(['message:created', 'unread:changed']))
  await mark({ status: 'spam' })
  await vi.waitFor(() => expect(admin.facts).toContain('activity:created'))
  admin.facts.length = 0
  await send(visitor.socket, 'buy more')
  await mark({ spam: false })
  await vi.waitFor(() => expect(admin.facts).toContain('activity:created'))
  expect(admin.facts).toEqual(['message:created', 'conversation:changed', 'activity:created'])
  await send(visitor.socket, 'an order')
  await vi.waitFor(() => expect(admin.facts.at(-1)).toBe('unread:changed'))
  expect(visitor.facts).toEqual([])
})

it('ends the question for a rating with a message, as in a conversation that is not spam', async () => {
  const settings = (await server.get('/settings', { admin: true })) as Settings
  await call('PUT', '/settings', { ...settings, rating: true })
  const visitor = await connect('visitor', { clientId: VISITOR })
  const asks: AskChanged[] = []
  visitor.socket.on('ask:changed', (fact: AskChanged) => asks.push(fact))
  await send(visitor.socket, 'buy now')
  await mark({ status: 'resolved' })
  await vi.waitFor(() => expect(asks).toEqual([{ ask: 'rating' }]))
  await mark({ status: 'spam' })
  await mark({ spam: false })
  await mark({ status: 'spam' })
  await send(visitor.socket, 'buy more')
  await vi.waitFor(() => expect(asks).toEqual([{ ask: 'rating' }, { ask: null }]))
  await send(visitor.socket, 'and more')
  await mark({ spam: false })
  await mark({ status: 'resolved' })
  await vi.waitFor(() => expect(asks).toHaveLength(3))
  expect(asks.at(-1)).toEqual({ ask: 'rating' })
})
