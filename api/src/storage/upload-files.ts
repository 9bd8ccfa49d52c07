import type { Readable } from 'node:stream'

/** The only names that a file can have: the hash of its bytes, perhaps a width, its type. Never a path. */
export const UPLOAD_NAME = /^([0-9a-f]{40})(?:-(?:480|960|1600))?\.(jpg|png|webp|svg)$/

/** One kept file. `storedAt` is when it was last put, in milliseconds since 1970 UTC. */
export interface UploadFile {
  name: string
  size: number
  storedAt: number
}

/** Where uploaded pictures are kept, by name. What a name holds never changes: names come from the content. */
export interface UploadFiles {
  /**
   * Resolves once the file is durable; until then nobody sees it. A name that is there already keeps what it
   * holds, and false is answered. Throws AppError `unavailable` when there is no room, and leaves nothing behind then.
   * Throws Error for what is no UPLOAD_NAME.
   */
  put(name: string, bytes: Uint8Array): Promise<boolean>
  /** Null when there is none. Whoever opened it reads the stream to its end or destroys it. */
  open(name: string): Promise<{ file: UploadFile; stream: Readable } | null>
  /** A name that is not there is fine. */
  remove(name: string): Promise<void>
  /** In no order. */
  list(): Promise<UploadFile[]>
}

/** Guards a store's files: what is no name of an upload is not there, and cannot be written. */
export function expectUploadName(name: string): void {
  if (!UPLOAD_NAME.test(name)) throw new Error('This is no name of an upload.')
}
