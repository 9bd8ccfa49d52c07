/**
 * The fault test: people write with the browser's chat engine through networks that cut connections, drop
 * acknowledgements, lag, and answer in place of the server, to a server that is killed, switched to polling and back to push. Then everything is
 * read back: each acknowledged message is stored exactly once, in the order of typing, without a gap. Messages that
 * no admin reads notify one, also when the process is killed right behind them. Some messages have files: the process is
 * also killed between upload and message, and each file is stored once, in its message, and readable. Each change of a
 * conversation has one version, and nothing remains of conversations that are erased during a kill. Each has its event, and a
 * receiver that refuses some gets each of them, in order for each conversation. Scheduled messages arrive once or are
 * canceled, never both, and never behind a message of the visitor that should cancel them. A visitor answers by mail, and the process
 * is killed between two of the mails. Decisions follow from the seed, their timing does not, so a seed that failed is
 * tried several times.
 *
 *   node api/test/faults/run.ts [--long] [--seed N] [--clients N]
 *
 * Killing a process does not test that the disk has what was committed: for that, the settings of the database
 * are asserted here and by the server itself.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openStores } from '../../src/storage/open-storage.ts'
import { signInWhenReady } from '../chat-client.ts'
import { startPushService } from '../push-service.ts'
import { BUNDLE, type ServerProcess, startServer, temporaryDir } from '../server-process.ts'
import { TcpProxy } from '../tcp-proxy.ts'
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
import { checkErasing, filesWithMark } from './erasing.ts'
import { FILE_KINDS } from './files.ts'
import { checkLogs } from './inbox-log.ts'
import { Ledger } from './ledger.ts'
import { Mailbox } from './mailbox.ts'
import { type BadNetwork, openBadNetwork } from './network-faults.ts'
import { Admin, Visitor } from './people.ts'
import { createRandom } from './random.ts'
import { checkBytes, checkConversations, checkFiles, readByRest } from './read-back.ts'
import { checkScheduled } from './scheduled.ts'
import { checkUnheard } from './unheard.ts'
import { checkWebhooks, openReceiver } from './webhooks.ts'

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
const PHASE_MS = options.long ? 8_000 : 4_500
/** A server that takes longer to end hangs: it limits itself to nine seconds, and a busy machine is slower. */
const HANGS_MS = 60_000

const ledger = new Ledger()
const plan = createRandom(seed, 'plan')
const dir = temporaryDir('faults')
const dataDir = join(dir.path, 'data')
const counts = { kills: 0, restarts: 0 }
const gracefulMs: number[] = []
const service = await startPushService()
const receiver = await openReceiver()
const mailbox = await Mailbox.open(ledger, 'Fault test')
const certificate = join(dir.path, 'push-service.pem')
writeFileSync(certificate, service.cert)

function start(transport: 'push' | 'polling', port?: number): Promise<ServerProcess> {
  const push = { PUSH_HOSTS: service.host, NODE_EXTRA_CA_CERTS: certificate, WEBHOOK_HOSTS: receiver.host }
  return startServer({
    entry: BUNDLE,
    dataDir,
    port,
    env: { ...push, ...mailbox?.env, CHAT_TRANSPORT: transport },
  })
}

/** The server must not have logged an error. */
function checkOutput(): void {
  const trouble = server
    .output()
    .split('\n')
    .filter((line) => /"level":(50|60)|^\s+at |Error:/.test(line))
  if (trouble.length > 0) ledger.violation(`the server logged trouble: ${trouble.slice(0, 3).join(' | ')}`)
}

async function kill(): Promise<void> {
  if (server.child.exitCode !== null) ledger.violation(`the server ended by itself:\n${server.output()}`)
  await server.stop('SIGKILL')
  counts.kills += 1
}

async function killAndRestart(
  transport: 'push' | 'polling',
  when = (strike: typeof kill) => strike(),
): Promise<void> {
  await when(kill)
  checkOutput()
  ledger.counts.killedBetween += checkFiles(ledger, dataDir, join(dir.path, `killed-${counts.kills}`))
  server = await start(transport, server.port)
}

const betweenMails = (strike: typeof kill) =>
  mailbox === null ? strike() : mailbox.betweenMails(server.origin, strike)

async function restart(transport: 'push' | 'polling'): Promise<void> {
  const { code, ms } = await server.stop('SIGTERM')
  counts.restarts += 1
  gracefulMs.push(ms)
  if (code !== 0 || ms > HANGS_MS) {
    ledger.violation(
      `after SIGTERM the server took ${Math.round(ms)} ms and ended with ${code}:\n${server.output()}`,
    )
  }
  checkOutput()
  server = await start(transport, server.port)
}

async function phase(transport: 'push' | 'polling', kills: number): Promise<void> {
  for (let i = 0; i < kills; i++) {
    await pause(plan.integer(PHASE_MS / kills / 4, PHASE_MS / kills))
    const isUpload = i === 0
    await killAndRestart(transport, (strike) =>
      isUpload ? betweenUploadAndMessage(ledger, strike) : betweenMails(strike),
    )
  }
  await pause(PHASE_MS / 3)
}

/** The settings that make a commit durable, as the product itself opens the database. */
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
let { accessToken } = await signInWhenReady(server.origin)
await allowFilesAndRatings(server.origin, accessToken)
await receiver.subscribe(server.origin, accessToken)
await mailbox?.begin(server.origin, { dataDir })

const networks: BadNetwork[] = []
const noSockets = await TcpProxy.open(server.port)
noSockets.refuse()
const people = await Promise.all(
  Array.from({ length: clients }, async (_, index) => {
    const isAdmin = index < ADMINS
    const browser = `${isAdmin ? 'admin' : 'visitor'} ${index + 1}`
    const randomFor = (purpose: string) => createRandom(seed, `${browser} ${purpose}`)
    const network = await openBadNetwork(server.port, randomFor('connections'), ledger)
    networks.push(network)
    const socketOrigin = index % 2 === 1 ? noSockets.origin : network.origin
    const person = { browser, network, socketOrigin, randomFor, ledger, slowness: 3, fileKinds: FILE_KINDS }
    return isAdmin ? Admin.signIn(person, server.origin) : Visitor.open(person)
  }),
)
for (const person of people) person.start()

let erased = 0
for (let round = 0; round < ROUNDS; round++) {
  await phase('push', 2)
  await restart('polling')
  await phase('polling', 1)
  await restart('push')
  await phase('push', 1)
  erased += await checkErasing({
    ledger,
    origins: [server.origin],
    kill: () => killAndRestart('push'),
    remains: () => filesWithMark(dataDir),
  })
  const { typed, acknowledged, violations } = ledger
  console.log(
    `Round ${round + 1} of ${ROUNDS}: ${typed.length} typed, ${acknowledged.size} acknowledged, ` +
      `${violations.length} violations.`,
  )
}

await mailbox?.settle(server.origin)
accessToken = (await signInWhenReady(server.origin)).accessToken
await settle(people, networks, ledger, () => readByRest(server.origin, accessToken))
checkFaults(ledger)
noSockets.close()

// On a busy machine the first one expires meanwhile.
accessToken = (await signInWhenReady(server.origin)).accessToken
const readBack = await readByRest(server.origin, accessToken)
const tally = checkConversations(ledger, readBack)
checkLogs(ledger, readBack)
const later = checkScheduled(ledger, readBack)
mailbox?.check(readBack)
checkViews(people, readBack, ledger)
const files = await checkBytes(people, readBack, [server.origin], ledger)
if (files !== tally.files) ledger.violation(`${files} files were read of ${tally.files}`)
const events = await checkWebhooks(ledger, server.origin, accessToken, receiver, readBack)
const episodes = await checkReports(ledger, [server.origin], readBack, erased)
const pushes = await checkUnheard(server, () => killAndRestart('polling'), service, ledger)

await restart('push')
await server.stop('SIGKILL')
checkFiles(ledger, dataDir, join(dir.path, 'end'))
await checkSettings()

report(
  [
    ...countRows(ledger),
    ['stored', tally.stored],
    ['files stored and read back', files],
    ['scheduled messages sent', later.sent],
    ['canceled', later.canceled],
    ['of these by a message of the visitor', later.byVisitor],
    ['longest delay of one of them, ms', later.latestMs],
    ['conversations', readBack.conversations.size],
    ['pushes of unread messages', pushes],
    ['episodes, each in the reports', episodes],
    ['events, each received', events],
    ['events refused at first', receiver.refusedOnce.size],
    ['events received again', receiver.repeated()],
    ...(mailbox?.rows() ?? []),
    ['kill -9', counts.kills],
    ['restarts by SIGTERM, to polling and back', counts.restarts],
    ['longest of them until its exit, ms', Math.round(Math.max(...gracefulMs))],
    ['lost', tally.lost],
    ['duplicated', tally.duplicated],
    ['out of order', tally.outOfOrder],
    ['gaps', tally.gaps],
  ],
  ledger,
  seed,
)
console.log(`${Math.round((performance.now() - from) / 1000)} s`)
await service.close()
await receiver.close()
await mailbox?.close()
dir.remove()
