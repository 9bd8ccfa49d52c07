import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Faq } from '@proctorpass/shared/schemas/faq'
import type { SiteList } from '@proctorpass/shared/schemas/site'
import type { Text, TextList } from '@proctorpass/shared/schemas/text'
import { MongoClient } from 'mongodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { copyStore } from '../../src/backup/copy-store.ts'
import { openBackup } from '../../src/storage/files/backup-file.ts'
import { collectionsOf } from '../../src/storage/mongo/collections.ts'
import { INDEXES, SCHEMA_VERSION as SCHEMA_ON_MONGO } from '../../src/storage/mongo/schema.ts'
import { openCopyTarget, openStores, type StoreLocation } from '../../src/storage/open-storage.ts'
import { SCHEMA_VERSION } from '../../src/storage/sqlite/schema.ts'
import { buildTestApp } from '../build-app.ts'
import { clientId, say } from '../filled-store.ts'
import { describeOnMongo } from '../mongo-server.ts'
import { temporaryDir } from '../server-process.ts'
import { type Dump, dump, load, unpacked as unpackedDump } from './mongo-dump.ts'

/** What the server of that commit answered. Made by make.ts. */
interface OldStore {
  version: number
  conversations: { clientId: string; seq: number; read: object; messages: Message[] }[]
  unread: Record<string, number>
}

const PASSWORD = 'lantern-orbit-velvet-9'
const names = globSync('version-*.json', { cwd: import.meta.dirname })
  .map((file) => file.slice(0, -'.json'.length))
  .sort()
const mongoNames = globSync('mongo-*.json', { cwd: import.meta.dirname })
  .map((file) => file.slice(0, -'.json'.length))
  .sort()
const backups = globSync('format-*.backup', { cwd: import.meta.dirname }).sort()

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const { path, remove } = temporaryDir('old-store')
  cleanups.push(remove)
  return path
}

const answersOf = (name: string): OldStore =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8'))

/** A DATA_DIR with that store. */
function unpacked(name: string): { dataDir: string; file: string } {
  const dataDir = folder()
  const file = join(dataDir, 'chat.sqlite')
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, `${name}.sqlite.gz`))))
  return { dataDir, file }
}

const dumpOf = (name: string): Dump =>
  unpackedDump(readFileSync(join(import.meta.dirname, `${name}.ejson.gz`)))

/** Everything that was answered then is answered now, found by search, and stored once. */
async function expectWhole(location: StoreLocation, { conversations, unread }: OldStore): Promise<void> {
  const stores = await openStores(location)
  const test = await buildTestApp({ dataDir: location.dataDir, stores })
  try {
    for (const { clientId, seq, read, messages } of conversations) {
      const page = (await test.call('GET', `/api/chat/${clientId}`)).json()
      expect(page).toMatchObject({ seq, read, messages: messages.map(({ epoch: _, ...rest }) => rest) })
      for (const { senderId, message, nonce } of messages.filter((one) => one.senderId === clientId)) {
        const payload = { clientId, senderId, message, nonce }
        // 200: repeated. It is not stored again.
        expect((await test.call('POST', '/api/chat', { payload })).statusCode).toBe(200)
      }
    }
    const signIn = await test.postSignIn('admin', PASSWORD)
    const headers = { authorization: `Bearer ${signIn.json().accessToken}` }
    const get = async (path: string) => (await test.call('GET', `/api${path}`, { headers })).json()
    const list: { clientId: string; adminUnread: number }[] = await get('/chat')
    expect(Object.fromEntries(list.map(({ clientId, adminUnread }) => [clientId, adminUnread]))).toEqual(
      unread,
    )
    expect(await get('/chat/counts')).toMatchObject({ open: conversations.length, all: conversations.length })
    const said = conversations
      .flatMap(({ messages }) => messages)
      .filter(({ message }) => /webcam/.test(message))
    await vi.waitFor(
      async () => {
        const { hits } = await get('/search?q=webcam')
        expect(hits).toHaveLength(said.length)
        // Only the terms of this release find it: "question 1 about the webcam".
        expect((await get('/search?q=question1')).hits).toHaveLength(1)
      },
      { timeout: 20_000 },
    )
  } finally {
    await test.close()
    await stores.storage.close()
  }
}

type Call = (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload?: object) => Promise<unknown>

/** Runs the work on a server that opens this store and then closes it. */
async function whileOpen(location: StoreLocation, work: (call: Call) => Promise<void>): Promise<void> {
  const stores = await openStores(location)
  const test = await buildTestApp({ dataDir: location.dataDir, stores })
  try {
    const signIn = await test.postSignIn('admin', PASSWORD)
    const headers = { authorization: `Bearer ${signIn.json().accessToken}` }
    await work(async (method, path, payload) => {
      const answer = await test.call(method, `/api${path}`, { headers, ...(payload && { payload }) })
      expect(answer.statusCode).toBe(200)
      return answer.json()
    })
  } finally {
    await test.close()
    await stores.storage.close()
  }
}

/** A store from 1.0.0, whose build held the texts, shows what ships, and keeps what is edited then. */
async function expectTexts(location: StoreLocation): Promise<void> {
  const [own, edited] = ['Our own lead', '<p>Our own answer</p>']
  let shipped: unknown
  let id = ''
  await whileOpen(location, async (call) => {
    const { texts } = (await call('GET', '/texts')) as TextList
    expect(texts.length).toBeGreaterThan(20)
    expect(texts.filter(({ state, version }) => state !== 'shipped' || version !== 0)).toEqual([])
    shipped = await call('GET', '/texts/terms')
    const { fields } = shipped as Text
    await call('PUT', '/texts/terms', { fields: { ...fields, lead: own }, version: 0 })
    const { items } = (await call('GET', '/faq')) as Faq
    id = items[0]?._id ?? ''
    await call('PATCH', `/faq/${id}`, { answer: edited, version: 0 })
  })
  await whileOpen(location, async (call) => {
    expect(await call('GET', '/texts/terms')).toMatchObject({
      fields: { lead: own },
      state: 'own',
      version: 1,
    })
    const { items } = (await call('GET', '/faq')) as Faq
    expect(items[0]).toMatchObject({ _id: id, answer: edited, state: 'own', version: 1 })
    expect(items.filter(({ state }) => state === 'own')).toHaveLength(1)
    expect(await call('GET', '/texts/privacy')).toMatchObject({ state: 'shipped', version: 0 })
    await call('DELETE', '/texts/terms?version=1')
  })
  await whileOpen(location, async (call) => {
    const { fields, state } = shipped as Text
    expect(await call('GET', '/texts/terms')).toMatchObject({ fields, state, version: 2 })
  })
}

describe('a store of each earlier version', { timeout: 60_000 }, () => {
  it('is here', () => {
    // Versions 10 to 13 landed together. Of a release's last version make.ts makes one when the next is written.
    const versions = names.map((name) => answersOf(name).version)
    const landed = Array.from({ length: Math.max(25, ...versions) }, (_, index) => index + 1)
    expect(versions).toEqual(landed.filter((version) => version < 10 || version > 12))
  })

  it.each(names)('%s is opened with everything in it', async (name) => {
    const { dataDir } = unpacked(name)
    await expectWhole({ dataDir }, answersOf(name))
  })

  it.each(['version-23', 'version-25'])('%s shows the texts that ship, and keeps edits of them', (name) =>
    expectTexts({ dataDir: unpacked(name).dataDir }),
  )

  it('keeps the labels of its websites, and gets more languages', async () => {
    const { dataDir, file } = unpacked('version-25')
    const db = new DatabaseSync(file)
    db.exec(`INSERT INTO sites VALUES ('Shop0000000000000001', 'Shop', '["https://shop.example"]', 1, '#123456',
      'left', 8, 16, 'Chat', '聊天', '[]', 1, 3)`)
    db.close()
    const label = { en: 'Chat', zh: '聊天' }
    const greeting = { en: '', zh: '', de: 'Hallo' }
    await whileOpen({ dataDir }, async (call) => {
      const { sites } = (await call('GET', '/sites')) as SiteList
      expect(sites).toMatchObject([
        { greeting: { en: '', zh: '' }, look: { side: 'left', label }, version: 3 },
      ])
      await call('PATCH', `/sites/${sites[0]?._id}`, { greeting, version: 3 })
    })
    await whileOpen({ dataDir }, async (call) => {
      const { sites } = (await call('GET', '/sites')) as SiteList
      expect(sites.map(({ greeting, look }) => [greeting, look.label])).toEqual([[greeting, label]])
    })
  })

  it('is refused by an older program, and left as it is', async () => {
    const { dataDir, file } = unpacked(names.at(-1) ?? '')
    const db = new DatabaseSync(file)
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
    db.close()
    const before = readFileSync(file)
    await expect(openStores({ dataDir })).rejects.toThrow(
      `has schema version ${SCHEMA_VERSION + 1}; this release uses ${SCHEMA_VERSION}. Start a newer release.`,
    )
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(globSync('*', { cwd: dataDir })).toEqual(['chat.sqlite'])
  })
})

describeOnMongo('a store on MongoDB of each earlier version', (freshUrl) => {
  /** A database with that store. `documents`: what it holds now. */
  async function loaded(name: string) {
    const mongodbUrl = freshUrl()
    const client = await new MongoClient(mongodbUrl).connect()
    cleanups.push(() => client.close())
    await load(client.db(), dumpOf(name))
    const documents = () => dump(client.db(), {})
    return { location: { dataDir: folder(), mongodbUrl }, db: client.db(), documents }
  }

  it('is here', () => {
    const versions = mongoNames.map((name) => answersOf(name).version)
    expect(versions).toEqual(Array.from({ length: Math.max(6, ...versions) }, (_, index) => index + 1))
  })

  it.each(mongoNames)('%s is opened with everything in it', async (name) => {
    const { location, db } = await loaded(name)
    await expectWhole(location, answersOf(name))
    expect(await collectionsOf(db).meta.findOne({ _id: 'schema' })).toMatchObject({
      version: SCHEMA_ON_MONGO,
    })
  })

  it('shows the texts that ship, and keeps edits of them', async () => {
    const { location } = await loaded('mongo-6')
    await expectTexts(location)
  })

  it.each(mongoNames)('%s has no index that means something else today', async (name) => {
    // MongoDB refuses an index whose name or keys another one has. A stand-in may not.
    const { db } = await loaded(name)
    const old = dumpOf(name)
    const changed = Object.entries(INDEXES).flatMap(([key, indexes]) => {
      const { collectionName } = collectionsOf(db)[key as keyof typeof INDEXES]
      return (old[collectionName]?.indexes ?? []).flatMap((before) => {
        const same = indexes.filter(
          ({ name, key }) => name === before.name || isDeepStrictEqual(key, before.key),
        )
        return same.filter((index) => !isDeepStrictEqual(index, before))
      })
    })
    expect(changed).toEqual([])
  })

  it('is upgraded by two nodes that start at once', async () => {
    const [oldest = ''] = mongoNames
    const { location, db } = await loaded(oldest)
    const nodes = await Promise.all([openStores(location), openStores(location)])
    for (const { storage } of nodes) await storage.close()
    expect(await collectionsOf(db).meta.find({ _id: 'schema' }).toArray()).toMatchObject([
      { version: SCHEMA_ON_MONGO },
    ])
    await expectWhole(location, answersOf(oldest))
  })

  it('is refused by an older program, and left as it is', async () => {
    const { location, db, documents } = await loaded(mongoNames.at(-1) ?? '')
    const newer = SCHEMA_ON_MONGO + 1
    await collectionsOf(db).meta.updateOne({ _id: 'schema' }, { $set: { version: newer } })
    const before = await documents()
    await expect(openStores(location)).rejects.toThrow(
      `has schema version ${newer}; this release uses ${SCHEMA_ON_MONGO}. Start a newer release.`,
    )
    expect(await documents()).toEqual(before)
  })

  it('lets a node go on while a newer one has upgraded it', async () => {
    const { location, db } = await loaded(mongoNames.at(-1) ?? '')
    const node = await openStores(location)
    cleanups.push(() => node.storage.close())
    await collectionsOf(db).meta.updateOne({ _id: 'schema' }, { $inc: { version: 1 } })
    const visitor = clientId('Visitor')
    await say(node, visitor, 'still here')
    const page = await node.storage.messages.page(visitor, { after: 0, limit: 10 })
    expect(page?.messages).toMatchObject([{ message: 'still here' }])
    await expect(openStores(location)).rejects.toThrow('Start a newer release.')
  })
})

describe('a backup of each earlier format', { timeout: 60_000 }, () => {
  // Each is of the first store whose server wrote that format, and has the same conversations.
  const told = answersOf(names.at(-1) ?? '')
  const textsOf = ({ conversations }: OldStore) =>
    conversations.map(({ clientId, messages }) => [
      clientId,
      messages.map(({ message, nonce }) => [message, nonce]),
    ])

  async function expectRestored(backup: string, location: StoreLocation): Promise<void> {
    mkdirSync(location.dataDir, { recursive: true })
    const target = await openCopyTarget(location)
    await copyStore(await openBackup(join(import.meta.dirname, backup)), target, { as: 'restored' })
    await target.close()
    const { storage } = await openStores(location)
    const restored = await Promise.all(
      told.conversations.map(async ({ clientId }) => {
        const page = await storage.messages.page(clientId, { after: 0, limit: 100 })
        return [clientId, page?.messages.map(({ message, nonce }) => [message, nonce])]
      }),
    )
    await storage.close()
    expect(restored).toEqual(textsOf(told))
  }

  it.each(backups)('%s is restored', (backup) => expectRestored(backup, { dataDir: join(folder(), 'data') }))

  describeOnMongo('into MongoDB', (url) => {
    it.each(backups)('%s', (backup) => expectRestored(backup, { dataDir: folder(), mongodbUrl: url() }))
  })
})
