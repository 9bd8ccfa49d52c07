import { AppError } from '@proctorpass/shared/errors'
import {
  type Db,
  type Document,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  type MongoOptions,
  MongoServerSelectionError,
  type ReadConcernLike,
} from 'mongodb'
import { type Guard, openGuard } from './guard.ts'
import { reconnectWhenStuck } from './heartbeats.ts'

/** The time for which the driver looks for a server. */
const SELECT_TIMEOUT_MS = 4_000
/** The limit for each call of the storage port. OPERATIONS promises a 503 response within eight seconds. */
export const ANSWER_TIMEOUT_MS = 7_000

export interface MongoConnection {
  readonly db: Db
  /**
   * Options for reads that people see and on which writes are decided. The read concern `majority` returns only data that
   * a failover cannot roll back.
   */
  readonly majority: { readConcern?: ReadConcernLike }
  readonly guard: Guard['guard']
  /** Refuses further calls, waits until running calls end, and disconnects. */
  close(): Promise<void>
}

/**
 * Connects to the database named in the URL (by default `proctorpass`). Writes are acknowledged by a replica set's
 * majority, or by a standalone server's journal.
 * @throws AppError `unavailable` with the reason when no connection can be made
 */
export async function connectMongo(
  url: string,
  { answerTimeoutMs = ANSWER_TIMEOUT_MS }: { answerTimeoutMs?: number } = {},
): Promise<MongoConnection> {
  const client = clientOf(url, {
    appName: 'proctorpass',
    serverSelectionTimeoutMS: SELECT_TIMEOUT_MS,
    connectTimeoutMS: SELECT_TIMEOUT_MS,
    waitQueueTimeoutMS: SELECT_TIMEOUT_MS,
    socketTimeoutMS: answerTimeoutMs,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: answerTimeoutMs },
    readPreference: 'primary',
    // The driver leaves out undefined fields, in filters too.
    ignoreUndefined: true,
  })
  try {
    await client.connect()
    const namesDatabase = /^mongodb(\+srv)?:\/\/[^/]+\/[^/?]/.test(url)
    const db = client.db(namesDatabase ? undefined : 'proctorpass')
    const hello = await db.admin().command({ hello: 1 })
    const { guard, shut } = openGuard(answerTimeoutMs)
    const endReconnecting = reconnectWhenStuck(client)
    return {
      db,
      majority: isReplicated(hello) ? { readConcern: { level: 'majority' } } : {},
      guard,
      async close() {
        await shut()
        endReconnecting()
        await client.close()
      },
    }
  } catch (error) {
    await client.close()
    throw connectProblem(error as Error, client.options) ?? error
  }
}

function clientOf(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options)
  } catch (error) {
    throw new Error(`MONGODB_URL is invalid: ${(error as Error).message}.`)
  }
}

/** Returns whether a server's answer to `hello` is from a replica set or a mongos, whose shards are replica sets. */
export function isReplicated({ setName, msg }: Document): boolean {
  return setName !== undefined || msg === 'isdbgrid'
}

/**
 * Returns an error that tells the operator why no connection could be made, or null if the reason is unknown. It names
 * hosts, but neither the user nor the password.
 */
function connectProblem(
  error: Error,
  { hosts, srvHost, tls }: Pick<MongoOptions, 'hosts' | 'srvHost' | 'tls'>,
): AppError | null {
  const message = explain(error, srvHost ?? hosts.join(', '), tls)
  return message === null ? null : new AppError('unavailable', message, { cause: error })
}

function explain(error: Error, at: string, tls: boolean): string | null {
  const { message, code = '', path } = rootOf(error)
  // Atlas uses code 8000 for this refusal and for others.
  if (code === 18 || (code === 8_000 && /auth/i.test(message)))
    return `MongoDB at ${at} refused the username or password in MONGODB_URL.`
  if (/CERT|SIGNATURE|HOSTNAME_MISMATCH/.test(String(code)))
    return `The certificate of MongoDB at ${at} isn't trusted (${message.split(';')[0]}). Set tlsCAFile in MONGODB_URL to the file of its CA.`
  if (tls && /ECONNRESET|EPROTO|ERR_SSL/.test(String(code)))
    return `MongoDB at ${at} ended the TLS handshake. If it doesn't use TLS, set tls=false in MONGODB_URL.`
  if (code === 'ECONNREFUSED')
    return `Nothing is listening at ${at}. Start MongoDB there, or correct MONGODB_URL.`
  if (path !== undefined) return `A file named in MONGODB_URL can't be read: ${path}.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The host name in MONGODB_URL can't be resolved: ${at}.`
  if (!tls && (code === 'ECONNRESET' || / closed$/.test(message)))
    return `MongoDB at ${at} closed the connection without an answer. If it uses TLS, set tls=true in MONGODB_URL.`
  if (error instanceof MongoServerSelectionError && error.reason?.type.startsWith('ReplicaSet'))
    return `The replica set at ${at} has no primary, or its name differs from replicaSet in MONGODB_URL.`
  return error instanceof MongoError ? `MongoDB at ${at} doesn't answer: ${message}.` : null
}

/** Returns the innermost cause, because drivers wrap errors from sockets and TLS. */
function rootOf(error: Error): { message: string; code?: unknown; path?: unknown } {
  let root = error
  while (root.cause instanceof Error) root = root.cause
  return root
}
