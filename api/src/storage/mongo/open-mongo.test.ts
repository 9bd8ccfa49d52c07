import { MongoClient } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasIndex, stagesIn, watchQueries } from '../../../test/mongo-queries.ts'
import { describeOnMongo, testMongo } from '../../../test/mongo-server.ts'
import { connectRaw, describeOnEachMongo, openStores, type RawMongo } from '../../../test/mongo-stores.ts'
import { listPosts, post, review, T0 } from '../../../test/storage-contract/store-under-test.ts'
import { describeStorage } from '../../../test/storage-contract.ts'
import { OLD_SESSION } from '../model/sessions.ts'
import type { Storage } from '../model/storage.ts'
import { collectionsOf } from './collections.ts'
import { openMongo } from './open-mongo.ts'
import { INDEXES, prepareSchema, SCHEMA_VERSION } from './schema.ts'

const CAPITALS = 'are not found by their id in capitals'
const NOT_ATOMIC =
  'FerretDB reads first and writes then, also when the filter of an update holds the old value'
const NO_CODE = 'FerretDB has no code of its own for an update that a unique index refuses'
/** Tests that MongoDB-compatible servers cannot pass, by the start of the server's name. */
const LEFT_OUT: Record<string, Record<string, string>> = {
  nx_27017: { [CAPITALS]: 'nx-27017 compares texts of 24 hex digits as the numbers that they name' },
  FerretDB: {
    'rotate once from one token for concurrent calls': NOT_ATOMIC,
    'accept one of concurrent changes of the same version': NOT_ATOMIC,
    'accept all concurrent changes without a version': NOT_ATOMIC,
    'are hidden while pending, and are approved once': NOT_ATOMIC,
    'refuse the whole change when its slug is taken': NO_CODE,
    'change one version of a post once': NOT_ATOMIC,
    'approve a review once': NOT_ATOMIC,
    'rotate a session once': NOT_ATOMIC,
  },
}
const leftOut = LEFT_OUT[Object.keys(LEFT_OUT).find((name) => testMongo?.name.startsWith(name)) ?? ''] ?? {}

const user = { userName: 'Admin', passwordHash: 'hash', roles: ['Admin'], createdAt: T0 }
const queries = watchQueries()

describeOnMongo('on MongoDB', (freshUrl) => {
  let url = ''
  describeStorage('MongoDB', {
    open: async () => (await openMongo(url)).storage,
    reset: async () => {
      url = freshUrl()
    },
    leftOut,
  })
})

describeOnEachMongo('on MongoDB', (freshUrl, isMemory) => {
  // One store, opened twice as by two processes.
  describe('two nodes', () => {
    let here: Storage
    let there: Storage
    let raw: RawMongo
    let url = ''
    beforeEach(async ({ task, skip }) => {
      url = freshUrl()
      const opened = await Promise.all([openStores(url), openStores(url)])
      here = opened[0].storage
      there = opened[1].storage
      raw = await connectRaw(url)
      const reason = isMemory ? undefined : leftOut[task.name]
      if (reason !== undefined) skip(reason)
    })
    afterEach(() => Promise.all([here.close(), there.close(), raw.close()]))

    it('create the same schema concurrently', async () => {
      const collections = collectionsOf(raw.db())
      for (const [name, indexes] of Object.entries(INDEXES)) {
        // A collection without a declared index is created by its first document.
        if (indexes.length === 0) continue
        const found = await collections[name as keyof typeof INDEXES].indexes()
        // A stand-in has additional indexes on the collections of GridFS.
        if (!isMemory && !testMongo?.isReal && /grid/i.test(name)) continue
        expect([name, found.length]).toEqual([name, indexes.length + 1])
      }
      expect(await collections.meta.find().toArray()).toEqual([{ _id: 'schema', version: SCHEMA_VERSION }])
    })

    it('create one first user', async () => {
      const created = await Promise.all([
        here.users.createFirst(user),
        there.users.createFirst({ ...user, userName: 'second' }),
        here.users.createFirst({ ...user, userName: 'third' }),
      ])
      const [first, ...others] = created.filter((each) => each !== null)
      expect(others).toEqual([])
      expect(await there.users.findByName(first?.userName ?? '')).toEqual(first)
      expect(await collectionsOf(raw.db()).users.countDocuments()).toBe(1)
    })

    it('change one version of a post once', async () => {
      const id = (await here.blogs.create(post('first-post')))?._id ?? ''
      const changed = await Promise.all([
        here.blogs.update(id, { title: 'Here', at: T0 }, 1),
        there.blogs.update(id, { title: 'There', at: T0 }, 1),
      ])
      expect(changed.map(({ outcome }) => outcome).sort()).toEqual(['stale', 'stored'])
      expect(await here.blogs.findBySlug('first-post')).toMatchObject({ version: 2 })
    })

    it('read a post of a release without descriptions of images', async () => {
      const created = await here.blogs.create(post('first-post'))
      await collectionsOf(raw.db()).blogs.updateOne({ slug: 'first-post' }, { $unset: { imgAlt: 1 } })
      const old = { ...created, imgAlt: null }
      expect(await here.blogs.findBySlug('first-post')).toEqual(old)
      expect((await listPosts(here, { page: 1, perPage: 1 })).items).toMatchObject([{ imgAlt: null }])
      const changed = await here.blogs.update(created?._id ?? '', { imgAlt: 'A door', at: T0 })
      expect(changed).toMatchObject({ outcome: 'stored', before: old, blog: { imgAlt: 'A door' } })
    })

    it('publish posts of a release without drafts when they start', async () => {
      const created = await here.blogs.create(post('first-post'))
      const { blogs } = collectionsOf(raw.db())
      await blogs.updateOne({}, { $unset: { publishAt: 1, authorId: 1, readingMinutes: 1 } })
      expect(await here.blogs.findBySlug('first-post')).toEqual(created)
      await prepareSchema(raw.db())
      const published = await here.blogs.list({ page: 1, perPage: 9 }, ['published'], T0)
      expect(published.items).toMatchObject([{ slug: 'first-post', publishAt: T0 }])
    })

    it('approve a review once', async () => {
      const { _id } = await here.reviews.submit(review('Sam'))
      const approved = await Promise.all([here.reviews.approve(_id), there.reviews.approve(_id)])
      expect(approved.filter((each) => each !== null)).toHaveLength(1)
      expect((await there.reviews.list({ page: 1, perPage: 15 })).count).toBe(1)
    })

    it('rotate a session once', async () => {
      const session = { _id: 's', userId: 'u', currentHash: 'h1', previousHash: null, createdAt: T0 }
      await here.sessions.create({ ...session, ...OLD_SESSION, expiresAt: T0 + 1_000, credentialVersion: 0 })
      const use = { ...OLD_SESSION, expiresAt: T0 + 2_000 }
      const rotated = await Promise.all([
        here.sessions.rotate('s', 'h1', 'h2', use),
        there.sessions.rotate('s', 'h1', 'h3', use),
      ])
      expect(rotated.filter((isRotated) => isRotated)).toHaveLength(1)
    })

    const samples = { blogs: [post('one'), post('two'), post('three')], reviews: [review('a'), review('b')] }
    const stored = async () => [
      (await listPosts(here, { page: 1, perPage: 15 })).items.map(({ slug }) => slug).sort(),
      (await here.reviews.list({ page: 1, perPage: 15 })).items.map(({ name }) => name).sort(),
    ]
    const all = [
      ['one', 'three', 'two'],
      ['a', 'b'],
    ]

    it('seed the samples once', async () => {
      const seeded = await Promise.all([
        here.samples.seed(samples, { onlyWhenEmpty: true }),
        there.samples.seed(samples, { onlyWhenEmpty: true }),
      ])
      expect(seeded.filter((isSeeded) => isSeeded)).toHaveLength(1)
      expect(await stored()).toEqual(all)
    })

    it('leave one admin active when each disables another', async () => {
      const user = { passwordHash: 'hash', roles: ['Admin'], createdAt: T0 }
      const [one, two] = await Promise.all(
        ['one', 'two'].map((userName) => here.users.create({ ...user, userName })),
      )
      const done = await Promise.all([
        here.users.disable(one?._id ?? ''),
        there.users.disable(two?._id ?? ''),
      ])
      expect(done.map(({ outcome }) => outcome).sort()).toEqual(['disabled', 'last'])
    })

    it('count an admin as disabled whom a process was about to disable, until that is a minute ago', async () => {
      const user = { passwordHash: 'hash', roles: ['Admin'], createdAt: T0 }
      const one = await here.users.create({ ...user, userName: 'one' })
      const two = await here.users.create({ ...user, userName: 'two' })
      const { meta } = collectionsOf(raw.db())
      const entry = { userId: one?._id ?? '', version: 0, at: Date.now() }
      await meta.insertOne({ _id: 'disabling', disabling: { left: entry } })
      expect(await there.users.disable(two?._id ?? '')).toEqual({ outcome: 'last' })
      await meta.updateOne({ _id: 'disabling' }, { $set: { 'disabling.left.at': Date.now() - 61_000 } })
      expect(await there.users.disable(two?._id ?? '')).toEqual({ outcome: 'disabled', ended: [] })
      expect(await meta.findOne({ _id: 'disabling' })).toEqual({ _id: 'disabling', disabling: {} })
      // The write of that process, if it still comes.
      expect(await here.users.changeCredentials(one?._id ?? '', { disabled: true, ifVersion: 0 })).toBeNull()
    })

    it('finish an interrupted seeding', async () => {
      await here.samples.seed(samples, { onlyWhenEmpty: true })
      // The state after a process died before the last samples.
      const { blogs, reviews, meta } = collectionsOf(raw.db())
      await blogs.deleteOne({ slug: 'three' })
      await reviews.deleteMany({ demo: true })
      await meta.deleteOne({ _id: 'demo-seeded' })
      expect(await there.samples.seed(samples, { onlyWhenEmpty: true })).toBe(true)
      expect(await stored()).toEqual(all)
      expect(await here.samples.seed(samples, { onlyWhenEmpty: false })).toBe(false)
    })
  })

  it('refuses a newer schema with a message', async () => {
    const newer = freshUrl()
    await (await openStores(newer)).storage.close()
    const raw = await connectRaw(newer)
    await collectionsOf(raw.db()).meta.updateOne({ _id: 'schema' }, { $set: { version: SCHEMA_VERSION + 1 } })
    await expect(openStores(newer)).rejects.toThrow(/Start a newer release/)
    await raw.close()
  })
})

describeOnMongo('on MongoDB', (freshUrl) => {
  // Last, because it checks the queries of all other tests.
  describe('each query', () => {
    const indexesOf: Record<string, (typeof INDEXES)[keyof typeof INDEXES]> = {
      ...INDEXES,
      meta: [],
      'uploads.files': INDEXES.gridFiles,
      'uploads.chunks': INDEXES.gridChunks,
    }

    it('has a declared index', () => {
      expect([...new Set(queries.map(({ collection }) => collection))]).toEqual(
        expect.arrayContaining([
          'messages',
          'activity',
          'conversations',
          'users',
          'sessions',
          'blogs',
          'reviews',
          'contacts',
          'replies',
          'meta',
        ]),
      )
      for (const query of queries) {
        const { sent: _, ...shown } = query
        expect(hasIndex(query, indexesOf[query.collection] ?? []), JSON.stringify(shown)).toBe(true)
      }
    })

    it.skipIf(!testMongo?.isReal)('scans no collection according to the server', async () => {
      const plain = freshUrl()
      await (await openMongo(plain)).storage.close()
      const raw = await new MongoClient(plain).connect()
      for (const { sent } of queries) {
        const plan = await raw.db().command({ explain: sent, verbosity: 'queryPlanner' })
        expect(stagesIn(plan), JSON.stringify(sent)).not.toContain('COLLSCAN')
      }
      await raw.close()
    })
  })
})
