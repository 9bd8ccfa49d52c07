import { readdirSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessOf, COMMAND_ACCESS, ROUTE_ACCESS } from '../src/auth/access.ts'
import { buildTestApp, type TestApp } from './build-app.ts'
import { type Budget, COMMAND_BUDGETS, REFUSED, ROUTE_BUDGETS } from './stranger-budgets.ts'
import { callOf, makeWorld, type StrangerCall, type StrangerWorld, sendCommands } from './stranger-calls.ts'
import { makeWebBuild } from './web-build.ts'

const CALLS = 1_000
const AT_ONCE = 20
/** KB that jobs of the server may write meanwhile. */
const JOBS = 200
const build = makeWebBuild()
let test: TestApp
let world: StrangerWorld
let origin: string
let address = 0

beforeAll(async () => {
  const variables = { SERVE_WEB: 'true', PUBLIC_REVIEWS: 'moderated', LOG_LEVEL: 'info' }
  test = await buildTestApp({
    distDir: build.distDir,
    variables: { ...variables, PUBLIC_URL: 'http://localhost' },
  })
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://localhost:${(test.app.server.address() as AddressInfo).port}`
  const { bearer } = await test.signIn()
  world = await makeWorld(async (call) => (await send(call)).json(), bearer)
})
afterAll(async () => {
  await test.close()
  build.remove()
})

const send = ({ method, path, headers, type, body }: StrangerCall, remoteAddress = '127.0.0.1') =>
  test.app.inject({
    ...{ method: method as 'GET', url: path, remoteAddress },
    headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { payload: body }),
  })

/** KB of the database with its write-ahead log, and of the files. */
function stored(): number {
  const { dataDir, mongodbUrl } = test.env
  if (mongodbUrl !== undefined) return 0
  const database = new DatabaseSync(join(dataDir, 'chat.sqlite'), { readOnly: true })
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
  const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number }
  database.close()
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath !== dataDir)
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size)
  return files.reduce((sum, bytes) => sum + bytes, pages * size) / 1_000
}

/** What `calls` cost, in KB. */
async function costOf(calls: () => Promise<unknown>): Promise<Omit<Budget, 'cpu'>> {
  test.app.refusals.flush()
  const [lines, before, from] = [test.log.length, stored(), performance.now()]
  await calls()
  test.app.refusals.flush()
  const logged = test.log.slice(lines).reduce((sum, line) => sum + Buffer.byteLength(line), 0)
  // The log is bounded for each minute, and a busy machine may take several.
  const minutes = Math.ceil((performance.now() - from) / 60_000)
  return { log: logged / 1_000 / minutes, disk: stored() - before }
}

/** By an address that has called nothing before. */
async function callRow(row: string, calls: number): Promise<void> {
  address += 1
  const stranger = `192.0.2.${address}`
  for (let index = 0; index < calls; index += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, more) => callOf(row, world, index + more))
    await Promise.all(batch.map((call) => send(call, stranger)))
  }
}

function expectWithin(cost: Omit<Budget, 'cpu'>, budget: Budget | undefined): void {
  expect(budget, 'add its budget to stranger-budgets.ts, and its call to stranger-calls.ts').toBeDefined()
  expect(cost.log, 'KB of log').toBeLessThanOrEqual(budget?.log ?? 0)
  expect(cost.disk, 'KB of disk').toBeLessThanOrEqual((budget?.disk ?? 0) + JOBS)
}

const rows = Object.keys(ROUTE_ACCESS)
const isPublic = (row: string) => {
  const [method = '', path = ''] = row.split(' ')
  const { access } = accessOf(method, path.replace('{api}', '/api'), '/api')
  return access !== 'admin' && access !== 'operator'
}

describe('1,000 calls of a stranger cost no more than their budget', () => {
  it.each(rows.filter(isPublic))('%s', async (row) => {
    expectWithin(await costOf(() => callRow(row, CALLS)), ROUTE_BUDGETS[row])
  })

  it.each(rows.filter((row) => !isPublic(row)))('%s, which refuses them', async (row) => {
    expectWithin(await costOf(() => callRow(row, 100)), REFUSED)
  })

  it.each(Object.keys(COMMAND_ACCESS[VISITOR_NAMESPACE]))('%s', async (command) => {
    expectWithin(await costOf(() => sendCommands(origin, command, world, CALLS)), COMMAND_BUDGETS[command])
  })
})

it('has no budget of what is no more', () => {
  expect(Object.keys(ROUTE_BUDGETS).toSorted()).toEqual(rows.filter(isPublic).toSorted())
  expect(Object.keys(COMMAND_BUDGETS)).toEqual(Object.keys(COMMAND_ACCESS[VISITOR_NAMESPACE]))
})
