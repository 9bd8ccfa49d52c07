import { randomBytes } from 'node:crypto'
import { VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { LeanSocket, newId } from '../test/chat-client.ts'
import { openBalancer } from '../test/faults/balancer.ts'
import { temporaryDir } from '../test/server-process.ts'
import { freshDatabase } from '../test/servers/test-database.ts'
import { alternate, type Benchmark, type MeasuredServer, startProduct } from './benchmark.ts'
import { sendMessage } from './hub-load.ts'
import { leftOut, servers } from './servers.ts'

const VISITORS = 100
const IN_FLIGHT = 16

async function pump(visitors: LeanSocket[], ms: number): Promise<number> {
  const from = performance.now()
  let sent = 0
  await new Promise<void>((resolve) => {
    let underWay = 0
    const send = () => {
      underWay += 1
      sendMessage(visitors[sent++ % visitors.length] as LeanSocket, () => {
        underWay -= 1
        if (performance.now() - from < ms) send()
        else if (underWay === 0) resolve()
      })
    }
    for (let i = 0; i < IN_FLIGHT; i++) send()
  })
  return sent / ((performance.now() - from) / 1000)
}

/** So many nodes on one MongoDB and one Redis, and visitors who come through a balancer. */
async function withVisitors<T>(
  count: number,
  mongodbUrl: string,
  redisUrl: string,
  use: (visitors: LeanSocket[]) => Promise<T>,
): Promise<T> {
  const dir = temporaryDir('bench')
  const nodes: MeasuredServer[] = []
  const env = { MONGODB_URL: mongodbUrl, REDIS_URL: redisUrl, JWT_SECRET: randomBytes(32).toString('hex') }
  let balancer: Awaited<ReturnType<typeof openBalancer>> | undefined
  try {
    for (let i = 0; i < count; i++) nodes.push(await startProduct(dir.path, env))
    balancer = await openBalancer(nodes.map(({ port }) => port))
    const visitors: LeanSocket[] = []
    for (let i = 0; i < VISITORS; i++) {
      visitors.push(await LeanSocket.connect(balancer.origin, VISITOR_NAMESPACE, { clientId: newId() }))
    }
    return await use(visitors)
  } finally {
    balancer?.close()
    for (const node of nodes) await node.stop('SIGKILL')
    dir.remove()
  }
}

/** Two nodes against one, both behind the same balancer. What a second node brings depends on the cores there are. */
export const mongoNodes: Benchmark = {
  name: 'mongo-nodes',
  async run({ quick }) {
    const { mongo, redis } = await servers()
    if (mongo === null || redis === null) return leftOut('mongo-nodes', 'it needs MongoDB and Redis')
    const ms = quick ? 1_500 : 3_000
    return withVisitors(2, freshDatabase(mongo), `${redis.url}/1`, (onTwo) =>
      withVisitors(1, freshDatabase(mongo), `${redis.url}/2`, async (onOne) => [
        {
          kind: 'comparison',
          what: `messages a second, ${IN_FLIGHT} in flight, two nodes against one, on ${mongo.name}`,
          unit: '/s',
          ...(await alternate(quick ? 3 : 9, {
            subject: () => pump(onTwo, ms),
            reference: () => pump(onOne, ms),
          })),
        },
      ]),
    )
  },
}
