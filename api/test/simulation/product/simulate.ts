import './globals.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../../../src/app.ts'
import { type Env, readEnv } from '../../../src/env/env.ts'
import type { FileStore } from '../../../src/storage/model/file-store.ts'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'
import { ADMIN } from '../../admin.ts'
import { signInWhenReady } from '../../chat-client.ts'
import { checkReports } from '../../faults/check-reports.ts'
import { allowFilesAndRatings, checkViews, settle } from '../../faults/crowd.ts'
import { checkLogs } from '../../faults/inbox-log.ts'
import { Ledger } from '../../faults/ledger.ts'
import { Admin, type Person, Visitor } from '../../faults/people.ts'
import { createRandom, type Random } from '../../faults/random.ts'
import { checkConversations, readByRest } from '../../faults/read-back.ts'
import { checkScheduled } from '../../faults/scheduled.ts'
import { checkWebhooks, refusing } from '../../faults/webhooks.ts'
import { Faults } from './faults.ts'
import { enter } from './globals.ts'
import { WorldLocks } from './locks.ts'
import { emptyDatabase } from './memory-database.ts'
import { Network, type ServerNode, simulatedFetch } from './network.ts'
import { openInternet, simulatedReceiver } from './outgoing.ts'
import { openBus } from './sockets.ts'
import { type Actor, currentActor, World } from './world.ts'

const VISITORS = 6
const ADMINS = 2
/** How long a process needs to start again. */
const RESTART_MS = [200, 3_000] as const
/** How long a process stands still, as by SIGSTOP. */
const STOP_MS = [100, 20_000] as const
/** Without faults: everything must be shown within so many steps. */
const LAST_STEPS = 400_000

export interface Outcome {
  seed: number
  steps: number
  /** What is wrong; empty if nothing is. */
  violations: string[]
  /** The SHA-256 of all that happened. */
  trace: string
  /** The numbers of the faults that happened. */
  faults: number[]
}

const { fetch: realFetch } = globalThis
globalThis.fetch = ((url: string, init?: RequestInit) =>
  currentActor() === undefined ? realFetch(url, init) : simulatedFetch(String(url), init)) as typeof fetch

/** No file is sent, so none is stored. */
const NO_FILES: FileStore = {
  put: async () => true,
  find: async () => null,
  open: async () => null,
  remove: async () => true,
  list: async () => [],
}

/**
 * The product on a simulated network, with simulated clocks: people write with the browser's chat engine to a server
 * that is killed, stopped, and started again. The store is SQLite in memory. `steps` things happen, then the network is
 * good, and everything is read back.
 */
export async function simulateProduct({
  seed,
  steps,
  faults = null,
  onLine = null,
}: {
  seed: number
  steps: number
  /** The numbers of the faults that may happen; null allows all. */
  faults?: ReadonlySet<number> | null
  /** Receives each line of the trace. */
  onLine?: ((line: string) => void) | null
}): Promise<Outcome> {
  const simulation = new ProductSimulation(seed, faults, onLine)
  try {
    await simulation.run(steps)
  } catch (error) {
    simulation.ledger.violation(`the simulation ended: ${(error as Error).stack}`)
  }
  simulation.close()
  const { world, ledger } = simulation
  return {
    ...{ seed, steps: world.steps, violations: ledger.violations },
    ...{ trace: world.digest(), faults: simulation.faults.happened },
  }
}

class ProductSimulation {
  readonly world: World
  readonly ledger = new Ledger()
  readonly faults: Faults
  readonly #seed: number
  readonly #random: Random
  readonly #dir = mkdtempSync(join(tmpdir(), 'simulation-'))
  readonly #env: Env
  readonly #networks: Network[] = []
  readonly #operator: Actor
  #node: ServerNode | null = null
  #isStarting = false
  #starts = 0

  constructor(seed: number, faults: ReadonlySet<number> | null, onLine: ((line: string) => void) | null) {
    this.#seed = seed
    this.#random = createRandom(seed, 'plan')
    this.faults = new Faults(seed, faults)
    this.world = new World(createRandom(seed, 'world'), onLine)
    enter(this.world)
    openBus(this.world)
    emptyDatabase()
    Object.defineProperty(navigator, 'locks', { value: new WorldLocks(this.world), configurable: true })
    this.#operator = this.world.actor('operator')
    this.#env = readEnv({
      ...{ DATA_DIR: this.#dir, SERVE_WEB: 'false', SEED_DEMO: 'false', RATE_LIMITS: 'off' },
      ...{ JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW' },
    })
  }

  async run(steps: number): Promise<void> {
    const { world, ledger } = this
    await this.#start()
    const origin = this.#network(null).origin
    const asOperator = <T>(task: () => Promise<T>) => world.until(world.run(this.#operator, task))
    const { accessToken } = await asOperator(() => signInWhenReady(origin))
    await asOperator(() => allowFilesAndRatings(origin, accessToken))
    openInternet(this.#network(this.faults))
    const receiver = refusing(simulatedReceiver('hooks.example'))
    await asOperator(() => receiver.subscribe(origin, accessToken))
    const people = await this.#people(origin)

    while (world.steps < steps && ledger.violations.length === 0) {
      this.#disturb()
      if (!(await world.step())) throw new Error('Nothing is due.')
    }
    if (ledger.violations.length > 0) return

    world.note('the faults end')
    this.faults.end()
    if (this.#node === null) await world.until(this.#start())
    const end = world.steps + LAST_STEPS
    const networks = this.#networks.filter(({ origin: each }) => each !== origin)
    const readBack = await asOperator(async () => {
      const read = async () => readByRest(origin, (await signInWhenReady(origin)).accessToken)
      await settle(people, networks, ledger, read)
      const found = await read()
      const { accessToken } = await signInWhenReady(origin)
      await checkWebhooks(ledger, origin, accessToken, receiver, found)
      await checkReports(ledger, [origin], found, 0)
      return found
    })
    if (world.steps > end) ledger.violation(`it took ${world.steps} steps to settle`)
    checkConversations(ledger, readBack)
    checkLogs(ledger, readBack)
    checkScheduled(ledger, readBack)
    checkViews(people, readBack, ledger)
  }

  close(): void {
    for (const network of this.#networks) network.close()
    if (this.#node !== null) this.world.kill(this.#node.actor)
    rmSync(this.#dir, { recursive: true, force: true })
  }

  #network(faults: Faults | null): Network {
    const nodes = () => (this.#node === null ? [] : [this.#node])
    const network = new Network(this.world, this.#networks.length + 1, nodes, faults)
    this.#networks.push(network)
    return network
  }

  async #people(origin: string): Promise<Person[]> {
    const { world, ledger } = this
    const noSockets = this.#network(null)
    noSockets.refusesSockets = true
    const people: Person[] = []
    for (let index = 0; index < ADMINS + VISITORS; index += 1) {
      const isAdmin = index < ADMINS
      const browser = `${isAdmin ? 'admin' : 'visitor'} ${index + 1}`
      const network = this.#network(this.faults)
      const polls = this.#random.chance(0.25)
      const options = {
        ...{ browser, network, ledger, slowness: 3, sendsFiles: false },
        randomFor: (purpose: string) => createRandom(this.#seed, `${browser} ${purpose}`),
        socketOrigin: polls ? noSockets.origin : network.origin,
      }
      const actor = world.actor(browser)
      const person = await world.until(
        world.run<Promise<Person>>(actor, () =>
          isAdmin ? Admin.signIn(options, origin) : Visitor.open(options),
        ),
      )
      world.run(actor, () => person.start())
      people.push(person)
    }
    return people
  }

  /** Before some steps, something fails. */
  #disturb(): void {
    const { world } = this
    const { random } = this.faults
    const node = this.#node
    if (node === null) return
    const { actor } = node
    if (this.faults.happens(0.0004)) {
      this.#node = null
      world.kill(actor)
      world.after(
        random.integer(...RESTART_MS),
        this.#operator,
        'starts the server',
        () => void this.#start(),
      )
    } else if (this.faults.happens(0.0006)) {
      actor.stoppedUntil = world.now + random.integer(...STOP_MS)
      world.note(`${actor.name} stands still`)
    } else if (this.faults.happens(0.0003)) {
      actor.skewMs = random.integer(-60_000, 60_000)
      world.note(`${actor.name} has a clock that is ahead by ${actor.skewMs} ms`)
    }
  }

  async #start(): Promise<void> {
    if (this.#isStarting) return
    this.#isStarting = true
    const { world } = this
    this.#starts += 1
    const actor = world.actor(`server ${this.#starts}`)
    const booted = world.run(actor, () => this.#boot())
    const app = this.#starts === 1 ? await world.until(booted) : await booted
    this.#node = { actor, app }
    this.#isStarting = false
    world.note(`${actor.name} listens`)
  }

  async #boot(): Promise<FastifyInstance> {
    const app = await buildApp({
      ...{
        env: this.#env,
        storage: openSqlite(':memory:'),
        uploadFiles: NO_FILES,
        attachmentFiles: NO_FILES,
      },
      ...{ isAlone: true, logStream: { write: (line) => this.#readLog(line) } },
      readDisk: async () => ({ freeBytes: 1e12, totalBytes: 2e12 }),
    })
    await app.useCases.auth.createFirstAdmin(ADMIN.userName, ADMIN.password)
    await app.ready()
    return app
  }

  #readLog(line: string): void {
    if (/"level":(50|60)/.test(line)) this.ledger.violation(`the server logged trouble: ${line}`)
  }
}
