import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { putEmptyStore } from '../../../test/empty-store.ts'
import { listPosts } from '../../../test/storage-contract/store-under-test.ts'
import { describeStorage } from '../../../test/storage-contract.ts'
import { FOREVER } from '../model/conversation/blocks-and-ratings.ts'
import type { Appended } from '../model/conversation/messages.ts'
import type { Storage } from '../model/storage.ts'
import { openStores } from '../open-storage.ts'
import { type ConversationRow, ConversationRows } from './conversation-rows.ts'
import { openConversationWriter } from './conversation-writer.ts'
import { openConversations } from './conversations.ts'
import { DatabaseHealth } from './database-health.ts'
import { ErasedMessages } from './erased-messages.ts'
import { EventLog } from './event-log.ts'
import { openInbox } from './inbox.ts'
import { InboxRows } from './inbox-rows.ts'
import { openMessages } from './messages.ts'
import { openDatabase } from './open-database.ts'
import { openSqlite } from './open-sqlite.ts'
import { migrate, SCHEMA_VERSION } from './schema.ts'
import { WriteQueue } from './write-queue.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'storage-'))
const file = join(dataDir, 'chat.sqlite')
afterAll(() => rmSync(dataDir, { recursive: true }))

describeStorage('SQLite', {
  open: async () => (await openStores({ dataDir })).storage,
  reset: async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    // A folder with uploads but without a database counts as a lost database.
    rmSync(join(dataDir, 'uploads'), { recursive: true, force: true })
    await putEmptyStore(dataDir)
  },
})

describe('the embedded database', () => {
  it('is readable by its owner only', async () => {
    await (await openStores({ dataDir })).storage.close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('contains nothing of an erased conversation, not even in free pages', async () => {
    const erased = join(dataDir, 'erased.sqlite')
    const storage = openSqlite(erased)
    const clientId = 'EraseMeEraseMeEraseM'
    for (let index = 0; index < 20; index++) {
      const message = `a private matter ${'x'.repeat(index * 200)}`
      await storage.messages.append({ clientId, senderId: clientId, message, nonce: `nonce-${index}`, at: 1 })
    }
    await storage.conversations.erase(clientId)
    // Closing writes the log into the database.
    await storage.close()
    expect(readFileSync(erased).includes('a private matter')).toBe(false)
  })

  describe('a long history that is erased', () => {
    const clientId = 'LongHistoryLongHisto'
    const long = join(dataDir, 'long.sqlite')
    const written = (db: DatabaseSync) =>
      (db.prepare('SELECT message FROM messages ORDER BY seq').all() as { message: string }[]).map(
        ({ message }) => message,
      )
    const write = (storage: Storage, message: string, nonce: string) =>
      storage.messages.append({ clientId, senderId: clientId, message, nonce, at: 1 })

    /** Erases 1,300 messages. Calls back while the first ones are removed and the last ones are left. */
    async function erase(whileSomeAreLeft: (storage: Storage, db: DatabaseSync) => Promise<unknown>) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(long + suffix, { force: true })
      const storage = openSqlite(long)
      const db = new DatabaseSync(long)
      await Promise.all(Array.from({ length: 1_300 }, (_, index) => write(storage, 'old', `nonce-${index}`)))
      const erased = storage.conversations.erase(clientId)
      while ((await storage.messages.page(clientId, { limit: 1 }))?.seq !== 0) await nextTurn()
      expect(written(db).length).toBeGreaterThan(0)
      await whileSomeAreLeft(storage, db)
      return { storage, db, erased }
    }

    it('is removed in steps, while its visitor writes again', async () => {
      const { storage, db, erased } = await erase(async (storage) => {
        expect(await storage.messages.page(clientId, { limit: 10 })).toMatchObject({ messages: [], seq: 0 })
        // The last message of the history that is removed has this nonce.
        await Promise.all([write(storage, 'one', 'nonce-1299'), write(storage, 'two', 'new-nonce-2')])
        const page = await storage.messages.page(clientId, { limit: 10 })
        expect(page?.messages.map(({ seq, message }) => [seq, message])).toEqual([
          [1, 'one'],
          [2, 'two'],
        ])
      })
      expect(await erased).toBe(true)
      expect(written(db)).toEqual(['one', 'two'])
      expect(await write(storage, 'three', 'nonce-0')).toMatchObject({
        outcome: 'stored',
        message: { seq: 3 },
      })
      db.close()
      await storage.close()
    })

    it('makes room for as many new messages as are written meanwhile', async () => {
      const { storage, db, erased } = await erase((storage) =>
        Promise.all(
          Array.from({ length: 1_250 }, (_, index) => write(storage, `${index}`, `again-${index}`)),
        ),
      )
      expect(await erased).toBe(true)
      expect(written(db)).toEqual(Array.from({ length: 1_250 }, (_, index) => `${index}`))
      db.close()
      await storage.close()
    })

    it('is removed by the next process if the first one ends', async () => {
      const { db, erased } = await erase((storage) => storage.close())
      await expect(erased).rejects.toThrow()
      expect(written(db).length).toBeGreaterThan(0)
      const storage = openSqlite(long)
      expect(await storage.messages.page(clientId, { limit: 10 })).toMatchObject({ messages: [], seq: 0 })
      expect(await write(storage, 'new', 'nonce-1299')).toMatchObject({ message: { seq: 1 } })
      await vi.waitFor(() => expect(written(db)).toEqual(['new']))
      db.close()
      await storage.close()
    })
  })

  it('runs in WAL mode', async () => {
    const storage = openSqlite(file)
    const db = new DatabaseSync(file)
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    db.close()
    await storage.close()
  })

  it('refuses a newer schema with a message', async () => {
    const newer = join(dataDir, 'newer.sqlite')
    await openSqlite(newer).close()
    const db = new DatabaseSync(newer)
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
    db.close()
    expect(() => openSqlite(newer)).toThrow(/Start a newer release/)
  })

  it('answers each query of the chat by an index', () => {
    const plain = join(dataDir, 'plan.sqlite')
    openSqlite(plain).close()
    const db = openDatabase(plain)
    const queries: string[] = []
    const prepare = db.prepare.bind(db)
    db.prepare = (sql, ...options) => {
      queries.push(sql)
      return prepare(sql, ...options)
    }
    const rows = new ConversationRows(db)
    const queue = new WriteQueue(db, new DatabaseHealth(plain), () => {})
    const events = new EventLog(db)
    const inbox = new InboxRows(db, rows, events)
    const erased = new ErasedMessages(db, queue)
    openMessages(db, queue, rows, inbox, events, erased)
    openConversations(db, queue, rows, inbox, events, erased)
    openInbox(db, openConversationWriter(db, queue, rows, inbox), rows, inbox)
    const selects = queries.filter((query) => /^\s*(SELECT|WITH)/.test(query))
    expect(selects.length).toBeGreaterThan(20)
    for (const query of selects) {
      const plan = prepare(`EXPLAIN QUERY PLAN ${query}`).all() as { detail: string }[]
      for (const { detail } of plan) {
        // The index has unread conversations only. Those that were answered unread are few, and are sorted.
        const isUnread = query.includes('adminUnread > 0')
        if (isUnread && /SCAN conversations USING INDEX conversations_unread|TEMP B-TREE/.test(detail))
          continue
        // The recursion counts blocks; only the events that are found in them are sorted.
        const isByBlock = query.includes('blocks CROSS JOIN events')
        if (isByBlock && /SCAN blocks|TEMP B-TREE FOR ORDER BY/.test(detail)) continue
        // Some tens of rows; the keys that the recursion has found; usually none.
        if (/SCAN (conversation_counts|keys|erasing)/.test(detail)) continue
        expect(detail, query).not.toMatch(/SCAN [a-z]|TEMP B-TREE/)
      }
    }
    db.close()
  })

  it.each([
    ['blogs', 'published', 'publishAt'],
    ['reviews', 'newest', 'createdAt'],
    ['pending_reviews', 'newest', 'createdAt'],
    ['contacts', 'newest', 'createdAt'],
  ])('lists %s along an index, and counts them by one', (table, index, time) => {
    const plain = join(dataDir, 'plan.sqlite')
    openSqlite(plain).close()
    const db = new DatabaseSync(plain)
    const plan = db
      .prepare(
        `EXPLAIN QUERY PLAN SELECT *, (SELECT count(*) FROM ${table}) AS count FROM ${table}
         ORDER BY ${time} DESC, _id DESC LIMIT 15 OFFSET 30`,
      )
      .all() as { detail: string }[]
    expect(plan.map(({ detail }) => detail)).toEqual([
      `SCAN ${table} USING INDEX ${table}_${index}`,
      'SCALAR SUBQUERY 1',
      expect.stringMatching(`^SCAN ${table} USING COVERING INDEX `),
    ])
    db.close()
  })

  it('migrates a store of the first release with its data', async () => {
    const old = join(dataDir, 'old.sqlite')
    const conversation = 'Visitor0000000000001'
    const db = new DatabaseSync(old)
    migrate(db, 1)
    db.prepare(
      `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount, waitingSince)
       VALUES (?, 'epoch', 1, 1, 1, 1)`,
    ).run(conversation)
    db.prepare(
      `INSERT INTO messages (clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount)
       VALUES (?1, 1, '000000000000000000000001', ?1, 'from then', 1, 'epoch', 'nonce-one', 1)`,
    ).run(conversation)
    db.close()
    const storage = openSqlite(old)
    expect(await storage.conversations.find(conversation)).toMatchObject({ seq: 1 })
    expect(await listPosts(storage, { page: 1, perPage: 15 })).toEqual({ items: [], count: 0 })
    await storage.close()
  })

  it('migrates posts of a release without descriptions of images', async () => {
    const old = join(dataDir, 'undescribed.sqlite')
    const img = '/uploads/aa11.webp'
    const _id = '000000000000000000000001'
    const texts = { title: 'A title', summary: '', content: `<p>${'Text '.repeat(9_000)}</p>` }
    const db = new DatabaseSync(old)
    migrate(db, 6)
    db.prepare(
      `INSERT INTO blogs (_id, slug, title, summary, img, createdAt, updatedAt, demo, content)
       VALUES (:_id, 'sample', :title, :summary, :img, 1, 1, 1, :content)`,
    ).run({ _id, img, ...texts })
    db.prepare('INSERT INTO blog_uploads (hash, blogId) VALUES (?, ?)').run('aa11', _id)
    db.close()
    const storage = openSqlite(old)
    expect(await storage.blogs.findBySlug('sample')).toEqual({
      ...{ _id, slug: 'sample', img, imgAlt: null, ...texts },
      ...{ publishAt: 1, authorId: null, editedBy: null, lang: 'en', readingMinutes: null },
      ...{ createdAt: 1, updatedAt: 1, version: 1, demo: true },
    })
    expect(await storage.blogs.refersTo(img)).toBe(true)
    await storage.blogs.remove(_id)
    expect(await storage.blogs.refersTo(img)).toBe(false)
    await storage.close()
    const migrated = new DatabaseSync(old)
    const columns = migrated.prepare('PRAGMA table_info(blogs)').all()
    // A list stops reading a row before its content.
    expect(columns.at(-1)).toMatchObject({ name: 'content' })
    migrated.close()
  })

  it('counts the conversations of sites in a store that counted without them', async () => {
    const old = join(dataDir, 'uncounted-sites.sqlite')
    const db = new DatabaseSync(old)
    migrate(db, 29)
    const insert = db.prepare(
      `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount, waitingSince, siteId)
       VALUES (?, 'epoch', ?, ?, 0, NULL, ?)`,
    )
    insert.run('OnOurPages0000000001', 1, 1, null)
    insert.run('OfTheShop00000000001', 1, 1, 'shop')
    insert.run('OfTheShop00000000002', 1, 2, 'shop')
    insert.run('WithoutMessages00001', 0, 0, 'blog')
    db.close()
    const storage = openSqlite(old)
    expect(await storage.inbox.counts('admin', 0)).toMatchObject({ open: 3, sites: { shop: 2, own: 1 } })
    await storage.close()
  })

  it('ends the wait of a visitor whom a release without that blocked', async () => {
    const old = join(dataDir, 'blocked-and-waiting.sqlite')
    const db = new DatabaseSync(old)
    migrate(db, 30)
    const insert = db.prepare(
      `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount, waitingSince, blockedUntil)
       VALUES (?, 'epoch', 1, 1, 1, 1, ?)`,
    )
    insert.run('BlockedForGood000001', FOREVER)
    insert.run('BlockedOnce000000001', 2)
    insert.run('NeverBlocked00000001', null)
    db.close()
    const storage = openSqlite(old)
    const { longest } = await storage.inbox.now(10)
    expect(longest.map(({ clientId }) => clientId)).toEqual(['BlockedOnce000000001', 'NeverBlocked00000001'])
    await storage.close()
  })

  it('rejects only the write of a batch that cannot be stored', async () => {
    const storage = openSqlite(join(dataDir, 'alone.sqlite'))
    const write = (nonce: string, message: unknown) =>
      storage.messages.append({
        clientId: 'Visitor0000000000001',
        senderId: 'Visitor0000000000001',
        message: message as string,
        nonce,
        at: 1,
      })
    const [first, broken, last] = await Promise.allSettled([
      write('nonce-one', 'one'),
      write('nonce-two', { not: 'a text' }),
      write('nonce-three', 'three'),
    ])
    expect(first).toMatchObject({ status: 'fulfilled', value: { message: { seq: 1 } } })
    expect(broken.status).toBe('rejected')
    expect(last).toMatchObject({ status: 'fulfilled', value: { message: { seq: 2 } } })
    await storage.close()
  })
})

describe('conversations in memory', () => {
  const VISITOR = 'Visitor0000000000001'
  let nonces = 0
  const message = (clientId = VISITOR) => {
    nonces += 1
    return { clientId, senderId: clientId, message: 'hi', nonce: `nonce-${nonces}`, at: 1_000 }
  }
  const seqOf = (appended: Appended) => ('message' in appended ? appended.message.seq : appended.outcome)
  let storage: Storage
  let other: Storage
  beforeEach(() => {
    const path = join(mkdtempSync(join(dataDir, 'memory-')), 'chat.sqlite')
    storage = openSqlite(path)
    other = openSqlite(path)
  })
  afterEach(() => Promise.all([storage.close(), other.close()]))

  it('are forgotten with a transaction that was rolled back', async () => {
    const wrong = { ...message(), at: Number.NaN }
    const results = await Promise.allSettled(
      [message(), wrong, message()].map((each) => storage.messages.append(each)),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    const next = await storage.messages.append(message())
    expect(next).toMatchObject({ message: { seq: 3 }, state: { seq: 3, adminUnread: 3 } })
    const page = await storage.messages.page(VISITOR, { limit: 9 })
    expect(page?.messages.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  it('are erased and started again in one transaction', async () => {
    const { append } = storage.messages
    const before = append(message())
    const erased = storage.conversations.erase(VISITOR)
    // The erase prepares its figures before it queues its write.
    await null
    const after = append(message())
    expect((await Promise.all([before, after])).map(seqOf)).toEqual([1, 1])
    expect(await erased).toBe(true)
    expect(await storage.conversations.find(VISITOR)).toMatchObject({ seq: 1, adminUnread: 1 })
  })

  it('are forgotten when another process changed the database', async () => {
    await storage.messages.append(message())
    await storage.messages.append(message())
    await other.conversations.erase(VISITOR)
    expect(seqOf(await storage.messages.append(message()))).toBe(1)
    expect(seqOf(await other.messages.append(message()))).toBe(2)
    await storage.repairTimes(500)
    expect(seqOf(await other.messages.append(message()))).toBe(3)
    expect(seqOf(await storage.messages.append(message()))).toBe(4)
  })

  it('are dated by the repaired times', async () => {
    await storage.messages.append(message())
    await storage.repairTimes(500)
    const next = await storage.messages.append({ ...message(), at: 600 })
    expect(next).toMatchObject({ message: { createdAt: new Date(600).toISOString() } })
  })

  it('are dropped when there are many', () => {
    const db = openDatabase(':memory:')
    const rows = new ConversationRows(db)
    const row = (clientId: string) => ({ clientId }) as ConversationRow
    rows.written(row(VISITOR))
    expect(rows.readForWrite(VISITOR)).toEqual({ clientId: VISITOR })
    for (let index = 0; index < 10_000; index++) rows.written(row(`other ${index}`))
    expect(rows.readForWrite(VISITOR)).toBeUndefined()
    db.close()
  })
})
