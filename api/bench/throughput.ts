import { setTimeout as wait } from 'node:timers/promises'
import type { Benchmark, Comparison } from './benchmark.ts'
import { alternateHubs, type Crowd, sendMessage } from './hub-load.ts'

const VISITORS = 100
const IN_FLIGHT = 64

export interface Pumped {
  perSecond: number
  /** Microseconds. */
  cpuPerMessage: number
  /** kB, to files and sockets. */
  writtenPerMessage: number
}

/** Closed loop: each acknowledgement lets the next visitor send, so that 64 are always under way. */
export async function pump(crowd: Crowd, ms: number): Promise<Pumped> {
  const before = await crowd.server.usage()
  const receivedBefore = crowd.admin.received
  const from = performance.now()
  let acked = 0
  let next = 0
  await new Promise<void>((resolve) => {
    let underWay = 0
    const send = () => {
      underWay += 1
      const visitor = crowd.visitors[next++ % VISITORS]
      if (visitor === undefined) throw new Error('no visitor')
      sendMessage(visitor, () => {
        acked += 1
        underWay -= 1
        if (performance.now() - from < ms) send()
        else if (underWay === 0) resolve()
      })
    }
    for (let i = 0; i < IN_FLIGHT; i++) send()
  })
  const seconds = (performance.now() - from) / 1000
  while (crowd.admin.received - receivedBefore < acked) await wait(5)
  const after = await crowd.server.usage()
  return {
    perSecond: acked / seconds,
    cpuPerMessage: (after.cpu - before.cpu) / acked,
    writtenPerMessage: (after.written - before.written) / acked / 1024,
  }
}

/** The ratios to each yardstick. */
const AIMS = { bare: { perSecond: 0.95, cpu: 1.1 }, least: { perSecond: 0.9, cpu: 1.2 } }

export const throughput: Benchmark = {
  name: 'throughput',
  async run({ quick }) {
    const ms = quick ? 500 : 1_500
    const { product, ...yardsticks } = await alternateHubs(VISITORS, quick ? 3 : 15, (crowd) =>
      pump(crowd, ms),
    )
    return (['bare', 'least'] as const).flatMap((name): Comparison[] => {
      const compare = (of: keyof Pumped) => ({
        subject: product.map((slice) => slice[of]),
        reference: yardsticks[name].map((slice) => slice[of]),
      })
      return [
        {
          kind: 'comparison',
          what: `messages a second, ${VISITORS} visitors, ${IN_FLIGHT} in flight, against the ${name} hub`,
          unit: '/s',
          ...compare('perSecond'),
          aim: { atLeast: AIMS[name].perSecond },
        },
        {
          kind: 'comparison',
          what: `CPU of the server per message, against the ${name} hub`,
          unit: 'µs',
          ...compare('cpuPerMessage'),
          aim: { atMost: AIMS[name].cpu },
        },
        {
          kind: 'comparison',
          what: `bytes written per message, against the ${name} hub`,
          unit: 'kB',
          ...compare('writtenPerMessage'),
        },
      ]
    })
  },
}
