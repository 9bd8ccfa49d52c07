import type { Outcome } from '../../src/events/post-event.ts'
import { retryNow } from '../../src/events/retry-now.ts'
import { createWebhookHandler, webhookJob } from '../../src/events/webhook-job.ts'
import type { JobHandler, JobRun } from '../../src/jobs/jobs.ts'
import {
  DELIVERIES,
  ENDPOINTS,
  type EndpointRecord,
  openDeliveries,
  openEndpoints,
  openRetries,
  RETRIES,
} from '../../src/storage/model/endpoints.ts'
import { EVENTS, type EventRecord, openEvents } from '../../src/storage/model/events.ts'
import { createRandom, type Random } from '../faults/random.ts'
import { endpointRecord } from '../storage-contract/endpoints.ts'
import { memoryTable, Primary } from './memory-rows.ts'
import { Scheduler } from './scheduler.ts'
import { withVirtualTime } from './virtual-time.ts'

const NODES = ['A', 'B'] as const
type NodeName = (typeof NODES)[number]
/** So many conversations that the endpoint can count as down. */
const CONVERSATIONS = 16
const EVENTS_AT_FIRST = 20
const EVENTS_MAX = 80
const STEPS = 2_000
/** Without faults: what is left must be posted within so many steps. */
const LAST_STEPS = 20_000
const SLOW_BY_MS = 45_000
/** Below the ten after which an event is given up. */
const REFUSED_MAX = 6
const TAKEN: Outcome = { status: 204, error: null, answer: '', pauseMs: null }
const REFUSED: Outcome = { status: 503, error: 'Status 503', answer: '', pauseMs: null }

export interface Found {
  /** What is wrong; null: nothing. */
  violation: string | null
  /** The last of what happened before. */
  trace: string[]
  steps: number
}

/**
 * The delivery of webhooks by two nodes, of which one is slow and either may be stuck, stopped or killed, to a receiver that
 * refuses some events. The code is that of the product, down to the tables; only their rows are in memory.
 */
export function simulateDelivery(seed: number, { traces = false } = {}): Promise<Found> {
  const world = new World(seed, traces)
  return withVirtualTime(
    createRandom(seed, 'process'),
    () => world.clock,
    () => world.run(),
  )
}

class World {
  clock = 1_000_000_000
  readonly #random: Random
  readonly #scheduler: Scheduler
  readonly #tables
  readonly #primary = new Primary()
  #isKept = false
  readonly #log: EventRecord[]
  readonly #endpoint: EndpointRecord
  readonly #receiver: Receiver
  readonly #stops = new Map<NodeName, AbortController>()
  readonly #runs = new Map<NodeName, Promise<unknown>>()
  /** The events that admins asked for again, and that were not taken since. */
  readonly #again = new Set<number>()
  #stuck: NodeName | null = null
  /** When the run that ended last is due again. */
  #dueAt = 0
  #violation: string | null = null

  constructor(seed: number, traces: boolean) {
    const random = createRandom(seed, 'world')
    const faults = seed % 2 === 0 ? createRandom(seed, 'store') : null
    this.#random = random
    this.#scheduler = new Scheduler(createRandom(seed, 'order'), traces)
    this.#tables = {
      endpoints: memoryTable(ENDPOINTS, this.#scheduler, faults, this.#primary),
      retries: memoryTable(RETRIES, this.#scheduler, faults, this.#primary),
      deliveries: memoryTable(DELIVERIES, this.#scheduler, faults, this.#primary),
      events: memoryTable(EVENTS, this.#scheduler, faults, this.#primary),
    }
    const wantsAll = random.chance(0.7)
    this.#log = Array.from({ length: EVENTS_MAX }, (_, index) => ({
      ...{ _id: `message.created ${index}`, number: index + 1, at: 1, n: 1 },
      type: wantsAll || random.chance(0.8) ? ('message.created' as const) : ('note.created' as const),
      clientId: `visitor ${random.integer(1, CONVERSATIONS)}`,
    }))
    this.#endpoint = endpointRecord(1, { types: wantsAll ? [] : ['message.created'] })
    this.#tables.endpoints.rows.set(this.#endpoint._id, this.#endpoint)
    this.#receiver = new Receiver(createRandom(seed, 'receiver'), this.#log)
  }

  async run(): Promise<Found> {
    for (let count = 0; count < EVENTS_AT_FIRST; count += 1) this.#grow()
    let steps = 0
    for (; steps < STEPS && this.#violation === null && !this.#isAtEnd(); steps += 1) {
      this.#happens()
      await this.#scheduler.runOthers()
      this.#check()
    }
    this.#receiver.takesAll = true
    this.#primary.isBehind = false
    this.#kill('B')
    for (let last = 0; this.#violation === null && !this.#isAtEnd(); last += 1) {
      if (last > LAST_STEPS) this.#violation = `not everything is posted: ${this.#state()}`
      this.#grow()
      if (!this.#runs.has('A')) {
        // Nothing is due before.
        this.clock = Math.max(this.clock, this.#dueAt)
        this.#begin('A')
      }
      this.#scheduler.settleOne(null)
      this.clock += 10
      await this.#scheduler.runOthers()
      this.#check()
      steps += 1
    }
    return { violation: this.#violation, trace: this.#scheduler.trace, steps }
  }

  #happens(): void {
    const random = this.#random
    const dice = random.next()
    const node = random.pick(NODES)
    if (dice < 0.03) {
      for (let count = random.integer(1, 3); count > 0; count -= 1) this.#grow()
    } else if (dice < 0.05) this.clock += random.integer(0, 4_000)
    else if (dice < 0.0505) this.clock += 600_000
    else if (dice < 0.056) this.#stuck = random.pick([...NODES, null])
    else if (dice < 0.059) this.#kill(node)
    else if (dice < 0.062) this.#stops.get(node)?.abort()
    else if (dice < 0.066) this.#replay()
    else if (dice < 0.067)
      void retryNow(this.#storageOf('admin').retries, this.#endpoint._id, this.#nowOf('A')).catch(() => {})
    else if (dice < 0.07) this.#receiver.isDown = !this.#receiver.isDown
    else if (dice < 0.08) this.#failOver()
    else {
      for (const name of NODES) if (random.chance(0.2)) this.#begin(name)
      if (this.#scheduler.settleOne(this.#stuck)) this.clock += random.integer(0, 20)
      else this.#stuck = null
    }
  }

  /** What a new primary will show for a while is kept first. It is no older than what was acknowledged before the failover. */
  #failOver(): void {
    if (this.#primary.isBehind) return
    if (!this.#isKept) this.#primary.keep()
    else {
      this.#primary.isBehind = true
      this.#scheduler.note(() => 'a new primary is behind')
    }
    this.#isKept = !this.#isKept
  }

  #grow(): void {
    const { rows } = this.#tables.events
    const next = this.#log[rows.size]
    if (next !== undefined) rows.set(next._id, next)
  }

  #begin(node: NodeName): void {
    if (this.#runs.has(node)) return
    if (this.#stops.get(node)?.signal.aborted !== false) this.#stops.set(node, new AbortController())
    const job = { ...webhookJob(this.#endpoint._id, 0), leaseUntil: 1, attempts: 1, revision: 0 }
    const save = async () => {}
    const run: Promise<unknown> = this.#handlerOf(node)({ job, now: this.clock, save } satisfies JobRun)
      .then((result) => {
        this.#dueAt = result?.dueAt ?? this.clock
      })
      .catch(() => {})
      .finally(() => {
        if (this.#runs.get(node) === run) this.#runs.delete(node)
      })
    this.#runs.set(node, run)
  }

  #kill(node: NodeName): void {
    this.#scheduler.kill(node)
    this.#runs.delete(node)
    this.#stops.delete(node)
  }

  /** An admin asks for events again, also for some that were not posted yet. */
  #replay(): void {
    const endpoint = this.#endpointNow()
    const { rows } = this.#tables.endpoints
    const { _id, version, replayAfter, replayTo } = endpoint
    const from = this.#random.integer(1, this.#tables.events.rows.size)
    const to = this.#random.integer(from, this.#tables.events.rows.size)
    const isWidened = replayTo > 0
    rows.set(_id, {
      ...endpoint,
      replayAfter: isWidened ? Math.min(replayAfter, from - 1) : from - 1,
      replayTo: Math.max(replayTo, to),
      version: version + 1,
    })
    for (const event of this.#log.slice(from - 1, to))
      if (this.#isWanted(event)) this.#again.add(event.number)
    this.#scheduler.note(() => `an admin asks for ${from} to ${to} again`)
  }

  #nowOf(node: NodeName): () => number {
    return () => this.clock - (node === 'B' ? SLOW_BY_MS : 0)
  }

  #storageOf(actor: string) {
    const { endpoints, retries, deliveries, events } = this.#tables
    return {
      endpoints: openEndpoints(endpoints.as(actor)),
      retries: openRetries(retries.as(actor)),
      deliveries: openDeliveries(deliveries.as(actor)),
      events: openEvents(events.as(actor), { begin: async () => {} }),
    }
  }

  #handlerOf(node: NodeName): JobHandler {
    const stop = (this.#stops.get(node) as AbortController).signal
    return createWebhookHandler({
      // What is noted about each request decides nothing.
      storage: { ...this.#storageOf(node), deliveries: NO_DELIVERIES },
      events: { toEvent: async ({ number: id, type }) => ({ id, type, at: '', data: {} }) },
      post: (_endpoint, { id }) => {
        const number = Number(id.slice('evt_'.length))
        return this.#scheduler.call(
          node,
          () => `posts ${number}`,
          () => {
            if (stop.aborted && this.#random.chance(0.5)) throw new Error('The process stops.')
            const outcome = this.#receiver.answer(number)
            if (outcome === TAKEN) this.#again.delete(number)
            this.#scheduler.note(() => `  ${number} is ${outcome === TAKEN ? 'taken' : 'refused'}`)
            return outcome
          },
        )
      },
      notifyDisabled: async () => {},
      log: { warn() {} },
      stop,
      now: this.#nowOf(node),
    })
  }

  #endpointNow(): EndpointRecord {
    return this.#tables.endpoints.rows.get(this.#endpoint._id) as EndpointRecord
  }

  #isWanted({ type }: EventRecord): boolean {
    const { types } = this.#endpoint
    return types.length === 0 || types.includes(type)
  }

  /** A retry of the conversation is for this event or an earlier one. */
  #isHeld({ number, clientId }: EventRecord): boolean {
    const retry = this.#tables.retries.rows.get(`${this.#endpoint._id} ${clientId}`)
    return retry !== undefined && retry.event <= number
  }

  #check(): void {
    const { after, replayTo } = this.#endpointNow()
    const open = (events: EventRecord[]) =>
      events.filter((event) => !this.#isHeld(event)).map(({ number }) => number)
    const passed = this.#log.slice(0, after).filter((event) => this.#isWanted(event))
    const lost = open(passed.filter(({ number }) => !this.#receiver.taken.has(number)))
    const forgotten = replayTo === 0 ? open(this.#log.filter(({ number }) => this.#again.has(number))) : []
    const [early] = this.#receiver.early
    if (lost.length > 0) this.#violation = `lost: ${lost}; ${this.#state()}`
    else if (forgotten.length > 0) this.#violation = `not posted again: ${forgotten}; ${this.#state()}`
    else if (early !== undefined) this.#violation = `${early}; ${this.#state()}`
  }

  #isAtEnd(): boolean {
    const { after, replayTo } = this.#endpointNow()
    return after === EVENTS_MAX && replayTo === 0 && this.#tables.retries.rows.size === 0
  }

  #state(): string {
    const { after, replayAfter, replayTo, failingSince } = this.#endpointNow()
    const retries = [...this.#tables.retries.rows.values()].map(
      ({ subject, event, attempts, dueAt }) =>
        `${subject} from ${event} (${attempts} attempts, due in ${dueAt - this.clock} ms)`,
    )
    const replay = replayTo === 0 ? '' : `, replay from ${replayAfter} to ${replayTo}`
    const failing = failingSince === null ? '' : ', failing'
    return `position ${after}${replay}${failing}, retries: ${retries.join('; ') || 'none'}`
  }
}

const NO_DELIVERIES = openDeliveries({
  ...{ find: async () => null, list: async () => [], count: async () => 0, insert: async () => true },
  ...{ update: async () => 'missing', change: async () => null, add: async () => {}, remove: async () => 0 },
})

/** Refuses some events a few times, and all of them while it is down. */
class Receiver {
  isDown = false
  takesAll = false
  readonly taken = new Set<number>()
  /** First deliveries before those of earlier events of the same conversation. */
  readonly early: string[] = []
  readonly #refused = new Map<number, number>()
  readonly #random: Random
  readonly #log: readonly EventRecord[]

  constructor(random: Random, log: readonly EventRecord[]) {
    this.#random = random
    this.#log = log
  }

  answer(number: number): Outcome {
    const refused = this.#refused.get(number) ?? 0
    const refuses = this.isDown || (number % 2 === 0 && refused === 0) || this.#random.chance(0.05)
    if (refuses && refused < REFUSED_MAX && !this.takesAll) {
      this.#refused.set(number, refused + 1)
      return REFUSED
    }
    if (!this.taken.has(number)) this.#note(number)
    this.taken.add(number)
    return TAKEN
  }

  #note(number: number): void {
    const { clientId, type } = this.#log[number - 1] as EventRecord
    const before = this.#log.find(
      (event) =>
        event.number < number &&
        event.clientId === clientId &&
        event.type === type &&
        !this.taken.has(event.number),
    )
    if (before !== undefined) this.early.push(`${number} of ${clientId} is taken before ${before.number}`)
  }
}
