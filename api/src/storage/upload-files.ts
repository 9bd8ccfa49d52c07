import type { Readable } from 'node:stream'

/** The only valid names of images of posts: the hash of the bytes, an optional width, the type. Never a path. */
export const UPLOAD_NAME = /^([0-9a-f]{40})(?:-(?:480|960|1600))?\.(jpg|png|webp|svg)$/

/** The only valid names of files of messages: the `_id` of their row. */
export const ATTACHMENT_NAME = /^[0-9a-f]{24}$/

/** A stored file. `storedAt` is the time of the last `put`, in milliseconds since 1970 UTC. */
export interface UploadFile {
  name: string
  size: number
  storedAt: number
}

/** Stores files by name. The content of a name never changes: names are hashes of content, or ids. */
export interface UploadFiles {
  /**
   * Resolves once the file is durable; no reader sees it before. Returns false when the name exists: its content stays.
   * Throws AppError `unavailable` without space, and stores nothing then. Throws Error for a name of another form.
   */
  put(name: string, bytes: Uint8Array): Promise<boolean>
  /** Null when the file is missing. The caller reads the stream to its end or destroys it. */
  open(name: string): Promise<{ file: UploadFile; stream: Readable } | null>
  /** Does nothing when the file is missing. */
  remove(name: string): Promise<void>
  /** In no order. */
  list(): Promise<UploadFile[]>
}

/** @throws unless the name has the form: no other file can be written or removed. */
export function expectName(name: string, form: RegExp): void {
  if (!form.test(name)) throw new Error("This isn't the name of an upload.")
}
