import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { MongoClient } from 'mongodb'
import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server-core'
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js'
import { findFreePort, temporaryDir } from '../server-process.ts'
import { ChildServer, firstLineOf } from './child-server.ts'

export interface MongoProcess {
  /** Without a database's name. */
  readonly url: string
  readonly command: string
  /** MongoDB's own, as a replica set of one node; otherwise one that speaks its protocol, alone. */
  readonly isReal: boolean
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** On the same port, with what it holds. */
  start(): Promise<void>
  /** Its last output if it ended by itself, else null. */
  readonly crash: string | null
  /** Ends it and removes its data. */
  close(): Promise<void>
}

const REPLICA_SET = 'test'
const REACHABLE_WITHIN_MS = 3_000

/**
 * Starts a server in a folder of its own: a real one, else the stand-in. Null when there is neither, or none starts.
 */
export async function startMongo(): Promise<MongoProcess | null> {
  const programs = [await findRealMongo(), process.env.MONGODB_STAND_IN]
  for (const [index, command] of programs.entries()) {
    if (!command) continue
    try {
      return await start(command, index === 0)
    } catch (error) {
      console.log(`${command} cannot be used: ${(error as Error).message}`)
    }
  }
  return null
}

/** The mongod that MONGOMS_SYSTEM_BINARY names, one that was downloaded before, one on the PATH, or a download. */
async function findRealMongo(): Promise<string | undefined> {
  // The tests run on any version.
  process.env.MONGOMS_SYSTEM_BINARY_VERSION_CHECK ??= 'false'
  if (process.env.MONGOMS_SYSTEM_BINARY) return MongoBinary.getPath()
  const earlier = await DryMongoBinary.locateBinary({ version: '' }).catch(() => undefined)
  if (earlier) return earlier
  if ((await firstLineOf('mongod', '--version'))?.startsWith('db version')) return 'mongod'
  if (!(await canDownload())) return undefined
  console.log('No MongoDB here: downloading its server for the tests…')
  try {
    return await MongoBinary.getPath()
  } catch (error) {
    console.log((error as Error).message)
  }
}

/** Asked first, because a download that cannot be reached gives up only after minutes. */
async function canDownload(): Promise<boolean> {
  try {
    const options = await DryMongoBinary.generateOptions({ version: '' })
    const asking = request(await new MongoBinaryDownloadUrl(options).getDownloadUrl(), {
      method: 'HEAD',
      agent: new Agent({ proxyEnv: process.env }),
      signal: AbortSignal.timeout(REACHABLE_WITHIN_MS),
    }).end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode === 200
  } catch {
    // No way there, or no MongoDB for this system.
    return false
  }
}

async function start(command: string, isReal: boolean): Promise<MongoProcess> {
  const port = await findFreePort()
  const dir = temporaryDir('mongo')
  const url = `mongodb://127.0.0.1:${port}/`
  const args = isReal
    ? [
        '--replSet',
        REPLICA_SET,
        '--bind_ip',
        '127.0.0.1',
        '--dbpath',
        dir.path,
        '--wiredTigerCacheSizeGB',
        '0.25',
      ]
    : // Otherwise six threads serve all clients, and calls that wait for one database hold up those for the others.
      ['--threaded', '--data-dir', dir.path, '--log-file', `${dir.path}/log`, '--pid-file', `${dir.path}/pid`]
  let server = new ChildServer(command, [...args, '--port', String(port)])
  const untilWritable = () => server.untilReady(() => isWritable(url, isReal ? `127.0.0.1:${port}` : null))
  try {
    await untilWritable()
  } catch (error) {
    dir.remove()
    throw error
  }
  return {
    url: isReal ? `${url}?replicaSet=${REPLICA_SET}` : url,
    command,
    isReal,
    stop: (signal = 'SIGTERM') => server.stop(signal),
    async start() {
      server = new ChildServer(command, [...args, '--port', String(port)])
      await untilWritable()
    },
    get crash() {
      return server.crash
    },
    async close() {
      await server.stop('SIGKILL')
      dir.remove()
    },
  }
}

/** Also makes the replica set, in which `member` is the only one, when it was not made before. */
async function isWritable(url: string, member: string | null): Promise<boolean> {
  const client = new MongoClient(url, { directConnection: true, serverSelectionTimeoutMS: 1_000 })
  try {
    const admin = client.db('admin')
    const hello = await admin.command({ hello: 1 })
    if (member !== null && hello.setName === undefined) {
      const members = [{ _id: 0, host: member }]
      await admin.command({ replSetInitiate: { _id: REPLICA_SET, members } })
      return false
    }
    return hello.isWritablePrimary === true
  } finally {
    await client.close()
  }
}
