import type { Readable } from 'node:stream'

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
   */
  put(name: string, bytes: Uint8Array): Promise<boolean>
  /** Null when there is none. Whoever opened it reads the stream to its end or destroys it. */
  open(name: string): Promise<{ file: UploadFile; stream: Readable } | null>
  /** A name that is not there is fine. */
  remove(name: string): Promise<void>
  /** In no order. */
  list(): Promise<UploadFile[]>
}
