import type { Server as HttpServer, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance } from 'fastify'
import { networkOf, WIDER, widerNetworkOf } from '../limits/networks.ts'

export interface ConnectionLimits {
  /** Closes a connection whose pending bytes do not move for this long. */
  stalledMs: number
  sweepMs: number
  /**
   * HTTP connections of one network; an IPv6 /48 may have eight times as many. Forty people behind one address, with
   * six connections for each browser, need 240.
   */
  perAddress: number
  /**
   * Pending bytes of all connections together. Beyond this number, large answers are refused. From half of it on,
   * stalled connections are closed.
   */
  waitingBytes: number
}

/** The default of ConnectionLimits.stalledMs. */
export const STALLED_MS = 30_000

const LIMITS: ConnectionLimits = {
  stalledMs: STALLED_MS,
  sweepMs: 1_000,
  perAddress: 250,
  waitingBytes: 256 * 1024 * 1024,
}
/** Requests of one connection that may wait for the previous answer. Browsers and proxies do not pipeline. */
const PIPELINED_MAX = 16

export type CloseReason = 'stalled' | 'address' | 'waiting-bytes' | 'pipelined'

interface Connection {
  socket: Socket
  /** The networks that count this connection, the narrowest first; empty for a proxy's connection. */
  networks: readonly string[]
  /** Whether a request is being answered. */
  busy: boolean
  /** Pipelined requests that wait for the answer before them. */
  waiting: (() => void)[]
  sent: number
  queued: number
  movedAt: number
}

/**
 * Limits connections by network, by the pending bytes of slow readers, and in total.
 * @see docs/decisions/0035-connections.md
 */
export function limitConnections(
  server: HttpServer,
  {
    countsByAddress,
    limits,
  }: {
    /** False for a proxy, which has the connections of all clients. */
    countsByAddress: (address: string) => boolean
    limits?: Partial<ConnectionLimits> | undefined
  },
) {
  const { stalledMs, sweepMs, perAddress, waitingBytes: waitingMax } = { ...LIMITS, ...limits }
  const connections = new Map<Socket, Connection>()
  const networks = new Map<string, Set<Connection>>()
  const closed: Record<CloseReason, number> = { stalled: 0, address: 0, 'waiting-bytes': 0, pipelined: 0 }
  /** The last measurement, plus the answers that were begun since. */
  let waiting = 0

  function close({ socket }: Connection, reason: CloseReason): void {
    if (socket.destroyed) return
    closed[reason] += 1
    // Unlike `destroy`, a reset frees the kernel's buffers at once.
    socket.resetAndDestroy()
  }

  /** Stops counting the connection for its networks, because it closed, or became a WebSocket, which the hub counts. */
  function release(connection: Connection): void {
    for (const network of connection.networks) {
      const others = networks.get(network)
      others?.delete(connection)
      if (others?.size === 0) networks.delete(network)
    }
    connection.networks = []
  }

  /** Moves the connection to the end of its networks' sets, which are ordered by last use. */
  function touch(connection: Connection): void {
    for (const network of connection.networks) {
      const all = networks.get(network) ?? new Set()
      all.delete(connection)
      networks.set(network, all.add(connection))
    }
  }

  /**
   * Closes the longest idle connection of a network with too many, because browsers keep connections that they no
   * longer use.
   */
  function closeOneOfMany(network: string, max: number): void {
    const all = networks.get(network)
    if (all === undefined || all.size <= max) return
    const idle = [...all].find((each) => !each.busy)
    if (idle !== undefined) close(idle, 'address')
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    const [own, wider] = countsByAddress(remoteAddress)
      ? [networkOf(remoteAddress), widerNetworkOf(remoteAddress)]
      : [null, null]
    const now = performance.now()
    const connection: Connection = {
      socket,
      networks: [own, wider].filter((network) => network !== null),
      busy: false,
      waiting: [],
      sent: 0,
      queued: 0,
      movedAt: now,
    }
    connections.set(socket, connection)
    socket.once('close', () => {
      connections.delete(socket)
      connection.waiting.length = 0
      release(connection)
    })
    touch(connection)
    if (own !== null) closeOneOfMany(own, perAddress)
    if (wider !== null) closeOneOfMany(wider, perAddress * WIDER.times)
  })

  server.prependListener('upgrade', (request: IncomingMessage) => {
    const connection = connections.get(request.socket)
    if (connection !== undefined) release(connection)
  })

  function measure(): number {
    waiting = 0
    for (const socket of connections.keys()) waiting += socket.writableLength
    return waiting
  }

  /** Whether the peer has read anything since the last sweep. */
  function moved(connection: Connection): boolean {
    const { socket } = connection
    const sent = socket.bytesWritten - socket.writableLength
    // Only the handle shows the progress within one long write.
    const queued = (socket as { _handle?: { writeQueueSize?: number } })._handle?.writeQueueSize ?? 0
    const isSame = sent === connection.sent && queued === connection.queued
    connection.sent = sent
    connection.queued = queued
    return !isSame
  }

  function sweep(): void {
    const now = performance.now()
    const stuck: Connection[] = []
    for (const connection of connections.values()) {
      if (moved(connection) || connection.socket.writableLength === 0) connection.movedAt = now
      else if (now - connection.movedAt >= stalledMs) close(connection, 'stalled')
      else stuck.push(connection)
    }
    if (measure() <= waitingMax / 2) return
    stuck.sort((a, b) => b.socket.writableLength - a.socket.writableLength)
    for (const connection of stuck) {
      if (waiting <= waitingMax / 2) return
      waiting -= connection.socket.writableLength
      close(connection, 'waiting-bytes')
    }
  }
  const timer = setInterval(sweep, sweepMs).unref()
  server.once('close', () => clearInterval(timer))

  return {
    /** Returns false if too many bytes are pending to begin this answer. */
    admits(bytes: number): boolean {
      if (waiting + bytes > waitingMax && measure() + bytes > waitingMax) return false
      waiting += bytes
      return true
    },

    /** Answers pipelined requests one by one. Call this after all 'request' listeners were added. */
    serializePipelined(): void {
      const listeners = server.listeners('request') as RequestListener[]
      server.removeAllListeners('request')
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const answer = () => {
          for (const listener of listeners) listener.call(server, request, response)
        }
        const connection = connections.get(request.socket)
        if (connection === undefined) return answer()
        const start = () => {
          connection.busy = true
          // The last byte was passed to the kernel, or the connection broke.
          response.once('close', () => {
            connection.busy = false
            touch(connection)
            connection.waiting.shift()?.()
          })
          answer()
        }
        if (!connection.busy) start()
        else if (connection.waiting.length < PIPELINED_MAX) connection.waiting.push(start)
        else close(connection, 'pipelined')
      })
    },

    state: (): { open: number; waitingBytes: number; closed: Readonly<Record<CloseReason, number>> } => ({
      open: connections.size,
      waitingBytes: measure(),
      closed,
    }),
  }
}

export type Connections = ReturnType<typeof limitConnections>

/** Smaller answers fit into a connection's kernel buffer. */
const LARGE_BYTES = 64 * 1024
const BODY_HEADERS = ['content-length', 'content-encoding', 'content-disposition', 'etag', 'vary']

/** Refuses large answers while too many bytes are pending. */
export function refuseLargeAnswers(app: FastifyInstance, connections: Connections): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    const bytes = isWhole ? payload.length : Number(reply.getHeader('content-length') ?? 0)
    if (bytes < LARGE_BYTES || connections.admits(bytes)) return payload
    if (payload instanceof Readable) payload.destroy()
    for (const name of BODY_HEADERS) reply.removeHeader(name)
    throw new AppError('unavailable', 'The server is busy. Try again in a moment.', {
      retryAfterMs: 5_000,
    })
  })
}
