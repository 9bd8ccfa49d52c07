/**
 * The fault test of several nodes: two servers on one MongoDB and one Redis behind a balancer, people with the
 * browser's chat engine on bad networks, and each process is ended once, also between upload and message. Then
 * everything is read back, from both nodes and from the store itself: each acknowledged message is stored exactly once
 * with its files, in the order of typing, without a gap, and the totals agree. Nothing remains of erased conversations.
 * The second node's clock is 45 seconds slow. Decisions follow from the seed, their timing does not.
 *
 *   node api/test/faults/nodes.ts [--long] [--seed N] [--clients N]
 *
 * It starts a MongoDB server, because it ends it: a real one if available, else the stand-in of MONGODB_STAND_IN. One
 * that only MONGODB_TEST_URL names is cut off instead. Redis comes from the PATH.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { SOCKET_PATH, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { io } from 'socket.io-client'
import { newId, signInWhenReady, untilAnswered } from '../chat-client.ts'
import { BUNDLE, type ServerProcess, startServer, temporaryDir } from '../server-process.ts'
import { hasRedis, startRedis } from '../servers/redis-process.ts'
import { type Cut, TcpProxy } from '../tcp-proxy.ts'
import { openBalancer } from './balancer.ts'
import { checkReports } from './check-reports.ts'
import {
  allowFilesAndRatings,
  betweenUploadAndMessage,
  checkFaults,
  checkViews,
  countRows,
  report,
  settle,
} from './crowd.ts'
import { MARK } from './erased-conversation.ts'
import { checkErasing } from './erasing.ts'
import { FILE_KINDS } from './files.ts'
import { checkLogs } from './inbox-log.ts'
import { Ledger } from './ledger.ts'
import { Mailbox } from './mailbox.ts'
import { type BadNetwork, openBadNetwork } from './network-faults.ts'
import { Admin, Visitor } from './people.ts'
import { createRandom } from './random.ts'
import { checkBytes, checkConversations, readByRest } from './read-back.ts'
import { checkDocuments, collectionsWith, readDelivery } from './read-store.ts'
import { checkScheduled } from './scheduled.ts'
import { cutWrites, leaveOut, startStore } from './store.ts'
import { checkWebhooks, openReceiver } from './webhooks.ts'

const { values: options } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20261121' },
    clients: { type: 'string' },
  },
})
const seed = Number(options.seed)
const clients = Number(options.clients ?? (options.long ? 100 : 20))
if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number')
if (!Number.isSafeInteger(clients) || clients < 4) throw new Error('--clients must be at least 4')
// Ends through the exit handlers, which end the servers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const ADMINS = 3
const ROUNDS = options.long ? 4 : 1
/** A stand-in for MongoDB does at best some hundred writes a second. */
const SLOWNESS = options.long ? 12 : 6
/** Within the tolerance of tokens and sessions (CLOCK_SKEW_MS), and longer than the time between two messages. */
const WRONG_BY_MS = -45_000
const MOVED_CLOCK = fileURLToPath(new URL('../moved-clock.ts', import.meta.url))
/** A server that takes longer to end hangs: it limits itself to nine seconds, and a busy machine is slower. */
const HANGS_MS = 60_000
const REACHES_MS = 60_000

const store = await startStore(2)
if (store === null || !(await hasRedis())) {
  leaveOut('Fault test of several nodes: it needs MongoDB and redis-server')
  if (process.env.CI) process.exitCode = 1
  process.exit()
}
const redis = await startRedis()
const dir = temporaryDir('nodes')
const ledger = new Ledger()
const receiver = await openReceiver()
const mailbox = await Mailbox.open(ledger, 'Fault test of several nodes')
const plan = createRandom(seed, 'plan')
const jwtSecret = randomBytes(32).toString('hex')

/** One of the two servers: ended and started again, on the same port and with the same proxy to the store. */
class Node {
  readonly name: string
  readonly proxy: TcpProxy
  readonly #wrongByMs: number
  #server: ServerProcess | null = null

  constructor(name: string, proxy: TcpProxy, wrongByMs: number) {
    this.name = name
    this.proxy = proxy
    this.#wrongByMs = wrongByMs
  }

  get server(): ServerProcess {
    if (this.#server === null) throw new Error(`node ${this.name} was never started`)
    return this.#server
  }

  /** As a service manager does: a node that cannot prepare its store on a busy machine ends, and is started again. */
  async start(): Promise<void> {
    this.#server = await untilAnswered(
      () => this.#start(),
      ({ message }) => message.includes("The server can't start:"),
    )
  }

  #start(): Promise<ServerProcess> {
    return startServer({
      entry: BUNDLE,
      dataDir: dir.path,
      port: this.#server?.port,
      execArgv: ['--import', MOVED_CLOCK],
      env: {
        MONGODB_URL: (store as NonNullable<typeof store>).urlThrough(this.proxy),
        REDIS_URL: redis.url,
        JWT_SECRET: jwtSecret,
        WEBHOOK_HOSTS: receiver.host,
        ...mailbox?.env,
        CLOCK_AHEAD_MS: String(this.#wrongByMs),
      },
    })
  }

  async kill(): Promise<void> {
    this.checkAlive()
    const strike = async () => {
      ledger.counts.killedBetween += ledger.waitingUploads
      await this.server.stop('SIGKILL')
    }
    await betweenUploadAndMessage(ledger, () =>
      // The node whose clock is ahead reads the mailbox.
      this === a && mailbox !== null ? mailbox.betweenMails(this.server.origin, strike) : strike(),
    )
    await this.start()
  }

  async roll(): Promise<void> {
    this.checkAlive()
    const { code, ms } = await this.server.stop('SIGTERM')
    if (code !== 0 || ms > HANGS_MS) {
      ledger.violation(
        `after SIGTERM node ${this.name} took ${Math.round(ms)} ms and ended with ${code}:\n${this.server.output()}`,
      )
    }
    await this.start()
  }

  checkAlive(): void {
    const { exitCode, signalCode } = this.server.child
    if (exitCode !== null || signalCode !== null) {
      ledger.violation(`node ${this.name} ended by itself:\n${this.server.output().slice(-2_000)}`)
    }
  }
}

const [proxyA, proxyB] = store.proxies as [TcpProxy, TcpProxy]
const a = new Node('A', proxyA, 0)
const b = new Node('B', proxyB, WRONG_BY_MS)

type Fault = [title: string, strike: () => Promise<unknown>]
const short: Fault[] = [
  ['node A is killed', () => a.kill()],
  ['Redis is killed', () => outage(() => redis.stop('SIGKILL'), redis.start)],
  ['the connections of both nodes to the store are cut in the middle of writes', cutConnections],
  ['node B is killed', () => b.kill()],
  ['the store is stopped', () => outage(() => store.stop('SIGTERM'), store.start)],
  ['node A is ended by SIGTERM', () => a.roll()],
  ['conversations are erased while node A is killed', eraseConversations],
]
const long: Fault[] = [
  ['the store is killed', () => outage(() => store.stop('SIGKILL'), store.start)],
  [
    'Redis is stuck',
    () =>
      outage(
        async () => redis.freeze(),
        async () => redis.thaw(),
      ),
  ],
  [
    'node A is stuck',
    () =>
      outage(
        async () => a.server.child.kill('SIGSTOP'),
        async () => a.server.child.kill('SIGCONT'),
      ),
  ],
  [
    "node B's network to the store discards everything",
    () =>
      outage(
        async () => proxyB.silence(),
        async () => proxyB.endSilence(),
      ),
  ],
  ['node B is ended by SIGTERM', () => b.roll()],
]
const { elect } = store
if (elect !== null) short.push(['the store holds an election', elect])
else leaveOut(`Fault test of several nodes > the store holds an election: no replica set (${store.name})`)

async function outage(begin: () => Promise<unknown>, end: () => Promise<unknown>): Promise<void> {
  await begin()
  await pause(plan.integer(500, options.long ? 6_000 : 1_500))
  await end()
}

async function cutConnections(): Promise<void> {
  const cuts: Cut[] = ['before the request', 'before the reply', 'before the reply']
  if (options.long) cuts.push('before the reply', 'before the request', 'before the reply')
  for (const { proxy } of [a, b]) cutWrites(proxy, ...cuts)
  await pause(1_500)
  // A node that starts later must not meet them: one that cannot prepare its store ends, as it should.
  for (const { proxy } of [a, b]) cutWrites(proxy)
}

let erased = 0
async function eraseConversations() {
  const { url } = store as NonNullable<typeof store>
  // A slow store would do the crowd's work first, and there would be the more of it the longer this takes.
  const crowdWrites = (isWriting: boolean) => {
    for (const person of people) person.write(isWriting)
  }
  crowdWrites(false)
  erased += await checkErasing({
    ledger,
    origins: [a.server.origin, b.server.origin],
    async kill() {
      crowdWrites(true)
      await a.server.stop('SIGKILL')
      await a.start()
      crowdWrites(false)
    },
    remains: () => collectionsWith(url, MARK),
  })
  crowdWrites(true)
}

function inAnyOrder(faults: Fault[]): Fault[] {
  return faults
    .map((fault) => ({ fault, place: plan.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ fault }) => fault)
}

/** Whether a message that is sent to one node is pushed to a socket of the other. */
async function reaches(from: Node, to: Node): Promise<boolean> {
  const clientId = newId()
  const connect = ({ server }: Node) =>
    io(server.origin + VISITOR_NAMESPACE, {
      path: SOCKET_PATH,
      transports: ['websocket'],
      forceNew: true,
      auth: { clientId },
    })
  const listener = connect(to)
  const sender = connect(from)
  let hasArrived = false
  listener.on('message:created', () => {
    hasArrived = true
  })
  try {
    for (
      const until = performance.now() + REACHES_MS;
      performance.now() < until && !hasArrived;
      await pause(500)
    ) {
      sender.emit('message:send', { nonce: newId(), message: 'Does this arrive?' }, () => {})
    }
    return hasArrived
  } finally {
    listener.disconnect()
    sender.disconnect()
  }
}

console.log(`Faults of several nodes: seed ${seed}, ${clients} clients, ${ROUNDS} rounds, on ${store.name}.`)
const from = performance.now()
await Promise.all([a.start(), b.start()])
let { accessToken } = await signInWhenReady(a.server.origin)
await allowFilesAndRatings(a.server.origin, accessToken)
await receiver.subscribe(a.server.origin, accessToken)
await mailbox?.begin(a.server.origin, { dataDir: dir.path, mongodbUrl: store.url })
const balancer = await openBalancer([a.server.port, b.server.port])

const networks: BadNetwork[] = []
const noSockets = await TcpProxy.open(balancer.port)
noSockets.refuse()
const people = await Promise.all(
  Array.from({ length: clients }, async (_, index) => {
    const isAdmin = index < ADMINS
    const browser = `${isAdmin ? 'admin' : 'visitor'} ${index + 1}`
    const randomFor = (purpose: string) => createRandom(seed, `${browser} ${purpose}`)
    const network = await openBadNetwork(balancer.port, randomFor('connections'), ledger)
    networks.push(network)
    const socketOrigin = index % 4 === 1 ? noSockets.origin : network.origin
    const person = {
      browser,
      network,
      socketOrigin,
      randomFor,
      ledger,
      slowness: SLOWNESS,
      fileKinds: FILE_KINDS,
    }
    return isAdmin ? Admin.signIn(person, a.server.origin) : Visitor.open(person)
  }),
)
for (const person of people) person.start()

let faults = 0
let printed = 0
for (let round = 0; round < ROUNDS; round++) {
  for (const [title, strike] of options.long ? inAnyOrder([...short, ...long]) : short) {
    await pause(plan.integer(500, 1_000))
    await strike()
    faults += 1
    const { typed, acknowledged, violations } = ledger
    const seconds = Math.round((performance.now() - from) / 1000)
    console.log(
      `${seconds} s: ${title}; ${typed.length} typed, ${acknowledged.size} acknowledged, ${violations.length} violations.`,
    )
    for (const violation of violations.slice(printed)) console.log(`  ${violation}`)
    printed = violations.length
  }
}

await mailbox?.settle(a.server.origin)
accessToken = (await signInWhenReady(a.server.origin)).accessToken
await settle(people, networks, ledger, () => readByRest(a.server.origin, accessToken))
checkFaults(ledger)
// On a busy machine the first one expires meanwhile.
accessToken = (await signInWhenReady(a.server.origin)).accessToken
noSockets.close()
for (const node of [a, b]) node.checkAlive()

const readBack = await readByRest(a.server.origin, accessToken)
const tally = checkConversations(ledger, readBack)
checkLogs(ledger, readBack)
const later = checkScheduled(ledger, readBack)
mailbox?.check(readBack)
checkViews(people, readBack, ledger)
if (!isDeepStrictEqual(await readByRest(b.server.origin, accessToken), readBack)) {
  ledger.violation('the two nodes do not answer the same')
}
const files = await checkBytes(people, readBack, [a.server.origin, b.server.origin], ledger)
if (files !== tally.files) ledger.violation(`${files} files were read of ${tally.files}`)
const deliveryState = () => readDelivery(store.url)
const events = await checkWebhooks(ledger, b.server.origin, accessToken, receiver, readBack, deliveryState)
const episodes = await checkReports(ledger, [a.server.origin, b.server.origin], readBack, erased)
const documents = await checkDocuments(store.url, ledger)
const known = ledger.acknowledged.size + later.sent
if (documents !== known) {
  ledger.violation(`${known} messages were acknowledged or scheduled, and ${documents} are stored`)
}
for (const [one, other] of [
  [a, b],
  [b, a],
] as const) {
  if (!(await reaches(one, other)))
    ledger.violation(`node ${other.name} does not push messages that are sent to node ${one.name}`)
}
const crash = store.crash() ?? redis.crash
if (crash !== null) ledger.violation(crash)

report(
  [
    ...countRows(ledger),
    ['stored', documents],
    ['files stored and read back', files],
    ['scheduled messages sent', later.sent],
    ['canceled', later.canceled],
    ['of these by a message of the visitor', later.byVisitor],
    ['conversations', readBack.conversations.size],
    ['episodes, each in the reports', episodes],
    ['events, each received', events],
    ['events refused at first', receiver.refusedOnce.size],
    ['events received again', receiver.repeated()],
    ...(mailbox?.rows() ?? []),
    ['faults', faults],
    ['writes cut on their way to the store or back', proxyA.cuts + proxyB.cuts],
    ['lost', tally.lost],
    ['duplicated', tally.duplicated],
    ['out of order', tally.outOfOrder],
    ['gaps', tally.gaps],
  ],
  ledger,
  seed,
)
console.log(`${Math.round((performance.now() - from) / 1000)} s`)

balancer.close()
await receiver.close()
await mailbox?.close()
await Promise.all([a.server.stop('SIGKILL'), b.server.stop('SIGKILL')])
await store.close()
await redis.close()
dir.remove()
