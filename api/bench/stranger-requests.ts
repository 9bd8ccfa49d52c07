import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { paths } from '@proctorpass/shared/paths'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { type MeasuredServer, quantile, type Result } from './benchmark.ts'
import {
  BENIGN,
  type Call,
  callAs,
  compared,
  figure,
  inParallel,
  LONGEST_MESSAGE,
  MESSAGES,
  megabytes,
  messageOf,
  post,
  type Run,
  readP99,
  readTimes,
  sizeOf,
  timesOf,
  withServer,
} from './stranger-calls.ts'

const READERS = 20
const UNREAD_CONNECTIONS = 600
/** This is half as much again as an address's allowance, 12,000 a minute. */
const UNCACHED_PER_SECOND = 300
const POSTS_PER_SECOND = 100
/** Each stays below its limit of renders. */
const POST_READERS = 64

export async function pageBytes({ quick, start }: Run, ids: string[]): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const ms = quick ? 3_000 : 15_000
    const idle = await healthTimes(server, ms / 3)
    const health = healthTimes(server, ms)
    let given = 0
    let refused = 0
    let bytes = 0
    await inParallel(READERS, '127.0.0.3', async (call, reader) => {
      const until = performance.now() + ms
      for (let index = reader; performance.now() < until; index += READERS) {
        const path = `${API_PREFIX}${paths.conversation(ids[index % ids.length] ?? '')}?limit=${MESSAGES}`
        const answer = await call(server, { path })
        if (answer.status === 200) {
          given += 1
          bytes += answer.bytes
        } else {
          refused += 1
          await wait(10)
        }
      }
    })
    const attacked = await health
    const { accessToken } = await signInAsAdmin(server.origin)
    const list = await callAs(BENIGN)(server, {
      path: `${API_PREFIX}${paths.chat}?limit=${ids.length}`,
      headers: { authorization: `Bearer ${accessToken}` },
    })
    const compare = (share: number) =>
      compared(
        `page bytes: /healthz p${share * 100} while one address reads`,
        'ms',
        quantile(attacked, share),
        quantile(idle, share),
      )
    const perSecond = (count: number) => `${(count / (ms / 1_000)).toFixed(1)} /s`
    return [
      compare(0.5),
      compare(0.99),
      figure('page bytes: size of an answer', megabytes(bytes / given)),
      figure('page bytes: answers given, and refused', perSecond(given), `${perSecond(refused)} refused`),
      figure(`page bytes: the admin's list of ${ids.length} conversations`, megabytes(list.bytes)),
    ]
  })
}

export async function unreadConnections({ quick, start }: Run, ids: string[]): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const ms = quick ? 5_000 : 40_000
    const sockets: Socket[] = []
    // A page that was asked for once has compiled what the others use.
    await callAs(BENIGN)(server, {
      path: `${API_PREFIX}${paths.conversation(ids[0] ?? '')}?limit=${MESSAGES}`,
    })
    const before = await server.usage({ afterGc: true })
    let peak = 0
    const until = performance.now() + ms
    try {
      for (let i = 0; i < UNREAD_CONNECTIONS; i++) {
        const path = `${API_PREFIX}${paths.conversation(ids[i % ids.length] ?? '')}?limit=${MESSAGES}`
        const get = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
        // Nothing listens for its data, so nothing is ever read.
        const socket = connect({ host: '127.0.0.1', port: server.port, localAddress: '127.0.0.4' })
        socket.on('error', () => {})
        socket.write(get + get)
        sockets.push(socket)
        if (i % 50 === 49) await wait(20)
      }
      while (performance.now() < until) {
        peak = Math.max(peak, (await server.usage()).resident)
        await wait(250)
      }
      const after = await server.usage({ afterGc: true })
      const compare = (what: string, resident: number) =>
        compared(
          `unread connections: memory of the server, ${what}`,
          'MB',
          resident / 1e6,
          before.resident / 1e6,
        )
      return [
        compare('at its highest', peak),
        compare(`after ${ms / 1_000} s`, after.resident),
        figure(
          `unread connections: still open after ${ms / 1_000} s`,
          String(openConnections(server.port)),
          `${UNREAD_CONNECTIONS} opened`,
        ),
      ]
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })
}

export async function diskGrowth({ quick, start, dataDir }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const ms = quick ? 5_000 : 60_000
    const from = sizeOf(dataDir)
    const person = newId()
    for (let i = 0; i < 10; i++) {
      await callAs(BENIGN)(server, messageOf(person, `Message ${i} with a question`))
    }
    const benign = sizeOf(dataDir) - from
    const before = sizeOf(dataDir)
    const until = performance.now() + ms
    const ids = Array.from({ length: 120 }, () => newId())
    await inParallel(16, '127.0.0.6', async (call, writer) => {
      for (let index = writer; performance.now() < until; index += 16) {
        const id = ids[index % ids.length] ?? ''
        const contact = { email: 'a@example.com', title: 'x', message: `${'😀'.repeat(4_999)}.` }
        const write =
          index % 50 === 0 ? post(`${API_PREFIX}/contacts`, contact) : messageOf(id, LONGEST_MESSAGE)
        if ((await call(server, write)).status !== 201) await wait(10)
      }
    })
    return [
      compared(
        `disk: growth by one address in ${ms / 1_000} s against ten messages of a person`,
        'MB',
        (sizeOf(dataDir) - before) / 1e6,
        Math.max(benign, 4_096) / 1e6,
      ),
    ]
  })
}

export async function uncached({ quick, start }: Run): Promise<Result[]> {
  return withServer(start({ SERVE_WEB: 'true' }), async (server) => {
    const ms = quick ? 3_000 : 60_000
    const asks = (index: number): Call => {
      if (index % 3 === 0) return { path: `/no-such-page-${index}` }
      if (index % 3 === 1) return { path: `${API_PREFIX}/blogs?page=${1_000 + index}&perPage=15` }
      return {
        path: '/contact',
        method: 'POST',
        body: `email=${index}`,
        type: 'application/x-www-form-urlencoded',
      }
    }
    const reference = await paced(server, BENIGN, ms / 6, () => ({ path: '/' }))
    const attack = await paced(server, '127.0.0.7', ms, asks)
    return [
      compared(
        `uncached: processor time of the server at ${UNCACHED_PER_SECOND} requests a second against the home page`,
        's a minute',
        attack.cpuPerMinute,
        reference.cpuPerMinute,
      ),
      figure(
        'uncached: share of a core',
        `${((attack.cpuPerMinute / 60) * 100).toFixed(0)} %`,
        `${((reference.cpuPerMinute / 60) * 100).toFixed(0)} % for the home page`,
      ),
      figure(
        'uncached: refused',
        `${((attack.refused / attack.answered) * 100).toFixed(0)} % of ${attack.answered}`,
        `${reference.refused} of ${reference.answered}`,
      ),
    ]
  })
}

/** Sends requests on time, as long as not too many wait for their answers. */
async function paced(server: MeasuredServer, address: string, ms: number, call: (index: number) => Call) {
  const ask = callAs(address, 64)
  const before = await server.usage()
  const from = performance.now()
  let index = 0
  let answered = 0
  let refused = 0
  let waiting = 0
  while (performance.now() - from < ms) {
    const due = ((performance.now() - from) / 1_000) * UNCACHED_PER_SECOND
    while (index < due && waiting < 200) {
      index += 1
      waiting += 1
      ask(server, call(index))
        .then(
          ({ status }) => {
            answered += 1
            if (status === 429) refused += 1
          },
          () => {},
        )
        .finally(() => {
          waiting -= 1
        })
    }
    await wait(5)
  }
  const cpu = ((await server.usage()).cpu - before.cpu) / 1e6
  return { answered, refused, cpuPerMinute: (cpu * 60_000) / (performance.now() - from) }
}

/** Measures how many milliseconds another address waits for `/healthz`, fifty times a second. */
function healthTimes(server: MeasuredServer, ms: number): Promise<number[]> {
  const call = callAs(BENIGN)
  return timesOf(ms, 20, () => call(server, { path: '/healthz' }))
}

/** Asks the kernel for the number of established connections to a port of this machine. */
function openConnections(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return rows.filter((row) => {
    const [, address = '', , state] = row.trim().split(/\s+/)
    return address.endsWith(local) && state === '01'
  }).length
}

/** Compares random posts below `/blog/` with a cached page, at the same rate. */
export async function missingPosts({ quick, start }: Run): Promise<Result[]> {
  return withServer(start({ SERVE_WEB: 'true' }), async (server) => {
    const ms = quick ? 2_000 : 15_000
    const random = () => `/blog/${randomBytes(8).toString('hex').replace(/\d/g, 'x')}`
    const cached = await pacedReads(server, ms, 200, () => '/faq')
    const alone = await readTimes(server, ms)
    const [missing, beside] = await Promise.all([pacedReads(server, ms, 404, random), readTimes(server, ms)])
    return [
      compared(
        'missing posts: processor time of an answer against that of a cached page',
        'ms',
        missing.cpuMs,
        cached.cpuMs,
      ),
      figure('missing posts: size of an answer', kilobytes(missing.bytes), kilobytes(cached.bytes)),
      figure('missing posts: refused', String(missing.refused), `${missing.answered} asked`),
      readP99('missing posts', beside, alone),
    ]
  })
}

const kilobytes = (bytes: number) => `${(bytes / 1e3).toFixed(1)} KB`

async function pacedReads(server: MeasuredServer, ms: number, status: number, path: () => string) {
  const readers = Array.from({ length: POST_READERS }, (_, index) => callAs(`127.0.1.${index + 1}`))
  for (const ask of readers) await ask(server, { path: path() })
  const before = await server.usage()
  const from = performance.now()
  const pending: Promise<void>[] = []
  let bytes = 0
  let refused = 0
  for (let index = 0; performance.now() - from < ms; index++) {
    const answer = readers[index % POST_READERS]?.(server, {
      path: path(),
      headers: { 'accept-encoding': 'br' },
    })
    pending.push(
      Promise.resolve(answer).then((got) => {
        bytes += got?.bytes ?? 0
        if (got?.status === 429) refused += 1
        else if (got?.status !== status) throw new Error(`${got?.status} instead of ${status}`)
      }),
    )
    await wait(Math.max(0, from + (index * 1_000) / POSTS_PER_SECOND - performance.now()))
  }
  await Promise.all(pending)
  const answered = pending.length
  return {
    answered,
    refused,
    bytes: bytes / answered,
    cpuMs: ((await server.usage()).cpu - before.cpu) / 1e3 / answered,
  }
}
