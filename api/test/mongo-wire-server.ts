import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { BSON, type Document } from 'mongodb'

const HEADER = 16
const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013

const HELLO = {
  ...{ ok: 1, isWritablePrimary: true, ismaster: true, helloOk: true, minWireVersion: 0, maxWireVersion: 21 },
  ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
}

/**
 * A server that speaks MongoDB's wire protocol and holds nothing: for answers that the servers of the tests do not
 * give. It greets the driver; `answer` answers everything else, and adds to its `hello`.
 */
export async function openWireServer(
  answer: (command: Document) => Document,
): Promise<{ url: string; close: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let received = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      while (received.length >= HEADER && received.length >= received.readInt32LE(0)) {
        const length = received.readInt32LE(0)
        socket.write(replyTo(received.subarray(0, length), answer))
        received = received.subarray(length)
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function replyTo(message: Buffer, answer: (command: Document) => Document): Buffer {
  const isQuery = message.readInt32LE(12) === OP_QUERY
  // Before the document, a query has flags, a name and two numbers; a message has flags and one byte.
  const start = isQuery ? message.indexOf(0, HEADER + 4) + 9 : HEADER + 5
  const command = BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)))
  const isHello = 'hello' in command || 'ismaster' in command
  const document = BSON.serialize(isHello ? { ...HELLO, ...answer(command) } : answer(command))
  const before = Buffer.alloc(isQuery ? 20 : 5)
  if (isQuery) before.writeInt32LE(1, 16)
  const header = Buffer.alloc(HEADER)
  header.writeInt32LE(HEADER + before.length + document.length, 0)
  header.writeInt32LE(message.readInt32LE(4), 8)
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12)
  return Buffer.concat([header, before, document])
}
