import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ADMIN_NAMESPACE, paths } from '@proctorpass/shared/paths'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { type Comparison, type MeasuredServer, quantile, type Result } from './benchmark.ts'
import { RawSocket } from './raw-socket.ts'
import {
  BENIGN,
  type Call,
  callAs,
  figure,
  inParallel,
  megabytes,
  messageOf,
  post,
  type Run,
  withServer,
} from './stranger-calls.ts'

const CHANGES = 400
const DOWNLOADS = 40
const POSTS_PER_SECOND = 100
/** Each stays below its limit of renders. */
const POST_READERS = 64

const withNewKey = (call: Call): Call => ({
  ...call,
  headers: { ...call.headers, authorization: `Visitor ${randomBytes(32).toString('base64url')}` },
})

/** One stranger in one conversation without a key, with a new key for each call. */
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

/** Random posts below `/blog/` against a cached page, at the same rate. */
export async function missingPosts({ quick, start }: Run): Promise<Result[]> {
  return withServer(start({ SERVE_WEB: 'true' }), async (server) => {
    const ms = quick ? 2_000 : 15_000
    const random = () => `/blog/${randomBytes(8).toString('hex').replace(/\d/g, 'x')}`
    const cached = await pacedReads(server, ms, 200, () => '/faq')
    const alone = await readTimes(server, ms)
    const [missing, beside] = await Promise.all([pacedReads(server, ms, 404, random), readTimes(server, ms)])
    return [
      {
        kind: 'comparison',
        what: 'missing posts: processor time of an answer against that of a cached page',
        unit: 'ms',
        subject: [missing.cpuMs],
        reference: [cached.cpuMs],
      },
      figure('missing posts: size of an answer', kilobytes(missing.bytes), kilobytes(cached.bytes)),
      figure('missing posts: refused', String(missing.refused), `${missing.answered} asked`),
      readP99('missing posts', beside, alone),
    ]
  })
}

/** What one address makes the server log, with a new key for each call: marks, then forms with an unnamed part. */
export async function logGrowth({ quick, start }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const ms = quick ? 3_000 : 20_000
    let log = 0
    for (const stream of [server.child.stdout, server.child.stderr]) {
      stream?.on('data', (text: string) => {
        log += Buffer.byteLength(text)
      })
    }
    const alone = await readTimes(server, ms / 4)
    const measure = async (what: string, address: string, call: Call) => {
      log = 0
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
          megabytes(perMinute(log)),
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

async function allowFiles(server: MeasuredServer): Promise<void> {
  const { accessToken } = await signInAsAdmin(server.origin)
  const url = `${server.origin}${API_PREFIX}/settings`
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  const settings = (await (await fetch(url, { headers })).json()) as object
  const body = JSON.stringify({ ...settings, files: true })
  const { status } = await fetch(url, { method: 'PUT', headers, body })
  if (status !== 200) throw new Error(`settings: ${status}`)
}

/** Milliseconds of another visitor's reads, ten a second. */
async function readTimes(server: MeasuredServer, ms: number): Promise<number[]> {
  const call = callAs(BENIGN)
  const clientId = newId()
  await call(server, messageOf(clientId, 'Good morning'))
  const times: number[] = []
  const until = performance.now() + ms
  while (performance.now() < until) {
    const from = performance.now()
    await call(server, { path: `${API_PREFIX}${paths.conversation(clientId)}?after=0` })
    times.push(performance.now() - from)
    await wait(100)
  }
  return times
}

function readP99(what: string, beside: number[], alone: number[]): Comparison {
  return {
    kind: 'comparison',
    what: `${what}: p99 of another visitor's reads meanwhile`,
    unit: 'ms',
    subject: [quantile(beside, 0.99)],
    reference: [quantile(alone, 0.99)],
  }
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
