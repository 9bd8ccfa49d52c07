import { AppError } from '@proctorpass/shared/errors'
import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb'

/** Returns whether a unique index refused the write. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000
}

/**
 * Returns whether the server gave up the write in favor of a concurrent one and applied nothing. MongoDB repeats a single
 * write itself. Compatible servers return this error, for example when two inserts deadlock.
 */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 112
}

/** Resolves to false when a unique index refused the insert. */
export async function insertNew(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/**
 * The codes that the manual calls transient: the server is no longer primary, is shutting down, or timed out in an
 * election. Code 1 (InternalError) means that the server failed, not that the request was wrong.
 */
const TRANSIENT_CODES = new Set([
  1, 6, 7, 50, 64, 89, 91, 112, 133, 134, 189, 202, 234, 262, 317, 358, 384, 9001, 10_058, 10_107, 11_600,
  11_602, 13_388, 13_435, 13_436,
  // These are OutOfDiskSpace, and the error that Atlas returns beyond its space quota.
  14_031, 8_000,
])

const SOCKET_CODES = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_SOCKET_CLOSED',
])

/**
 * Returns whether this is an error from Node's socket. When a command begins in the event-loop turn that reads the end of
 * its connection, the driver passes the error on unchanged and does not repeat the command.
 */
export function isSocketError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof MongoError) return false
  const code = String((error as NodeJS.ErrnoException).code)
  return SOCKET_CODES.has(code) || code.startsWith('ERR_STREAM_')
}

function isOutage(error: unknown): boolean {
  if (!(error instanceof MongoError)) return isSocketError(error)
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true
  if (error instanceof MongoWriteConcernError) return true
  if (error.hasErrorLabel(MongoErrorLabel.RetryableWriteError)) return true
  if (error instanceof MongoServerError) return TRANSIENT_CODES.has(Number(error.code))
  // The others are the driver's own errors for an unreachable server: a full pool, a closed client, a closed topology.
  return !/InvalidArgument|Parse|Compatibility/.test(error.name)
}

/** Returns whether the store was away or too busy, so that a call may have ended between two of its writes. */
export function isUnavailable(error: unknown): boolean {
  const seen = asAppError(error)
  return seen instanceof AppError && seen.code === 'unavailable'
}

/** Returns the storage port's error: AppError `unavailable` for an outage, otherwise the error itself. */
export function asAppError(error: unknown): unknown {
  return isOutage(error) ? unavailable(error) : error
}

export function unavailable(cause?: unknown): AppError {
  return new AppError('unavailable', "The store can't be reached right now. Try again in a moment.", {
    retryAfterMs: 2_000,
    cause,
  })
}

/** Returns whether a bulk write failed only for documents that already exist. */
export function isOnlyOfDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false
  const errors = [error.writeErrors].flat()
  if (error.result.getWriteConcernError() !== undefined) return false
  return errors.length > 0 && errors.every(({ code }) => code === 11_000)
}

/** The code MaxTimeMSExpired. */
const MAX_TIME_EXPIRED = 50

/**
 * Writes all documents. When one command takes longer than the server allows, the documents are written in halves,
 * because some servers end any command after a few seconds and then have written nothing.
 */
export async function inHalves<T>(
  documents: readonly T[],
  write: (documents: readonly T[]) => Promise<unknown>,
): Promise<void> {
  try {
    await write(documents)
  } catch (error) {
    if (documents.length === 1 || !(error instanceof MongoServerError) || error.code !== MAX_TIME_EXPIRED) {
      throw error
    }
    const middle = Math.ceil(documents.length / 2)
    await inHalves(documents.slice(0, middle), write)
    await inHalves(documents.slice(middle), write)
  }
}
