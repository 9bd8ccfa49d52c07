/**
 * The fault test: people write through lines that are cut, go deaf and lag, to a server that is killed, told to
 * poll and told to push again. Then everything is read back: each acknowledged message stands exactly once, in the
 * order in which it was typed, without a hole. Decisions follow from the seed; what the clock makes of them does
 * not, so a seed that failed is tried several times.
 *
 *   node api/test/faults/run.ts [--long] [--seed N] [--clients N]
 *
 * Killing a process does not test that the disk has what was committed: for that, the settings of the database
 * are asserted here and by the server itself.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openStores } from '../../src/storage/open-storage.ts'
import { signInAsAdmin } from '../chat-client.ts'
import { type ServerProcess, startServer, temporaryDir } from '../server-process.ts'
import { bringHome, checkViews, report } from './crowd.ts'
import { Ledger } from './ledger.ts'
import { Admin, Visitor } from './people.ts'
import { createRandom } from './random.ts'
import { checkConversations, checkFiles, readByRest } from './read-back.ts'
import { Relay } from './relay.ts'

const { values: options } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20261121' },
    clients: { type: 'string', default: '50' },
  },
})
const seed = Number(options.seed)
const clients = Number(options.clients)
if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number')
if (!Number.isSafeInteger(clients) || clients < 4) throw new Error('--clients must be at least 4')
// Ends through the exit handlers, which end the server.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const ADMINS = 3
/** A round is three phases: push with kills, polling with a kill, push again. */
const ROUNDS = options.long ? 10 : 1
const PHASE_MS = options.long ? 6_000 : 3_000
/** A server that hangs; ours gives itself nine seconds, and a busy machine makes more of them. */
const HANGS_MS = 60_000

const ledger = new Ledger()
const plan = createRandom(seed, 'plan')
const dir = temporaryDir('faults')
const dataDir = join(dir.path, 'data')
const counts = { kills: 0, restarts: 0 }
const gracefulMs: number[] = []

function start(transport: 'push' | 'polling', port?: number): Promise<ServerProcess> {
  return startServer({ dataDir, port, env: { CHAT_TRANSPORT: transport } })
}

/** What the server said of itself while it ran; silence is expected of it here. */
function checkOutput(): void {
  const trouble = server
    .output()
    .split('\n')
    .filter((line) => /"level":(50|60)|^\s+at |Error:/.test(line))
  if (trouble.length > 0) ledger.violation(`the server logged trouble: ${trouble.slice(0, 3).join(' | ')}`)
}

async function killAndRestart(transport: 'push' | 'polling'): Promise<void> {
  if (server.child.exitCode !== null) ledger.violation(`the server ended by itself:\n${server.output()}`)
  await server.stop('SIGKILL')
  counts.kills += 1
  checkOutput()
  checkFiles(ledger, dataDir, join(dir.path, `killed-${counts.kills}`))
  server = await start(transport, server.port)
}

async function restart(transport: 'push' | 'polling'): Promise<void> {
  const { code, ms } = await server.stop('SIGTERM')
  counts.restarts += 1
  gracefulMs.push(ms)
  if (code !== 0 || ms > HANGS_MS) {
    ledger.violation(
      `told to end, the server took ${Math.round(ms)} ms and ended with ${code}:\n${server.output()}`,
    )
  }
  checkOutput()
  server = await start(transport, server.port)
}

async function phase(transport: 'push' | 'polling', kills: number): Promise<void> {
  for (let i = 0; i < kills; i++) {
    await pause(plan.integer(PHASE_MS / kills / 4, PHASE_MS / kills))
    await killAndRestart(transport)
  }
  await pause(PHASE_MS / 3)
}

/** The settings that make a commit durable, as the product's own way to open the database leaves them. */
async function checkSettings(): Promise<void> {
  const asked: DatabaseSync[] = []
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...values) {
    asked.push(this)
    return prepare.apply(this, values)
  }
  const { storage } = await openStores({ dataDir })
  DatabaseSync.prototype.prepare = prepare
  for (const [setting, wanted] of [
    ['journal_mode', 'wal'],
    ['synchronous', 2],
  ] as const) {
    const found = asked[0]?.prepare(`PRAGMA ${setting}`).get()?.[setting]
    if (found !== wanted) ledger.violation(`PRAGMA ${setting} is ${found}, not ${wanted}`)
  }
  await storage.close()
}

console.log(`Faults: seed ${seed}, ${clients} clients, ${ROUNDS} rounds.`)
const from = performance.now()
let server = await start('push')

const relays: Relay[] = []
const people = await Promise.all(
  Array.from({ length: clients }, async (_, index) => {
    const isAdmin = index < ADMINS
    const browser = `${isAdmin ? 'admin' : 'visitor'} ${index + 1}`
    const relay = await Relay.open(server.port, createRandom(seed, `${browser} relay`))
    relays.push(relay)
    const randomFor = (purpose: string) => createRandom(seed, `${browser} ${purpose}`)
    const person = { browser, relay, randomFor, ledger, pollsOnly: index % 2 === 1 }
    return isAdmin ? Admin.signIn(person, server.origin) : new Visitor(person)
  }),
)
for (const person of people) person.start()

for (let round = 0; round < ROUNDS; round++) {
  await phase('push', 2)
  await restart('polling')
  await phase('polling', 1)
  await restart('push')
  await phase('push', 1)
  const { typed, acknowledged, violations } = ledger
  console.log(
    `Round ${round + 1} of ${ROUNDS}: ${typed.length} typed, ${acknowledged.size} acknowledged, ` +
      `${violations.length} violations.`,
  )
}

for (const relay of relays) relay.calm()
await bringHome(people, ledger)
for (const relay of relays) relay.close()

const { accessToken } = await signInAsAdmin(server.origin)
const readBack = await readByRest(server.origin, accessToken)
const tally = checkConversations(ledger, readBack)
checkViews(people, readBack, ledger)

await restart('push')
await server.stop('SIGKILL')
checkFiles(ledger, dataDir, join(dir.path, 'end'))
await checkSettings()

const sum = (of: (relay: Relay) => number) => relays.reduce((total, relay) => total + of(relay), 0)
const { sends, doubled, late, repeated, unanswered, factsHeard, factsDisturbed, syncs } = ledger.counts
const rows: [string, number][] = [
  ['messages typed', ledger.typed.length],
  ['acknowledged', ledger.acknowledged.size],
  ['stored', tally.stored],
  ['conversations', readBack.conversations.size],
  ['kill -9', counts.kills],
  ['graceful restarts, to polling and back', counts.restarts],
  ['longest of them until its exit, ms', Math.round(Math.max(...gracefulMs))],
  ['connections', sum(({ counts: { connections } }) => connections)],
  ['cut', sum(({ counts: { cuts } }) => cuts)],
  ['gone deaf (acknowledgements dropped)', sum(({ counts: { deaf } }) => deaf)],
  ['half-closed', sum(({ counts: { halfClosed } }) => halfClosed)],
  ['slow', sum(({ counts: { slow } }) => slow)],
  ['sends, repeats included', sends],
  ['sent twice at once, socket and REST', doubled],
  ['sent again long after', late],
  ['calls without an answer', unanswered],
  ['repeats that the server recognised (REST)', repeated],
  ['facts pushed', factsHeard],
  ['facts dropped, doubled or reordered', factsDisturbed],
  ['pages read to catch up', syncs],
  ['lost', tally.lost],
  ['duplicated', tally.duplicated],
  ['out of order', tally.outOfOrder],
  ['holes', tally.holes],
]
report(rows, ledger, seed)
console.log(`${Math.round((performance.now() - from) / 1000)} s`)
dir.remove()
