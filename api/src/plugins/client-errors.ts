import type { Socket } from 'node:net'

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
  const body = JSON.stringify({
    message,
    code,
    retryable: code === 'unavailable',
    requestId: crypto.randomUUID(),
  })
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
