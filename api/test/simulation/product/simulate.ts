import './globals.ts'
import { signInWhenReady } from '../../chat-client.ts'
import { checkReports } from '../../faults/check-reports.ts'
import { allowFilesAndRatings, checkViews, settle } from '../../faults/crowd.ts'
import { checkLogs } from '../../faults/inbox-log.ts'
import { Ledger } from '../../faults/ledger.ts'
import { Admin, type Person, Visitor } from '../../faults/people.ts'
import { createRandom, type Random } from '../../faults/random.ts'
import { checkBytes, checkConversations, readByRest } from '../../faults/read-back.ts'
import { checkScheduled } from '../../faults/scheduled.ts'
import { checkWebhooks, refusing } from '../../faults/webhooks.ts'
import { Deliveries } from './deliveries.ts'
import { Erasing } from './erasing.ts'
import { Faults } from './faults.ts'
import { enter } from './globals.ts'
import { WorldLocks } from './locks.ts'
import { openMailServer } from './mail-server.ts'
import { Network, simulatedFetch } from './network.ts'
import { openInternet, simulatedPushService, simulatedReceiver } from './outgoing.ts'
import { PUSH_HOST, Servers } from './servers.ts'
import { Unanswered } from './unanswered.ts'
import { type Actor, currentActor, World } from './world.ts'

const VISITORS = 6
const ADMINS = 2
/** How often a push service takes no push. */
const BUSY_RATE = 0.1
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

/**
 * The product on a simulated network, with simulated clocks: people write with the browser's chat engine to a server
 * that is killed, stopped, and started again. The store is SQLite in memory for an odd seed; an even one has two nodes on
 * MongoDB. `steps` things happen, then the network is good, and everything is read back.
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
  readonly #networks: Network[] = []
  readonly #servers: Servers
  readonly #operator: Actor

  constructor(seed: number, faults: ReadonlySet<number> | null, onLine: ((line: string) => void) | null) {
    this.#seed = seed
    this.#random = createRandom(seed, 'plan')
    this.faults = new Faults(seed, faults)
    this.world = new World(createRandom(seed, 'world'), onLine)
    enter(this.world)
    Object.defineProperty(navigator, 'locks', { value: new WorldLocks(this.world), configurable: true })
    this.#operator = this.world.actor('operator')
    const onTrouble = (line: string) => this.ledger.violation(line)
    this.#servers = new Servers(this.world, this.faults, seed % 2 === 0, onTrouble)
    this.ledger.mayRefuseFiles = () => this.#servers.disk.hasFilled
  }

  async run(steps: number): Promise<void> {
    const { world, ledger } = this
    await world.until(this.#servers.start())
    const origin = this.#network(null).origin
    const asOperator = <T>(task: () => Promise<T>) => world.until(world.run(this.#operator, task), LAST_STEPS)
    const { accessToken } = await asOperator(() => signInWhenReady(origin))
    await asOperator(() => allowFilesAndRatings(origin, accessToken))
    openInternet(this.#network(this.faults))
    const receiver = refusing(simulatedReceiver('hooks.example'))
    await asOperator(() => receiver.subscribe(origin, accessToken))
    const { erasing, unanswered } = await this.#scenes(origin)
    const people = await this.#people(origin)

    const begin = world.steps
    while (world.steps < begin + steps && ledger.violations.length === 0) {
      this.#servers.disturb()
      if (!(await world.step())) throw new Error('Nothing is due.')
    }
    if (ledger.violations.length > 0) return

    world.note('the faults end')
    this.faults.end()
    await asOperator(() => this.#servers.settle())
    await asOperator(async () => {
      await Promise.all([erasing.end(), unanswered.end()])
    })
    const networks = this.#networks.filter(({ origin: each }) => each !== origin)
    const readBack = await asOperator(async () => {
      const read = async () => readByRest(origin, (await signInWhenReady(origin)).accessToken)
      await settle(people, networks, ledger, read)
      const found = await read()
      const { accessToken } = await signInWhenReady(origin)
      await checkBytes(people, found, [origin], ledger)
      await checkWebhooks(ledger, origin, accessToken, receiver, found)
      await checkReports(ledger, [origin], found, erasing.ended.length)
      await erasing.check((text) => this.#servers.remains(text))
      await unanswered.check()
      await this.#servers.checkFiles(ledger, found)
      return found
    })
    checkConversations(ledger, readBack)
    checkLogs(ledger, readBack)
    checkScheduled(ledger, readBack)
    checkViews(people, readBack, ledger)
  }

  close(): void {
    for (const network of this.#networks) network.close()
    this.#servers.close()
  }

  #network(faults: Faults | null): Network {
    const network = new Network(this.world, this.#networks.length + 1, () => this.#servers.nodes, faults)
    this.#networks.push(network)
    return network
  }

  /** What goes on beside the people: conversations that are erased, and those without an answer or a reader. */
  async #scenes(origin: string) {
    const { world, ledger, faults } = this
    const servers = this.#servers
    const deliveries = new Deliveries(world, ledger, () => servers.storeFailedAt)
    openMailServer({ world, faults, deliveries })
    const pushes = simulatedPushService(PUSH_HOST, deliveries, () =>
      faults.happens('busy push service', BUSY_RATE),
    )
    const setClocks = (aheadMs: number) => servers.setClocks(aheadMs)
    const unanswered = new Unanswered({ ledger, origin, deliveries, setClocks })
    await world.until(
      world.run(world.actor('visitors who wait'), () => unanswered.start(pushes.add('phone'))),
    )
    const erasing = new Erasing({ ledger, origin, faults, openNetwork: () => this.#network(null) })
    await world.until(world.run(world.actor('erasing'), () => erasing.start()))
    return { erasing, unanswered }
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
        ...{ browser, network, ledger, slowness: 3, fileKinds: ['document'] as const },
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
}
