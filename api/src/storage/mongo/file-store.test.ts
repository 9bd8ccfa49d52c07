import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { ObjectId } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp } from '../../../test/build-app.ts'
import { describeFileStore, uploadName } from '../../../test/file-store-contract.ts'
import { hasIndex, watchQueries } from '../../../test/mongo-queries.ts'
import { testMongo } from '../../../test/mongo-server.ts'
import {
  connect,
  connectRaw,
  describeOnEachMongo,
  NO_COMMANDS,
  NO_CONNECTION,
  type RawMongo,
} from '../../../test/mongo-stores.ts'
import { MemoryMongo } from '../../../test/simulation/memory-mongo.ts'
import { TcpProxy } from '../../../test/tcp-proxy.ts'
import type { FileStore } from '../model/file-store.ts'
import { newId } from '../model/ids.ts'
import { type Collections, collectionsOf } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { ATTACHMENT_BUCKET, openFileStore } from './file-store.ts'
import { openMongo } from './open-mongo.ts'
import { INDEXES, prepareSchema } from './schema.ts'

const queries = watchQueries()
const WHOLE = 3 * 1024 * 1024
const NO_CODE = 'FerretDB has no code of its own for an update that a unique index refuses'
const HOUR = 60 * 60 * 1_000

describeOnEachMongo('on MongoDB', (freshUrl, isMemory) => {
  let url: string
  let connections: MongoConnection[]

  const connected = async (to = url) => {
    const connection = await connect(to)
    connections.push(connection)
    return connection
  }
  const reset = async () => {
    url = freshUrl()
    connections = []
    await prepareSchema((await connected()).db)
  }
  beforeEach(reset)
  afterEach(async () => {
    for (const { close } of connections) await close()
  })

  describeFileStore('MongoDB', {
    open: async (totalBytesMax) => openFileStore(await connected(), totalBytesMax),
    reset: async () => {},
  })

  describe('uploads of two nodes', () => {
    let here: FileStore
    let there: FileStore
    let raw: RawMongo
    let stored: Collections
    afterEach(() => raw.close())
    beforeEach(async () => {
      here = openFileStore(await connected())
      there = openFileStore(await connected())
      raw = await connectRaw(url)
      stored = collectionsOf(raw.db())
    })

    const grid = async () => [
      await stored.gridFiles
        .find()
        .toArray()
        .then((found) => found.length),
      await stored.uploads
        .find()
        .toArray()
        .then((found) => found.map(({ name }) => name).sort()),
    ]

    it('are stored by one of concurrent writers, and the others leave nothing', async ({ skip }) => {
      skip(!isMemory && (testMongo?.name.startsWith('FerretDB') ?? false), NO_CODE)
      const bytes = Buffer.alloc(700 * 1024, 'x')
      const put = await Promise.all(
        [here, there, here, there].map((files) => files.put(uploadName('a'), bytes)),
      )
      expect(put.filter((isNew) => isNew)).toHaveLength(1)
      const found = await there.open(uploadName('a'))
      expect(found && (await buffer(found.stream)).equals(bytes)).toBe(true)
      expect(await grid()).toEqual([1, [uploadName('a')]])
    })

    it('are hidden while they are incomplete, and swept a day later', async () => {
      const [half, removed, fresh] = [new ObjectId(), new ObjectId(), new ObjectId()]
      const left = { size: 3, state: 'half', storedAt: Date.now() - 25 * HOUR } as const
      for (const [id, storedAt] of [
        [half, left.storedAt],
        [removed, left.storedAt],
        [fresh, Date.now() - HOUR],
      ] as const) {
        const _id = id.toHexString()
        await stored.uploads.insertOne({ ...left, _id, name: _id, storedAt })
        await stored.gridChunks.insertOne({
          _id: new ObjectId(),
          files_id: id,
          n: 0,
          data: Buffer.from('abc'),
        })
      }
      expect(await here.list()).toEqual([])
      expect(await here.open(half.toHexString())).toBeNull()
      await here.put(uploadName('a'), Buffer.from('one'))
      expect((await stored.uploads.find().toArray()).map(({ name }) => name).sort()).toEqual(
        [uploadName('a'), fresh.toHexString()].sort(),
      )
      expect(await stored.gridChunks.find({ files_id: half }).toArray()).toEqual([])
      expect(await stored.gridChunks.find({ files_id: fresh }).toArray()).toHaveLength(1)
    })
  })

  describe('the bytes of a message file', () => {
    let files: FileStore
    let stored: Collections
    beforeEach(async () => {
      const connection = await connected()
      files = openFileStore(connection, undefined, ATTACHMENT_BUCKET)
      stored = collectionsOf(connection.db)
    })
    const name = newId()
    const chunksOf = async (id: string) =>
      (await stored.attachmentGridChunks.find({ files_id: ObjectId.createFromHexString(id) }).toArray())
        .length

    it('are removed when the file is removed again, after a process died during the first time', async () => {
      await files.put(name, Buffer.from('abc'))
      const { _id: id = '' } = (await stored.attachmentFiles.findOne({ name })) ?? {}
      const removed = { name: id, target: name, state: 'half', isRemoved: true } as const
      await stored.attachmentFiles.updateOne({ name }, { $set: removed })
      expect(await chunksOf(id)).toBe(1)
      expect(await files.remove(name)).toBe(true)
      expect(await chunksOf(id)).toBe(0)
    })

    it('are removed with the file after a process died while it stored them', async () => {
      const [id, _id] = [new ObjectId(), new ObjectId()]
      const hex = id.toHexString()
      const half = { name: hex, target: name, size: 9, storedAt: Date.now(), state: 'half' } as const
      await stored.attachmentFiles.insertOne({ _id: hex, ...half })
      await stored.attachmentGridChunks.insertOne({ _id, files_id: id, n: 0, data: Buffer.from('abc') })
      expect(await chunksOf(hex)).toBe(1)
      expect(await files.remove(name)).toBe(true)
      expect(await chunksOf(hex)).toBe(0)
      expect(await stored.attachmentFiles.find({}).toArray()).toMatchObject([{ size: 0 }])
    })
  })

  describe('uploads during an outage of the store', () => {
    let proxy: TcpProxy | undefined
    let files: FileStore
    beforeEach(async ({ skip }) => {
      skip(isMemory, NO_CONNECTION)
      const target = new URL(url)
      proxy = await TcpProxy.open(Number(target.port))
      target.hostname = '127.0.0.1'
      target.port = String(proxy.port)
      files = openFileStore(await connected(target.href))
      await files.put(uploadName('a'), Buffer.alloc(WHOLE))
    })
    afterEach(() => proxy?.close())

    it('end a read with an error, and work afterwards', async () => {
      const unread = await files.open(uploadName('a'))
      const halfRead = await files.open(uploadName('a'))
      if (unread === null || halfRead === null) throw new Error('It is not there.')
      await once(halfRead.stream, 'readable')
      proxy?.refuse()
      const away = { code: 'unavailable' }
      const [rest] = await Promise.all([
        buffer(halfRead.stream).catch((error) => error.code),
        expect(buffer(unread.stream)).rejects.toMatchObject(away),
        expect(files.open(uploadName('a'))).rejects.toMatchObject(away),
        expect(files.put(uploadName('b'), Buffer.from('b'))).rejects.toMatchObject(away),
      ])
      // Complete when the server had sent everything, otherwise an error.
      expect(['unavailable', WHOLE]).toContain(Buffer.isBuffer(rest) ? rest.length : rest)
      proxy?.accept()
      await vi.waitFor(() => files.put(uploadName('b'), Buffer.from('b')))
      expect((await files.list()).map(({ name }) => name).sort()).toEqual([uploadName('a'), uploadName('b')])
    })
  })

  it('an image gets an uncached 503 during an outage of the store', async ({ skip }) => {
    skip(isMemory, NO_CONNECTION)
    const target = new URL(url)
    const proxy = await TcpProxy.open(Number(target.port))
    target.port = String(proxy.port)
    const stores = await openMongo(target.href)
    const { app, close } = await buildTestApp({ stores })
    try {
      const name = `${'a'.repeat(40)}.png`
      await stores.uploadFiles.put(name, Buffer.from('not really a picture'))
      const found = await app.inject(`/uploads/${name}`)
      expect([found.statusCode, found.body]).toEqual([200, 'not really a picture'])
      const open = stores.uploadFiles.open
      // Removed between find and read.
      stores.uploadFiles.open = async (asked) => {
        const opened = await open(asked)
        proxy.refuse()
        return opened
      }
      const refused = await app.inject(`/uploads/${name}`)
      expect(refused.statusCode).toBe(503)
      expect(refused.headers).toMatchObject({ 'cache-control': 'no-store' })
      expect(refused.json()).toMatchObject({ code: 'unavailable' })
    } finally {
      proxy.close()
      await close()
      await stores.storage.close()
    }
  })

  // Last, because it checks the queries of all other tests.
  it('each query has a declared index', ({ skip }) => {
    skip(isMemory, NO_COMMANDS)
    const indexes = {
      uploads: INDEXES.uploads,
      'uploads.files': INDEXES.gridFiles,
      'uploads.chunks': INDEXES.gridChunks,
      meta: [],
    }
    // The app of a test above sends other queries too.
    const ofUploads = queries.filter(({ collection }) => collection in indexes)
    expect(new Set(ofUploads.map(({ collection }) => collection)).size).toBe(4)
    for (const query of ofUploads) {
      const { collection, sent, ...shown } = query
      // The driver checks for any file before it creates its indexes.
      if (collection === 'uploads.files' && sent.limit === 1 && Object.keys(shown.filter).length === 0)
        continue
      expect(hasIndex(query, indexes[collection as keyof typeof indexes]), JSON.stringify(shown)).toBe(true)
    }
  })
})

it('a message file that is removed while another node stores it cannot be completed, and leaves no bytes', async () => {
  let remove: (() => Promise<unknown>) | null = null
  const server = new MemoryMongo({
    async step(actor, what, apply) {
      const now = remove
      if (actor === 'here' && now !== null && /^insert attachments\.chunks /.test(what())) {
        remove = null
        await now()
      }
      return apply()
    },
  })
  const here = openFileStore(server.connect('here'), undefined, ATTACHMENT_BUCKET)
  const there = openFileStore(server.connect('there'), undefined, ATTACHMENT_BUCKET)
  const name = newId()
  remove = () => there.remove(name)
  await expect(here.put(name, Buffer.alloc(WHOLE))).rejects.toMatchObject({ code: 'unavailable' })
  expect(await there.find(name)).toBeNull()
  expect([server.documents('attachments.chunks'), server.documents('attachmentFiles')]).toEqual([[], []])
})
