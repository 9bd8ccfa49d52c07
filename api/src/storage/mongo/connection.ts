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

/** A store that is away is said to be away after so long; nothing waits longer for it. */
const SELECT_WITHIN_MS = 4_000
const ANSWER_WITHIN_MS = 8_000

export interface MongoConnection {
  readonly db: Db
  /** What a read that is shown to somebody asks for: nothing that a failover may take back. */
  readonly settled: { readConcern?: ReadConcernLike }
  close(): Promise<void>
}

/**
 * Connects to the database named in the URL (`proctorpass` when it names none). On a replica set writes are
 * acknowledged by a majority; on a standalone server, which is a majority of its own, by its journal.
 * @throws AppError `unavailable` when no server answers
 */
export async function connectMongo(
  url: string,
  { answerWithinMs = ANSWER_WITHIN_MS }: { answerWithinMs?: number } = {},
): Promise<MongoConnection> {
  const client = new MongoClient(url, {
    appName: 'proctorpass',
    serverSelectionTimeoutMS: SELECT_WITHIN_MS,
    connectTimeoutMS: SELECT_WITHIN_MS,
    waitQueueTimeoutMS: SELECT_WITHIN_MS,
    socketTimeoutMS: answerWithinMs,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: answerWithinMs },
    readPreference: 'primary',
    // An undefined field is one that is not there, in a filter too.
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
 * Not primary any more, shutting down, timed out by an election: what the manual lists as transient. 1 is a server that
 * failed within, which is no fault of who asked.
 */
const TRANSIENT_CODES = new Set([
  1, 6, 7, 50, 64, 89, 91, 112, 133, 134, 189, 202, 234, 262, 317, 358, 384, 9001, 10_058, 10_107, 11_600,
  11_602, 13_388, 13_435, 13_436,
  // OutOfDiskSpace, and what Atlas answers beyond its quota of space.
  14_031, 8_000,
])

/** The driver rejects with Node's own error when a command begins in the turn in which the store's FIN is read. */
const SOCKET_CODES = new Set([
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT'],
  ...[
    'ERR_SOCKET_CLOSED',
    'ERR_STREAM_DESTROYED',
    'ERR_STREAM_PREMATURE_CLOSE',
    'ERR_STREAM_WRITE_AFTER_END',
  ],
])

function isAway(error: unknown): boolean {
  if (!(error instanceof MongoError)) return SOCKET_CODES.has(String((error as NodeJS.ErrnoException)?.code))
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true
  if (error instanceof MongoWriteConcernError) return true
  if (error.hasErrorLabel(MongoErrorLabel.RetryableWriteError)) return true
  if (error instanceof MongoServerError) return TRANSIENT_CODES.has(Number(error.code))
  // A full pool, a closed client, a topology that went away: the driver's own words for a store out of reach.
  return !/InvalidArgument|Parse|Compatibility/.test(error.name)
}

/** As the port has it: AppError `unavailable` when the store is away, else the error itself. */
export function asAppError(error: unknown): unknown {
  if (!isAway(error)) return error
  return away(error)
}

function away(cause?: unknown): AppError {
  return new AppError('unavailable', 'The store cannot be reached right now. Please try again in a moment.', {
    retryAfterMs: 2_000,
    cause,
  })
}

/** Lets calls in until it is shut, and knows those that are under way. */
export class Gate {
  readonly #underWay = new Set<Promise<unknown>>()
  #isShut = false

  async pass(call: () => Promise<unknown>): Promise<unknown> {
    if (this.#isShut) throw away()
    const answer = call()
    this.#underWay.add(answer)
    try {
      return await answer
    } finally {
      this.#underWay.delete(answer)
    }
  }

  /** Resolves once those that are under way have ended. */
  async shut(): Promise<void> {
    this.#isShut = true
    await Promise.allSettled(this.#underWay)
  }
}

/** The same repository, whose rejections because the store is away are AppError `unavailable`. */
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
