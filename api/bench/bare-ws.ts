/**
 * The least server on `ws`: a publisher names a listener, who gets the text if connected at that moment. Nothing is
 * stored, acknowledged, or repeated.
 */
import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'

const { HOST, PORT } = process.env
const listeners = new Map<string, WebSocket>()
const http = createServer((_request, response) => response.end('ok'))

new WebSocketServer({ server: http, perMessageDeflate: false }).on('connection', (socket, { url = '' }) => {
  const clientId = url.slice(1)
  socket.on('error', () => socket.terminate())
  if (clientId === '') {
    socket.on('message', (data) => {
      const { to, text } = JSON.parse(String(data)) as { to: string; text: string }
      listeners.get(to)?.send(text)
    })
    return
  }
  listeners.set(clientId, socket)
  socket.on('close', () => {
    if (listeners.get(clientId) === socket) listeners.delete(clientId)
  })
})

http.listen(Number(PORT), HOST)
