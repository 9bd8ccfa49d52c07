import { type Db, type Document, MongoClient, type MongoClientOptions, type ReadConcernLike } from 'mongodb'
import { connectProblem } from './connect-problem.ts'
import { type Guard, openGuard } from './guard.ts'
import { reconnectWhenStuck } from './heartbeats.ts'

/** How long the driver looks for a server. */
const SELECT_TIMEOUT_MS = 4_000
/** Every call of the port is answered within this: OPERATIONS promises a 503 within eight seconds. */
export const ANSWER_TIMEOUT_MS = 7_000

export interface MongoConnection {
  readonly db: Db
  /** Options of reads that users see, with read concern majority: only data that a failover cannot roll back. */
  readonly majority: { readConcern?: ReadConcernLike }
  readonly guard: Guard['guard']
  /** Refuses further calls, waits for those under way, then disconnects. */
  close(): Promise<void>
}

/**
 * Connects to the database named in the URL (by default `proctorpass`). Writes are acknowledged by a majority of a replica
 * set, or by the journal of a standalone server.
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
    // Leaves undefined fields out, also in filters.
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

/** Whether a server's answer to `hello` is of a replica set, or of a mongos: the shards behind one are replica sets. */
export function isReplicated({ setName, msg }: Document): boolean {
  return setName !== undefined || msg === 'isdbgrid'
}
