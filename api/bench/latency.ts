import { type Benchmark, type Comparison, quantile } from './benchmark.ts'
import { alternateHubs, type Crowd, sendMessage } from './hub-load.ts'

export const VISITORS = 100
const PER_SECOND = 500

/** Open loop: messages leave on time whether or not earlier ones were answered. */
export async function steadily(crowd: Crowd, ms: number): Promise<{ p50: number; p99: number }> {
  const total = (ms / 1000) * PER_SECOND
  const times: number[] = []
  const from = performance.now()
  let sent = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - from) / 1000) * PER_SECOND)
      while (sent < due) {
        const visitor = crowd.visitors[sent % VISITORS]
        if (visitor === undefined) throw new Error('no visitor')
        sent += 1
        sendMessage(visitor, (took) => {
          times.push(took)
          if (times.length === total) resolve()
        })
      }
      if (sent === total) clearInterval(timer)
    }, 1)
  })
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

/** Of the ratio to each yardstick. */
const AIMS = { bare: { p50: 1.5, p99: 2 }, least: { p50: 1.1, p99: 1.3 } }

export const latency: Benchmark = {
  name: 'latency',
  async run({ quick }) {
    const ms = quick ? 1_000 : 2_000
    const { product, ...yardsticks } = await alternateHubs(VISITORS, quick ? 3 : 15, (crowd) =>
      steadily(crowd, ms),
    )
    return (['bare', 'least'] as const).flatMap((name) =>
      (['p50', 'p99'] as const).map(
        (of): Comparison => ({
          kind: 'comparison',
          what: `acknowledgement ${of} at ${PER_SECOND} messages a second, against the ${name} hub`,
          unit: 'ms',
          subject: product.map((slice) => slice[of]),
          reference: yardsticks[name].map((slice) => slice[of]),
          aim: { atMost: AIMS[name][of] },
        }),
      ),
    )
  },
}
