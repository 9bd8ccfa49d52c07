/**
 * The fault test of several nodes: two servers on one MongoDB and one Redis behind a balancer, people on bad lines,
 * and everything is ended in turn. Then all of it is read back, from both nodes and from the store itself: each
 * acknowledged message stands exactly once, in the order in which it was typed, without a hole, and the totals agree.
 * The second node's clock is 45 seconds slow. Decisions follow from the seed; what the clock makes of them does not.
 *
 *   node api/test/faults/nodes.ts [--long] [--seed N] [--clients N]
 *
 * It starts a MongoDB server of its own, because it ends it: a real one where there is one, else the stand-in of
 * MONGODB_STAND_IN. One that only MONGODB_TEST_URL names is cut off instead. Redis comes from the PATH.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { LeanSocket, newId, signInAsAdmin } from '../chat-client.ts'
import { type ServerProcess, startServer, temporaryDir } from '../server-process.ts'
import { hasRedis, startRedis } from '../servers/redis-process.ts'
import { Balancer } from './balancer.ts'
import { bringHome, checkViews, report } from './crowd.ts'
import { Ledger } from './ledger.ts'
import { Admin, Visitor } from './people.ts'
import { createRandom } from './random.ts'
import { checkConversations, readByRest } from './read-back.ts'
import { checkDocuments } from './read-store.ts'
import { Relay } from './relay.ts'
import { leaveOut, startStore } from './store.ts'
import type { StoreLine } from './store-line.ts'

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
/** A stand-in for MongoDB does some hundred writes a second on a good day. */
const SLOWNESS = options.long ? 12 : 6
/** Within the tolerance of tokens and sessions (CLOCK_SKEW_MS), and longer than what happens between two messages. */
const WRONG_BY_MS = -45_000
const WRONG_CLOCK = fileURLToPath(new URL('./wrong-clock.ts', import.meta.url))
/** A server that hangs; ours gives itself nine seconds, and a busy machine makes more of them. */
const HANGS_MS = 60_000

const store = await startStore(2)
if (store === null || !(await hasRedis())) {
  leaveOut('Fault test of several nodes: it needs MongoDB and redis-server')
  if (process.env.CI) process.exitCode = 1
  process.exit()
}
const redis = await startRedis()
const dir = temporaryDir('nodes')
const ledger = new Ledger()
const plan = createRandom(seed, 'plan')
const jwtSecret = randomBytes(32).toString('hex')

/** One of the two servers: ended and started again, on the same port and line. */
class Node {
  readonly name: string
  readonly line: StoreLine
  readonly #wrongByMs: number
  #server: ServerProcess | null = null

  constructor(name: string, line: StoreLine, wrongByMs: number) {
    this.name = name
    this.line = line
    this.#wrongByMs = wrongByMs
  }

  get server(): ServerProcess {
    if (this.#server === null) throw new Error(`node ${this.name} was never started`)
    return this.#server
  }

  async start(): Promise<void> {
    this.#server = await startServer({
      dataDir: dir.path,
      port: this.#server?.port,
      execArgv: ['--import', WRONG_CLOCK],
      env: {
        MONGODB_URL: (store as NonNullable<typeof store>).urlThrough(this.line),
        REDIS_URL: redis.url,
        JWT_SECRET: jwtSecret,
        CLOCK_WRONG_BY_MS: String(this.#wrongByMs),
      },
    })
  }

  async kill(): Promise<void> {
    this.checkAlive()
    await this.server.stop('SIGKILL')
    await this.start()
  }

  async roll(): Promise<void> {
    this.checkAlive()
    const { code, ms } = await this.server.stop('SIGTERM')
    if (code !== 0 || ms > HANGS_MS) {
      ledger.violation(
        `node ${this.name}, told to end, took ${Math.round(ms)} ms and ended with ${code}:\n${this.server.output()}`,
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

const [lineA, lineB] = store.lines as [StoreLine, StoreLine]
const a = new Node('A', lineA, 0)
const b = new Node('B', lineB, WRONG_BY_MS)

type Fault = [title: string, strike: () => Promise<unknown>]
const short: Fault[] = [
  ['node A is killed', () => a.kill()],
  ['Redis is killed', () => outage(() => redis.stop('SIGKILL'), redis.start)],
  ['the lines of both nodes to the store are cut in the middle of writes', cutLines],
  ['node B is killed', () => b.kill()],
  ['the store is stopped', () => outage(() => store.stop('SIGTERM'), store.start)],
  ['node A is told to end', () => a.roll()],
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
    "node B's line to the store is dead, and it is not told",
    () =>
      outage(
        async () => lineB.silence(),
        async () => lineB.speak(),
      ),
  ],
  ['node B is told to end', () => b.roll()],
]
const { elect } = store
if (elect !== null) short.push(['the store holds an election', elect])
else leaveOut(`Fault test of several nodes > the store holds an election: no replica set (${store.name})`)

async function outage(begin: () => Promise<unknown>, end: () => Promise<unknown>): Promise<void> {
  await begin()
  await pause(plan.integer(500, options.long ? 6_000 : 1_500))
  await end()
}

async function cutLines(): Promise<void> {
  for (const { line } of [a, b]) {
    line.cutNext('before the request', 'before the reply', 'before the reply')
    if (options.long) line.cutNext('before the reply', 'before the request', 'before the reply')
  }
  await pause(1_500)
  // A node that starts later must not meet them: it would end, as it should where it cannot prepare its store.
  for (const { line } of [a, b]) line.cutNoMore()
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
  const listener = await LeanSocket.connect(to.server.origin, VISITOR_NAMESPACE, { clientId })
  const sender = await LeanSocket.connect(from.server.origin, VISITOR_NAMESPACE, { clientId })
  try {
    for (const until = performance.now() + 20_000; performance.now() < until; ) {
      sender.send('message:send', { nonce: newId(), message: 'Is anybody there?' }, () => {})
      await pause(500)
      if (listener.heard > 0) return true
    }
    return false
  } finally {
    listener.close()
    sender.close()
  }
}

console.log(`Faults of several nodes: seed ${seed}, ${clients} clients, ${ROUNDS} rounds, on ${store.name}.`)
const from = performance.now()
await Promise.all([a.start(), b.start()])
const balancer = await Balancer.open([a.server.port, b.server.port])

const relays: Relay[] = []
const people = await Promise.all(
  Array.from({ length: clients }, async (_, index) => {
    const isAdmin = index < ADMINS
    const browser = `${isAdmin ? 'admin' : 'visitor'} ${index + 1}`
    const relay = await Relay.open(balancer.port, createRandom(seed, `${browser} relay`))
    relays.push(relay)
    const randomFor = (purpose: string) => createRandom(seed, `${browser} ${purpose}`)
    const person = { browser, relay, randomFor, ledger, pollsOnly: index % 4 === 1, slowness: SLOWNESS }
    return isAdmin ? Admin.signIn(person, a.server.origin) : new Visitor(person)
  }),
)
for (const person of people) person.start()

let faults = 0
/** How many violations were printed. */
let told = 0
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
    for (const violation of violations.slice(told)) console.log(`  ${violation}`)
    told = violations.length
  }
}

for (const relay of relays) relay.calm()
await bringHome(people, ledger)
for (const relay of relays) relay.close()
for (const node of [a, b]) node.checkAlive()

const { accessToken } = await signInAsAdmin(a.server.origin)
const readBack = await readByRest(a.server.origin, accessToken)
const tally = checkConversations(ledger, readBack)
checkViews(people, readBack, ledger)
if (!isDeepStrictEqual(await readByRest(b.server.origin, accessToken), readBack)) {
  ledger.violation('the two nodes do not answer the same')
}
const documents = await checkDocuments(store.url, ledger)
if (documents !== ledger.acknowledged.size) {
  ledger.violation(`${ledger.acknowledged.size} messages were acknowledged, and ${documents} are stored`)
}
for (const [one, other] of [
  [a, b],
  [b, a],
] as const) {
  if (!(await reaches(one, other)))
    ledger.violation(`what is sent to node ${one.name} is not pushed by node ${other.name}`)
}
const crash = store.crash() ?? redis.crash
if (crash !== null) ledger.violation(crash)

const { sends, doubled, late, repeated, unanswered, factsHeard, syncs } = ledger.counts
report(
  [
    ['messages typed', ledger.typed.length],
    ['acknowledged', ledger.acknowledged.size],
    ['stored', documents],
    ['conversations', readBack.conversations.size],
    ['faults', faults],
    ['writes cut on their way to the store or back', lineA.cuts + lineB.cuts],
    ['sends, repeats included', sends],
    ['sent twice at once, socket and REST', doubled],
    ['sent again long after', late],
    ['calls without an answer', unanswered],
    ['repeats that the server recognised (REST)', repeated],
    ['facts pushed', factsHeard],
    ['pages read to catch up', syncs],
    ['lost', tally.lost],
    ['duplicated', tally.duplicated],
    ['out of order', tally.outOfOrder],
    ['holes', tally.holes],
  ],
  ledger,
  seed,
)
console.log(`${Math.round((performance.now() - from) / 1000)} s`)

balancer.close()
await Promise.all([a.server.stop('SIGKILL'), b.server.stop('SIGKILL')])
await store.close()
await redis.close()
dir.remove()
