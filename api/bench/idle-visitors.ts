import { VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { newId } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { alternate, type Benchmark, type MeasuredServer, startBareHub, startProduct } from './benchmark.ts'
import { RawSocket } from './raw-socket.ts'

/** Connecting at the same time: fewer than the queue of unaccepted connections of common systems. */
const AT_ONCE = 250

/** A fresh server for each slice: what one storm leaves behind must not be counted for the next. */
async function storm(start: (dataDir: string) => Promise<MeasuredServer>, count: number) {
  const dir = temporaryDir('bench')
  const server = await start(dir.path)
  const sockets: RawSocket[] = []
  try {
    // The first sockets pay for code that is compiled and tables that are made once.
    for (let i = 0; i < 50; i++) sockets.push(await connect(server))
    const before = await server.usage({ afterGc: true })
    const from = performance.now()
    let left = count
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left-- > 0) sockets.push(await connect(server))
      }),
    )
    const seconds = (performance.now() - from) / 1000
    const cpu = (await server.usage()).cpu - before.cpu
    const after = await server.usage({ afterGc: true })
    return {
      seconds,
      cpu: cpu / count,
      live: (after.live - before.live) / count / 1000,
      resident: (after.resident - before.resident) / count / 1000,
    }
  } finally {
    for (const socket of sockets) socket.close()
    await server.stop('SIGKILL')
    dir.remove()
  }
}

function connect(server: MeasuredServer): Promise<RawSocket> {
  return RawSocket.connect(server.origin, VISITOR_NAMESPACE, { clientId: newId() })
}

export const idleVisitors: Benchmark = {
  name: 'idle-visitors',
  async run({ quick }) {
    const count = quick ? 1_000 : 5_000
    const { subject, reference } = await alternate(quick ? 1 : 3, {
      subject: () => storm(startProduct, count),
      reference: () => storm(startBareHub, count),
    })
    const compare = (what: string, unit: string, of: 'seconds' | 'cpu' | 'live' | 'resident') => ({
      kind: 'comparison' as const,
      what,
      unit,
      subject: subject.map((slice) => slice[of]),
      reference: reference.map((slice) => slice[of]),
      aim: { atMost: 1.5 },
    })
    const sockets = count.toLocaleString('en')
    return [
      compare(`memory per idle visitor at ${sockets} sockets, live`, 'kB', 'live'),
      compare(`memory per idle visitor at ${sockets} sockets, resident`, 'kB', 'resident'),
      compare(`connect storm: until all ${sockets} are in`, 's', 'seconds'),
      compare('connect storm: CPU of the server per socket', 'µs', 'cpu'),
    ]
  },
}
