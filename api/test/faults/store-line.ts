import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * What happens to the next write that a node sends: the line is cut before the store has seen it, or after the store
 * has done it and before the node learns of it.
 */
export type Cut = 'before the request' | 'before the reply'

/** The line between one node and the store: a TCP relay on a port of its own. */
export class StoreLine {
  cuts = 0
  readonly #server: Server
  readonly #targetPort: number
  readonly #targetHost: string
  readonly #open = new Set<() => void>()
  #next: Cut[] = []
  #silent = false
  #refusing = false

  private constructor(targetPort: number, targetHost: string) {
    this.#targetPort = targetPort
    this.#targetHost = targetHost
    this.#server = createServer((node) => this.#carry(node))
  }

  static async open(targetPort: number, targetHost = '127.0.0.1'): Promise<StoreLine> {
    const line = new StoreLine(targetPort, targetHost)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the line is closed')
    return address.port
  }

  /** Cuts the connections of the next writes, in this order. */
  cutNext(...cuts: Cut[]): void {
    this.#next.push(...cuts)
  }

  cutNoMore(): void {
    this.#next = []
  }

  /** Closes what is open, and whatever is opened, until `accept`. */
  refuse(): void {
    this.#refusing = true
    for (const close of this.#open) close()
  }

  accept(): void {
    this.#refusing = false
  }

  /** From now on bytes are swallowed in both directions, until `speak`. */
  silence(): void {
    this.#silent = true
  }

  /** What was silenced is closed: its bytes are lost. */
  speak(): void {
    this.#silent = false
    for (const close of this.#open) close()
  }

  close(): void {
    this.#server.close()
    for (const close of this.#open) close()
  }

  #carry(node: Socket): void {
    if (this.#refusing) return void node.destroy()
    const store = connect({ port: this.#targetPort, host: this.#targetHost, noDelay: true })
    node.setNoDelay(true)
    let dropReply = false
    const close = () => {
      this.#open.delete(close)
      node.destroy()
      store.destroy()
    }
    this.#open.add(close)
    for (const end of [node, store]) end.on('error', close).on('close', close)

    node.on('data', (bytes) => {
      if (this.#silent) return
      const cut = isWrite(bytes) ? this.#next.shift() : undefined
      if (cut !== undefined) this.cuts += 1
      if (cut === 'before the request') return close()
      if (cut === 'before the reply') dropReply = true
      store.write(bytes)
    })
    store.on('data', (bytes) => {
      if (this.#silent) return
      if (dropReply) close()
      else node.write(bytes)
    })
  }
}

/** A command's name is the first field of its document, as plain text. */
function isWrite(bytes: Buffer): boolean {
  return ['insert', 'update', 'findAndModify'].some((command) => bytes.includes(`\x02${command}\0`))
}
