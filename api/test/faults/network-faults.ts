import { type ProxiedConnection, TcpProxy } from '../tcp-proxy.ts'
import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'

/** How long a deaf connection stays open. */
const DEAF_MS = 2_000

const answer = (status: string, body: string) =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`

/** What gateways answer in place of the server, which has done what was asked. */
const FOREIGN_ANSWERS = [
  answer('403 Forbidden', '{"error":"Forbidden"}'),
  answer('404 Not Found', '{"message":"no Route matched with those values"}'),
  answer('401 Unauthorized', '{"code":"unauthorized","message":"No.","requestId":"1"}'),
  answer('200 OK', '{"data":{"seq":1},"messages":[],"more":false}'),
  answer('200 OK', '<h1>Sign in to the network</h1>'),
  'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n',
]

/** One person's bad network: a proxy on a port of its own. */
export interface BadNetwork {
  readonly origin: string
  /** From now on the network is good; open connections are closed. */
  repair(): void
  close(): void
}

export async function openBadNetwork(port: number, random: Random, ledger: Ledger): Promise<BadNetwork> {
  let isBad = true
  /** What the server answered to another call of this person, as a cache keeps it. */
  let kept: Buffer | undefined
  const proxy = await TcpProxy.open(port, {
    onConnection(connection) {
      ledger.counts.connections += 1
      const foreign = isBad && random.chance(0.1) ? random.pick([...FOREIGN_ANSWERS, null]) : undefined
      const passFacts = createFactFilter(ledger, random, () => isBad)
      connection.filter = (bytes) => {
        const isAnswer = bytes.subarray(0, 10).toString('latin1') === 'HTTP/1.1 2'
        if (foreign === undefined || !isAnswer) {
          if (isAnswer && bytes.includes('application/json')) kept = bytes
          return passFacts(bytes)
        }
        ledger.counts.foreign += 1
        setImmediate(() => connection.endClient())
        return foreign === null ? (kept ?? Buffer.alloc(0)) : Buffer.from(foreign)
      }
      if (isBad) disturb(connection, random, ledger)
    },
  })
  return {
    origin: proxy.origin,
    repair() {
      isBad = false
      proxy.closeConnections()
    },
    close: () => proxy.close(),
  }
}

/**
 * Decides what becomes of one connection after a while. Cut: both ends are closed. Deaf: acknowledgements are lost
 * while the server still receives, and neither end notices. Half-closed: the same, but the client sees the server's
 * end. Slow: all data is late, in order.
 */
function disturb(connection: ProxiedConnection, random: Random, { counts }: Ledger): void {
  const roll = random.next()
  const afterMs = random.integer(20, 4_000)
  if (roll < 0.15) {
    after(afterMs, () => {
      counts.cut += 1
      connection.close()
    })
  } else if (roll < 0.35) {
    after(afterMs, () => {
      counts[roll < 0.27 ? 'deaf' : 'halfClosed'] += 1
      if (roll < 0.27) connection.isDeaf = true
      else connection.endClient()
      after(DEAF_MS, () => connection.close())
    })
  } else if (roll < 0.5) {
    counts.slow += 1
    connection.delayMs = random.integer(5, 80)
  }

  function after(ms: number, act: () => void) {
    const timer = setTimeout(act, ms)
    connection.client.once('close', () => clearTimeout(timer))
  }
}

const UPGRADED = 'HTTP/1.1 101 '
const END_OF_HEAD = '\r\n\r\n'

/**
 * Reads the WebSocket frames that the server sends: drops, repeats and reorders pushed messages, and finds
 * acknowledgements with the error `internal`. Other traffic than WebSockets passes unchanged.
 */
function createFactFilter(ledger: Ledger, random: Random, isBad: () => boolean): (bytes: Buffer) => Buffer {
  let mode: 'unknown' | 'http' | 'frames' = 'unknown'
  let rest: Buffer = Buffer.alloc(0)
  let late: Buffer | null = null

  function pass(frame: Buffer): Buffer[] {
    const text = frame.toString('latin1')
    if (/43[^[]*\[\{"ok":false,.*"code":"internal"/.test(text)) ledger.violation(`internal error: ${text}`)
    if (!text.includes(',["message:created",')) return [frame]
    ledger.counts.factsPushed += 1
    const before = late === null ? [] : [late]
    late = null
    const roll = isBad() ? random.next() : 1
    if (roll < 0.12) ledger.counts.factsDisturbed += 1
    if (roll < 0.06 && before.length === 0) {
      late = frame
      return []
    }
    if (roll < 0.09) return before
    if (roll < 0.12) return [frame, frame, ...before]
    return [frame, ...before]
  }

  return (bytes) => {
    if (mode === 'http') return bytes
    rest = Buffer.concat([rest, bytes])
    const passed: Buffer[] = []
    if (mode === 'unknown') {
      if (!rest.toString('latin1', 0, UPGRADED.length).startsWith(UPGRADED.slice(0, rest.length))) {
        mode = 'http'
        return rest
      }
      const end = rest.indexOf(END_OF_HEAD)
      if (end === -1) return Buffer.alloc(0)
      mode = 'frames'
      passed.push(rest.subarray(0, end + END_OF_HEAD.length))
      rest = rest.subarray(end + END_OF_HEAD.length)
    }
    for (let size = frameSize(rest); size !== null; size = frameSize(rest)) {
      passed.push(...pass(rest.subarray(0, size)))
      rest = rest.subarray(size)
    }
    return Buffer.concat(passed)
  }
}

/** Of the unmasked, uncompressed frames that the server sends; null while the frame is incomplete. */
function frameSize(bytes: Buffer): number | null {
  if (bytes.length < 2) return null
  const short = (bytes[1] as number) & 0x7f
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < head) return null
  const payload =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  return bytes.length < head + payload ? null : head + payload
}
