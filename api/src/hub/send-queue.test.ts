import { type AddressInfo, Socket } from 'node:net'
import type { PresenceChanged } from '@proctorpass/shared/events'
import { io } from 'socket.io-client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const STALLED = 'Visitor0000000000001'
const OTHER = 'Visitor0000000000002'
const LONG = '😀'.repeat(3_900)

let running: TestApp
let address: string
const open: { close(): unknown }[] = []

async function start(): Promise<void> {
  running = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  await running.app.listen({ host: '127.0.0.1', port: 0 })
  address = `127.0.0.1:${(running.app.server.address() as AddressInfo).port}`
}
afterEach(async () => {
  vi.useRealTimers()
  for (const each of open.splice(0)) each.close()
  await running.close()
})

async function append(count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      running.storage.messages.append({
        clientId: STALLED,
        senderId: STALLED,
        message: LONG,
        nonce: `nonce-${index}-x`,
        epoch: undefined,
        at: Date.now(),
      }),
    ),
  )
}

/** A visitor whose client has stopped reading. */
async function stalledVisitor(): Promise<{ send(frame: string): void; acks: string[]; resume(): void }> {
  const socket = new WebSocket(`ws://${address}/socket.io/?EIO=4&transport=websocket`)
  open.push({ close: () => socket.terminate() })
  const acks: string[] = []
  await new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const frame = String(data)
      if (frame.startsWith('0')) socket.send(`40/visitor,{"clientId":"${STALLED}"}`)
      else if (frame.startsWith('40')) resolve()
      else if (frame.startsWith('43')) acks.push(frame.slice(0, 40))
    })
  })
  socket.pause()
  return { send: (frame) => socket.send(frame), acks, resume: () => socket.resume() }
}

it('writes the answers and facts of one commit together', async () => {
  await start()
  const { accessToken } = await running.signIn()
  const connect = (namespace: string, auth: object) => {
    const socket = io(`http://${address}/${namespace}`, { transports: ['websocket'], auth })
    open.push(socket)
    return socket
  }
  const admin = connect('admin', { token: accessToken })
  const visitor = connect('visitor', { clientId: OTHER })
  const received: unknown[] = []
  admin.on('message:created', (message) => received.push(message))
  const send = (index: number) => ({ nonce: `visitor-${index}-x`, message: 'Hello' })
  await visitor.emitWithAck('message:send', send(0))
  await vi.waitFor(() => expect(received).toHaveLength(1))

  const writes = vi.spyOn(Socket.prototype, '_writev')
  const sent = Array.from({ length: 50 }, (_, index) => visitor.emitWithAck('message:send', send(index + 1)))
  await Promise.all(sent)
  await vi.waitFor(() => expect(received).toHaveLength(51))
  const { port } = running.app.server.address() as AddressInfo
  const byServer = (writes.mock.contexts as unknown as Socket[]).filter(({ localPort }) => localPort === port)
  expect(byServer.length).toBeLessThan(50)
})

describe('unsent data of a client that does not read', () => {
  it('holds a few pages; the others are read from the store as the client receives', async () => {
    // Without the sweep, which disconnects the client when this takes as long as its interval.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    await start()
    vi.useRealTimers()
    await append(20)
    const reads = vi.spyOn(running.storage.messages, 'page')
    const visitor = await stalledVisitor()
    // 25 MB: more than the buffers between the two sockets hold.
    for (let index = 0; index < 100; index++) visitor.send(`42/visitor,${index}["conversation:sync",{}]`)

    const other = io(`http://${address}/visitor`, { transports: ['websocket'], auth: { clientId: OTHER } })
    open.push(other)
    await vi.waitFor(() => expect(reads.mock.calls.length).toBeGreaterThan(1))
    for (let round = 0; round < 20; round++) await other.emitWithAck('conversation:sync', {})
    expect(reads.mock.calls.filter(([clientId]) => clientId === STALLED).length).toBeLessThan(60)

    visitor.resume()
    await vi.waitFor(() => expect(visitor.acks).toHaveLength(100), 20_000)
  })

  it('is limited for facts too: the client is disconnected', async () => {
    await start()
    await append(1)
    await stalledVisitor()
    const { accessToken } = await running.signIn()
    const admin = io(`http://${address}/admin`, { transports: ['websocket'], auth: { token: accessToken } })
    open.push(admin)
    const presence: PresenceChanged[] = []
    admin.on('presence:changed', (fact: PresenceChanged) => presence.push(fact))
    await vi.waitFor(() => expect(presence).toContainEqual({ clientId: STALLED, online: true }))
    // One after the other, so that Engine.IO sends many small batches.
    for (let index = 0; index < 1_000; index++) {
      await admin.emitWithAck('message:send', { clientId: STALLED, nonce: `admin-${index}-x`, message: LONG })
    }
    await vi.waitFor(() => expect(presence).toContainEqual({ clientId: STALLED, online: false }), 25_000)
  })
})
