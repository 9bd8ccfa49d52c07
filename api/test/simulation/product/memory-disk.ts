import { Readable } from 'node:stream'
import { type FileStore, type StoredFile, storageFull } from '../../../src/storage/model/file-store.ts'
import type { Random } from '../../faults/random.ts'
import { limitDatabase } from './memory-database.ts'
import { currentActor, type World } from './world.ts'

/** How much room a disk has. */
interface Room {
  /** The free bytes that a server reads. */
  freeBytes: number
  /** Whether nothing can grow. */
  isFull: boolean
  /** The share of commits that fail, and of the documents that MongoDB refuses. */
  refused: number
}

const ENOUGH: Room = { freeBytes: 1e12, isFull: false, refused: 0 }
const FULL: readonly Room[] = [0.1, 0.5, 1].map((refused) => ({ ...ENOUGH, isFull: true, refused }))
const FULL_ON_SQLITE: readonly Room[] = [
  // Visitors' writes are refused, and then admins' too.
  { ...ENOUGH, freeBytes: 150e6 },
  { ...ENOUGH, freeBytes: 10e6 },
  // Only what needs another page fails.
  { ...ENOUGH, freeBytes: 0, isFull: true },
  // What a server reads does not show that a quota is used up.
  { ...ENOUGH, isFull: true },
  ...FULL,
]

/** The disk of DATA_DIR, or that of MongoDB. It fills, and gets room again. */
export class Disk {
  /** Whether it has ever lacked space. */
  hasFilled = false
  #room = ENOUGH
  readonly #world: World
  readonly #rooms: readonly Room[]

  constructor(world: World, isOfMongo: boolean) {
    this.#world = world
    this.#rooms = isOfMongo ? FULL : FULL_ON_SQLITE
  }

  get freeBytes(): number {
    return this.#room.freeBytes
  }

  get lacksSpace(): boolean {
    return this.#room !== ENOUGH
  }

  /** Whether nothing can grow. */
  get isFull(): boolean {
    return this.#room.isFull
  }

  fill(random: Random): void {
    this.hasFilled = true
    this.#set(random.pick(this.#rooms))
  }

  free(): void {
    this.#set(ENOUGH)
  }

  /** Whether it has no room for this commit or document. */
  readonly refuses = (): boolean => this.#room.refused > 0 && this.#world.random.chance(this.#room.refused)

  #set(room: Room): void {
    this.#room = room
    limitDatabase(room.isFull, this.refuses)
    this.#world.note(`the disk has ${JSON.stringify(room)}`)
  }
}

/** How long a file is being written or read. */
const MS = [0, 20] as const

/** One folder of DATA_DIR, which outlives processes. A file is there as a whole or not at all, as after a rename. */
export class MemoryFolder implements FileStore {
  readonly #world: World
  readonly #disk: Disk
  readonly #files = new Map<string, { file: StoredFile; bytes: Buffer }>()
  #revision = 0

  constructor(world: World, disk: Disk) {
    this.#world = world
    this.#disk = disk
  }

  get names(): string[] {
    return [...this.#files.keys()]
  }

  /** The names of the files with these bytes. */
  namesWith(text: string): string[] {
    return [...this.#files].flatMap(([name, { bytes }]) => (bytes.includes(text) ? [name] : []))
  }

  put: FileStore['put'] = (name, bytes) =>
    this.#after('writes a file', () => {
      const before = this.#files.get(name)
      if (before === undefined && this.#disk.isFull) throw storageFull()
      this.#revision += 1
      const file = {
        ...{ name, size: before?.file.size ?? bytes.length, storedAt: Date.now() },
        ...{ isAgain: before !== undefined, revision: String(this.#revision) },
      }
      this.#files.set(name, { file, bytes: before?.bytes ?? Buffer.from(bytes) })
      return before === undefined
    })

  find: FileStore['find'] = (name) => this.#after('finds a file', () => this.#files.get(name)?.file ?? null)

  open: FileStore['open'] = (name) =>
    this.#after('opens a file', () => {
      const found = this.#files.get(name)
      return found === undefined ? null : { file: found.file, stream: Readable.from([found.bytes]) }
    })

  remove: FileStore['remove'] = (name, seen) =>
    this.#after('removes a file', () => {
      const found = this.#files.get(name)
      if (found !== undefined && seen !== undefined && seen.revision !== found.file.revision) return false
      this.#files.delete(name)
      return true
    })

  list: FileStore['list'] = () =>
    this.#after('lists files', () => [...this.#files.values()].map(({ file }) => file))

  #after<T>(what: string, apply: () => T): Promise<T> {
    const actor = currentActor()
    if (actor === undefined) throw new Error('Files are for actors.')
    return new Promise((resolve, reject) => {
      this.#world.after(this.#world.random.integer(...MS), actor, what, () => {
        try {
          resolve(apply())
        } catch (error) {
          reject(error)
        }
      })
    })
  }
}
