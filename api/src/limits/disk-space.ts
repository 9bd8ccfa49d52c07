import { statfs } from 'node:fs/promises'
import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import type { Stores } from '../storage/storage.ts'

const MB = 1024 ** 2
/** A state begins below this many bytes, or below this share of the disk where that is less. */
const FLOORS = { low: { bytes: 200 * MB, share: 0.05 }, full: { bytes: 50 * MB, share: 0.01 } }
/** The limits let one address write 7 MB in this time at most. */
const READ_EVERY_MS = 2_000

export interface DiskReading {
  /** What this process may still use. */
  freeBytes: number
  totalBytes: number
}

/** `low`: what visitors write and pictures are refused; `full`: what admins write too. */
export type DiskState = 'ok' | 'low' | 'full'

export interface DiskFacts {
  state: DiskState
  freeBytes: number
}

/** The disk that holds DATA_DIR. */
export interface DiskSpace {
  /** Looks at it now. */
  look(): Promise<DiskFacts>
  /** Throws AppError `unavailable` when this side's writes are refused, as of the last look. */
  assertRoomFor(side: Side): void
  close(): void
}

export async function readDisk(folder: string): Promise<DiskReading> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/**
 * Looks at the disk every READ_EVERY_MS, so that a write does not have to.
 * @param onChange told of each new state
 */
export async function watchDisk(
  read: () => Promise<DiskReading>,
  onChange: (disk: DiskFacts) => void,
): Promise<DiskSpace> {
  let state: DiskState = 'ok'
  let freeBytes = 0

  async function look(): Promise<DiskFacts> {
    // A look that fails changes nothing: a disk that is gone is found by the store.
    const reading = await read().catch(() => null)
    if (reading !== null) {
      const before = state
      freeBytes = reading.freeBytes
      state = stateOf(reading)
      if (state !== before) onChange({ state, freeBytes })
    }
    return { state, freeBytes }
  }

  await look()
  const timer = setInterval(look, READ_EVERY_MS).unref()
  return {
    look,
    assertRoomFor(side) {
      if (state === 'full') throw refused('The disk of the server is full. Nothing was saved.')
      if (state === 'low' && side === 'visitor')
        throw refused('We cannot take anything new right now. Please try again in a few minutes.')
    },
    close: () => clearInterval(timer),
  }
}

function refused(message: string): AppError {
  const cause = new Error('no room on the disk that holds DATA_DIR')
  return new AppError('unavailable', message, { retryAfterMs: 10_000, cause })
}

function stateOf({ freeBytes, totalBytes }: DiskReading): DiskState {
  const isBelow = ({ bytes, share }: { bytes: number; share: number }) =>
    freeBytes < Math.min(bytes, totalBytes * share)
  if (isBelow(FLOORS.full)) return 'full'
  return isBelow(FLOORS.low) ? 'low' : 'ok'
}

/**
 * The same stores, which take nothing that grows while the disk has no room for it. Sessions, read marks and everything
 * that removes go on: they need little, and admins must get in to make room.
 */
export function withinDisk({ storage, uploadFiles }: Stores, disk: DiskSpace): Stores {
  const { messages, contacts, reviews, blogs } = storage
  return {
    storage: extended(storage, {
      messages: extended(messages, {
        async append(message) {
          disk.assertRoomFor(message.senderId === message.clientId ? 'visitor' : 'admin')
          return messages.append(message)
        },
      }),
      contacts: extended(contacts, {
        async create(contact) {
          disk.assertRoomFor('visitor')
          return contacts.create(contact)
        },
      }),
      reviews: extended(reviews, {
        async submit(review) {
          disk.assertRoomFor('visitor')
          return reviews.submit(review)
        },
        async create(review) {
          disk.assertRoomFor('admin')
          return reviews.create(review)
        },
        async update(id, change) {
          disk.assertRoomFor('admin')
          return reviews.update(id, change)
        },
      }),
      blogs: extended(blogs, {
        async create(blog) {
          disk.assertRoomFor('admin')
          return blogs.create(blog)
        },
        async update(id, change, version) {
          disk.assertRoomFor('admin')
          return blogs.update(id, change, version)
        },
      }),
    }),
    uploadFiles: extended(uploadFiles, {
      async put(name, bytes) {
        disk.assertRoomFor('visitor')
        return uploadFiles.put(name, bytes)
      },
    }),
  }
}

function extended<T extends object>(port: T, methods: Partial<T>): T {
  return Object.assign(Object.create(port), methods)
}
