import { setTimeout as wait } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { type MeasuredServer, quantile, type Result } from './benchmark.ts'
import { BENIGN, callAs, figure, messageOf, type Run, withServer } from './stranger-calls.ts'
import { sizeOf } from './stranger-requests.ts'

const LENGTH = 4_000
/** What the search index may hold the event loop for, as everything else does. */
const BLOCKED_MAX_MS = 20
const FLOOD = '127.0.0.9'
const ERASER = '127.0.0.10'

/** No two of them have many pairs of characters in common: each is as many new terms. */
const randomChinese = () =>
  String.fromCharCode(...Array.from({ length: LENGTH }, () => 0x4e00 + Math.floor(Math.random() * 20_000)))

/** What one address makes the search index do: writing, erasing, and searches of an admin meanwhile. */
export async function searchIndex({ quick, start, dataDir }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const { accessToken } = await signInAsAdmin(server.origin)
    const idle = await during(server, () => wait(quick ? 2_000 : 10_000))
    const messages = quick ? 80 : 1_200
    const before = sizeOf(dataDir)
    const flood = await during(server, async () => {
      const call = callAs(FLOOD)
      const ids = Array.from({ length: 100 }, () => newId())
      for (let index = 0; index < messages; index++) {
        await call(server, messageOf(ids[index % ids.length] ?? '', randomChinese()))
      }
      await untilIndexed(server, accessToken)
    })
    const grown = (sizeOf(dataDir) - before) / (messages * LENGTH * 3)
    const erasing = await during(server, async () => {
      const call = callAs(ERASER)
      for (let round = 0; round < (quick ? 5 : 60); round++) {
        const clientId = newId()
        for (let index = 0; index < 8; index++) await call(server, messageOf(clientId, randomChinese()))
        await call(server, { path: `${API_PREFIX}${paths.conversation(clientId)}`, method: 'DELETE' })
      }
      await untilIndexed(server, accessToken)
    })
    const repeated = await during(server, async () => {
      const path = `${API_PREFIX}${adminPaths.search}?${new URLSearchParams({ q: 'a '.repeat(100) })}`
      const headers = { authorization: `Bearer ${accessToken}` }
      const call = callAs(BENIGN, 5)
      await call(server, messageOf(newId(), 'a '.repeat(2_000)))
      await Promise.all(Array.from({ length: 5 }, () => call(server, { path, headers })))
    })
    return [
      ...results(`search: ${messages} messages of ${LENGTH} Chinese characters`, flood, idle),
      figure('search: growth of DATA_DIR by them', `${grown.toFixed(1)} times their text`),
      ...results('search: writing 8 and erasing, in rounds', erasing, idle),
      ...results('search: five searches of 100 times the same word', repeated, idle),
    ]
  })
}

interface Measured {
  p99: number
  blocked: number
}

function results(what: string, { p99, blocked }: Measured, idle: Measured): Result[] {
  return [
    {
      kind: 'comparison',
      what: `${what}: another visitor's message, p99`,
      unit: 'ms',
      subject: [p99],
      reference: [idle.p99],
    },
    figure(
      `${what}: longest block of the event loop`,
      `${blocked.toFixed(0)} ms`,
      `${idle.blocked.toFixed(0)} ms without it, aim ${BLOCKED_MAX_MS} ms for work of the index`,
    ),
  ]
}

/** Another visitor writes about ten messages a second meanwhile. */
async function during(server: MeasuredServer, action: () => Promise<unknown>): Promise<Measured> {
  await server.usage({ afterGc: true })
  await wait(100)
  await server.usage()
  const times: number[] = []
  let isOver = false
  const visitor = (async () => {
    const call = callAs(BENIGN)
    const ids = Array.from({ length: 20 }, () => newId())
    for (let index = 0; !isOver; index++) {
      const from = performance.now()
      const { status } = await call(
        server,
        messageOf(ids[index % ids.length] ?? '', `A short message ${index}`),
      )
      if (status === 201) times.push(performance.now() - from)
      await wait(100)
    }
  })()
  await action()
  isOver = true
  await visitor
  return {
    p99: times.length === 0 ? Number.NaN : quantile(times, 0.99),
    blocked: (await server.usage()).blocked,
  }
}

async function untilIndexed(server: MeasuredServer, accessToken: string): Promise<void> {
  const path = `${API_PREFIX}${adminPaths.search}?q=nothing`
  for (;;) {
    const answer = await fetch(server.origin + path, { headers: { authorization: `Bearer ${accessToken}` } })
    if (((await answer.json()) as { indexing?: boolean }).indexing === undefined) return
    await wait(1_000)
  }
}
