import type { AddressInfo } from 'node:net'
import type {
  AdminCommands,
  AdminFacts,
  AdminTypingChanged,
  PresenceChanged,
  TypingChanged,
  VisitorCommands,
  VisitorFacts,
} from '@proctorpass/shared/events'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

type VisitorClient = Socket<VisitorFacts, VisitorCommands>
type AdminClient = Socket<AdminFacts, AdminCommands>

let running: TestApp
let url: string
const clients: Socket[] = []
beforeEach(async () => {
  running = await buildTestApp()
  await running.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(running.app.server.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  await running.close()
})

async function connected(namespace: string, auth: { [key: string]: unknown }): Promise<Socket> {
  const client = io(url + namespace, { transports: ['websocket'], forceNew: true, reconnection: false, auth })
  clients.push(client)
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('connect_error', reject)
  })
  return client
}
const visitor = async (clientId: string) =>
  (await connected('/visitor', { clientId })) as unknown as VisitorClient
const admin = async () =>
  (await connected('/admin', { token: (await running.signIn()).accessToken })) as unknown as AdminClient

let count = 0
const send = (client: VisitorClient) =>
  client.emitWithAck('message:send', { nonce: `nonce-${++count}-xxxx`, message: 'hello' })

/** A visitor's socket whose conversation exists. */
async function writer(clientId: string): Promise<VisitorClient> {
  const socket = await visitor(clientId)
  await send(socket)
  return socket
}

function collect<T>(client: VisitorClient | AdminClient, event: keyof AdminFacts): T[] {
  const facts: T[] = []
  ;(client as unknown as Socket).on(event, (fact: T) => facts.push(fact))
  return facts
}

/** Facts of one node arrive in order: this message arrives after all that were emitted before. */
async function allFactsBefore(adminClient: AdminClient): Promise<void> {
  const arrived = new Promise((resolve) => adminClient.once('message:created', resolve))
  await writer(newClientId())
  await arrived
}

it('visitors without a conversation cause no facts, and one store read each', async () => {
  const adminClient = await admin()
  const typing = collect<TypingChanged>(adminClient, 'typing:changed')
  const presence = collect<PresenceChanged>(adminClient, 'presence:changed')
  const reads = vi.spyOn(running.storage.conversations, 'find')
  const ids = Array.from({ length: 10 }, () => newClientId())
  const strangers = await Promise.all(ids.map((id) => visitor(id)))
  for (const stranger of strangers) {
    for (let time = 0; time < 10; time += 1) {
      await stranger.emitWithAck('typing:set', { typing: time % 2 === 0 })
    }
  }
  const readsByStrangers = reads.mock.calls.length
  await allFactsBefore(adminClient)
  expect(typing).toEqual([])
  expect(presence.filter((fact) => 'clientId' in fact && ids.includes(fact.clientId ?? ''))).toEqual([])
  expect(readsByStrangers).toBe(10)
})

it('the first message of a visitor starts presence and typing', async () => {
  const adminClient = await admin()
  const typing = collect<TypingChanged>(adminClient, 'typing:changed')
  const presence = collect<PresenceChanged>(adminClient, 'presence:changed')
  const clientId = newClientId()
  const socket = await visitor(clientId)
  await socket.emitWithAck('typing:set', { typing: true })
  await send(socket)
  await vi.waitFor(() => expect(presence).toEqual([{ clientId, online: true }]))
  await socket.emitWithAck('typing:set', { typing: true })
  await vi.waitFor(() => expect(typing).toEqual([{ clientId, by: 'visitor', typing: true }]))
})

it('changes of one side are emitted once a second, and the last one arrives', async () => {
  const adminClient = await admin()
  const clientId = newClientId()
  const socket = await writer(clientId)
  const seen = collect<TypingChanged>(adminClient, 'typing:changed')
  const from = performance.now()
  for (let time = 0; time < 41; time += 1) await socket.emitWithAck('typing:set', { typing: time % 2 === 0 })
  await socket.emitWithAck('typing:set', { typing: false })
  await vi.waitFor(() => expect(seen.at(-1)?.typing).toBe(false))
  expect(seen.length).toBeLessThanOrEqual(2 + (performance.now() - from) / 1_000)
  expect(seen[0]).toEqual({ clientId, by: 'visitor', typing: true })
})

it('a command of any tab that changes nothing causes no fact', async () => {
  const adminClient = await admin()
  const clientId = newClientId()
  const [first, second] = [await writer(clientId), await visitor(clientId)]
  const seen = collect<TypingChanged>(adminClient, 'typing:changed')
  await first.emitWithAck('typing:set', { typing: false })
  await first.emitWithAck('typing:set', { typing: true })
  await first.emitWithAck('typing:set', { typing: true })
  await second.emitWithAck('typing:set', { typing: true })
  await second.emitWithAck('typing:set', { typing: false })
  await allFactsBefore(adminClient)
  expect(seen).toEqual([{ clientId, by: 'visitor', typing: true }])
  first.disconnect()
  await vi.waitFor(() => expect(seen.map(({ typing }) => typing)).toEqual([true, false]))
})

it('changes by an admin are throttled too, and tell only admins who types', async () => {
  const [adminClient, otherAdmin, clientId] = [await admin(), await admin(), newClientId()]
  const [user] = await running.storage.users.list()
  const socket = await writer(clientId)
  const seen = collect<TypingChanged>(socket, 'typing:changed')
  const other = collect<AdminTypingChanged>(otherAdmin, 'typing:changed')
  await adminClient.emitWithAck('typing:set', { clientId: newClientId(), typing: true })
  const from = performance.now()
  for (let time = 0; time < 41; time += 1) {
    await adminClient.emitWithAck('typing:set', { clientId, typing: time % 2 === 0 })
  }
  await adminClient.emitWithAck('typing:set', { clientId, typing: false })
  await vi.waitFor(() => expect(seen.at(-1)?.typing).toBe(false))
  expect(seen.length).toBeLessThanOrEqual(2 + (performance.now() - from) / 1_000)
  expect(Object.keys(seen[0] ?? {}).sort()).toEqual(['by', 'clientId', 'typing'])
  // Each side is told in its own time.
  await vi.waitFor(() => expect(other).toEqual(seen.map((fact) => ({ ...fact, userId: user?._id }))))
})

it('of two admins who type, visitors see one indicator and the other admins each', async () => {
  const [first, third, clientId] = [await admin(), await admin(), newClientId()]
  const { userId, sid } = await running.addSession('anna', ['Admin'])
  const anna = await running.storage.users.findById(userId)
  if (anna === null) throw new Error('no user')
  const token = running.app.signAccess(anna, sid)
  const second = (await connected('/admin', { token })) as unknown as AdminClient
  const socket = await writer(clientId)
  const seen = collect<TypingChanged>(socket, 'typing:changed')
  const other = collect<AdminTypingChanged>(third, 'typing:changed')
  await first.emitWithAck('typing:set', { clientId, typing: true })
  await second.emitWithAck('typing:set', { clientId, typing: true })
  await vi.waitFor(() => expect(other.map(({ userId }) => userId)).toHaveLength(2))
  await first.emitWithAck('typing:set', { clientId, typing: false })
  await vi.waitFor(() => expect(other.at(-1)?.typing).toBe(false))
  expect(other.at(-1)?.userId).not.toBe(userId)
  expect(seen).toEqual([{ clientId, by: 'admin', typing: true }])
  await second.emitWithAck('typing:set', { clientId, typing: false })
  await vi.waitFor(() => expect(seen.at(-1)?.typing).toBe(false))
  await vi.waitFor(() => expect(other.at(-1)).toEqual({ clientId, by: 'admin', typing: false, userId }))
})

it('typing of a blocked visitor is not shown', async () => {
  const adminClient = await admin()
  const seen = collect<TypingChanged>(adminClient, 'typing:changed')
  const clientId = newClientId()
  const socket = await writer(clientId)
  const by = 'a'.repeat(24)
  await running.storage.inbox.block(clientId, Date.now() + 60_000, { by, at: Date.now() })
  await socket.emitWithAck('typing:set', { typing: true })
  await allFactsBefore(adminClient)
  expect(seen).toEqual([])
  // Its sends are refused over the socket too.
  const refused = await send(socket)
  expect(refused).toMatchObject({ ok: false, error: { code: 'blocked', retryable: false } })
  await running.storage.inbox.block(clientId, null, { by, at: Date.now() })
  await socket.emitWithAck('typing:set', { typing: true })
  await vi.waitFor(() => expect(seen).toMatchObject([{ clientId, by: 'visitor', typing: true }]))
})
