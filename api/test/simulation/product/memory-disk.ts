import { Readable } from 'node:stream'
import { type FileStore, type StoredFile, storageFull } from '../../../src/storage/model/file-store.ts'
import { currentActor, type World } from './world.ts'

/** How long a file is being written or read. */
const MS = [0, 20] as const

/** One folder of DATA_DIR, which outlives processes. A file is there as a whole or not at all, as after a rename. */
export class MemoryFolder implements FileStore {
  /** Whether no file has room. */
  isFull = false
  readonly #world: World
  readonly #files = new Map<string, { file: StoredFile; bytes: Buffer }>()
  #revision = 0

  constructor(world: World) {
    this.#world = world
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
      if (before === undefined && this.isFull) throw storageFull()
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
