import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { io } from 'socket.io-client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createPresenceTracker } from './presence.ts'
import type { AdminSocket, Namespaces, VisitorSocket } from './types.ts'

it('visitors who return together are emitted together, after what the server does at that moment', async () => {
  const http = createServer().listen(0, '127.0.0.1')
  const server = new Server(http)
  const namespaces = { visitors: server.of('/visitor'), admins: server.of('/admin') } as unknown as Namespaces
  namespaces.visitors.on('connection', (socket) => {
    socket.data.caller = { clientId: socket.handshake.auth.clientId } as VisitorSocket['data']['caller']
  })
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const open = (namespace: string, auth = {}) =>
    io(`http://127.0.0.1:${port}${namespace}`, { transports: ['websocket'], forceNew: true, auth })
  const received: unknown[] = []
  const admin = open('/admin').onAny((event, fact) => received.push(fact ?? event))
  const ids = ['one', 'two', 'three']
  const clients = [admin, ...ids.map((clientId) => open('/visitor', { clientId }))]
  onTestFinished(async () => {
    for (const client of clients) client.disconnect()
    await server.close()
  })
  await vi.waitFor(() => expect(clients.every(({ connected }) => connected)).toBe(true))

  const presence = createPresenceTracker(namespaces, { emitToPeers: () => {}, onVisitors: () => {} })
  onTestFinished(presence.leave)
  for (const socket of namespaces.visitors.sockets.values()) presence.visitorJoined(socket as VisitorSocket)
  // An admin who joins meanwhile must not get the same facts twice.
  for (const socket of namespaces.admins.sockets.values()) presence.adminJoined(socket as AdminSocket)
  namespaces.admins.emit('now:changed')

  await vi.waitFor(() => expect(received).toHaveLength(4))
  expect(received[0]).toBe('now:changed')
  expect(received.slice(1)).toEqual(
    expect.arrayContaining(ids.map((clientId) => ({ clientId, online: true }))),
  )
})
