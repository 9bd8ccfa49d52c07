import { appendFileSync } from 'node:fs'
import { MongoClient } from 'mongodb'
import { startMongo } from '../servers/mongo-process.ts'
import { freshDatabase } from '../servers/test-database.ts'
import { type Cut, TcpProxy } from '../tcp-proxy.ts'

/** The store's server, and a proxy to it for each node. */
export interface Store {
  name: string
  /** The database itself, without a proxy. */
  url: string
  proxies: TcpProxy[]
  /** The same database, through that proxy. */
  urlThrough(proxy: TcpProxy): string
  /** Ends the server; one that was not started here is cut off instead. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  start(): Promise<void>
  /** Null where there is no replica set. */
  elect: (() => Promise<void>) | null
  /** The last output of a server that was started here and ended by itself. */
  crash(): string | null
  close(): Promise<void>
}

/** Starts a server, because the test ends it; else uses the one that MONGODB_TEST_URL names. Null without either. */
export async function startStore(nodes: number): Promise<Store | null> {
  const own = await startMongo()
  const serverUrl = own?.url ?? process.env.MONGODB_TEST_URL
  if (!serverUrl) return null
  const url = freshDatabase({ url: serverUrl })
  const { hostname, port } = new URL(url)
  const proxies = await Promise.all(
    Array.from({ length: nodes }, () => TcpProxy.open(Number(port || 27_017), { host: hostname })),
  )
  return {
    name: own === null ? 'MONGODB_TEST_URL' : `${own.command}, ${own.isReal ? 'real' : 'a stand-in'}`,
    url,
    proxies,
    urlThrough(proxy) {
      const through = new URL(url)
      through.host = `127.0.0.1:${proxy.port}`
      // Otherwise the driver asks the replica set for its members, and bypasses the proxy.
      through.searchParams.delete('replicaSet')
      through.searchParams.set('directConnection', 'true')
      return through.href
    },
    async stop(signal) {
      for (const proxy of proxies) proxy.refuse()
      await own?.stop(signal)
    },
    async start() {
      await own?.start()
      for (const proxy of proxies) proxy.accept()
    },
    elect: own?.isReal ? () => stepDown(url) : null,
    crash: () => own?.crash ?? null,
    async close() {
      for (const proxy of proxies) proxy.close()
      if (own === null) await dropDatabase(url)
      else await own.close()
    },
  }
}

/** The only member of the set steps down for a second, closes all connections, and is elected again. */
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

/** Reports a test that cannot run here; also appends it to LEFT_OUT_FILE if that is set. */
export function leaveOut(what: string): void {
  console.log(`LEFT OUT: ${what}`)
  if (process.env.LEFT_OUT_FILE) appendFileSync(process.env.LEFT_OUT_FILE, `${what}\n`)
}

/** Cuts the connections of the next writes to the store, in this order. */
export function cutWrites(proxy: TcpProxy, ...cuts: Cut[]): void {
  proxy.cutNext(isWrite, cuts)
}

/** The first field of a command's document is its name, as plain text. */
function isWrite(bytes: Buffer): boolean {
  return ['insert', 'update', 'findAndModify'].some((command) => bytes.includes(`\x02${command}\0`))
}
