import { AppError } from '@proctorpass/shared/errors'
import {
  type Db,
  MongoClient,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
  type ReadConcernLike,
} from 'mongodb'

/** No call waits longer for a store that is down. */
const SELECT_TIMEOUT_MS = 4_000
const ANSWER_TIMEOUT_MS = 8_000

export interface MongoConnection {
  readonly db: Db
  /** Options of reads that users see: only data that a failover cannot roll back. */
  readonly settled: { readConcern?: ReadConcernLike }
  close(): Promise<void>
}

/**
 * Connects to the database named in the URL (by default `proctorpass`). Writes are acknowledged by a majority of a replica
 * set, or by the journal of a standalone server.
 * @throws AppError `unavailable` when no server answers
 */
export async function connectMongo(
  url: string,
  { answerTimeoutMs = ANSWER_TIMEOUT_MS }: { answerTimeoutMs?: number } = {},
): Promise<MongoConnection> {
  const client = new MongoClient(url, {
    appName: 'proctorpass',
    serverSelectionTimeoutMS: SELECT_TIMEOUT_MS,
    connectTimeoutMS: SELECT_TIMEOUT_MS,
    waitQueueTimeoutMS: SELECT_TIMEOUT_MS,
    socketTimeoutMS: answerTimeoutMs,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: answerTimeoutMs },
    readPreference: 'primary',
    // Leaves undefined fields out, also in filters.
    ignoreUndefined: true,
  })
  try {
    await client.connect()
    const namesDatabase = /^mongodb(\+srv)?:\/\/[^/]+\/[^/?]/.test(url)
    const db = client.db(namesDatabase ? undefined : 'proctorpass')
    const { setName, msg } = await db.admin().command({ hello: 1 })
    const isReplicated = setName !== undefined || msg === 'isdbgrid'
    return {
      db,
      settled: isReplicated ? { readConcern: { level: 'majority' } } : {},
      close: () => client.close(),
    }
  } catch (error) {
    await client.close()
    throw asAppError(error)
  }
}

/** Whether a unique index refused the write. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000
}

/**
 * Transient errors by the manual: no longer primary, shutting down, timed out by an election. 1 (InternalError) is a
 * failure of the server, not of the request.
 */
const TRANSIENT_CODES = new Set([
  1, 6, 7, 50, 64, 89, 91, 112, 133, 134, 189, 202, 234, 262, 317, 358, 384, 9001, 10_058, 10_107, 11_600,
  11_602, 13_388, 13_435, 13_436,
  // OutOfDiskSpace, and the error of Atlas beyond its space quota.
  14_031, 8_000,
])

/** The driver rejects with Node's error when a command starts in the event-loop turn that reads the server's FIN. */
const SOCKET_CODES = new Set([
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT'],
  ...[
    'ERR_SOCKET_CLOSED',
    'ERR_STREAM_DESTROYED',
    'ERR_STREAM_PREMATURE_CLOSE',
    'ERR_STREAM_WRITE_AFTER_END',
  ],
])

function isOutage(error: unknown): boolean {
  if (!(error instanceof MongoError)) return SOCKET_CODES.has(String((error as NodeJS.ErrnoException)?.code))
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true
  if (error instanceof MongoWriteConcernError) return true
  if (error.hasErrorLabel(MongoErrorLabel.RetryableWriteError)) return true
  if (error instanceof MongoServerError) return TRANSIENT_CODES.has(Number(error.code))
  // The driver's own errors for an unreachable server: a full pool, a closed client, a closed topology.
  return !/InvalidArgument|Parse|Compatibility/.test(error.name)
}

/** The error of the port: AppError `unavailable` for an outage, else the error itself. */
export function asAppError(error: unknown): unknown {
  if (!isOutage(error)) return error
  return unavailable(error)
}

function unavailable(cause?: unknown): AppError {
  return new AppError('unavailable', "The store can't be reached right now. Try again in a moment.", {
    retryAfterMs: 2_000,
    cause,
  })
}

/** Admits calls until it is shut, and waits for the admitted ones. */
export class Gate {
  readonly #pending = new Set<Promise<unknown>>()
  #isShut = false

  async pass(call: () => Promise<unknown>): Promise<unknown> {
    if (this.#isShut) throw unavailable()
    const result = call()
    this.#pending.add(result)
    try {
      return await result
    } finally {
      this.#pending.delete(result)
    }
  }

  /** Resolves once the admitted calls have settled. */
  async shut(): Promise<void> {
    this.#isShut = true
    await Promise.allSettled(this.#pending)
  }
}

/** The repository with outages as AppError `unavailable`. */
export function guarded<T extends object>(repository: T, gate?: Gate): T {
  const entries = Object.entries(repository).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      const call = () => (method as (...args: unknown[]) => Promise<unknown>)(...args)
      try {
        return await (gate === undefined ? call() : gate.pass(call))
      } catch (error) {
        throw asAppError(error)
      }
    },
  ])
  return Object.fromEntries(entries) as T
}
