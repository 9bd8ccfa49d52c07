import { alternate, type Benchmark, quantile } from './benchmark.ts'
import { type Crowd, sendMessage, withCrowds } from './hub-load.ts'

const VISITORS = 100
const PER_SECOND = 500

/** Open loop: messages leave on time whether or not earlier ones were answered. */
async function steadily(crowd: Crowd, ms: number): Promise<{ p50: number; p99: number }> {
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

export const latency: Benchmark = {
  name: 'latency',
  async run({ quick }) {
    const ms = quick ? 1_000 : 2_000
    const { subject, reference } = await withCrowds(VISITORS, (product, bare) =>
      alternate(quick ? 3 : 15, {
        subject: () => steadily(product, ms),
        reference: () => steadily(bare, ms),
      }),
    )
    return [
      {
        kind: 'comparison',
        what: `acknowledgement p50 at ${PER_SECOND} messages a second`,
        unit: 'ms',
        subject: subject.map((slice) => slice.p50),
        reference: reference.map((slice) => slice.p50),
        aim: { atMost: 1.5 },
      },
      {
        kind: 'comparison',
        what: `acknowledgement p99 at ${PER_SECOND} messages a second`,
        unit: 'ms',
        subject: subject.map((slice) => slice.p99),
        reference: reference.map((slice) => slice.p99),
        aim: { atMost: 2 },
      },
    ]
  },
}
