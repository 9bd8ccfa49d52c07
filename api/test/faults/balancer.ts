import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

const LOOK_EVERY_MS = 250
const READY_WITHIN_MS = 1_000

/**
 * What stands in front of several nodes: gives each connection to the next one that is ready, by asking them as a
 * proxy does. Where none is ready it tries them all the same.
 */
export class Balancer {
  readonly #server: Server
  readonly #ports: number[]
  readonly #ready = new Set<number>()
  readonly #open = new Set<Socket>()
  readonly #looking: NodeJS.Timeout
  #turn = 0

  private constructor(ports: number[]) {
    this.#ports = ports
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#carry(client))
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  static async open(ports: number[]): Promise<Balancer> {
    const balancer = new Balancer(ports)
    balancer.#server.listen(0, '127.0.0.1')
    await once(balancer.#server, 'listening')
    await balancer.#look()
    return balancer
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the balancer is closed')
    return address.port
  }

  close(): void {
    clearInterval(this.#looking)
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
  }

  async #look(): Promise<void> {
    await Promise.all(
      this.#ports.map(async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
          signal: AbortSignal.timeout(READY_WITHIN_MS),
        }).catch(() => null)
        if (answer?.status === 200) this.#ready.add(port)
        else this.#ready.delete(port)
        await answer?.body?.cancel().catch(() => {})
      }),
    )
  }

  #carry(client: Socket): void {
    client.on('error', () => client.destroy())
    const candidates = this.#ports.filter((port) => this.#ready.size === 0 || this.#ready.has(port))
    this.#turn += 1
    this.#try(
      client,
      candidates.map((_, index) => candidates[(this.#turn + index) % candidates.length] ?? 0),
    )
  }

  /** A node that does not answer to the knock is passed over; from then on the connection is its own. */
  #try(client: Socket, [port, ...others]: number[]): void {
    if (port === undefined) return void client.destroy()
    const node = connect({ port, host: '127.0.0.1', noDelay: true })
    const passOver = () => this.#try(client, others)
    node.once('error', passOver)
    node.once('connect', () => {
      node.off('error', passOver)
      for (const end of [client, node]) {
        this.#open.add(end)
        end.on('error', () => end.destroy())
        end.once('close', () => {
          this.#open.delete(end)
          client.destroy()
          node.destroy()
        })
      }
      client.setNoDelay(true)
      client.pipe(node).pipe(client)
      client.resume()
    })
  }
}
