import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@proctorpass/shared/errors'
import type { Server } from 'socket.io'
import type { HubSocket } from './types.ts'

/** A client with more unread bytes than this is disconnected, and catches up by seq when it reconnects. */
const UNSENT_BYTES_MAX = 1024 * 1024
const POLL_MS = 50
const SWEEP_MS = 5_000

/** The parts of an Engine.IO connection that show its unsent bytes and close it. */
export interface EngineConnection {
  writeBuffer: { data?: string | Buffer }[]
  transport: { socket?: { bufferedAmount: number; _socket?: Writable } }
  close: (discard?: boolean) => void
}

export function engineConnections(io: Server): EngineConnection[] {
  return Object.values((io.engine as unknown as { clients: Record<string, EngineConnection> }).clients)
}

/**
 * Returns a connection's unsent bytes. Most of them are queued above the WebSocket, because Engine.IO hands over one
 * batch and holds the rest until that batch was sent.
 */
function unsentBytes({ transport, writeBuffer }: EngineConnection): number {
  let bytes = transport.socket?.bufferedAmount ?? 0
  for (const { data } of writeBuffer) bytes += data?.length ?? 0
  return bytes
}

/**
 * Writes what waits for a connection in one system call. An admin receives every message of a commit, and `ws` would
 * write each of these frames by itself.
 */
export function joinWrites(io: Server): void {
  const tcpOf = ({ transport }: EngineConnection) => transport.socket?._socket
  // Engine.IO emits both events in the same call, before and after it hands the packets to `ws`.
  io.engine.on('flush', (connection: EngineConnection, packets: unknown[]) => {
    if (packets.length > 1) tcpOf(connection)?.cork()
  })
  io.engine.on('drain', (connection: EngineConnection) => tcpOf(connection)?.uncork())
}

/**
 * Disconnects clients that do not read, which bounds the memory they hold. Returns a function that stops these checks.
 */
export function dropSlowReaders(io: Server): () => void {
  const sweep = setInterval(() => {
    for (const connection of engineConnections(io)) {
      if (unsentBytes(connection) > UNSENT_BYTES_MAX) connection.close(true)
    }
  }, SWEEP_MS).unref()
  return () => clearInterval(sweep)
}

/**
 * Reads one page at a time for a socket, and the next when the client has received the last. A page may be ten thousand
 * times as long as its command, so a client that sends commands without reading would fill the memory in a second.
 */
export function queuePage<T>(socket: HubSocket, read: () => Promise<T>): Promise<T> {
  const page = (socket.data.lastPage ?? Promise.resolve()).then(async () => {
    while (socket.connected && unsentBytes(socket.conn as unknown as EngineConnection) > UNSENT_BYTES_MAX) {
      await wait(POLL_MS)
    }
    if (!socket.connected) throw new AppError('rate-limited', 'The client disconnected.')
    return read()
  })
  // The answer is written in the event-loop iteration in which the page resolves, so the next read starts after that.
  socket.data.lastPage = page.then(nextIteration, nextIteration)
  return page
}

const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve))
