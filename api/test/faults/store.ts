import { appendFileSync } from 'node:fs'
import { MongoClient } from 'mongodb'
import { startMongo } from '../servers/mongo-process.ts'
import { freshDatabase } from '../servers/test-database.ts'
import { StoreLine } from './store-line.ts'

/** The store's server, and a line to it for each node. */
export interface Store {
  name: string
  /** The database, not through a line. */
  url: string
  lines: StoreLine[]
  /** The same database, through that line. */
  urlThrough(line: StoreLine): string
  /** Ends the server; where it is not ours, nobody can reach it any more. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  start(): Promise<void>
  /** Null where there is no replica set. */
  elect: (() => Promise<void>) | null
  /** What a server of ours said when it ended by itself. */
  crash(): string | null
  close(): Promise<void>
}

/** A server of one's own, because it will be ended; else the one that MONGODB_TEST_URL names. Null without either. */
export async function startStore(nodes: number): Promise<Store | null> {
  const own = await startMongo()
  const serverUrl = own?.url ?? process.env.MONGODB_TEST_URL
  if (!serverUrl) return null
  const url = freshDatabase({ url: serverUrl })
  const { hostname, port } = new URL(url)
  const lines = await Promise.all(
    Array.from({ length: nodes }, () => StoreLine.open(Number(port || 27_017), hostname)),
  )
  return {
    name: own === null ? 'MONGODB_TEST_URL' : `${own.command}, ${own.isReal ? 'real' : 'a stand-in'}`,
    url,
    lines,
    urlThrough(line) {
      const through = new URL(url)
      through.host = `127.0.0.1:${line.port}`
      // Otherwise the driver asks the replica set for its members, and goes past the line.
      through.searchParams.delete('replicaSet')
      through.searchParams.set('directConnection', 'true')
      return through.href
    },
    async stop(signal) {
      for (const line of lines) line.refuse()
      await own?.stop(signal)
    },
    async start() {
      await own?.start()
      for (const line of lines) line.accept()
    },
    elect: own?.isReal ? () => stepDown(url) : null,
    crash: () => own?.crash ?? null,
    async close() {
      for (const line of lines) line.close()
      if (own === null) await dropDatabase(url)
      else await own.close()
    },
  }
}

/** The one member of the set gives up for a second, with everybody's connections, and is elected again. */
async function stepDown(url: string): Promise<void> {
  const client = await new MongoClient(url).connect()
  try {
    await client.db('admin').command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true })
  } finally {
    await client.close()
  }
}

async function dropDatabase(url: string): Promise<void> {
  const client = await new MongoClient(url).connect()
  try {
    await client.db().dropDatabase()
  } finally {
    await client.close()
  }
}

/** Says what could not be tried; with LEFT_OUT_FILE it leaves the line there too. */
export function leaveOut(what: string): void {
  console.log(`LEFT OUT: ${what}`)
  if (process.env.LEFT_OUT_FILE) appendFileSync(process.env.LEFT_OUT_FILE, `${what}\n`)
}
