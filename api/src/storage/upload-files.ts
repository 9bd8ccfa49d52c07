import type { Readable } from 'node:stream'

/** The only valid names: the hash of the bytes, an optional width, the type. Never a path. */
export const UPLOAD_NAME = /^([0-9a-f]{40})(?:-(?:480|960|1600))?\.(jpg|png|webp|svg)$/

/** A stored file. `storedAt` is the time of the last `put`, in milliseconds since 1970 UTC. */
export interface UploadFile {
  name: string
  size: number
  storedAt: number
}

/** Stores uploads by name. The content of a name never changes, because names are hashes of content. */
export interface UploadFiles {
  /**
   * Resolves once the file is durable; no reader sees it before. Returns false when the name exists: its content stays.
   * Throws AppError `unavailable` without space, and stores nothing then. Throws Error unless UPLOAD_NAME matches.
   */
  put(name: string, bytes: Uint8Array): Promise<boolean>
  /** Null when the file is missing. The caller reads the stream to its end or destroys it. */
  open(name: string): Promise<{ file: UploadFile; stream: Readable } | null>
  /** Does nothing when the file is missing. */
  remove(name: string): Promise<void>
  /** In no order. */
  list(): Promise<UploadFile[]>
}

/** @throws unless UPLOAD_NAME matches: no other file can be written or removed. */
export function expectUploadName(name: string): void {
  if (!UPLOAD_NAME.test(name)) throw new Error("This isn't the name of an upload.")
}
