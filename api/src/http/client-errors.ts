import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError, toWireError } from '@proctorpass/shared/errors'

const ANSWERS: Record<string, [status: string, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'too-large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'unavailable', 'The request took too long to arrive.'],
}

/** What Node cannot read as HTTP never becomes a request; it is answered in the one shape all the same. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, message] = ANSWERS[error.code ?? ''] ?? [
    '400 Bad Request',
    'invalid-input',
    'This is not valid HTTP.',
  ]
  answerRaw(socket, status, { code, message, retryable: code === 'unavailable' })
}

/** A tunnel through this server (CONNECT) leads nowhere: Node would close the connection without a word. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_request, socket) => {
    answerError(socket, new AppError('method-not-allowed', 'This cannot be done here.'))
  })
}

/** Answers an error where there is no reply of Fastify's, and closes the connection. */
export function answerError(socket: Duplex, error: unknown): void {
  const { requestId: _, ...wire } = toWireError(error, '')
  const status = error instanceof AppError ? error.status : 500
  const retryAfter = wire.retryAfterMs === undefined ? null : Math.ceil(wire.retryAfterMs / 1_000)
  answerRaw(socket, `${status} ${STATUS_CODES[status]}`, wire, retryAfter)
}

/** Answers in the one shape on a bare connection, and closes it. */
function answerRaw(
  socket: Duplex,
  status: string,
  error: { code: string; message: string; retryable?: boolean },
  retryAfterSeconds: number | null = null,
): void {
  const body = JSON.stringify({ ...error, requestId: crypto.randomUUID() })
  // The other side may be gone.
  socket.on('error', () => socket.destroy())
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      ...(retryAfterSeconds === null ? [] : [`Retry-After: ${retryAfterSeconds}`]),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
