import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { ADMIN_NAMESPACE, paths, SOCKET_PATH, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import WebSocket from 'ws'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { type MeasuredServer, quantile, type Result } from './benchmark.ts'
import { RawSocket } from './raw-socket.ts'
import {
  allowFiles,
  BENIGN,
  type Call,
  callAs,
  compared,
  figure,
  inParallel,
  logOf,
  megabytes,
  messageOf,
  post,
  type Run,
  readP99,
  readTimes,
  sizeOf,
  withServer,
} from './stranger-calls.ts'

const TYPING_SOCKETS = 390
const TOGGLES_PER_SECOND = 20
const UPGRADES_AT_ONCE = 20

export async function typing({ quick, start }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const seconds = quick ? 2 : 8
    const { accessToken } = await signInAsAdmin(server.origin)
    const admin = await RawSocket.connect(server.origin, ADMIN_NAMESPACE, { token: accessToken })
    let events = 0
    admin.onEvent = (name) => {
      if (name === 'typing:changed') events += 1
    }
    const perSecond = async (sockets: RawSocket[]) => {
      events = 0
      const toggles = seconds * TOGGLES_PER_SECOND
      for (let toggle = 0; toggle < toggles; toggle++) {
        for (const socket of sockets) socket.send('typing:set', { typing: toggle % 2 === 0 }, () => {})
        await wait(1_000 / TOGGLES_PER_SECOND)
      }
      return events / seconds
    }
    const known = newId()
    await callAs(BENIGN)(server, messageOf(known, 'Good morning'))
    const join = (clientId: string, localAddress: string) =>
      RawSocket.connect(server.origin, VISITOR_NAMESPACE, { clientId }, { localAddress })
    const visitor = await join(known, BENIGN)
    const reference = await perSecond([visitor])
    const attempts = Array.from({ length: TYPING_SOCKETS }, () =>
      join(newId(), '127.0.0.5').catch(() => null),
    )
    const crowd = (await Promise.all(attempts)).filter((socket) => socket !== null)
    try {
      return [
        compared(
          `typing: events that an admin receives, ${crowd.length} sockets without a message against one conversation`,
          '/s',
          await perSecond(crowd),
          reference,
        ),
      ]
    } finally {
      for (const socket of [admin, visitor, ...crowd]) socket.close()
    }
  })
}

/** Alternates sockets that no namespace accepts with upgrades that are refused because of their Origin. */
export async function refusedUpgrades({ quick, start }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const ms = quick ? 3_000 : 20_000
    const log = logOf(server)
    const perMinute = async (address: string, auth: object) => {
      await wait(500)
      Object.assign(log, { bytes: 0, lines: 0 })
      let attempts = 0
      const until = performance.now() + ms
      await Promise.all(
        Array.from({ length: UPGRADES_AT_ONCE }, async (_, index) => {
          while (performance.now() < until) {
            attempts += 1
            await connectAndAsk(server, address, auth, index % 2 === 0 ? undefined : 'https://evil.example')
          }
        }),
      )
      await wait(500)
      const factor = 60_000 / ms
      return `${megabytes(log.bytes * factor)}, ${Math.round(log.lines * factor)} lines, ${Math.round(attempts * factor)} connections`
    }
    const good = await perMinute(BENIGN, { clientId: newId() })
    const bad = await perMinute('127.0.0.8', { clientId: 'no id' })
    return [figure('refused upgrades: log in a minute', bad, `${good} with a good clientId`)]
  })
}

/** Connects, asks twenty times for the visitors' namespace, and leaves. */
function connectAndAsk(
  server: MeasuredServer,
  localAddress: string,
  auth: object,
  origin: string | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const url = `${server.origin.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`
    const ws = new WebSocket(url, {
      perMessageDeflate: false,
      localAddress,
      ...(origin === undefined ? {} : { origin }),
    })
    const ask = `40${VISITOR_NAMESPACE},${JSON.stringify(auth)}`
    let answers = 0
    ws.on('message', (data) => {
      const frame = String(data)
      if (frame.startsWith('0')) for (let i = 0; i < 20; i++) ws.send(ask)
      else if (++answers === 20) ws.terminate()
      // The socket was let in, so events follow.
      else if (frame.startsWith('40')) ws.terminate()
    })
    ws.on('error', () => {})
    ws.on('close', () => resolve())
  })
}

const CHANGES = 400
const DOWNLOADS = 40

const withNewKey = (call: Call): Call => ({
  ...call,
  headers: { ...call.headers, authorization: `Visitor ${randomBytes(32).toString('base64url')}` },
})

/** Lets one stranger send a new key with each call, in one conversation without a key. */
export async function newKeys({ start }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const { accessToken } = await signInAsAdmin(server.origin)
    const admin = await RawSocket.connect(server.origin, ADMIN_NAMESPACE, { token: accessToken })
    let facts = 0
    admin.onEvent = () => {
      facts += 1
    }
    const clientId = newId()
    const stranger = callAs('127.0.0.9')
    await stranger(server, messageOf(clientId, 'Hello'))
    await wait(500)
    facts = 0
    const counted = async (count: number, callOf: (index: number) => Call) => {
      let done = 0
      for (let index = 0; index < count; index++) {
        if ((await stranger(server, withNewKey(callOf(index)))).status === 200) done += 1
      }
      return done
    }
    const url = `${API_PREFIX}${paths.conversation(clientId)}`
    const alone = await readTimes(server, 5_000)
    const attack = async () => {
      const changes = await counted(CHANGES, (index) => ({
        ...post(`${url}/profile`, { name: `Sam ${index}` }),
        method: 'PATCH',
      }))
      await wait(500)
      const toAdmin = facts
      return { changes, toAdmin, downloads: await counted(DOWNLOADS, () => ({ path: `${url}/export` })) }
    }
    const [{ changes, toAdmin, downloads }, beside] = await Promise.all([attack(), readTimes(server, 5_000)])
    admin.close()
    return [
      figure('new keys: profile changes of one stranger', String(changes), `${CHANGES} tried`),
      figure('new keys: facts that an admin received of them', String(toAdmin)),
      figure('new keys: downloads', String(downloads), `${DOWNLOADS} tried`),
      readP99('new keys', beside, alone),
    ]
  })
}

/** Measures what one address makes the server log with a new key for each call: by marks, then by forms with an unnamed part. */
export async function logGrowth({ quick, start }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const ms = quick ? 3_000 : 20_000
    const log = logOf(server)
    const alone = await readTimes(server, ms / 4)
    const measure = async (what: string, address: string, call: Call) => {
      Object.assign(log, { bytes: 0, lines: 0 })
      let count = 0
      const until = performance.now() + ms
      const attack = inParallel(16, address, async (ask) => {
        while (performance.now() < until) {
          count += 1
          if ((await ask(server, withNewKey(call))).status === 429) await wait(10)
        }
      })
      const [, beside] = await Promise.all([attack, readTimes(server, ms)])
      // The line that counts the others comes at the end of their minute.
      const perMinute = (each: number) => (each * 60_000) / ms
      return [
        figure(
          `log: ${what}, in a minute`,
          megabytes(perMinute(log.bytes)),
          `${Math.round(perMinute(count))} requests`,
        ),
        readP99(`log: ${what}`, beside, alone),
      ]
    }
    const conversationOf = async (address: string) => {
      const clientId = newId()
      await callAs(address)(server, messageOf(clientId, 'Hello'))
      return `${API_PREFIX}${paths.conversation(clientId)}`
    }
    const marked = await conversationOf('127.0.0.10')
    await allowFiles(server)
    const unnamed: Call = {
      path: `${await conversationOf('127.0.0.11')}/files`,
      method: 'POST',
      type: 'multipart/form-data; boundary=x',
      body: '--x\r\nContent-Disposition: form-data; filename="x"\r\n\r\nx\r\n--x--\r\n',
    }
    return [
      ...(await measure('marks without effect', '127.0.0.10', post(`${marked}/read`, { seq: 1 }))),
      ...(await measure('forms with an unnamed part', '127.0.0.11', unnamed)),
    ]
  })
}

const CHINESE_LENGTH = 4_000
/** The search index may block the event loop for this long, as everything else may. */
const BLOCKED_MAX_MS = 20
const FLOODER = '127.0.0.9'
const ERASER = '127.0.0.10'

/** Hardly two texts share a pair of characters, so each text is as many new terms. */
const randomChinese = () =>
  String.fromCharCode(
    ...Array.from({ length: CHINESE_LENGTH }, () => 0x4e00 + Math.floor(Math.random() * 20_000)),
  )

/** Measures the search index while one address writes and erases, and while an admin searches. */
export async function searchIndex({ quick, start, dataDir }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const { accessToken } = await signInAsAdmin(server.origin)
    const idle = await during(server, () => wait(quick ? 2_000 : 10_000))
    const messages = quick ? 80 : 1_200
    const before = sizeOf(dataDir)
    const flood = await during(server, async () => {
      const call = callAs(FLOODER)
      const ids = Array.from({ length: 100 }, () => newId())
      for (let index = 0; index < messages; index++) {
        await call(server, messageOf(ids[index % ids.length] ?? '', randomChinese()))
      }
      await untilIndexed(server, accessToken)
    })
    const grown = (sizeOf(dataDir) - before) / (messages * CHINESE_LENGTH * 3)
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
      ...searchResults(`search: ${messages} messages of ${CHINESE_LENGTH} Chinese characters`, flood, idle),
      figure('search: growth of DATA_DIR by them', `${grown.toFixed(1)} times their text`),
      ...searchResults('search: writing 8 and erasing, in rounds', erasing, idle),
      ...searchResults('search: five searches of 100 times the same word', repeated, idle),
    ]
  })
}

interface Measured {
  p99: number
  blocked: number
}

function searchResults(what: string, { p99, blocked }: Measured, idle: Measured): Result[] {
  return [
    compared(`${what}: another visitor's message, p99`, 'ms', p99, idle.p99),
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
