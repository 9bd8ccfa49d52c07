import { statfs } from 'node:fs/promises'
import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { type FileStore, storageFull } from '../storage/model/file-store.ts'
import { extended, type Stores } from '../storage/model/storage.ts'
import { type Effect, WRITES } from '../storage/model/writes.ts'

const MB = 1024 ** 2
/** A state begins when fewer bytes are free than this, or a smaller share of a small disk than this. */
const FLOORS = { low: { bytes: 200 * MB, share: 0.05 }, full: { bytes: 50 * MB, share: 0.01 } }
/** The time is short, because one address may write 7 MB in it within the limits. */
const READ_EVERY_MS = 2_000

export interface DiskReading {
  /** The bytes available to this process. */
  freeBytes: number
  totalBytes: number
}

/** In `low`, visitors' writes and uploads are refused; in `full`, admins' writes too. */
export type DiskState = 'ok' | 'low' | 'full'

export interface DiskStatus {
  state: DiskState
  freeBytes: number
}

export async function readDisk(folder: string): Promise<DiskReading> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** Returns whether the folder's disk is full. On a full disk, SQLite calls some failures errors of the disk. */
export async function isFull(folder: string): Promise<boolean> {
  const reading = await readDisk(folder).catch(() => null)
  return reading !== null && stateOf(reading) === 'full'
}

/**
 * Watches the disk that holds DATA_DIR. Reads the disk every READ_EVERY_MS, so that writes do not have to. Calls
 * `onChange` with each new state.
 * @see docs/decisions/0036-full-and-damaged-disks.md
 */
export async function watchDisk(readDisk: () => Promise<DiskReading>, onChange: (disk: DiskStatus) => void) {
  let state: DiskState = 'ok'
  let freeBytes = 0

  /** Reads the disk now. */
  async function read(): Promise<DiskStatus> {
    // A failed read changes nothing, because the store reports a disk that is gone.
    const reading = await readDisk().catch(() => null)
    if (reading !== null) {
      const before = state
      freeBytes = reading.freeBytes
      state = stateOf(reading)
      if (state !== before) onChange({ state, freeBytes })
    }
    return { state, freeBytes }
  }

  await read()
  const timer = setInterval(read, READ_EVERY_MS).unref()
  return {
    read,
    /** Throws an AppError `unavailable` if this side's writes are refused according to the last read. */
    assertRoomFor(side: Side): void {
      if (state === 'full') throw refused("The server's disk is full. Nothing was saved.")
      if (state === 'low' && side === 'visitor')
        throw refused("We can't save anything new right now. Try again in a few minutes.")
    },
    close: (): void => clearInterval(timer),
  }
}

export type DiskSpace = Awaited<ReturnType<typeof watchDisk>>

function refused(message: string): AppError {
  const cause = new Error('no room on the disk that holds DATA_DIR')
  return new AppError('unavailable', message, { retryAfterMs: 10_000, cause })
}

export function stateOf({ freeBytes, totalBytes }: DiskReading): DiskState {
  const isBelow = ({ bytes, share }: { bytes: number; share: number }) =>
    freeBytes < Math.min(bytes, totalBytes * share)
  if (isBelow(FLOORS.full)) return 'full'
  return isBelow(FLOORS.low) ? 'low' : 'ok'
}

/**
 * Wraps the stores, and refuses writes that grow them while the disk lacks space, as `WRITES` declares for each method.
 * Sessions, read marks, and deletions stay possible, because they need little space, and admins must sign in to free
 * some.
 */
export function guardDiskSpace({ storage, uploadFiles, attachmentFiles }: Stores, disk: DiskSpace): Stores {
  /**
   * Refuses files while space is low, because the last free bytes are for texts. The refusal is final, because it must
   * not hold up the same message's text.
   */
  function assertRoomForFile(): void {
    try {
      disk.assertRoomFor('visitor')
    } catch (error) {
      throw storageFull(error)
    }
  }

  function assertRoom(effect: Effect, args: never[]): void {
    const side = typeof effect === 'function' ? effect(...args) : effect
    if (side === 'file') assertRoomForFile()
    if (side === 'visitor' || side === 'admin') disk.assertRoomFor(side)
  }

  function guarded<R extends object>(repository: R, effects: Record<string, Effect>): R {
    const methods = repository as Record<string, (...args: never[]) => unknown>
    const growing = Object.entries(effects).filter(([, effect]) => effect !== 'reads' && effect !== 'always')
    const guardedMethods = growing.map(([name, effect]) => [
      name,
      async (...args: never[]) => {
        assertRoom(effect, args)
        return methods[name]?.(...args)
      },
    ])
    return extended(repository, Object.fromEntries(guardedMethods))
  }

  const repositories = Object.entries(WRITES).map(([name, effects]) => {
    const repository = storage[name as keyof typeof WRITES]
    return [name, repository && guarded(repository, effects)]
  })
  const putFile = (files: FileStore) =>
    extended(files, {
      async put(name, bytes, side) {
        assertRoomForFile()
        return files.put(name, bytes, side)
      },
    })
  return {
    storage: extended(storage, Object.fromEntries(repositories)),
    uploadFiles: putFile(uploadFiles),
    attachmentFiles: putFile(attachmentFiles),
  }
}
