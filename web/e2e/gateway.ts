import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'

export interface Foreign {
  status: number
  /** A body that is no text is sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

/** Passes an upgraded connection on to a port of this machine. */
export function passSocketOn(port: number, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const onward = connect(port)
  const lines = incoming.rawHeaders.map((text, index) => (index % 2 ? `${text}\r\n` : `${text}: `)).join('')
  onward.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines}\r\n`)
  onward.write(head)
  onward.pipe(socket).pipe(onward)
  onward.on('error', () => socket.destroy())
  socket.on('error', () => onward.destroy())
}

/** Decides what a gateway does with a call: it answers, or passes the call on if this returns null. */
type Decide = (call: { method: string; path: string; bytes: number }) => Foreign | null

/** This proxy in front of the product sometimes answers in its place, as gateways do. */
export class Gateway {
  /** Decides about each call under /api. */
  decide: Decide = () => null
  /** Says whether the gateway passes sockets on. */
  hasSockets = true
  /** Says whether the gateway keeps the first answer to each path, even if the method or the headers forbid it. */
  keeps = false
  private target = 0
  private readonly sockets = new Set<Duplex>()
  private readonly kept = new Map<string, Promise<[IncomingMessage, Buffer]>>()
  private readonly server = createServer((incoming, response) => void this.pass(incoming, response))

  static async open(): Promise<Gateway> {
    const gateway = new Gateway()
    gateway.server.on('upgrade', (incoming, socket, head) => {
      if (!gateway.hasSockets) return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
      gateway.sockets.add(socket.once('close', () => gateway.sockets.delete(socket)))
      passSocketOn(gateway.target, incoming, socket, head)
    })
    gateway.server.listen(0, '127.0.0.1')
    await once(gateway.server, 'listening')
    return gateway
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  passTo(origin: string): void {
    this.target = Number(new URL(origin).port)
  }

  /** Ends all sockets. Until `reopen`, the gateway answers every call under /api in the product's place. */
  shut(answer: Foreign): void {
    this.decide = () => answer
    this.hasSockets = false
    this.endConnections()
  }

  reopen(): void {
    this.decide = () => null
    this.hasSockets = true
  }

  close(): void {
    this.endConnections()
    this.server.close()
  }

  private endConnections(): void {
    for (const socket of this.sockets) socket.destroy()
    this.server.closeAllConnections()
  }

  private async pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = incoming
    const [path = ''] = url.split('?')
    const body = await buffer(incoming).catch(() => Buffer.alloc(0))
    const foreign = path.startsWith('/api/') ? this.decide({ method, path, bytes: body.length }) : null
    if (foreign !== null) {
      const { status, body: sent = '', headers } = foreign
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      return void response.end(typeof sent === 'string' ? sent : JSON.stringify(sent))
    }
    const asked = (this.keeps && this.kept.get(path)) || this.ask(incoming, body)
    this.kept.set(path, asked)
    await asked.then(
      ([answer, bytes]) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        response.end(bytes)
      },
      () => response.destroy(),
    )
  }

  private async ask(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<[IncomingMessage, Buffer]> {
    const onward = request({ port: this.target, method, path: url, headers })
    onward.end(body)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    return [answer, await buffer(answer)]
  }
}
