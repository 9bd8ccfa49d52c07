import { randomBytes } from 'node:crypto'
import { createVisitorChat, type VisitorChat } from '../../web/src/chat/engine/chat.ts'
import { Browser } from '../../web/src/chat/engine/testing/browser.ts'
import { noFiles } from '../../web/src/chat/engine/testing/files.ts'
import { restOf } from '../../web/src/chat/engine/testing/people.ts'
import { newId } from '../test/chat-client.ts'
import { openBalancer } from '../test/faults/balancer.ts'
import { temporaryDir } from '../test/server-process.ts'
import { freshDatabase } from '../test/servers/test-database.ts'
import { alternate, type Benchmark, type MeasuredServer, startProduct } from './benchmark.ts'
import { TEXT } from './hub-load.ts'
import { leftOut, servers } from './servers.ts'

const VISITORS = 100
const IN_FLIGHT = 16

/** A visitor with the product's own client. */
function openVisitor(origin: string): VisitorChat {
  const chat = createVisitorChat({
    config: { transport: 'push', pollMs: 1_000, unreadPollMs: 1_000 },
    visitor: { clientId: newId(), key: null },
    tab: new Browser().open(),
    openFiles: noFiles,
    request: restOf(origin).request,
    origin,
  })
  chat.start()
  chat.touch()
  return chat
}

/** Resolves when the message is stored. */
function send({ conversation }: VisitorChat): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = conversation.subscribe(() => {
      const { loaded, pending } = conversation.getState()
      if (!loaded || pending.length > 0) return
      unsubscribe()
      resolve()
    })
    conversation.send(TEXT)
  })
}

/** Closed loop: each stored message lets the next visitor send. */
async function pump(visitors: VisitorChat[], ms: number): Promise<number> {
  const from = performance.now()
  let sent = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (performance.now() - from < ms) await send(visitors[sent++ % visitors.length] as VisitorChat)
    }),
  )
  return sent / ((performance.now() - from) / 1000)
}

/** So many nodes on one MongoDB and one Redis, and visitors who come through a balancer. */
async function withVisitors<T>(
  count: number,
  mongodbUrl: string,
  redisUrl: string,
  use: (visitors: VisitorChat[]) => Promise<T>,
): Promise<T> {
  const dir = temporaryDir('bench')
  const nodes: MeasuredServer[] = []
  const visitors: VisitorChat[] = []
  const env = { MONGODB_URL: mongodbUrl, REDIS_URL: redisUrl, JWT_SECRET: randomBytes(32).toString('hex') }
  let balancer: Awaited<ReturnType<typeof openBalancer>> | undefined
  try {
    for (let i = 0; i < count; i++) nodes.push(await startProduct(dir.path, env))
    balancer = await openBalancer(nodes.map(({ port }) => port))
    const { origin } = balancer
    visitors.push(...Array.from({ length: VISITORS }, () => openVisitor(origin)))
    await Promise.all(visitors.map(send))
    return await use(visitors)
  } finally {
    for (const visitor of visitors) visitor.stop()
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
