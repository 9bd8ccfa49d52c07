import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { ADMIN_NAMESPACE } from '@proctorpass/shared/paths'
import { hashOfKey } from '../src/auth/visitor-key.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import {
  AS_STARTED,
  type Benchmark,
  leftOut,
  type MeasuredServer,
  quantile,
  type Start,
  startBareHub,
  startProduct,
} from './benchmark.ts'
import { type Client, clock, KeptSocket } from './kept-socket.ts'
import type { RawSocket } from './raw-socket.ts'
import type { Back, Order, Person, Report } from './storm-load.ts'

const LOAD = fileURLToPath(new URL('./storm-load.ts', import.meta.url))
const LOADS = 2
const ADMINS = 5
/** One of the admins writes to one of the visitors. */
const EVERY_MS = 10
/** An admin's pause after a refusal. */
const RETRY_MS = 1_000
/** How long they write before the kill. */
const BEFORE_MS = 1_000

interface Side {
  client: Client
  /** How long messages may take after all visitors are back. Socket.IO never delivers what it lost. */
  patienceMs: number
  start: Start
  fill(dataDir: string, people: readonly Person[]): Promise<void>
  /** Resolves to an admin's token, once the server has derived what it derives from messages. */
  token(server: MeasuredServer): Promise<string>
}

const product: Side = {
  client: 'engine',
  patienceMs: 60_000,
  start: (dataDir, env, port) => startProduct(dataDir, { ...AS_STARTED, ...env }, port),
  /** Each visitor has written, and an admin has read and answered. */
  async fill(dataDir, people) {
    const { storage } = await openStores({ dataDir })
    let at = Date.now() - 86_400_000
    const message = 'A sentence of about the length that people write about their exam.'
    const write = (senderId: string) => (person: Person) =>
      storage.messages.append({
        clientId: person.clientId,
        senderId: senderId || person.clientId,
        message,
        nonce: newId(),
        at: at++,
        keyHash: hashOfKey(person.key),
      })
    await Promise.all(people.map(write('')))
    await Promise.all(people.map(write('0'.repeat(24))))
    await Promise.all(people.map(({ clientId }) => storage.conversations.markRead(clientId, 'admin', 2)))
    await storage.close()
  },
  async token({ origin }) {
    const { accessToken } = await signInAsAdmin(origin)
    const headers = { authorization: `Bearer ${accessToken}` }
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    for (const path of [`${adminPaths.search}?q=sentence`, `${adminPaths.reports}?from=${day}&to=${day}`]) {
      for (;;) {
        const answer = await fetch(origin + API_PREFIX + path, { headers })
        if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
        if (((await answer.json()) as { indexing?: boolean }).indexing !== true) break
        await wait(500)
      }
    }
    return accessToken
  },
}

const socketIo: Side = {
  client: 'socket.io',
  patienceMs: 10_000,
  start: startBareHub,
  fill: async () => {},
  token: async () => '',
}

interface Sent {
  clientId: string
  text: string
  nonce: string
  typedAt: number
  ackedAt: number | null
}

/** An admin who writes. With the engine, what is not acknowledged is sent again when the connection is back. */
class Admin {
  readonly sent: Sent[] = []
  /** When the connection was up again after the kill. */
  backAt = Number.POSITIVE_INFINITY
  readonly #kept: KeptSocket
  /** What Socket.IO's client keeps while there is no connection, and the engine until it is acknowledged. */
  #waiting: Sent[] = []
  readonly #isEngine: boolean

  constructor(origin: string, client: Client, token: string) {
    this.#isEngine = client === 'engine'
    this.#kept = new KeptSocket({
      ...{ client, origin, namespace: ADMIN_NAMESPACE, auth: { token }, localAddress: '127.0.0.1' },
      onUp: (socket) => {
        this.backAt = clock()
        const due = this.#waiting
        this.#waiting = []
        for (const message of due) this.#send(socket, message)
      },
    })
  }

  open = () => this.#kept.open()
  close = () => this.#kept.close()

  write(clientId: string): void {
    const typedAt = clock()
    const message = { clientId, text: String(typedAt), nonce: newId(), typedAt, ackedAt: null }
    this.sent.push(message)
    this.#deliver(message)
  }

  #deliver(message: Sent): void {
    if (this.#kept.socket === null) this.#waiting.push(message)
    else this.#send(this.#kept.socket, message)
  }

  #send(socket: RawSocket, message: Sent): void {
    if (this.#isEngine) this.#waiting.push(message)
    const { clientId, text, nonce } = message
    socket.send('message:send', { clientId, message: text, nonce }, (ok) => {
      this.#waiting = this.#waiting.filter((each) => each !== message)
      if (ok) message.ackedAt ??= clock()
      // After a long time without a server, more waits than a socket may send at once.
      else setTimeout(() => this.#deliver(message), RETRY_MS)
    })
  }
}

async function answerOf<T>(child: ChildProcess, order: Order): Promise<T> {
  const answer = once(child, 'message')
  child.send(order)
  return ((await answer) as [T])[0]
}

async function play({ client, patienceMs, start, fill, token }: Side, count: number) {
  const dir = temporaryDir('bench')
  const people = Array.from({ length: count }, (_, index) => ({
    clientId: newId(),
    key: randomBytes(32).toString('base64url'),
    localAddress: `127.1.${index >> 8}.${index & 255}`,
  }))
  await fill(dir.path, people)
  const loads = Array.from({ length: LOADS }, () =>
    fork(LOAD, { execArgv: ['--disable-warning=ExperimentalWarning'] }),
  )
  let server = await start(dir.path, { RATE_LIMITS: 'on' })
  const { origin, port } = server
  const admins: Admin[] = []
  let writing: NodeJS.Timeout | undefined
  try {
    const adminToken = await token(server)
    for (let i = 0; i < ADMINS; i++) admins.push(new Admin(origin, client, adminToken))
    await Promise.all(admins.map((admin) => admin.open()))
    await Promise.all(
      loads.map((load, index) =>
        answerOf(load, { origin, client, people: people.filter((_, at) => at % LOADS === index) }),
      ),
    )
    let written = 0
    writing = setInterval(() => {
      const { clientId } = people[Math.floor(Math.random() * count)] as Person
      admins[written++ % ADMINS]?.write(clientId)
    }, EVERY_MS)
    await wait(BEFORE_MS)
    const backs = loads.map((load) => answerOf<Back>(load, 'killed'))
    const killedAt = clock()
    await server.stop('SIGKILL')
    server = await start(dir.path, { RATE_LIMITS: 'on' }, port)
    const readyMs = clock() - killedAt
    const back = (await Promise.all(backs)).flatMap((each) => each.back).map((at) => at - killedAt)
    const { cpu, blocked } = await server.usage()
    clearInterval(writing)
    const sent = admins.flatMap((admin) => admin.sent)
    const allBackAt = killedAt + Math.max(...back)
    const reports = await untilComplete(loads, sent, patienceMs)
    const shown = Object.assign({}, ...reports.map((report) => report.shown)) as Report['shown']
    const timesShown = sent.map(
      ({ clientId, text }) => shown[clientId]?.filter((each) => each === text).length ?? 0,
    )
    /** What was typed while the connection of its admin was up and visitors came back. */
    const meanwhile = admins.flatMap(({ sent, backAt }) =>
      sent.filter(({ typedAt }) => typedAt > Math.max(backAt, killedAt) && typedAt < allBackAt),
    )
    const typed = new Set(meanwhile.map(({ typedAt }) => typedAt))
    return {
      readyMs,
      back,
      adminsBackMs: Math.max(...admins.map(({ backAt }) => backAt)) - killedAt,
      acks: meanwhile.map(({ typedAt, ackedAt }) => (ackedAt ?? Number.POSITIVE_INFINITY) - typedAt),
      pushes: reports.flatMap(({ pushed }) =>
        pushed.filter(([typedAt]) => typed.has(typedAt)).map(([typedAt, at]) => at - typedAt),
      ),
      sent: sent.length,
      missing: timesShown.filter((times) => times === 0).length,
      twice: timesShown.filter((times) => times > 1).length,
      cpu,
      blocked,
    }
  } finally {
    clearInterval(writing)
    for (const admin of admins) admin.close()
    for (const load of loads) load.kill('SIGKILL')
    await server.stop('SIGKILL')
    dir.remove()
  }
}

/** Asks what visitors show until everything is shown, or for `patienceMs`. */
async function untilComplete(
  loads: readonly ChildProcess[],
  sent: readonly Sent[],
  patienceMs: number,
): Promise<Report[]> {
  for (const until = clock() + patienceMs; ; await wait(200)) {
    const reports = await Promise.all(loads.map((load) => answerOf<Report>(load, 'report')))
    const shown = new Set(reports.flatMap((report) => Object.values(report.shown)).flat())
    if (sent.every(({ text }) => shown.has(text)) || clock() > until) return reports
  }
}

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`
const spread = (values: readonly number[]) =>
  values.length === 0 ? 'none' : `p50 ${ms(quantile(values, 0.5))}, p99 ${ms(quantile(values, 0.99))}`

function told(outcome: Awaited<ReturnType<typeof play>>): string {
  const { readyMs, back, adminsBackMs, acks, pushes, sent, missing, twice, cpu, blocked } = outcome
  const seconds = (value: number) => `${(value / 1_000).toFixed(2)} s`
  return [
    `server ready after ${seconds(readyMs)}`,
    `admins back after ${seconds(adminsBackMs)}`,
    `visitors p50 ${seconds(quantile(back, 0.5))}, all after ${seconds(Math.max(...back))}`,
    `${acks.length} messages meanwhile: acknowledged ${spread(acks)}, at a visitor who is back ${spread(pushes)}`,
    `${sent} messages, ${missing} missing, ${twice} twice`,
    `server ${seconds(cpu / 1_000)} of processor time, blocked for ${ms(blocked)} at most`,
  ].join('; ')
}

/** Kills a server and starts it again: all visitors connect again at once, and admins write meanwhile. */
export const storm: Benchmark = {
  name: 'storm',
  onlyByName: true,
  async run({ quick }) {
    if (process.platform !== 'linux') return leftOut('storm', 'it needs the addresses of 127.0.0.0/8 (Linux)')
    const count = quick ? 1_000 : 10_000
    const what = `${count.toLocaleString('en')} visitors whose server is killed`
    const ours = await play(product, count)
    const theirs = await play(socketIo, count)
    return [
      {
        kind: 'finding',
        what: `${what}: product`,
        value: told(ours),
        aim: 'all back and current in 10 s, p99 under 500 ms, each message once',
        met:
          Math.max(...ours.back) < 10_000 &&
          ours.acks.length > 0 &&
          quantile(ours.acks, 0.99) < 500 &&
          ours.missing + ours.twice === 0,
      },
      { kind: 'figure', what: `${what}: Socket.IO`, value: told(theirs), against: '' },
    ]
  },
}
