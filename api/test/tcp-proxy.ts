import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What a piece of data becomes on its way: nothing, itself, or something else. */
export type Filter = (bytes: Buffer) => Buffer

/** One client's connection through a proxy. */
export class ProxiedConnection {
  /** Discards what the server sends; the client's data still arrives. */
  isDeaf = false
  /** Delays both directions. It is constant, so the order stays. */
  delayMs = 0
  /** Changes what the client receives. */
  filter: Filter | undefined
  /** Closes both sides with the next data from the server, which the client does not get. */
  isCutAtReply = false
  readonly client: Socket
  readonly server: Socket

  constructor(client: Socket, server: Socket) {
    this.client = client
    this.server = server
  }

  close(): void {
    this.client.destroy()
    this.server.destroy()
  }

  /** The client gets an orderly end, and nothing more. */
  endClient(): void {
    this.isDeaf = true
    this.client.end()
  }

  send(to: Socket, bytes: Buffer): void {
    if (this.delayMs > 0) setTimeout(() => write(to, bytes), this.delayMs)
    else write(to, bytes)
  }
}

function write(to: Socket, bytes: Buffer): void {
  if (!to.destroyed && to.writable) to.write(bytes)
}

export interface ProxyOptions {
  host?: string
  onConnection?: (connection: ProxiedConnection) => void
}

/** When the connection of a write is cut: before the server gets the write, or after it and before the reply. */
export type Cut = 'before the request' | 'before the reply'

/** A TCP proxy on a port of its own, with the faults that networks have. */
export class TcpProxy {
  /** How many connections reached a server. */
  connected = 0
  /** How many planned cuts were made. */
  cuts = 0
  readonly #server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client))
  readonly #host: string
  readonly #ports: () => number[]
  readonly #onConnection: ProxyOptions['onConnection']
  readonly #open = new Set<ProxiedConnection>()
  #isRefusing = false
  #isSilent = false
  #cuts: Cut[] = []
  #isCutAt: (bytes: Buffer) => boolean = () => false

  private constructor(ports: () => number[], { host = '127.0.0.1', onConnection }: ProxyOptions) {
    this.#ports = ports
    this.#host = host
    this.#onConnection = onConnection
  }

  /** `target` is a port, or gives ports: each is tried until one accepts. */
  static async open(target: number | (() => number[]), options: ProxyOptions = {}): Promise<TcpProxy> {
    const proxy = new TcpProxy(typeof target === 'number' ? () => [target] : target, options)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get openConnections(): number {
    return this.#open.size
  }

  closeConnections(): void {
    for (const connection of this.#open) connection.close()
  }

  /** Closes every connection, and each new one until `accept`. */
  refuse(): void {
    this.#isRefusing = true
    this.closeConnections()
  }

  accept(): void {
    this.#isRefusing = false
  }

  /** Makes the present connections deaf. New ones are good. */
  deafen(): void {
    for (const connection of this.#open) connection.isDeaf = true
  }

  /** Discards all data in both directions until `endSilence`, which closes the connections. */
  silence(): void {
    this.#isSilent = true
  }

  endSilence(): void {
    this.#isSilent = false
    this.closeConnections()
  }

  /** Cuts the connections of the next data that `matches`, one for each of `cuts`. */
  cutNext(matches: (bytes: Buffer) => boolean, cuts: Cut[]): void {
    this.#isCutAt = matches
    this.#cuts = cuts
  }

  close(): void {
    this.#server.close()
    this.closeConnections()
  }

  #accept(client: Socket): void {
    client.on('error', () => client.destroy())
    if (this.#isRefusing) client.destroy()
    else this.#connect(client, this.#ports())
  }

  #connect(client: Socket, [port, ...others]: number[]): void {
    if (port === undefined) return void client.destroy()
    const server = connect({ port, host: this.#host, noDelay: true })
    const tryNext = () => this.#connect(client, others)
    server.once('error', tryNext)
    server.once('connect', () => {
      server.off('error', tryNext)
      this.#carry(new ProxiedConnection(client, server))
    })
  }

  #carry(connection: ProxiedConnection): void {
    const { client, server } = connection
    this.connected += 1
    this.#open.add(connection)
    for (const end of [client, server]) {
      end.on('error', () => connection.close())
      end.on('close', () => {
        this.#open.delete(connection)
        connection.close()
      })
    }
    this.#onConnection?.(connection)
    client.on('data', (bytes) => {
      if (this.#isSilent) return
      const cut = this.#cuts.length > 0 && this.#isCutAt(bytes) ? this.#cuts.shift() : undefined
      if (cut !== undefined) this.cuts += 1
      if (cut === 'before the request') return connection.close()
      if (cut === 'before the reply') connection.isCutAtReply = true
      connection.send(server, bytes)
    })
    server.on('data', (bytes) => {
      if (this.#isSilent || connection.isDeaf) return
      if (connection.isCutAtReply) return connection.close()
      connection.send(client, connection.filter?.(bytes) ?? bytes)
    })
    client.setNoDelay(true)
    client.resume()
    if (this.#isRefusing || client.destroyed) connection.close()
  }
}
