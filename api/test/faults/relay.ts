import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Random } from './random.ts'

/**
 * What becomes of one TCP connection after a while. `cut`: both ends are closed at once. `deaf`: what the server
 * says is dropped (acknowledgements are lost) while the client is still heard, and nobody is told. `half-close`:
 * the same, but the client sees the server's end. `slow`: every piece is late, in order.
 */
type Fault = { kind: 'none' | 'slow' } | { kind: 'cut' | 'deaf' | 'half-close'; afterMs: number }

export interface RelayCounts {
  connections: number
  cuts: number
  deaf: number
  halfClosed: number
  slow: number
}

/** How long a connection that has gone deaf stays open. */
const DEAF_MS = 2_000

/** One person's bad line to the server: a TCP relay on a port of its own. */
export class Relay {
  readonly counts: RelayCounts = { connections: 0, cuts: 0, deaf: 0, halfClosed: 0, slow: 0 }
  readonly #server: Server
  readonly #random: Random
  readonly #targetPort: number
  readonly #open = new Set<() => void>()
  #calm = false

  private constructor(targetPort: number, random: Random) {
    this.#targetPort = targetPort
    this.#random = random
    this.#server = createServer((client) => this.#carry(client))
  }

  static async open(targetPort: number, random: Random): Promise<Relay> {
    const relay = new Relay(targetPort, random)
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  get origin(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the relay is closed')
    return `http://127.0.0.1:${address.port}`
  }

  /** From now on the line is good; bad connections are closed. */
  calm(): void {
    this.#calm = true
    for (const close of this.#open) close()
  }

  close(): void {
    this.#server.close()
    for (const close of this.#open) close()
  }

  #carry(client: Socket): void {
    this.counts.connections += 1
    const fault = this.#calm ? ({ kind: 'none' } as const) : chooseFault(this.#random)
    const server = connect({ port: this.#targetPort, host: '127.0.0.1', noDelay: true })
    client.setNoDelay(true)
    let deaf = false
    const timers: NodeJS.Timeout[] = []

    const close = () => {
      for (const timer of timers) clearTimeout(timer)
      this.#open.delete(close)
      client.destroy()
      server.destroy()
    }
    this.#open.add(close)
    for (const end of [client, server]) end.on('error', close).on('close', close)

    const lateMs = fault.kind === 'slow' ? this.#random.integer(5, 80) : 0
    // A fixed delay keeps the order.
    const pass = (to: Socket, bytes: Buffer) => {
      if (to.destroyed || !to.writable) return
      if (lateMs === 0) to.write(bytes)
      else setTimeout(() => to.destroyed || to.write(bytes), lateMs)
    }
    client.on('data', (bytes) => pass(server, bytes))
    server.on('data', (bytes) => deaf || pass(client, bytes))

    if (fault.kind === 'slow') this.counts.slow += 1
    if (!('afterMs' in fault)) return
    const strike = () => {
      if (fault.kind === 'cut') {
        this.counts.cuts += 1
        close()
        return
      }
      deaf = true
      if (fault.kind === 'half-close') client.end()
      this.counts[fault.kind === 'deaf' ? 'deaf' : 'halfClosed'] += 1
      timers.push(setTimeout(close, DEAF_MS))
    }
    timers.push(setTimeout(strike, fault.afterMs))
  }
}

function chooseFault(random: Random): Fault {
  const roll = random.next()
  const afterMs = random.integer(20, 2_500)
  if (roll < 0.25) return { kind: 'cut', afterMs }
  if (roll < 0.45) return { kind: 'deaf', afterMs }
  if (roll < 0.55) return { kind: 'half-close', afterMs }
  return roll < 0.7 ? { kind: 'slow' } : { kind: 'none' }
}
