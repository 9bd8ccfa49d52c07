import type { Db } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/storage/model/ids.ts'
import { openOn } from '../../src/storage/mongo/open-mongo.ts'
import { isOnlyOfDuplicates } from '../../src/storage/mongo/outage.ts'
import { createRandom } from '../faults/random.ts'
import { freshMemoryUrl, openStores } from '../mongo-stores.ts'
import { describeStorage } from '../storage-contract.ts'
import { MemoryMongo } from './memory-mongo.ts'
import type { Cut, Step } from './memory-mongo-calls.ts'
import { Scheduler } from './scheduler.ts'

let url = ''
describeStorage('MongoDB in memory', {
  open: async () => (await openStores(url)).storage,
  reset: async () => {
    url = freshMemoryUrl()
  },
})

describe('MongoDB in memory', () => {
  const atOnce: Step = async (_actor, _what, apply) => apply()
  type Row = { _id: string; n: number; tags?: string[] }
  const rowsOf = (db: Db) => db.collection<Row>('rows')

  /** A server whose attempts fail in these ways, one after another. `null` lets one succeed, as all later ones do. */
  function failing(cuts: (Cut | null)[], isReplicated = true) {
    const left = [...cuts]
    return new MemoryMongo({ step: atOnce, cut: () => left.shift() ?? null, isReplicated })
  }

  it('refuses writes for which a full disk has no room, and reads', async () => {
    let isFull = false
    const server = new MemoryMongo({ step: atOnce, isFull: () => isFull })
    const rows = rowsOf(server.db('a'))
    await rows.insertOne({ _id: 'one', n: 0 })
    isFull = true
    for (const write of [
      () => rows.insertMany([{ _id: 'two', n: 0 }]),
      () => rows.updateOne({ _id: 'one' }, { $inc: { n: 1 } }),
      () => rows.deleteMany({}),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 14_031 })
    }
    expect(await rows.find().toArray()).toEqual([{ _id: 'one', n: 0 }])
    isFull = false
    await rows.updateOne({ _id: 'one' }, { $inc: { n: 1 } })
    expect(server.documents('rows')).toEqual([{ _id: 'one', n: 1 }])
  })

  describe('a write that is cut', () => {
    it.each<[string, (Cut | null)[]]>([
      ['before it is applied', ['before']],
      ['after it is applied', ['after']],
    ])('%s is repeated by the driver, and applied once', async (_, cuts) => {
      const server = failing([null, ...cuts])
      const rows = rowsOf(server.db('a'))
      await rows.insertOne({ _id: 'one', n: 0 })
      expect(await rows.updateOne({ _id: 'one' }, { $inc: { n: 1 } })).toMatchObject({ matchedCount: 1 })
      expect(server.documents('rows')).toEqual([{ _id: 'one', n: 1 }])
    })

    it.each<[string, (Cut | null)[], boolean, number]>([
      ['twice', ['before', 'before'], true, 0],
      ['after it is applied, and again', ['after', 'before'], true, 1],
      ['by a server that is alone', ['after'], false, 1],
      ['while its connection closes', ['unsent'], true, 0],
      ['and applied late', ['late'], true, 1],
    ])('%s fails, whether or not it is applied', async (_, cuts, isReplicated, stored) => {
      const server = failing(cuts, isReplicated)
      await expect(rowsOf(server.db('a')).insertOne({ _id: 'one', n: 0 })).rejects.toThrow()
      expect(server.documents('rows')).toHaveLength(stored)
    })

    it('between two of its documents has changed the first', async () => {
      const server = failing([null, null, null, 'before'])
      const rows = rowsOf(server.db('a'))
      await rows.insertMany(['one', 'two'].map((_id) => ({ _id, n: 0 })))
      await expect(rows.updateMany({}, { $set: { n: 1 } })).rejects.toThrow('cut')
      expect(server.documents('rows').map(({ n }) => n)).toEqual([1, 0])
    })

    it('is an outage to who called the adapter', async () => {
      const cuts: Cut[] = []
      const cut = (_actor: string, what: () => string) =>
        what().includes('edition') ? (cuts.shift() ?? null) : null
      const { storage } = await openOn(new MemoryMongo({ step: atOnce, cut }).connect('a'))
      const { contentRevision } = storage
      const isOutage = { code: 'unavailable' }
      cuts.push('late')
      await expect(contentRevision?.advance()).rejects.toMatchObject(isOutage)
      cuts.push('before', 'before')
      await expect(contentRevision?.read()).rejects.toMatchObject(isOutage)
      cuts.push('unsent')
      expect(await contentRevision?.read()).toMatch(/./)
      await storage.close()
    })
  })

  it('stores the other documents of an unordered insert, and an ordered one ends', async () => {
    const server = failing([])
    const rows = rowsOf(server.db('a'))
    await rows.insertOne({ _id: 'two', n: 0 })
    const all = ['one', 'two', 'three'].map((_id) => ({ _id, n: 1 }))
    await expect(rows.insertMany(all)).rejects.toMatchObject({ code: 11_000 })
    expect(server.documents('rows').map(({ _id }) => _id)).toEqual(['two', 'one'])
    const error = await rows.insertMany(all, { ordered: false }).catch((refusal) => refusal)
    expect(isOnlyOfDuplicates(error)).toBe(true)
    expect(server.documents('rows').map(({ _id }) => _id)).toEqual(['two', 'one', 'three'])
  })

  it('refuses in a unique index what another document has there, until that one changes or goes', async () => {
    const rows = rowsOf(failing([]).db('a'))
    await rows.createIndexes([
      { name: 'n', key: { n: 1 }, unique: true, partialFilterExpression: { n: { $gt: 0 } } },
    ])
    await rows.insertMany(['zero', 'nought'].map((_id) => ({ _id, n: 0 })))
    await rows.insertOne({ _id: 'one', n: 1 })
    await expect(rows.insertOne({ _id: 'two', n: 1 })).rejects.toMatchObject({
      ...{ code: 11_000, keyPattern: { n: 1 }, keyValue: { n: 1 } },
    })
    await expect(rows.updateOne({ _id: 'zero' }, { $inc: { n: 1 } })).rejects.toMatchObject({ code: 11_000 })
    await rows.deleteOne({ _id: 'one' })
    await rows.updateOne({ _id: 'zero' }, { $inc: { n: 1 } })
    await rows.updateOne({ _id: 'zero' }, { $set: { n: 2 } })
    await rows.insertOne({ _id: 'another', n: 1 })
    expect(await rows.countDocuments({ n: 1 })).toBe(1)
  })

  it('sorts missing with null, then numbers, texts by code point, and lists by their first', async () => {
    const rows = failing([]).db('a').collection<{ _id: number; by?: unknown }>('rows')
    const values = ['\u{1f600}', '\uff5e', 'a', 10, 9, null, undefined]
    await rows.insertMany(values.map((by, _id) => ({ _id, by })))
    const ids = (await rows.find().sort({ by: 1, _id: 1 }).toArray()).map(({ _id }) => _id)
    expect(ids).toEqual([5, 6, 4, 3, 2, 1, 0])
  })

  it('shows between two batches of a cursor what has changed behind it', async () => {
    const rows = rowsOf(failing([]).db('a'))
    await rows.insertMany([1, 3, 4, 6].map((n) => ({ _id: `${n}`, n })))
    const seen: number[] = []
    for await (const { n } of rows.find({}, { batchSize: 2 }).sort({ n: 1 })) {
      seen.push(n)
      if (n !== 3) continue
      await rows.insertMany([2, 5].map((added) => ({ _id: `${added}`, n: added })))
      await rows.deleteOne({ n: 4 })
    }
    expect(seen).toEqual([1, 3, 5, 6])
  })

  it('lets another process act between two documents, in an order that the seed decides', async () => {
    async function run(seed: number) {
      const scheduler = new Scheduler(createRandom(seed, 'steps'), true)
      const server = new MemoryMongo({ step: scheduler.call.bind(scheduler) })
      const [here, there] = [rowsOf(server.db('here')), rowsOf(server.db('there'))]
      let left = 3
      const done = () => {
        left -= 1
      }
      const ids = ['one', 'two', 'three']
      const insert = here.insertMany(ids.map((_id) => ({ _id, n: 0 }))).then(done)
      const change = there.updateMany({}, { $inc: { n: 1 } }).then(done)
      const remove = there.deleteMany({ n: 1 }).then(done)
      while (left > 0) {
        scheduler.settleOne(null)
        await scheduler.runOthers()
      }
      await Promise.all([insert, change, remove])
      return { trace: scheduler.trace, rows: server.documents('rows') }
    }
    expect(await run(7)).toEqual(await run(7))
    const seeds = Array.from({ length: 40 }, (_, seed) => run(seed))
    const results = (await Promise.all(seeds)).map(({ rows }) => JSON.stringify(rows))
    expect(new Set(results).size).toBeGreaterThan(5)
  })

  describe('a majority that is behind', () => {
    const majority = { readConcern: { level: 'majority' } } as const

    function open() {
      const scheduler = new Scheduler(createRandom(1, 'steps'), false)
      const server = new MemoryMongo({ step: scheduler.call.bind(scheduler), commitsApart: true })
      const turn = async (stuck: string | null = null) => {
        scheduler.settleOne(stuck)
        await scheduler.runOthers()
      }
      async function until<T>(promise: Promise<T>, stuck: string | null = null): Promise<T> {
        let isOver = false
        const over = () => {
          isOver = true
        }
        promise.then(over, over)
        while (!isOver) await turn(stuck)
        return promise
      }
      const [rows, others] = ['writer', 'reader'].map((actor) => rowsOf(server.db(actor)))
      if (rows === undefined || others === undefined) throw new Error('There are two.')
      const read = async () => [
        await until(others.countDocuments({}), 'writer'),
        await until(others.countDocuments({}, majority), 'writer'),
      ]
      return { scheduler, server, rows, turn, until, read }
    }

    it('is read without a write until the write is answered', async () => {
      const { rows, turn, until, read } = open()
      const insert = rows.insertOne({ _id: 'one', n: 0 })
      expect(await read()).toEqual([0, 0])
      await turn()
      expect(await read()).toEqual([1, 0])
      await until(insert)
      expect(await read()).toEqual([1, 1])
    })

    it('gets the write of a process that died when the servers go on', async () => {
      const { scheduler, server, rows, turn, read } = open()
      void rows.insertOne({ _id: 'one', n: 0 })
      await turn()
      scheduler.kill('writer')
      expect(await read()).toEqual([1, 0])
      server.commit()
      expect(await read()).toEqual([1, 1])
    })

    it('takes back at a failover what it lacks, and the driver writes that again', async () => {
      const { server, rows, turn, until } = open()
      await until(rows.insertOne({ _id: 'one', n: 0 }))
      const change = rows.updateOne({ _id: 'one' }, { $inc: { n: 1 } })
      await turn()
      expect(server.documents('rows')).toEqual([{ _id: 'one', n: 1 }])
      server.failOver()
      expect(server.documents('rows')).toEqual([{ _id: 'one', n: 0 }])
      await until(change)
      expect(server.documents('rows')).toEqual([{ _id: 'one', n: 1 }])
    })

    it('gets no document back that was removed before a write of several came to it', async () => {
      const { server, rows, turn, until, read } = open()
      const ids = ['one', 'two']
      await until(rows.insertMany(ids.map((_id) => ({ _id, n: 0 }))))
      const change = rows.updateMany({ _id: { $in: ids } }, { $set: { n: 1 } })
      await turn()
      await until(rowsOf(server.db('remover')).deleteMany({}), 'writer')
      await until(change)
      expect(await read()).toEqual([0, 0])
    })

    it('ends at a failover a write of several documents, and a cursor', async () => {
      const { server, rows, turn, until } = open()
      await until(rows.insertMany(['one', 'two'].map((_id) => ({ _id, n: 0 }))))
      const cursor = rows.find({}, { batchSize: 1 })[Symbol.asyncIterator]()
      await until(cursor.next())
      const change = rows.updateMany({}, { $set: { n: 1 } })
      await turn()
      server.failOver()
      await expect(until(change)).rejects.toThrow('stepped down')
      const rest = async () => {
        while (!(await cursor.next()).done);
      }
      await expect(until(rest())).rejects.toThrow('stepped down')
      expect(server.documents('rows').map(({ n }) => n)).toEqual([0, 0])
    })
  })

  it('names IDs in the trace by the order in which they appear', async () => {
    const trace: string[] = []
    const step: Step = async (actor, what, apply) => {
      trace.push(`${actor}: ${what()}`)
      return apply()
    }
    const rows = rowsOf(new MemoryMongo({ step }).db('a'))
    const [one, other] = [newId(), newId()]
    await rows.insertOne({ _id: one, n: 1 })
    await rows.deleteOne({ _id: other })
    await rows.findOne({ _id: one })
    expect(trace).toEqual([
      'a: insert rows {"_id":"ID 1"}',
      'a: delete rows {"_id":"ID 2"}',
      'a: find rows {"_id":"ID 1"}',
    ])
  })

  it('knows nothing else of the driver', async () => {
    const rows = rowsOf(failing([]).db('a'))
    expect(() => rows.find({}, { collation: { locale: 'en' } })).toThrow('option collation')
    await expect(rows.updateOne({ _id: 'a' }, { $bogus: { n: 1 } } as object)).resolves.toBeDefined()
    await rows.insertOne({ _id: 'a', n: 1 })
    await expect(rows.updateOne({ _id: 'a' }, { $bogus: { n: 1 } } as object)).rejects.toThrow('$bogus')
    await expect(rows.findOne({ n: { $bogus: 1 } } as object)).rejects.toThrow('$bogus')
    await expect(rows.countDocuments({}, { hint: { n: 1 } })).rejects.toMatchObject({ code: 2 })
  })
})
