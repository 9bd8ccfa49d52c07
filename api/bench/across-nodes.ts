import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { newId } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { hasRedis, startRedis } from '../test/servers/redis-process.ts'
import {
  alternate,
  type Benchmark,
  leftOut,
  type MeasuredServer,
  quantile,
  type Start,
  startBareHub,
  startProduct,
} from './benchmark.ts'
import { sendMessage } from './hub-load.ts'
import { RawSocket } from './raw-socket.ts'

const VISITORS = 100
const IN_FLIGHT = 64
/** Sent one after another, to time each. */
const SINGLE = 200

/** Visitors with one socket on each node: one writes, the other receives. */
interface Pair {
  writers: RawSocket[]
  listeners: RawSocket[]
}

/**
 * Two nodes that share a Redis. Each has a SQLite of its own, because only what passes between them is measured here:
 * a store that both share would be the slower of the two by far.
 */
async function withNodes<T>(start: Start, use: (nodes: MeasuredServer[]) => Promise<T>): Promise<T> {
  const redis = await startRedis()
  const dirs = [temporaryDir('bench'), temporaryDir('bench')]
  const nodes: MeasuredServer[] = []
  try {
    for (const { path } of dirs) {
      nodes.push(await start(path, { REDIS_URL: redis.url, JWT_SECRET: randomBytes(32).toString('hex') }))
    }
    return await use(nodes)
  } finally {
    for (const node of nodes) await node.stop('SIGKILL')
    await redis.close()
    for (const dir of dirs) dir.remove()
  }
}

function connect(node: MeasuredServer | undefined, clientId: string): Promise<RawSocket> {
  return RawSocket.connect(node?.origin ?? '', VISITOR_NAMESPACE, { clientId })
}

async function withPair<T>(start: Start, use: (pair: Pair) => Promise<T>): Promise<T> {
  return withNodes(start, async ([a, b]) => {
    const ids = Array.from({ length: VISITORS }, () => newId())
    const writers = await Promise.all(ids.map((id) => connect(a, id)))
    const listeners = await Promise.all(ids.map((id) => connect(b, id)))
    return await use({ writers, listeners })
  })
}

/** Closed loop at the writers; ends when the other node's sockets have received everything. */
async function pump({ writers, listeners }: Pair, ms: number): Promise<number> {
  const received = () => listeners.reduce((sum, listener) => sum + listener.received, 0)
  const before = received()
  const from = performance.now()
  let sent = 0
  await new Promise<void>((resolve) => {
    let underWay = 0
    const send = () => {
      underWay += 1
      sendMessage(writers[sent++ % VISITORS] as RawSocket, () => {
        underWay -= 1
        if (performance.now() - from < ms) send()
        else if (underWay === 0) resolve()
      })
    }
    for (let i = 0; i < IN_FLIGHT; i++) send()
  })
  while (received() - before < sent) await wait(5)
  return sent / ((performance.now() - from) / 1000)
}

/** From the send on one node until the other node's socket receives it. */
async function delays({ writers, listeners }: Pair): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < SINGLE; i++) {
    const [writer, listener] = [writers[i % VISITORS] as RawSocket, listeners[i % VISITORS] as RawSocket]
    const from = performance.now()
    await new Promise<void>((resolve) => {
      let left = 2
      const done = () => --left === 0 && resolve()
      listener.onMessage = () => {
        times.push(performance.now() - from)
        listener.onMessage = undefined
        done()
      }
      sendMessage(writer, done)
    })
  }
  return quantile(times, 0.5)
}

/** What passes from node to node, against the least code on Socket.IO's own adapter. */
export const acrossNodes: Benchmark = {
  name: 'across-nodes',
  async run({ quick }) {
    if (!(await hasRedis())) return leftOut('across-nodes', 'there is no redis-server')
    const ms = quick ? 1_000 : 1_500
    return withPair(startProduct, (product) =>
      withPair(startBareHub, async (bare) => [
        {
          kind: 'comparison',
          what: 'messages a second from node A to sockets of node B through Redis',
          unit: '/s',
          ...(await alternate(quick ? 3 : 11, {
            subject: () => pump(product, ms),
            reference: () => pump(bare, ms),
          })),
          aim: { atLeast: 0.85 },
        },
        {
          kind: 'comparison',
          what: 'one message from node A until a socket of node B receives it, p50',
          unit: 'ms',
          ...(await alternate(quick ? 3 : 7, {
            subject: () => delays(product),
            reference: () => delays(bare),
          })),
          aim: { atMost: 1.5 },
        },
      ]),
    )
  },
}

/** Connecting at the same time. */
const AT_ONCE = 100

async function idle(
  start: Start,
  count: number,
): Promise<{ live: number; resident: number; seconds: number }> {
  return withNodes(start, async (nodes) => {
    const sockets: RawSocket[] = []
    const open = async (index: number) => {
      sockets.push(await connect(nodes[index % nodes.length], newId()))
    }
    for (let i = 0; i < 100; i++) await open(i)
    const use = async (of: 'live' | 'resident') => {
      const usages = await Promise.all(nodes.map((node) => node.usage({ afterGc: true })))
      return usages.reduce((sum, usage) => sum + usage[of], 0)
    }
    const before = { live: await use('live'), resident: await use('resident') }
    const from = performance.now()
    let next = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < count) await open(next++)
      }),
    )
    const seconds = (performance.now() - from) / 1000
    const result = {
      live: ((await use('live')) - before.live) / count / 1000,
      resident: ((await use('resident')) - before.resident) / count / 1000,
      seconds,
    }
    for (const socket of sockets) socket.close()
    return result
  })
}

/** Visitors who send nothing, half of them on each of two nodes. */
export const idleNodes: Benchmark = {
  name: 'idle-nodes',
  async run({ quick }) {
    if (!(await hasRedis())) return leftOut('idle-nodes', 'there is no redis-server')
    const count = quick ? 1_000 : 10_000
    const { subject, reference } = await alternate(1, {
      subject: () => idle(startProduct, count),
      reference: () => idle(startBareHub, count),
    })
    const sockets = count.toLocaleString('en')
    const compare = (what: string, unit: string, of: 'live' | 'resident' | 'seconds') => ({
      kind: 'comparison' as const,
      what,
      unit,
      subject: subject.map((slice) => slice[of]),
      reference: reference.map((slice) => slice[of]),
      aim: { atMost: 1.5 },
    })
    return [
      compare(`memory per idle visitor, ${sockets} on two nodes with Redis, live`, 'kB', 'live'),
      compare(`memory per idle visitor, ${sockets} on two nodes with Redis, resident`, 'kB', 'resident'),
      compare(`until all ${sockets} are in on two nodes`, 's', 'seconds'),
    ]
  },
}
