import type { Readable } from 'node:stream'
import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'

/** The only valid names of images of posts: the hash of the bytes, an optional width, the type. Never a path. */
export const UPLOAD_NAME = /^([0-9a-f]{40})(?:-(?:480|960|1600))?\.(jpg|png|webp|svg)$/

/** The only valid names of files of messages: the `_id` of their row. */
export const ATTACHMENT_NAME = /^[0-9a-f]{24}$/

/** A stored file. `storedAt` is the time of the last `put`, in milliseconds since 1970 UTC. */
export interface UploadFile {
  name: string
  size: number
  storedAt: number
  /** Whether the file existed when it was last put. */
  isAgain: boolean
  /** Another one after each `put` of the name, on any node. */
  revision: string
}

/** Stores files by name. The content of a name never changes: names are hashes of content, or ids. */
export interface UploadFiles {
  /**
   * Resolves once the file is durable; no reader sees it before. Returns false when the name exists: its content stays.
   * Throws AppError `storage-full` without space, and stores nothing then: a part of the space is for admins only. Throws
   * Error for a name of another form.
   */
  put(name: string, bytes: Uint8Array, side?: Side): Promise<boolean>
  /** Null when the file is missing. */
  find(name: string): Promise<UploadFile | null>
  /** Null when the file is missing. The caller reads the stream to its end or destroys it. */
  open(name: string): Promise<{ file: UploadFile; stream: Readable } | null>
  /** Removes a file, given `seen` only if it was not put since. Resolves with whether none of that name is left. */
  remove(name: string, seen?: UploadFile): Promise<boolean>
  /** In no order. */
  list(): Promise<UploadFile[]>
}

/** The share of the space that visitors may fill. */
const VISITORS_SHARE = 0.9

/** The space for files of that side, by the stored bytes of both. */
export function roomOf(side: Side, totalBytesMax: number): number {
  return side === 'visitor' ? totalBytesMax * VISITORS_SHARE : totalBytesMax
}

export function storageFull(cause?: unknown): AppError {
  return new AppError('storage-full', 'The server has no room for this file.', { cause })
}

/** @throws unless the name has the form: no other file can be written or removed. */
export function expectName(name: string, form: RegExp): void {
  if (!form.test(name)) throw new Error("This isn't the name of an upload.")
}
