import type { Readable } from 'node:stream'
import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'

/** The form of an upload's name: the hash of its bytes, an optional width, and its type. It never matches a path. */
export const UPLOAD_NAME = /^([0-9a-f]{40})(?:-(?:480|960|1600))?\.(jpg|png|webp|svg)$/

/** The form of an attachment's name, which is its row's `_id`. */
export const ATTACHMENT_NAME = /^[0-9a-f]{24}$/

export interface StoredFile {
  name: string
  /** The size in bytes. */
  size: number
  /** The time of the last `put`, in milliseconds since 1970 UTC. */
  storedAt: number
  /** Whether the file existed when it was last put. */
  isAgain: boolean
  /** A text that each `put` of the name on any node changes. */
  revision: string
}

/**
 * Stores the bytes of uploads or of attachments by name. A name's content never changes, because names are IDs or
 * hashes of the content.
 */
export interface FileStore {
  /**
   * Stores a file. Resolves once the file is durable, and no reader sees it before. Resolves with false when the name
   * exists, and its content stays. When the space is full, it stores nothing and throws AppError `storage-full`. Visitors
   * may fill only a part of the space. Throws Error for a name of another form.
   */
  put(name: string, bytes: Uint8Array, side?: Side): Promise<boolean>
  /** Resolves to null when the file is missing. */
  find(name: string): Promise<StoredFile | null>
  /** Resolves to null when the file is missing. The caller must read the stream to its end or destroy it. */
  open(name: string): Promise<{ file: StoredFile; stream: Readable } | null>
  /**
   * Removes a file. With `seen`, removes it only if it was not put again since. Resolves with whether no file with that
   * name is left.
   */
  remove(name: string, seen?: StoredFile): Promise<boolean>
  /** Lists all files, in no order. */
  list(): Promise<StoredFile[]>
}

/** The share of the space that visitors may fill. */
const VISITORS_SHARE = 0.9

/** Returns how many bytes both sides together may have stored after this side stores another file. */
export function roomOf(side: Side, totalBytesMax: number): number {
  return side === 'visitor' ? totalBytesMax * VISITORS_SHARE : totalBytesMax
}

export function storageFull(cause?: unknown): AppError {
  return new AppError('storage-full', 'The server has no room for this file.', { cause })
}

/** Throws unless the name has the form, so that no other file can be written or removed. */
export function expectName(name: string, form: RegExp): void {
  if (!form.test(name)) throw new Error("This isn't the name of an upload.")
}
