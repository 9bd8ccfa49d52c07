import { MongoClient } from 'mongodb'
import { newEpoch, newId } from '../src/storage/model/ids.ts'
import { collectionsOf } from '../src/storage/mongo/collections.ts'
import { prepareSchema } from '../src/storage/mongo/schema.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { freshDatabase } from '../test/servers/test-database.ts'
import { alternate, type Benchmark, quantile } from './benchmark.ts'
import { leftOut, servers } from './servers.ts'

const CONVERSATIONS = 100
const IN_FLIGHT = 32
const TEXT = 'Do I need a second camera for the exam on Thursday, and may I keep a glass of water on my desk?'

interface Slice {
  perSecond: number
  p50: number
  p99: number
}

/** Closed loop: each append that is done lets the next begin, in one conversation after another. */
async function pump(
  append: (clientId: string) => Promise<unknown>,
  ids: string[],
  ms: number,
): Promise<Slice> {
  const times: number[] = []
  let next = 0
  const from = performance.now()
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (performance.now() - from < ms) {
        const begun = performance.now()
        await append(ids[next++ % ids.length] as string)
        times.push(performance.now() - begun)
      }
    }),
  )
  const seconds = (performance.now() - from) / 1000
  return { perSecond: times.length / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

/**
 * The yardstick: the driver alone writes the same documents under the same indexes and the same write concern, one
 * insertOne and one updateOne for each message. It checks nothing, and repairs nothing after a crash.
 */
export async function openBare(url: string) {
  const client = await new MongoClient(url, { writeConcern: { w: 'majority', journal: true } }).connect()
  await prepareSchema(client.db())
  const { messages, conversations } = collectionsOf(client.db())
  const heads = new Map<string, { epoch: string; seq: number; waitingSince: number }>()
  return {
    async append(clientId: string) {
      const createdAt = Date.now()
      const head = heads.get(clientId) ?? { epoch: newEpoch(), seq: 0, waitingSince: createdAt }
      heads.set(clientId, head)
      head.seq += 1
      const moved = { ...head, visitorCount: head.seq }
      const message = {
        _id: newId(createdAt),
        clientId,
        ...moved,
        senderId: clientId,
        message: TEXT,
        createdAt,
        nonce: newId(createdAt),
      }
      await messages.insertOne(message)
      await conversations.updateOne(
        { _id: clientId },
        { $set: { clientId, ...moved, lastMessage: message, lastAt: createdAt }, $inc: { adminUnread: 1 } },
        { upsert: true },
      )
    },
    close: () => client.close(),
  }
}

/** Appends through the storage against the bare driver. */
export const mongoAppends: Benchmark = {
  name: 'mongo-appends',
  async run({ quick }) {
    const { mongo } = await servers()
    if (mongo === null) return leftOut('mongo-appends', 'there is no MongoDB server')
    const { storage } = await openStores({ dataDir: '', mongodbUrl: freshDatabase(mongo) })
    const bare = await openBare(freshDatabase(mongo))
    const ids = Array.from({ length: CONVERSATIONS }, (_, index) => `Bench${String(index).padStart(15, '0')}`)
    const ms = quick ? 1_500 : 3_000
    try {
      const { subject, reference } = await alternate(quick ? 3 : 9, {
        subject: () =>
          pump(
            (clientId) =>
              storage.messages.append({
                clientId,
                senderId: clientId,
                message: TEXT,
                nonce: newId(Date.now()),
                at: Date.now(),
              }),
            ids,
            ms,
          ),
        reference: () => pump(bare.append, ids, ms),
      })
      const of = (slices: Slice[], key: keyof Slice) => slices.map((slice) => slice[key])
      const compare = (what: string, unit: string, key: keyof Slice) => ({
        kind: 'comparison' as const,
        what: `${what}, ${IN_FLIGHT} in flight, on ${mongo.name}`,
        unit,
        subject: of(subject, key),
        reference: of(reference, key),
      })
      return [
        { ...compare('appends a second', '/s', 'perSecond'), aim: { atLeast: 0.8 } },
        { ...compare('an append, p50', 'ms', 'p50'), aim: { atMost: 1.25 } },
        { ...compare('an append, p99', 'ms', 'p99'), aim: { atMost: 2 } },
      ]
    } finally {
      await storage.close()
      await bare.close()
    }
  },
}
