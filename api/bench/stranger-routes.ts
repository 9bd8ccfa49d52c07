import { signInAsAdmin } from '../test/chat-client.ts'
import { type Budget, COMMAND_BUDGETS, REFUSED, ROUTE_BUDGETS } from '../test/stranger-budgets.ts'
import { callOf, makeWorld, type StrangerWorld, sendCommands } from '../test/stranger-calls.ts'
import type { MeasuredServer, Result } from './benchmark.ts'
import { callAs, figure, type Run, withServer } from './stranger-calls.ts'

const CALLS = 1_000
const CONNECTIONS = 16
/** Stands for all that refuse strangers. */
const REFUSING_ROW = 'GET {api}/team'

/** The processor time of each budget. */
export async function routeCosts({ start, quick }: Run): Promise<Result[]> {
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
  const ask = callAs(address, CONNECTIONS)
  let index = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (index < CALLS) {
        index += 1
        await ask(server, callOf(row, world, index))
      }
    }),
  )
}
