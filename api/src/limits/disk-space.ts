import { statfs } from 'node:fs/promises'
import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { storageFull } from '../storage/model/file-store.ts'
import { extended, type Stores } from '../storage/model/storage.ts'

const MB = 1024 ** 2
/** A state begins below this many bytes, or this share of a small disk. */
const FLOORS = { low: { bytes: 200 * MB, share: 0.05 }, full: { bytes: 50 * MB, share: 0.01 } }
/** Short: within the limits, one address writes 7 MB in this time. */
const READ_EVERY_MS = 2_000

export interface DiskReading {
  /** Available to this process. */
  freeBytes: number
  totalBytes: number
}

/** `low`: writes of visitors and uploads are refused; `full`: writes of admins too. */
export type DiskState = 'ok' | 'low' | 'full'

export interface DiskStatus {
  state: DiskState
  freeBytes: number
}

export async function readDisk(folder: string): Promise<DiskReading> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/**
 * The disk that holds DATA_DIR.
 * Reads the disk every READ_EVERY_MS, so that writes do not have to. `onChange` is called with each new state.
 * @see docs/decisions/0036-full-and-damaged-disks.md
 */
export async function watchDisk(readDisk: () => Promise<DiskReading>, onChange: (disk: DiskStatus) => void) {
  let state: DiskState = 'ok'
  let freeBytes = 0

  /** Reads it now. */
  async function read(): Promise<DiskStatus> {
    // A failed read changes nothing: the store reports a disk that is gone.
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
    /** Throws AppError `unavailable` when writes of this side are refused, as of the last read. */
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
 * Wraps the stores: refuses growing writes while the disk lacks room. Sessions, read marks and deletions stay possible:
 * they need little, and admins must sign in to make room.
 */
export function guardDiskSpace({ storage, uploadFiles, attachmentFiles }: Stores, disk: DiskSpace): Stores {
  /** The last free bytes are for texts. The refusal is final: it must not hold up the text of the same message. */
  function assertRoomForFile(): void {
    try {
      disk.assertRoomFor('visitor')
    } catch (error) {
      throw storageFull(error)
    }
  }

  const { messages, attachments, inbox, visitors, contacts, reviews, blogs, replies } = storage
  return {
    storage: extended(storage, {
      messages: extended(messages, {
        async append(message) {
          disk.assertRoomFor(message.senderId === message.clientId ? 'visitor' : 'admin')
          return messages.append(message)
        },
      }),
      attachments: extended(attachments, {
        async add(attachment, bounds) {
          assertRoomForFile()
          return attachments.add(attachment, bounds)
        },
      }),
      visitors: extended(visitors, {
        async update(clientId, change, options) {
          disk.assertRoomFor(options.by === null ? 'visitor' : 'admin')
          return visitors.update(clientId, change, options)
        },
      }),
      inbox: extended(inbox, {
        async change(clientId, change, options) {
          if (options.by !== null) disk.assertRoomFor('admin')
          return inbox.change(clientId, change, options)
        },
        async rate(clientId, rating, options) {
          disk.assertRoomFor('visitor')
          return inbox.rate(clientId, rating, options)
        },
        async addNote(note) {
          disk.assertRoomFor('admin')
          return inbox.addNote(note)
        },
      }),
      reports: extended(storage.reports, {
        async putPart(part, isStored) {
          disk.assertRoomFor('visitor')
          return storage.reports.putPart(part, isStored)
        },
      }),
      suggestions: extended(storage.suggestions, {
        async add(path, day, counts) {
          disk.assertRoomFor('visitor')
          return storage.suggestions.add(path, day, counts)
        },
      }),
      search: extended(storage.search, {
        async put(updates) {
          disk.assertRoomFor('visitor')
          return storage.search.put(updates)
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
      documents: extended(storage.documents, {
        async write(name, value, version) {
          disk.assertRoomFor('admin')
          return storage.documents.write(name, value, version)
        },
      }),
      replies: extended(replies, {
        async create(reply, max) {
          disk.assertRoomFor('admin')
          return replies.create(reply, max)
        },
        async update(id, change, version) {
          disk.assertRoomFor('admin')
          return replies.update(id, change, version)
        },
      }),
    }),
    uploadFiles: extended(uploadFiles, {
      async put(name, bytes, side) {
        assertRoomForFile()
        return uploadFiles.put(name, bytes, side)
      },
    }),
    attachmentFiles: extended(attachmentFiles, {
      async put(name, bytes, side) {
        assertRoomForFile()
        return attachmentFiles.put(name, bytes, side)
      },
    }),
  }
}
