/**
 * The yardstick: the least code on Socket.IO and node:sqlite that stores, acknowledges and relays a message under
 * the product's promises. Same namespaces, events, tables, statements and PRAGMAs, one commit per iteration of
 * the event loop, acknowledgement after the commit. No validation, no permissions, no limits, no read marks, no unread
 * facts, no presence, no logging: what the product costs beyond this is what its features cost. With REDIS_URL it is one
 * of several that pass on what they emit, by Socket.IO's own adapter.
 */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ADMIN_NAMESPACE, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { createClient } from '@redis/client'
import { createAdapter } from '@socket.io/redis-adapter'
import { type Namespace, Server, type Socket } from 'socket.io'
import { newEpoch, newId } from '../src/storage/ids.ts'
import { migrate } from '../src/storage/sqlite/schema.ts'

const { HOST, PORT, DATA_DIR, REDIS_URL } = process.env
if (HOST === undefined || PORT === undefined || DATA_DIR === undefined) {
  throw new Error('HOST, PORT and DATA_DIR are needed')
}

const db = new DatabaseSync(join(DATA_DIR, 'bare.sqlite'))
db.exec('PRAGMA journal_mode = WAL')
db.exec('PRAGMA synchronous = FULL')
db.exec('PRAGMA foreign_keys = ON')
db.exec('PRAGMA mmap_size = 268435456')
migrate(db)

const sql = {
  begin: db.prepare('BEGIN IMMEDIATE'),
  commit: db.prepare('COMMIT'),
  find: db.prepare('SELECT * FROM conversations WHERE clientId = ?'),
  insertMessage: db.prepare(
    `INSERT INTO messages (clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (clientId, nonce) DO NOTHING`,
  ),
  insertConversation: db.prepare(
    `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount, waitingSince)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ),
  moveConversation: db.prepare(
    'UPDATE conversations SET seq = ?, lastAt = ?, visitorCount = ?, waitingSince = ? WHERE clientId = ?',
  ),
}

interface Conversation {
  epoch: string
  seq: number
  lastAt: number
  visitorCount: number
  waitingSince: number | null
}

interface Send {
  clientId: string
  senderId: string
  message: string
  nonce: string
}

function store({ clientId, senderId, message, nonce }: Send): Message {
  const found = sql.find.get(clientId) as Conversation | undefined
  const fromVisitor = senderId === clientId
  const epoch = found?.epoch ?? newEpoch()
  const seq = (found?.seq ?? 0) + 1
  const createdAt = Math.max(Date.now(), found?.lastAt ?? 0)
  const visitorCount = (found?.visitorCount ?? 0) + (fromVisitor ? 1 : 0)
  const waitingSince = fromVisitor ? (found?.waitingSince ?? createdAt) : null
  const _id = newId(createdAt)
  sql.insertMessage.run(clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount)
  if (found === undefined) {
    sql.insertConversation.run(clientId, epoch, seq, createdAt, visitorCount, waitingSince)
  } else {
    sql.moveConversation.run(seq, createdAt, visitorCount, waitingSince, clientId)
  }
  return {
    _id,
    clientId,
    senderId,
    message,
    createdAt: new Date(createdAt).toISOString(),
    seq,
    epoch,
    nonce,
  }
}

let queue: { send: Send; stored: (message: Message) => void }[] = []

function commitQueue(): void {
  const jobs = queue
  queue = []
  sql.begin.run()
  const messages = jobs.map((job) => store(job.send))
  sql.commit.run()
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
