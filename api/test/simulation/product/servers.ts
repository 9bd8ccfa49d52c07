import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '@proctorpass/shared/errors'
import { type Collection, ObjectId } from 'mongodb'
import { buildApp } from '../../../src/app.ts'
import { type Env, readEnv } from '../../../src/env/env.ts'
import type { FileStore } from '../../../src/storage/model/file-store.ts'
import type { Stores } from '../../../src/storage/model/storage.ts'
import { collectionsOf } from '../../../src/storage/mongo/collections.ts'
import { openOn } from '../../../src/storage/mongo/open-mongo.ts'
import { isDiskFull } from '../../../src/storage/sqlite/database-health.ts'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'
import { sweepRegularly } from '../../../src/sweep-regularly.ts'
import { ADMIN } from '../../admin.ts'
import type { Ledger } from '../../faults/ledger.ts'
import type { readByRest } from '../../faults/read-back.ts'
import { hasText } from '../../faults/read-store.ts'
import { MemoryMongo } from '../memory-mongo.ts'
import { type Cut, LATE, type Step } from '../memory-mongo-calls.ts'
import type { Faults } from './faults.ts'
import { emptyDatabase, rowsOf, tablesWith } from './memory-database.ts'
import { Disk, MemoryFolder } from './memory-disk.ts'
import type { ServerNode } from './network.ts'
import { openBus } from './sockets.ts'
import { type Actor, currentActor, type World } from './world.ts'

/** How long a process needs to start again. */
const RESTART_MS = [200, 3_000] as const
/** How long a process stands still, as by SIGSTOP. */
const STOP_MS = [100, 20_000] as const
/** How long a disk lacks space. */
const FULL_MS = [100, 15_000] as const
/** How long the nodes do not reach each other. */
const BUS_DOWN_MS = [100, 10_000] as const
/** A call of the store is this long under way, in each direction. */
const CALL_MS = 2
/** How long a slow one is on its way to the store, below what the adapter waits for. */
const SLOW_CALL_MS = [100, 3_000] as const
/** How often a call of MongoDB is slow. */
const SLOW_CALL_RATE = 0.001
/** So that a clock is set back by no more than a minute, which the server allows before it refuses a session. */
const SKEW_MS = 30_000
/** How often each fault happens, before a step. */
const RATES = { kill: 0.0004, stop: 0.0006, skew: 0.0003, bus: 0.0002, election: 0.0002, disk: 0.0006 }
/** How often a call of MongoDB is cut, in each way. */
const CUT_RATE = 0.0005
const CUTS: readonly Cut[] = ['unsent', 'before', 'after', 'late']

/** Errors that servers may log while their store fails. */
const MONGO_OUTAGES = /unavailable|Mongo/
const DISK_OUTAGES = /unavailable|disk is full|"disk space"/

/** Then files that were not sent are removed. */
const SWEPT_AFTER_MS = 26 * 3_600_000
/** Browsers receive pushes from here. */
export const PUSH_HOST = 'push.example'

// The first ID draws the part that all IDs of a process share. In a seed, that would shift what the seed draws.
new ObjectId()

interface Listening extends ServerNode {
  /** Those of messages. */
  readonly files: FileStore
}

/** The product's processes on one store: one on SQLite, or two on MongoDB. They fail, and start again. */
export class Servers {
  /** Those that listen. */
  readonly nodes: Listening[] = []
  readonly #world: World
  readonly #faults: Faults
  readonly #onTrouble: (line: string) => void
  readonly #dir = mkdtempSync(join(tmpdir(), 'simulation-'))
  readonly #env: Env
  readonly #mongo: MemoryMongo | null
  readonly #bus: { isUp: boolean }
  /** Starts processes, and is the database's process. */
  readonly #machine: Actor
  #starting: Promise<void>[] = []
  #starts = 0
  /** The folders of a server on SQLite. */
  readonly #folders: { uploadFiles: MemoryFolder; attachmentFiles: MemoryFolder }
  readonly disk: Disk
  #storeFailedAt = 0

  /** @param onTrouble receives each error that a server logs, except outages of MongoDB */
  constructor(world: World, faults: Faults, hasSeveral: boolean, onTrouble: (line: string) => void) {
    this.#world = world
    this.#faults = faults
    this.#onTrouble = onTrouble
    this.#machine = world.actor('machine')
    const disk = new Disk(world, hasSeveral)
    this.disk = disk
    this.#folders = {
      uploadFiles: new MemoryFolder(world, disk),
      attachmentFiles: new MemoryFolder(world, disk),
    }
    this.#bus = openBus(world)
    emptyDatabase()
    this.#mongo = hasSeveral
      ? new MemoryMongo({
          ...{ step: this.#call, cut: () => this.#cut(), commitsApart: true },
          isFull: disk.refuses,
        })
      : null
    this.#env = readEnv({
      ...{ DATA_DIR: this.#dir, SERVE_WEB: 'false', SEED_DEMO: 'false', RATE_LIMITS: 'off' },
      ...{ JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW' },
      ...{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'chat@example.com', PUSH_HOSTS: PUSH_HOST },
      ...(hasSeveral
        ? { MONGODB_URL: 'mongodb://simulated/proctorpass', REDIS_URL: 'redis://simulated' }
        : {}),
    })
  }

  /** When a call of the store failed last. */
  get storeFailedAt(): number {
    return this.disk.isFull ? this.#world.now : this.#storeFailedAt
  }

  async start(): Promise<void> {
    await this.#start()
    if (this.#mongo !== null) await this.#start()
  }

  /** Before a step, something fails, or not. */
  disturb(): void {
    const { random } = this.#faults
    const world = this.#world
    if (this.nodes.length === 0) return
    if (this.#faults.happens('kill', RATES.kill)) {
      const [{ actor }] = this.nodes.splice(random.integer(0, this.nodes.length - 1), 1) as [Listening]
      this.#startAgain(actor)
    } else if (this.#faults.happens('stop', RATES.stop)) {
      const { actor } = random.pick(this.nodes)
      // No longer than it has run since the last time, so that it answers at least half of the time.
      const ms = Math.min(random.integer(...STOP_MS), Math.abs(world.now - actor.stoppedUntil))
      actor.stoppedUntil = world.now + ms
      world.note(`${actor.name} stands still`)
    } else if (this.#faults.happens('skew', RATES.skew)) {
      const { actor } = random.pick(this.nodes)
      actor.skewMs = random.integer(-SKEW_MS, SKEW_MS)
      world.note(`${actor.name} has a clock that is ahead by ${actor.skewMs} ms`)
    } else if (this.#mongo !== null && this.#faults.happens('election', RATES.election)) {
      this.#mongo.failOver()
      this.#storeFailedAt = world.now
      world.note('MongoDB has another primary')
    } else if (!this.disk.lacksSpace && this.#faults.happens('disk', RATES.disk)) {
      this.disk.fill(random)
      world.after(random.integer(...FULL_MS), this.#machine, 'frees space', () => this.#freeSpace())
    } else if (this.#mongo !== null && this.#faults.happens('bus', RATES.bus)) {
      this.#bus.isUp = false
      world.note('the bus is down')
      world.after(random.integer(...BUS_DOWN_MS), this.#machine, 'brings the bus up', () => {
        this.#bus.isUp = true
      })
    }
  }

  /** Frees space, and resolves when all processes listen. */
  async settle(): Promise<void> {
    this.#freeSpace()
    const wanted = this.#mongo === null ? 1 : 2
    while (this.nodes.length < wanted) await new Promise((resolve) => setTimeout(resolve, 100))
    await Promise.all(this.#starting)
  }

  setClocks(aheadMs: number): void {
    for (const { actor } of this.nodes) actor.skewMs = aheadMs
    this.#world.note(`all clocks are ahead by ${aheadMs} ms`)
  }

  /** A day later, each stored file is that of a message, and there is one row for it. */
  async checkFiles(ledger: Ledger, { conversations }: Awaited<ReturnType<typeof readByRest>>): Promise<void> {
    const [{ actor, app, files }] = this.nodes as [Listening]
    const messages = [...conversations.values()].flatMap((each) => each.messages)
    const sent = messages.flatMap(({ attachments = [] }) => attachments.map(({ _id }) => _id)).sort()
    this.setClocks(SWEPT_AFTER_MS)
    const listed = await this.#world.run(actor, async () => {
      await app.useCases.attachments.sweep()
      return files.list()
    })
    const rows = this.#mongo === null ? rowsOf('attachments') : this.#mongo.documents('attachments')
    for (const [what, found] of [
      ['files', listed.map(({ name }) => name)],
      ['rows', rows.map(({ _id }) => String(_id))],
    ] as const) {
      if (found.sort().join() !== sent.join()) {
        ledger.violation(`messages have the files ${sent}, and the store has the ${what} ${found}`)
      }
    }
  }

  /** Where the store has the text. */
  remains(text: string): string[] {
    const mongo = this.#mongo
    if (mongo === null) return [...tablesWith(text), ...this.#folders.attachmentFiles.namesWith(text)]
    const collections = Object.values(collectionsOf(mongo.db('oracle'))) as Collection[]
    return collections
      .map(({ collectionName }) => collectionName)
      .filter((name) => mongo.documents(name).some((document) => hasText(document, text)))
  }

  close(): void {
    for (const { actor } of this.nodes) this.#world.kill(actor)
    rmSync(this.#dir, { recursive: true, force: true })
  }

  async #start(): Promise<void> {
    const world = this.#world
    this.#starts += 1
    const actor = world.actor(`server ${this.#starts}`)
    const started = await world
      .run(actor, async () => {
        const stores = await this.#open(actor)
        const app = await buildApp({
          ...stores,
          ...{ env: this.#env, isAlone: this.#mongo === null },
          logStream: { write: (line) => this.#readLog(line) },
          readDisk: async () => ({ freeBytes: this.disk.freeBytes, totalBytes: 2e12 }),
        })
        await app.useCases.auth.createFirstAdmin(ADMIN.userName, ADMIN.password)
        await app.ready()
        sweepRegularly(app, stores.storage)
        return { app, stores }
      })
      .catch((error: unknown) => {
        // Without room or a store that answers, a process ends.
        if (!isDiskFull(error) && !isUnavailable(error)) throw error
        return null
      })
    if (started === null) return this.#startAgain(actor)
    const { app, stores } = started
    this.nodes.push({ actor, app, files: stores.attachmentFiles })
    world.note(`${actor.name} listens`)
  }

  /** Ends a process, which is started again. */
  #startAgain(ended: Actor): void {
    const world = this.#world
    world.kill(ended)
    world.after(this.#faults.random.integer(...RESTART_MS), this.#machine, 'starts a server', () => {
      this.#starting.push(this.#start())
    })
  }

  async #open({ name }: Actor): Promise<Stores> {
    if (this.#mongo === null) return { storage: openSqlite(':memory:'), ...this.#folders }
    // A process whose store does not answer at its start ends, and is started again.
    for (;;) {
      const opened = await openOn(this.#mongo.connect(name)).catch(() => null)
      if (opened !== null) return opened
    }
  }

  /** A call of MongoDB: it is applied even if its process has died meanwhile. */
  readonly #call: Step = (name, what, apply) => {
    const world = this.#world
    const machine = this.#machine
    const caller = name === LATE ? machine : (currentActor() ?? machine)
    const isSlow = this.#faults.happens('slow call', SLOW_CALL_RATE)
    const ms = isSlow ? world.random.integer(...SLOW_CALL_MS) : world.random.next() * CALL_MS
    return new Promise((resolve, reject) => {
      world.after(ms, machine, `applies for ${caller.name}: ${what()}`, () => {
        const answer = (settle: () => void) =>
          world.after(world.random.next() * CALL_MS, caller, 'reads an answer of the store', settle)
        try {
          const result = apply()
          answer(() => resolve(result))
        } catch (error) {
          answer(() => reject(error))
        }
      })
    })
  }

  #cut(): Cut | null {
    if (!this.#faults.happens('cut call', CUT_RATE)) return null
    this.#storeFailedAt = this.#world.now
    return this.#faults.random.pick(CUTS)
  }

  #freeSpace(): void {
    if (this.disk.isFull) this.#storeFailedAt = this.#world.now
    this.disk.free()
  }

  #readLog(line: string): void {
    const outages = this.#mongo === null ? DISK_OUTAGES : MONGO_OUTAGES
    const isOutage = outages.test(line) && (this.#mongo !== null || this.disk.hasFilled)
    if (/"level":(50|60)/.test(line) && !isOutage) this.#onTrouble(`the server logged trouble: ${line}`)
  }
}

const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'unavailable'
