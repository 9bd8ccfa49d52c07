import type { AddressInfo } from 'node:net'
import type { PresenceChanged } from '@proctorpass/shared/events'
import { io } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const DEAF = 'Visitor0000000000001'
const OTHER = 'Visitor0000000000002'
const LONG = '😀'.repeat(3_900)

let running: TestApp
let address: string
const open: { close(): unknown }[] = []

beforeEach(async () => {
  running = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  await running.app.listen({ host: '127.0.0.1', port: 0 })
  address = `127.0.0.1:${(running.app.server.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const each of open.splice(0)) each.close()
  await running.close()
})

async function append(count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      running.storage.messages.append({
        clientId: DEAF,
        senderId: DEAF,
        message: LONG,
        nonce: `nonce-${index}-x`,
        epoch: undefined,
        at: Date.now(),
      }),
    ),
  )
}

/** A visitor whose program can stop reading what comes, and has. */
async function deafVisitor(): Promise<{ say(frame: string): void; heard: string[]; listen(): void }> {
  const socket = new WebSocket(`ws://${address}/socket.io/?EIO=4&transport=websocket`)
  open.push({ close: () => socket.terminate() })
  const heard: string[] = []
  await new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const frame = String(data)
      if (frame.startsWith('0')) socket.send(`40/visitor,{"clientId":"${DEAF}"}`)
      else if (frame.startsWith('40')) resolve()
      else if (frame.startsWith('43')) heard.push(frame.slice(0, 40))
    })
  })
  socket.pause()
  return { say: (frame) => socket.send(frame), heard, listen: () => socket.resume() }
}

describe('what waits for a client that does not read', () => {
  it('holds a few pages, and the others are read as they are taken', async () => {
    await append(20)
    const reads = vi.spyOn(running.storage.messages, 'page')
    const visitor = await deafVisitor()
    // 25 MB: more than the buffers between the two sockets take.
    for (let index = 0; index < 100; index++) visitor.say(`42/visitor,${index}["conversation:sync",{}]`)

    const other = io(`http://${address}/visitor`, { transports: ['websocket'], auth: { clientId: OTHER } })
    open.push(other)
    await vi.waitFor(() => expect(reads.mock.calls.length).toBeGreaterThan(1))
    for (let round = 0; round < 20; round++) await other.emitWithAck('conversation:sync', {})
    expect(reads.mock.calls.filter(([clientId]) => clientId === DEAF).length).toBeLessThan(60)

    visitor.listen()
    await vi.waitFor(() => expect(visitor.heard).toHaveLength(100), 20_000)
  }, 30_000)

  it('has an end also when it is many small things, and the client is let go', async () => {
    await append(1)
    await deafVisitor()
    const { accessToken } = await running.signIn()
    const admin = io(`http://${address}/admin`, { transports: ['websocket'], auth: { token: accessToken } })
    open.push(admin)
    const presence: PresenceChanged[] = []
    admin.on('presence:changed', (fact: PresenceChanged) => presence.push(fact))
    await vi.waitFor(() => expect(presence).toContainEqual({ clientId: DEAF, online: true }))
    // One after the other: each finds the one before on its way, and none goes in a great heap.
    for (let index = 0; index < 1_000; index++) {
      await admin.emitWithAck('message:send', { clientId: DEAF, nonce: `admin-${index}-x`, message: LONG })
    }
    await vi.waitFor(() => expect(presence).toContainEqual({ clientId: DEAF, online: false }), 25_000)
  }, 30_000)
})
