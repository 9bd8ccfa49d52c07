/**
 * What both yardsticks of the hub share: the least code on Socket.IO that stores, acknowledges and relays messages. One
 * commit per iteration of the event loop, acknowledgement after the commit. No authentication beyond a value of the
 * handshake, no validation, no permissions, no limits, no read marks, no unread facts, no presence, no logging. With
 * REDIS_URL it is one of several that pass on what they emit, by Socket.IO's own adapter.
 */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ADMIN_NAMESPACE, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { createClient } from '@redis/client'
import { createAdapter } from '@socket.io/redis-adapter'
import { type Namespace, Server, type Socket } from 'socket.io'

export interface Send {
  clientId: string
  senderId: string
  message: string
  nonce: string
}

/** An empty database with the durability of the product. */
export function openYardstick(): DatabaseSync {
  const { DATA_DIR } = process.env
  if (DATA_DIR === undefined) throw new Error('DATA_DIR is needed')
  const db = new DatabaseSync(join(DATA_DIR, 'yardstick.sqlite'))
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('PRAGMA synchronous = FULL')
  db.exec('PRAGMA foreign_keys = ON')
  db.exec('PRAGMA mmap_size = 268435456')
  return db
}

/** Listens on HOST and PORT. `store` runs inside the transaction. */
export async function serveYardstick(db: DatabaseSync, store: (send: Send) => Message): Promise<void> {
  const { HOST, PORT, REDIS_URL } = process.env
  if (HOST === undefined || PORT === undefined) throw new Error('HOST and PORT are needed')
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')]
  let queue: { send: Send; stored: (message: Message) => void }[] = []

  function commitQueue(): void {
    const jobs = queue
    queue = []
    begin.run()
    const messages = jobs.map((job) => store(job.send))
    commit.run()
    for (const [index, job] of jobs.entries()) job.stored(messages[index] as Message)
  }

  const http = createServer((_request, response) => response.end('ok'))
  const io = new Server(http, { transports: ['websocket'], serveClient: false, perMessageDeflate: false })
  if (REDIS_URL) {
    const publisher = createClient({ url: REDIS_URL })
    const subscriber = publisher.duplicate()
    await Promise.all([publisher.connect(), subscriber.connect()])
    io.adapter(createAdapter(publisher, subscriber))
  }
  const visitors: Namespace = io.of(VISITOR_NAMESPACE)
  const admins: Namespace = io.of(ADMIN_NAMESPACE)

  function serveSends(socket: Socket, senderId: string, conversationOf: (input: Send) => string): void {
    socket.on('message:send', (input: Send, reply: (answer: { ok: true; data: Message }) => void) => {
      const { nonce, message } = input
      const clientId = conversationOf(input)
      if (queue.length === 0) setImmediate(commitQueue)
      queue.push({
        send: { clientId, senderId, message, nonce },
        stored(stored) {
          reply({ ok: true, data: stored })
          if (socket.nsp === visitors) {
            socket.to(clientId).emit('message:created', stored)
            admins.emit('message:created', stored)
          } else {
            visitors.to(clientId).emit('message:created', stored)
            socket.broadcast.emit('message:created', stored)
          }
        },
      })
    })
  }

  visitors.on('connection', (socket) => {
    const { clientId } = socket.handshake.auth as { clientId: string }
    socket.join(clientId)
    serveSends(socket, clientId, () => clientId)
  })
  admins.on('connection', (socket) => serveSends(socket, socket.id, (input) => input.clientId))

  http.listen(Number(PORT), HOST)
}
