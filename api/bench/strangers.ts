import { join } from 'node:path'
import { newId, signInAsAdmin } from '../test/chat-client.ts'
import { BUNDLE, temporaryDir } from '../test/server-process.ts'
import { type Budget, COMMAND_BUDGETS, REFUSED, ROUTE_BUDGETS } from '../test/stranger-budgets.ts'
import { callOf, makeWorld, type StrangerWorld, sendCommands } from '../test/stranger-calls.ts'
import {
  AS_STARTED,
  type Benchmark,
  leftOut,
  type MeasuredServer,
  type Result,
  startMeasured,
} from './benchmark.ts'
import {
  BENIGN,
  callAs,
  figure,
  inParallel,
  LONGEST_MESSAGE,
  MESSAGES,
  messageOf,
  type Run,
  withServer,
} from './stranger-calls.ts'
import { notifications, pictures, slowUploads, unsentFiles } from './stranger-files.ts'
import { diskGrowth, missingPosts, pageBytes, uncached, unreadConnections } from './stranger-requests.ts'
import { logGrowth, newKeys, refusedUpgrades, searchIndex, typing } from './stranger-writes.ts'

const CONVERSATIONS = 120

const SCENES: Record<string, (run: Run) => Promise<Result[]>> = {
  pages: async (run) => {
    const ids = await seed(run)
    return [...(await pageBytes(run, ids)), ...(await unreadConnections(run, ids))]
  },
  typing,
  disk: diskGrowth,
  uncached,
  upgrades: refusedUpgrades,
  keys: newKeys,
  posts: missingPosts,
  log: logGrowth,
  search: searchIndex,
  notifications,
  slow: slowUploads,
  pictures,
  unsent: unsentFiles,
  routes: routeCosts,
}

/** Measures what one address costs the server and others with limits on, beside what the same server costs without it. */
export const strangers: Benchmark[] = Object.entries(SCENES).map(([scene, measure]) => ({
  name: `strangers/${scene}`,
  onlyByName: true,
  async run({ quick, server }) {
    if (process.platform !== 'linux')
      return leftOut('strangers', 'it needs the addresses of 127.0.0.0/8 (Linux)')
    const dir = temporaryDir('bench')
    const entry = server === undefined ? BUNDLE : join(server, 'api/src/server.ts')
    try {
      return await measure({
        quick,
        dataDir: dir.path,
        start: (env = {}) =>
          startMeasured({ dataDir: dir.path, entry, env: { ...AS_STARTED, RATE_LIMITS: 'on', ...env } }),
      })
    } finally {
      dir.remove()
    }
  },
}))

/** Writes conversations of the largest messages before any limit counts. */
async function seed({ quick, start }: Run): Promise<string[]> {
  const ids = Array.from({ length: quick ? 12 : CONVERSATIONS }, () => newId())
  await withServer(start({ RATE_LIMITS: 'off' }), async (server) => {
    const queue = ids.flatMap((id) => Array.from({ length: MESSAGES }, () => id))
    await inParallel(16, BENIGN, async (call) => {
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        const { status } = await call(server, messageOf(id, LONGEST_MESSAGE))
        if (status !== 201) throw new Error(`seeding: ${status}`)
      }
    })
  })
  return ids
}

const CALLS = 1_000
const ROUTE_CONNECTIONS = 16
/** This row stands for all that refuse strangers. */
const REFUSING_ROW = 'GET {api}/team'

/** Measures the processor time of each budget. */
async function routeCosts({ start, quick }: Run): Promise<Result[]> {
  const variables = { SERVE_WEB: 'true', PUBLIC_REVIEWS: 'moderated' }
  return withServer(start(variables), async (server) => {
    const { accessToken } = await signInAsAdmin(server.origin)
    const world = await makeWorld(
      async ({ method, path, headers, type, body }) => {
        const answer = await fetch(server.origin + path, {
          method,
          headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
          ...(body === undefined ? {} : { body: String(body) }),
        })
        return (await answer.json()) as object
      },
      { authorization: `Bearer ${accessToken}` },
    )
    const results: Result[] = []
    const measure = async (row: string, budget: Budget, calls: () => Promise<unknown>) => {
      const before = await server.usage()
      await calls()
      const ms = ((await server.usage()).cpu - before.cpu) / 1_000
      results.push(
        figure(
          `routes: ${row}: processor for ${CALLS} calls`,
          `${ms.toFixed(0)} ms`,
          `budget ${budget.cpu} ms`,
        ),
      )
    }
    const rows = Object.entries({ ...ROUTE_BUDGETS, [REFUSING_ROW]: REFUSED })
    for (const [index, [row, budget]] of (quick ? rows.slice(0, 5) : rows).entries()) {
      await measure(row, budget, () => callRow(server, { row, world, address: `127.0.2.${index + 1}` }))
    }
    for (const [command, budget] of Object.entries(COMMAND_BUDGETS)) {
      await measure(command, budget, () => sendCommands(server.origin, command, world, CALLS))
    }
    return results
  })
}

async function callRow(
  server: MeasuredServer,
  { row, world, address }: { row: string; world: StrangerWorld; address: string },
): Promise<void> {
  const ask = callAs(address, ROUTE_CONNECTIONS)
  let index = 0
  await Promise.all(
    Array.from({ length: ROUTE_CONNECTIONS }, async () => {
      while (index < CALLS) {
        index += 1
        await ask(server, callOf(row, world, index))
      }
    }),
  )
}
