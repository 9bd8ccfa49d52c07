import { MongoClient } from 'mongodb'
import { isReplicated } from '../../src/storage/mongo/connection.ts'
import { type MongoProcess, startMongo } from './mongo-process.ts'
import { hasRedis, type RedisProcess, startRedis } from './redis-process.ts'
import { testDatabasePrefix } from './test-database.ts'

/** What the tests know of the MongoDB server they run on. */
export interface FoundMongo {
  /** Without a database's name. */
  url: string
  name: string
  /** MongoDB's own server: only it has elections, a reliable `explain` and every feature. */
  isReal: boolean
  isReplicated: boolean
}

export interface FoundServers {
  mongo: FoundMongo | null
  redis: { url: string } | null
  /** One line for each server found. */
  described: string[]
  /** One line for each server not found; with CI=true that is a failure. */
  missing: string[]
  /** Ends the servers that it started, and returns their problems. */
  close(): Promise<string[]>
}

declare module 'vitest' {
  interface ProvidedContext {
    mongo: FoundMongo | null
    redis: { url: string } | null
  }
}

/**
 * The servers for tests: those that MONGODB_TEST_URL and REDIS_TEST_URL name, or ones that are started now. Each test
 * file makes its own database in the one server, under a name that begins with `testDatabasePrefix`.
 */
export async function findServers(): Promise<FoundServers> {
  // Settled before a process is started that would settle on another.
  testDatabasePrefix()
  const started: (MongoProcess | RedisProcess)[] = []
  const described: string[] = []
  const missing: string[] = []

  let mongo: FoundMongo | null = null
  let url = process.env.MONGODB_TEST_URL
  if (!url) {
    const server = await startMongo()
    if (server !== null) {
      started.push(server)
      url = server.url
    }
  }
  if (url) {
    mongo = await inspectMongo(url)
    const kind = `${mongo.isReal ? 'the real server' : 'a stand-in'}, ${mongo.isReplicated ? 'a replica set' : 'alone'}`
    described.push(`MongoDB: ${mongo.name} (${kind})`)
  } else {
    missing.push('MongoDB: name a server in MONGODB_TEST_URL, or install mongod')
  }

  let redisUrl = process.env.REDIS_TEST_URL
  if (!redisUrl && (await hasRedis())) {
    const server = await startRedis()
    started.push(server)
    redisUrl = server.url
  }
  if (redisUrl) described.push('Redis')
  else missing.push('Redis: name a server in REDIS_TEST_URL, or install redis-server')

  return {
    mongo,
    redis: redisUrl ? { url: redisUrl } : null,
    described,
    missing,
    async close() {
      const problems = started.flatMap(({ crash }) => crash ?? [])
      if (mongo !== null && problems.length === 0) {
        await dropTestDatabases(mongo.url).catch((error: Error) => {
          problems.push(`The MongoDB server of the tests does not answer any more: ${error.message}`)
        })
      }
      for (const server of started) await server.close()
      return problems
    },
  }
}

export async function inspectMongo(url: string): Promise<FoundMongo> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 })
  try {
    const admin = client.db('admin')
    const hello = await admin.command({ hello: 1 })
    const info = await admin.command({ buildInfo: 1 })
    // Only MongoDB's own server has storage engines to name.
    const isReal = Array.isArray(info.storageEngines) && info.storageEngines.includes('wiredTiger')
    const name = isReal ? 'mongod' : String(info.process ?? (info.ferretdbVersion ? 'FerretDB' : 'unknown'))
    return { url, name: `${name} ${info.version}`, isReal, isReplicated: isReplicated(hello) }
  } catch (error) {
    throw new Error(`The MongoDB server of the tests does not answer: ${(error as Error).message}`)
  } finally {
    await client.close()
  }
}

async function dropTestDatabases(url: string): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 })
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
    for (const { name } of databases) {
      if (name.startsWith(testDatabasePrefix())) await client.db(name).dropDatabase()
    }
  } finally {
    await client.close()
  }
}
