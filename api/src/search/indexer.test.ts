import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { aliasOf } from '@proctorpass/shared/alias'
import type { SearchPage } from '@proctorpass/shared/schemas/search'
import { termsOf } from '@proctorpass/shared/tokenizer'
import { MongoClient } from 'mongodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { signInAsAdmin } from '../../test/chat-client.ts'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { startServer, temporaryDir } from '../../test/server-process.ts'
import type { AdminCaller } from '../auth/caller.ts'
import type { Storage } from '../storage/model/storage.ts'
import { collectionsOf } from '../storage/mongo/collections.ts'
import { openStores } from '../storage/open-storage.ts'
import { indexSome } from './index-owners.ts'
import { createIndexer } from './indexer.ts'
import { createSearch } from './search.ts'

const waiting = { timeout: 30_000, interval: 50 }
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const made = temporaryDir('search')
  cleanups.push(made.remove)
  return made.path
}

async function fill(storage: Storage, conversations: number, messages: number): Promise<string[]> {
  const ids = Array.from({ length: conversations }, () => newClientId())
  const nonces = Array.from({ length: messages }, (_, index) => `nonce-${index}-xxxx`)
  for (const clientId of ids) {
    await Promise.all(
      nonces.map((nonce, index) =>
        storage.messages.append({
          clientId,
          senderId: clientId,
          message: `refund ${index}`,
          nonce,
          at: index,
        }),
      ),
    )
  }
  return ids
}

async function searchAll(search: (cursor?: string) => Promise<SearchPage>) {
  const hits: SearchPage['hits'] = []
  let page: SearchPage | undefined
  do {
    page = await search(page?.next ?? undefined)
    hits.push(...page.hits)
  } while (page.next !== null)
  return { hits, indexing: page.indexing ?? false }
}

describe('the index of an older store', () => {
  it('is built in the background, also when the process is killed meanwhile', {
    timeout: 120_000,
  }, async () => {
    const dataDir = folder()
    const { storage } = await openStores({ dataDir })
    // More than a second of work: the kill must not come too late.
    await fill(storage, 60, 100)
    await storage.close()

    const first = await startServer({ dataDir })
    cleanups.push(() => first.stop('SIGKILL'))
    await vi.waitFor(() => expect(first.output()).toContain('building the search index'), waiting)
    await first.stop('SIGKILL')
    expect(first.output()).not.toContain('search index built')

    const second = await startServer({ dataDir })
    cleanups.push(() => second.stop('SIGKILL'))
    const { accessToken } = await signInAsAdmin(second.origin)
    const search = async (cursor?: string): Promise<SearchPage> => {
      const query = new URLSearchParams({ q: 'refund', limit: '50', ...(cursor ? { cursor } : {}) })
      const headers = { authorization: `Bearer ${accessToken}` }
      const answer = await fetch(`${second.origin}/api/search?${query}`, { headers })
      return (await answer.json()) as SearchPage
    }
    await vi.waitFor(() => expect(second.output()).toContain('search index built'), waiting)
    const { hits, indexing } = await searchAll(search)
    expect(indexing).toBe(false)
    expect(hits).toHaveLength(6_000)
    expect(new Set(hits.map(({ clientId, seq }) => `${clientId} ${seq}`)).size).toBe(6_000)
  })

  it('is built again when an older release made it', async () => {
    const dataDir = folder()
    const packed = join(import.meta.dirname, '../../test/old-stores/version-30.sqlite.gz')
    writeFileSync(join(dataDir, 'chat.sqlite'), gunzipSync(readFileSync(packed)))
    const { storage } = await openStores({ dataDir })
    cleanups.push(() => storage.close())
    const { conversations } = await storage.search.stale(null, 0)
    expect(conversations).toHaveLength(2)
    expect(await storage.search.progressOf(conversations)).toEqual(new Map())
    const indexer = createIndexer({ storage, now: Date.now })
    cleanups.push(() => indexer.close())
    const page = await createSearch({
      storage,
      limits: { take: async () => null },
      now: Date.now,
    }).search({ userId: 'an admin' } as AdminCaller, { q: 'question1' })
    expect(page).toEqual({ hits: [], next: null, indexing: true })
    indexer.start({ info() {}, error() {} })
    await vi.waitFor(async () => expect(await indexer.settle()).toBe(true), waiting)
    const { found } = await storage.search.find({ whole: ['question'], beginning: ['#1'] }, { limit: 10 })
    expect(found.map(({ text }) => text)).toEqual(['question 1 about the webcam'])
  })

  it('is complete only when all was compared', async () => {
    const { storage } = await openStores({ dataDir: folder() })
    cleanups.push(() => storage.close())
    await fill(storage, 3, 50)
    const indexer = createIndexer({ storage, now: Date.now })
    cleanups.push(() => indexer.close())
    expect(await indexer.settle()).toBe(false)
    indexer.start({ info() {}, error() {} })
    await vi.waitFor(async () => expect(await indexer.settle()).toBe(true), waiting)
    const found = await storage.search.find({ whole: ['refund'], beginning: [] }, { limit: 1_000 })
    expect(found.found).toHaveLength(150)
  })

  it('is said to be built only while it is', async () => {
    const { storage } = await openStores({ dataDir: folder() })
    cleanups.push(() => storage.close())
    const said: string[] = []
    const log = { info: (_details: object, message: string) => said.push(message), error() {} }
    for (const [conversations, expected] of [
      [25, ['building the search index', 'search index built']],
      [1, []],
    ] as const) {
      await fill(storage, conversations, 1)
      const indexer = createIndexer({ storage, now: Date.now })
      indexer.start(log)
      await vi.waitFor(async () => expect(await indexer.settle()).toBe(true), waiting)
      await indexer.close()
      expect(said.splice(0)).toEqual(expected)
    }
  })

  it('is built although writing fails for a while', async () => {
    const { storage } = await openStores({ dataDir: folder() })
    cleanups.push(() => storage.close())
    await fill(storage, 1, 1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    cleanups.push(() => vi.useRealTimers())
    const put = vi.spyOn(storage.search, 'put').mockRejectedValueOnce(new Error('no room'))
    const errors: string[] = []
    const indexer = createIndexer({ storage, now: Date.now })
    cleanups.push(() => indexer.close())
    indexer.start({ info() {}, error: (_details, message) => errors.push(message) })
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(1_000)
      expect(put).toHaveBeenCalledTimes(2)
      expect(await indexer.settle()).toBe(true)
    }, waiting)
    expect(errors).toEqual(["the search index couldn't be updated"])
  })
})

describe('a batch', () => {
  it('has a bounded number of terms', async () => {
    const { storage } = await openStores({ dataDir: folder() })
    cleanups.push(() => storage.close())
    const clientId = newClientId()
    for (let n = 0; n < 12; n++) {
      const characters = Array.from(
        { length: 3_000 },
        (_, index) => 0x4e00 + ((index * 7 + n * 1_009) % 20_000),
      )
      const message = String.fromCharCode(...characters)
      const nonce = `nonce-long-${n}-xxxx`
      await storage.messages.append({ clientId, senderId: clientId, message, nonce, at: n })
    }
    const put = vi.spyOn(storage.search, 'put')
    const owners = new Map([[clientId, 'conversation' as const]])
    while (owners.size > 0) await indexSome(storage, owners)
    const terms = put.mock.calls.map(([updates]) =>
      updates.flatMap(({ texts }) => texts).reduce((sum, text) => sum + text.terms.length, 0),
    )
    // And both words of the alias, and two tags for each message.
    expect(terms.reduce((sum, count) => sum + count)).toBe(12 * 3_000 + 2 + 12 * 2)
    expect(Math.max(...terms)).toBeLessThan(8_000)
    expect((await storage.search.progressOf([clientId])).get(clientId)).toMatchObject({ seq: 12 })
  })
})

describe('an erased conversation', () => {
  it('is not found by its alias, until it has a message again', async () => {
    const { storage } = await openStores({ dataDir: folder() })
    cleanups.push(() => storage.close())
    const [clientId = ''] = await fill(storage, 1, 1)
    const found = async () => {
      const owners = new Map([[clientId, 'conversation' as const]])
      while (owners.size > 0) await indexSome(storage, owners)
      const terms = { whole: termsOf(aliasOf(clientId)), beginning: [] }
      return (await storage.search.find(terms, { limit: 10 })).found.map(({ type }) => type)
    }
    expect(await found()).toEqual(['visitor'])
    await storage.conversations.erase(clientId)
    expect(await found()).toEqual([])
    const message = { clientId, senderId: clientId, message: 'again', nonce: 'nonce-again-xxxx', at: 2 }
    await storage.messages.append(message)
    expect(await found()).toEqual(['visitor'])
  })
})

describe('comparing', () => {
  it('reads every conversation once, then only what has changed', async () => {
    const { storage } = await openStores({ dataDir: folder() })
    cleanups.push(() => storage.close())
    await fill(storage, 3, 2)
    const stale = vi.spyOn(storage.search, 'stale')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    cleanups.push(() => vi.useRealTimers())
    const indexer = createIndexer({ storage, now: Date.now })
    cleanups.push(() => indexer.close())
    indexer.start({ info() {}, error() {} })
    const comparedBy = async () => {
      const answers = await Promise.all(stale.mock.results.map(({ value }) => value))
      return answers.map(({ compared }) => compared as number)
    }
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(500)
      expect(await indexer.settle()).toBe(true)
    }, waiting)
    expect((await comparedBy()).reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(3)
    stale.mockClear()
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(60_000)
      expect(stale.mock.calls.length).toBeGreaterThanOrEqual(2)
    }, waiting)
    expect(new Set(await comparedBy())).toEqual(new Set([0]))
  })
})

describe('a search while the index is slow', () => {
  it('waits a second at most, with all other searches for the same batch', async () => {
    const { storage } = await openStores({ dataDir: folder() })
    cleanups.push(() => storage.close())
    const indexer = createIndexer({ storage, now: Date.now })
    cleanups.push(() => indexer.close())
    indexer.start({ info() {}, error() {} })
    await vi.waitFor(async () => expect(await indexer.settle()).toBe(true), waiting)

    const [clientId = ''] = await fill(storage, 1, 1)
    const put = vi.spyOn(storage.search, 'put')
    const original = storage.search.put
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    put.mockImplementation(async (updates) => {
      await released
      put.mockRestore()
      await original(updates)
    })
    const calls = put.mock.calls
    indexer.changed(clientId, 'conversation')
    const settled = await Promise.all(Array.from({ length: 20 }, () => indexer.settle()))
    expect(new Set(settled)).toEqual(new Set([false]))
    expect(calls).toHaveLength(1)
    release()
    await vi.waitFor(async () => expect(await indexer.settle()).toBe(true), waiting)
  })
})

describe('erasing', () => {
  it('leaves no term in the database', async () => {
    const dataDir = folder()
    const test = await buildTestApp({ dataDir })
    const { bearer } = await test.signIn()
    const clientId = newClientId()
    const payload = { clientId, message: 'Quetzalcoatlus visits' }
    await test.call('POST', '/api/chat', { payload })
    const found = async () => {
      const answer = await test.call('GET', '/api/search?q=quetzal', { headers: bearer })
      return answer.json<SearchPage>().hits.length
    }
    expect(await found()).toBe(1)
    expect(bytesIn(dataDir)).toMatch(/quetzalcoatlus/i)
    await test.call('DELETE', `/api/chat/${clientId}`, { headers: bearer })
    expect(await found()).toBe(0)
    await vi.waitFor(async () => {
      expect(await test.storage.search.progressOf([clientId])).toEqual(
        new Map([[clientId, expect.objectContaining({ seq: 0 })]]),
      )
    }, waiting)
    await test.close()
    expect(bytesIn(dataDir)).not.toMatch(/quetzal/i)
  })
})

/** Every byte of the database as a character. */
function bytesIn(dataDir: string): string {
  const files = readdirSync(dataDir).filter((name) => name.startsWith('chat.sqlite'))
  return files.map((name) => readFileSync(join(dataDir, name), 'latin1')).join('')
}

describeOnMongo('two nodes on one store', (url) => {
  const mongodbUrl = url()
  async function node(): Promise<TestApp & { bearer: { authorization: string } }> {
    const stores = await openStores({ dataDir: folder(), mongodbUrl })
    cleanups.push(() => stores.storage.close())
    const secret = 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW'
    const variables = { MONGODB_URL: mongodbUrl, JWT_SECRET: secret, RATE_LIMITS: 'off' }
    const test = await buildTestApp({ stores, variables })
    cleanups.push(() => test.close())
    return { ...test, bearer: (await test.signIn()).bearer }
  }
  async function hitsOn(test: Awaited<ReturnType<typeof node>>, q: string) {
    const answer = await test.call('GET', `/api/search?q=${q}`, { headers: test.bearer })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<SearchPage>().hits
  }

  it('find what the other one stored, once, and not what it erased', { timeout: 60_000 }, async () => {
    const [one, two] = [await node(), await node()]
    const clientId = newClientId()
    await one.call('POST', '/api/chat', { payload: { clientId, message: 'Quetzal on one' } })
    await vi.waitFor(async () => expect(await hitsOn(two, 'quetzal')).toHaveLength(1), waiting)
    await two.call('POST', '/api/chat', { payload: { clientId, message: 'Quetzal on two' } })
    await vi.waitFor(async () => expect(await hitsOn(one, 'quetzal')).toHaveLength(2), waiting)
    await two.call('DELETE', `/api/chat/${clientId}`, { headers: two.bearer })
    expect(await hitsOn(one, 'quetzal')).toEqual([])
    await vi.waitFor(async () => {
      const { n: _, ...progress } = (await one.storage.search.progressOf([clientId])).get(clientId) ?? {
        n: 0,
      }
      expect(progress).toMatchObject({ seq: 0 })
    }, waiting)
  })

  it('find a message that one stored before it died, once the other one got it again', {
    timeout: 60_000,
  }, async () => {
    const other = await node()
    await vi.waitFor(async () => {
      const answer = await other.call('GET', '/api/search?q=quetzal', { headers: other.bearer })
      expect(answer.json<SearchPage>().indexing).toBeUndefined()
    }, waiting)
    const { storage } = await openStores({ dataDir: folder(), mongodbUrl })
    const clientId = newClientId()
    const sent = { clientId, message: 'Okapi before a death', nonce: 'nonce-okapi-xxxx' }
    await storage.messages.append({ ...sent, senderId: clientId, at: Date.now() })
    await storage.close()
    expect((await other.call('POST', '/api/chat', { payload: sent })).statusCode).toBe(200)
    await vi.waitFor(async () => expect(await hitsOn(other, 'okapi')).toHaveLength(1), waiting)
  })

  it('compare only what has changed since a time', async () => {
    const { storage } = await openStores({ dataDir: folder(), mongodbUrl })
    cleanups.push(() => storage.close())
    const since = Date.now() + 10_000_000
    const clientId = newClientId()
    for (const [n, owner, at] of [
      [1, newClientId(), since - 1],
      [2, clientId, since],
    ] as const) {
      const nonce = `nonce-since-${n}-xxxx`
      await storage.messages.append({ clientId: owner, senderId: owner, message: 'Hello', nonce, at })
    }
    const contact = { email: 'a@b.example', title: 'Late', message: 'Hello', createdAt: since }
    const { _id } = await storage.contacts.create(contact)
    expect(await storage.search.stale(null, since)).toMatchObject({ conversations: [clientId], compared: 1 })
    expect(await storage.search.stale({ step: 2, after: '' }, since)).toMatchObject({
      contacts: [_id],
      next: null,
    })
  })

  it('index again what a node of another release has indexed', async () => {
    const { storage } = await openStores({ dataDir: folder(), mongodbUrl })
    cleanups.push(() => storage.close())
    const client = await new MongoClient(mongodbUrl).connect()
    cleanups.push(() => client.close())
    const { meta, searchProgress, searchEntries } = collectionsOf(client.db())
    const [clientId = ''] = await fill(storage, 1, 1)
    const owners = new Map([[clientId, 'conversation' as const]])
    while (owners.size > 0) await indexSome(storage, owners)
    const all = { whole: ['refund'], beginning: [] }
    expect((await storage.search.find(all, { limit: 10 })).found).toHaveLength(1)
    await searchEntries.updateOne({ owner: clientId, type: 'message' }, { $set: { terms: ['older'] } })
    await searchProgress.updateOne({ _id: clientId }, { $unset: { indexVersion: '' } })
    await meta.updateOne(
      { _id: 'search' },
      {
        $set: { holder: '', leaseUntil: 0, complete: true, comparedAt: Date.now() },
        $unset: { indexVersion: '' },
      },
      { upsert: true },
    )
    const indexer = createIndexer({ storage, now: Date.now })
    cleanups.push(() => indexer.close())
    expect(await storage.search.lease('one', 0, 0)).toMatchObject({ complete: false, comparedAt: 0 })
    indexer.start({ info() {}, error() {} })
    expect(await indexer.settle()).toBe(false)
    await vi.waitFor(async () => expect(await indexer.settle()).toBe(true), waiting)
    expect((await storage.search.find(all, { limit: 10 })).found).toHaveLength(1)
  })

  it('build the index in turn', async () => {
    const { storage } = await openStores({ dataDir: folder(), mongodbUrl })
    cleanups.push(() => storage.close())
    const now = Date.now() + 1_000_000
    expect((await storage.search.lease('one', now, 30_000)).mine).toBe(true)
    expect((await storage.search.lease('two', now + 29_000, 30_000)).mine).toBe(false)
    expect((await storage.search.lease('one', now + 29_000, 30_000)).mine).toBe(true)
    expect((await storage.search.lease('two', now + 58_000, 30_000)).mine).toBe(false)
    expect((await storage.search.lease('two', now + 60_000, 30_000)).mine).toBe(true)
    await storage.search.completed(now + 59_000)
    const comparedAt = now + 59_000
    expect(await storage.search.lease('one', now + 60_000, 30_000)).toEqual({
      mine: true,
      complete: true,
      comparedAt,
      asked: '',
    })
  })
})
