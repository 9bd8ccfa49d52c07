import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@proctorpass/shared/errors'
import type { AdminSocket, VisitorSocket } from './types.ts'

/** A reader who is this far behind is dropped, and catches up by seq when they are back. */
export const WAITING_BYTES_MAX = 1024 * 1024
const LOOK_AGAIN_MS = 50

/** A connection of Engine.IO, as far as it shows what it has still to send. */
export interface Connection {
  writeBuffer: { data?: string | Buffer }[]
  transport: { socket?: { bufferedAmount: number } }
}

/**
 * Bytes that wait for this client to read. Most of them wait above the socket: Engine.IO hands over one batch and
 * keeps the rest until that has gone.
 */
export function waitingBytes({ transport, writeBuffer }: Connection): number {
  let bytes = transport.socket?.bufferedAmount ?? 0
  for (const { data } of writeBuffer) bytes += data?.length ?? 0
  return bytes
}

/**
 * Reads one page at a time for a socket, and the next only when the client has taken the last. A page may be ten
 * thousand times as long as the question for it: whoever asks without reading would fill the memory in a second.
 */
export function inTurn<T>(socket: VisitorSocket | AdminSocket, read: () => Promise<T>): Promise<T> {
  const turn = (socket.data.lastPage ?? Promise.resolve()).then(async () => {
    while (socket.connected && waitingBytes(socket.conn as unknown as Connection) > WAITING_BYTES_MAX) {
      await wait(LOOK_AGAIN_MS)
    }
    if (!socket.connected) throw new AppError('rate-limited', 'Nobody is there to read this any more.')
    return read()
  })
  // The answer is written in the turn in which the page is there: the next one looks after that.
  socket.data.lastPage = turn.then(nextTurn, nextTurn)
  return turn
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
