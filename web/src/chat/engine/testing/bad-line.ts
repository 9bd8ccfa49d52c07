import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP line to a server that can be cut, or left standing without a word coming back. */
export class BadLine {
  private readonly server = createServer((client) => this.carry(client))
  private readonly port: number
  private readonly pairs = new Set<{ client: Socket; upstream: Socket; mute: boolean }>()
  private isCut = false
  /** How many connections were made through it. */
  made = 0

  private constructor(port: number) {
    this.port = port
  }

  static async to(port: number): Promise<BadLine> {
    const line = new BadLine(port)
    line.server.listen(0, '127.0.0.1')
    await once(line.server, 'listening')
    return line
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get open(): number {
    return this.pairs.size
  }

  cut() {
    this.isCut = true
    for (const { client, upstream } of this.pairs) {
      client.destroy()
      upstream.destroy()
    }
  }

  mend() {
    this.isCut = false
  }

  /** What is said still arrives, but from now on these connections bring nothing back. New ones are good. */
  mute() {
    for (const pair of this.pairs) pair.mute = true
  }

  close() {
    this.cut()
    this.server.close()
  }

  private carry(client: Socket) {
    if (this.isCut) {
      client.destroy()
      return
    }
    this.made++
    const upstream = connect(this.port, '127.0.0.1')
    const pair = { client, upstream, mute: false }
    this.pairs.add(pair)
    client.on('data', (data) => upstream.write(data))
    upstream.on('data', (data) => {
      if (!pair.mute) client.write(data)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => {
        other.destroy()
        this.pairs.delete(pair)
      })
    }
  }
}
