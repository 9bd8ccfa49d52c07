import type { Server as HttpServer, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../limits/limits.ts'

export interface ConnectionLimits {
  /** A connection with bytes to send that sends none of them for this long is closed. */
  stalledMs: number
  sweepMs: number
  /** HTTP connections of one address. Forty people behind one, whose browsers open six each, are 240. */
  perAddress: number
  /** Bytes of all connections that wait to be sent: no more is begun. From half of it on those that take nothing go. */
  waitingBytes: number
}

/** Default of ConnectionLimits.stalledMs. */
export const STALLED_MS = 30_000

const LIMITS: ConnectionLimits = {
  stalledMs: STALLED_MS,
  sweepMs: 1_000,
  perAddress: 250,
  waitingBytes: 256 * 1024 * 1024,
}
/** Requests of one connection that wait for the answer to the one before. Browsers and proxies send none. */
const PIPELINED_MAX = 16

/** Why a connection was closed: no progress, too many of an address, too many bytes in all, too many requests. */
export type ClosedFor = 'stalled' | 'address' | 'waiting-bytes' | 'pipelined'

interface Connection {
  socket: Socket
  network: string | null
  /** A request is being answered. */
  busy: boolean
  /** Requests whose turn comes later. */
  waiting: (() => void)[]
  sent: number
  queued: number
  movedAt: number
}

export interface Connections {
  /** False when so many bytes wait already that this answer must not be begun. */
  admits(bytes: number): boolean
  /** To be called once all listeners for requests are there. */
  answerInTurn(): void
  state(): { open: number; waitingBytes: number; closed: Readonly<Record<ClosedFor, number>> }
}

/** Bounds what connections hold: by address, by what their peers do not read, and all together. */
export function boundConnections(
  server: HttpServer,
  {
    countsByAddress,
    limits,
  }: {
    /** Not a proxy's, which holds the connections of all people. */
    countsByAddress: (address: string) => boolean
    limits?: Partial<ConnectionLimits> | undefined
  },
): Connections {
  const { stalledMs, sweepMs, perAddress, waitingBytes: waitingMax } = { ...LIMITS, ...limits }
  const connections = new Map<Socket, Connection>()
  const networks = new Map<string, Set<Connection>>()
  const closed: Record<ClosedFor, number> = { stalled: 0, address: 0, 'waiting-bytes': 0, pipelined: 0 }
  /** As measured last, and what was begun since then. */
  let waiting = 0

  function close({ socket }: Connection, reason: ClosedFor): void {
    if (socket.destroyed) return
    closed[reason] += 1
    // Not `destroy`: what the kernel holds for this peer is given back at once.
    socket.resetAndDestroy()
  }

  /** No longer counted for its address: it closed, or is a WebSocket, of which the hub counts its own. */
  function release(connection: Connection): void {
    const { network } = connection
    if (network === null) return
    connection.network = null
    const others = networks.get(network)
    others?.delete(connection)
    if (others?.size === 0) networks.delete(network)
  }

  /** The one used last is the last of its address. */
  function touch(network: string, connection: Connection): Set<Connection> {
    const all = networks.get(network) ?? new Set()
    all.delete(connection)
    networks.set(network, all.add(connection))
    return all
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    const network = countsByAddress(remoteAddress) ? networkOf(remoteAddress) : null
    const now = performance.now()
    const connection: Connection = {
      socket,
      network,
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
    if (network === null) return
    const others = touch(network, connection)
    if (others.size <= perAddress) return
    // The one that is idle longest makes room: browsers behind one address keep some that they no longer use.
    for (const other of others) if (!other.busy) return close(other, 'address')
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

  /** Whether the peer has taken anything since the last look. */
  function moved(connection: Connection): boolean {
    const { socket } = connection
    const sent = socket.bytesWritten - socket.writableLength
    // Within one long write only the handle knows how much is left.
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
    admits(bytes) {
      if (waiting + bytes > waitingMax && measure() + bytes > waitingMax) return false
      waiting += bytes
      return true
    },

    answerInTurn() {
      const listeners = server.listeners('request') as RequestListener[]
      server.removeAllListeners('request')
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const answer = () => {
          for (const listener of listeners) listener.call(server, request, response)
        }
        const connection = connections.get(request.socket)
        if (connection === undefined) return answer()
        const inTurn = () => {
          connection.busy = true
          // After the last byte has gone to the system, or the connection broke.
          response.once('close', () => {
            connection.busy = false
            if (connection.network !== null) touch(connection.network, connection)
            connection.waiting.shift()?.()
          })
          answer()
        }
        if (!connection.busy) inTurn()
        else if (connection.waiting.length < PIPELINED_MAX) connection.waiting.push(inTurn)
        else close(connection, 'pipelined')
      })
    },

    state: () => ({ open: connections.size, waitingBytes: measure(), closed }),
  }
}

/** Smaller answers fit into what the system keeps for a connection. */
const LARGE_BYTES = 64 * 1024
const OF_THE_BODY = ['content-length', 'content-encoding', 'content-disposition', 'etag', 'vary']

/** While too many bytes wait for peers that do not read, no large answer is begun. */
export function refuseLargeAnswers(app: FastifyInstance, connections: Connections): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    const bytes = isWhole ? payload.length : Number(reply.getHeader('content-length') ?? 0)
    if (bytes < LARGE_BYTES || connections.admits(bytes)) return payload
    if (payload instanceof Readable) payload.destroy()
    for (const name of OF_THE_BODY) reply.removeHeader(name)
    throw new AppError('unavailable', 'The server is busy. Please try again in a moment.', {
      retryAfterMs: 5_000,
    })
  })
}
