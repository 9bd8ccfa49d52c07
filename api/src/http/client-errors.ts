import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ANY_CALL, CALL_HEADER } from '@proctorpass/shared/call-name'
import { AppError, toWireError } from '@proctorpass/shared/errors'

// This is not an import, because an import reads every export, and WebSocket among them loads undici (14 MB and 40 ms).
const { STATUS_CODES } = process.getBuiltinModule('node:http')

const CLIENT_ERRORS: Record<string, [status: number, error: AppError]> = {
  HPE_HEADER_OVERFLOW: [431, new AppError('too-large', 'The headers are too large.')],
  ERR_HTTP_REQUEST_TIMEOUT: [408, new AppError('unavailable', 'The request took too long to arrive.')],
}
const NOT_HTTP: [number, AppError] = [400, new AppError('invalid-input', "This isn't valid HTTP.")]

/** A peer that has its answer must close its side within this time. */
const CLOSING_MS = 2_000

/** Answers bytes that Node cannot parse as HTTP, and that therefore never become a request. */
export function answerClientError({ code = '' }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, error] = CLIENT_ERRORS[code] ?? NOT_HTTP
  answerError(socket, error, status)
}

/** Answers CONNECT with 405, because Node would close the connection without an answer. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_request, socket) => {
    answerError(socket, new AppError('method-not-allowed', "This method isn't allowed here."))
  })
}

/** Answers an error on a raw connection, and closes the connection. */
export function answerError(
  socket: Duplex,
  error: unknown,
  status = error instanceof AppError ? error.status : 500,
): void {
  const wire = toWireError(error, crypto.randomUUID())
  const body = JSON.stringify(wire)
  // The peer may have disconnected.
  socket.on('error', () => socket.destroy())
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      `${CALL_HEADER}: ${ANY_CALL}`,
      ...(wire.retryAfterMs === undefined ? [] : [`Retry-After: ${Math.ceil(wire.retryAfterMs / 1_000)}`]),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  // Neither Node nor `limitConnections` ends a connection that only the peer keeps open.
  const closing = setTimeout(() => socket.destroy(), CLOSING_MS).unref()
  socket.once('close', () => clearTimeout(closing))
}
