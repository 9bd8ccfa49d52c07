import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { AppError } from '@proctorpass/shared/errors'
import { MongoClient } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { untilAnswered } from '../../test/chat-client.ts'
import { attach, clientId, contentsOf, fill, KEY_HASH, OTHER_KEY_HASH, say } from '../../test/filled-store.ts'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { temporaryDir } from '../../test/server-process.ts'
import type { CopySource, Counts } from '../storage/copy/store-copy.ts'
import { openBackup, writeBackup } from '../storage/files/backup-file.ts'
import { type ActivityRecord, NEW_INBOX } from '../storage/model/conversation/conversation.ts'
import type { Stores } from '../storage/model/storage.ts'
import { NEW_USER } from '../storage/model/users.ts'
import { type ActivityDoc, collectionsOf } from '../storage/mongo/collections.ts'
import { openCopySource, openCopyTarget, openStores, type StoreLocation } from '../storage/open-storage.ts'
import { copyStore } from './copy-store.ts'

// Thousands of rows through a stand-in on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

let dir: ReturnType<typeof temporaryDir>
let file: string
beforeEach(() => {
  dir = temporaryDir('copy')
  file = join(dir.path, 'a.backup')
})
afterEach(() => dir.remove())

let places = 0
const inFolder = (): StoreLocation => {
  places += 1
  return { dataDir: join(dir.path, `data-${places}`) }
}

async function using<T>(location: StoreLocation, run: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(location)
  try {
    return await run(stores)
  } finally {
    await stores.storage.close()
  }
}
/** Asks again: other tests may keep the one server of all tests busy for longer than a call may take. */
const contents = (location: StoreLocation, ids?: string[]) =>
  untilAnswered(
    () => using(location, (stores) => contentsOf(stores, ids)),
    (error) => error instanceof AppError && error.code === 'unavailable',
  )

async function copied(
  from: StoreLocation,
  to: StoreLocation,
  through: (source: CopySource) => CopySource = (source) => source,
) {
  const [source, target] = [await openCopySource(from), await openCopyTarget(to)]
  try {
    return await copyStore(through(source), target, { as: 'it is' })
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

async function backedUp(from: StoreLocation) {
  const source = await openCopySource(from)
  try {
    return await writeBackup(source, file)
  } finally {
    await source.close()
  }
}

async function restored(to: StoreLocation, through: (source: CopySource) => CopySource = (source) => source) {
  const backup = await openBackup(file)
  const target = await openCopyTarget(to)
  try {
    return await copyStore(through(backup), target, { as: 'restored' })
  } finally {
    await target.close()
  }
}

/** Fills a store, and adds a conversation of this length. Fills SQLite first, which is faster. */
async function fillWithLong(location: StoreLocation, length: number): Promise<void> {
  const first = location.mongodbUrl === undefined ? location : inFolder()
  await using(first, async (stores) => {
    // Before events begin: a copy has those first.
    const texts = Array.from({ length }, (_, index) => `message ${index}`)
    await Promise.all(texts.map((text) => say(stores, clientId('Long'), text)))
    await fill(stores)
    await say(stores, clientId('Zero'), 'the last one by its name')
  })
  if (first !== location) await copied(first, location)
}

async function sayWithFile(stores: Stores, id: string, fileId: string): Promise<void> {
  await attach(stores, id, fileId, Buffer.from(`the bytes of ${fileId}`))
  await say(stores, id, 'with a file', { attachments: [fileId] })
}

/** As `erase` of the chat. */
async function eraseWithFiles({ storage, attachmentFiles }: Stores, id: string): Promise<void> {
  await storage.conversations.erase(id)
  for (const name of await storage.attachments.listUnsent({ before: 1, clientId: id, limit: 100 })) {
    await attachmentFiles.remove(name)
    await storage.attachments.remove(name)
  }
}

/** Fails after this many rows, like a process that dies. */
const interruptedAfter =
  (rows: number) =>
  (source: CopySource): CopySource => ({
    ...source,
    async *entries() {
      let left = rows
      for await (const entry of source.entries()) {
        if (left === 0) throw new Error('interrupted')
        left -= 1
        yield entry
      }
    },
  })

/** Without the parts that a restore drops: epochs, sessions and subscriptions. */
function withoutEpochs(all: Awaited<ReturnType<typeof contents>>) {
  const isEpoch = (key: string) => key === 'epoch'
  const rest = { ...all, sessions: [], subscriptions: [] }
  return JSON.parse(JSON.stringify(rest, (key, value) => (isEpoch(key) ? undefined : value)))
}
const epochsOf = (all: Awaited<ReturnType<typeof contents>>) =>
  all.conversations.flatMap((page) => (page === null ? [] : [page.epoch]))

function describeCopies(from: () => StoreLocation, to: () => StoreLocation): void {
  it('copies everything', async () => {
    const [source, target] = [from(), to()]
    await using(source, fill)
    const counts = await copied(source, target)
    expect(counts).toEqual({
      ...{
        uploads: 2,
        users: 3,
        sessions: 2,
        blogs: 3,
        reviews: 3,
        contacts: 1,
        addresses: 1,
        answers: 2,
        documents: 2,
        subscriptions: 1,
        links: 4,
        mails: 1,
        sites: 1,
        apiKeys: 1,
        // MongoDB numbers what happened a moment later.
        events: expect.any(Number),
        endpoints: 1,
        retries: 1,
        deliveries: 0,
        audit: 1,
        identities: 1,
        remembered: 1,
        keptFigures: 2,
        languages: 1,
        suggestionCounts: 2,
        previewLinks: 1,
        savedSearches: 1,
        texts: 1,
        versions: 1,
        pictures: 1,
        challenges: 0,
        milestones: 1,
      },
      ...{ replies: 2, messages: 14, activity: 25, conversations: 7 },
      ...{ attachments: 3, attachmentFiles: 3 },
    })
    const was = await contents(source)
    expect(await contents(target)).toEqual(was)
    expect(was.conversations.map((page) => page?.seq)).toEqual([6, 2, 2, 0, 1])
    const keys = [[], [KEY_HASH, OTHER_KEY_HASH], [], [KEY_HASH], []]
    expect(was.conversations.map((page) => page?.keyHashes)).toEqual(keys)
  })

  it('makes a copy that continues like its source', async () => {
    const [source, target] = [from(), to()]
    await using(source, fill)
    await copied(source, target)
    await using(target, async (stores) => {
      const { storage } = stores
      const talk = clientId('Talk')
      const again = await say(stores, talk, 'thanks\u2029', { nonce: 'the-same-nonce' })
      expect(again).toMatchObject({ outcome: 'repeated', message: { seq: 5 } })
      expect(await say(stores, talk, 'more')).toMatchObject({
        outcome: 'stored',
        message: { seq: 7 },
        state: { adminUnread: 4 },
      })
      const note = { clientId: talk, nonce: 'the-nonce-of-a-note', by: 'a'.repeat(24), mentions: [], at: 1 }
      const { activity } = await storage.inbox.activity(talk, { limit: 1, after: 1 })
      const { text } = { text: '', ...activity[0]?.data }
      expect(await storage.inbox.addNote({ ...note, text })).toMatchObject({ outcome: 'repeated' })
      const next = await storage.inbox.addNote({ ...note, text, nonce: 'the-nonce-of-another' })
      const { n } = await storage.inbox.activity(talk, { limit: 1 })
      expect(next).toMatchObject({ outcome: 'stored', activity: { n, afterSeq: 7 } })
      const change = { labels: ['REFUND'] }
      expect(await storage.inbox.change(talk, change, { by: null, at: 2, version: 3 })).toMatchObject({
        outcome: 'stored',
        activity: [{ n: n + 1, data: { added: [], removed: ['退款 😀'] } }],
      })
      expect(await storage.samples.remove()).toEqual({ blogs: 1, reviews: 1 })
      expect(await storage.samples.seed({ blogs: [], reviews: [] }, { onlyWhenEmpty: false })).toBe(false)
      expect(
        await storage.users.createFirst({ userName: 'x', passwordHash: '', roles: [], createdAt: 1 }),
      ).toBeNull()
      for (const name of ['Waits', 'Erased']) {
        expect(await say(stores, clientId(name), 'again')).toEqual({ outcome: 'wrong-key' })
      }
      const keyed = { keyHash: KEY_HASH }
      expect(await say(stores, clientId('Waits'), 'again', keyed)).toMatchObject({ message: { seq: 3 } })
      expect(await say(stores, clientId('Erased'), 'again', keyed)).toEqual({ outcome: 'blocked' })
      const lifted = { by: 'a'.repeat(24), at: Date.now() }
      await stores.storage.inbox.block(clientId('Erased'), null, lifted)
      expect(await say(stores, clientId('Erased'), 'again', keyed)).toMatchObject({ message: { seq: 1 } })
      expect(await say(stores, clientId('Erased'), 'again')).toEqual({ outcome: 'wrong-key' })
    })
  })

  it('restores a backup without sessions and with new epochs', async () => {
    const [source, target] = [from(), to()]
    await using(source, fill)
    await backedUp(source)
    await restored(target)
    const [was, is] = [await contents(source), await contents(target)]
    expect(withoutEpochs(is)).toEqual(withoutEpochs(was))
    expect([is.sessions, is.subscriptions]).toEqual([[], []])
    expect(gunzipSync(readFileSync(file)).toString()).not.toContain('1'.repeat(24))
    const epochs = [...epochsOf(was), ...epochsOf(is)]
    expect(new Set(epochs).size).toBe(10)
    expect(is.conversations[0]?.messages.map(({ epoch }) => epoch)).toEqual(
      Array(6).fill(is.conversations[0]?.epoch),
    )
  })

  it('copies and restores an empty store', async () => {
    const [source, target, other] = [from(), to(), to()]
    await using(source, async () => {})
    await copied(source, target)
    await backedUp(source)
    await restored(other)
    expect(await contents(target)).toEqual(await contents(source))
    expect(await contents(other)).toEqual(await contents(source))
  })

  it('resumes after an interruption, and no server opens the store before its end', async () => {
    const [source, target, other] = [from(), to(), to()]
    // More than one batch.
    await fillWithLong(source, 1_300)
    await backedUp(source)
    const ids = ['Long', 'Talk', 'Waits', 'Zero'].map(clientId)
    const was = await contents(source, ids)
    for (const rows of [0, 5, 14, 1_000, 1_200]) {
      await expect(copied(source, target, interruptedAfter(rows))).rejects.toThrow('interrupted')
      await expect(openStores(target)).rejects.toThrow(/Run the same/)
    }
    await expect(restored(other, interruptedAfter(1_100))).rejects.toThrow('interrupted')
    await copied(source, target)
    expect(await contents(target, ids)).toEqual(was)
    await restored(other)
    expect(withoutEpochs(await contents(other, ids))).toEqual(withoutEpochs(was))
  })

  it('does not write stored messages again', async () => {
    const [source, target, other] = [from(), to(), to()]
    await fillWithLong(source, 1_300)
    await backedUp(source)
    const written = async (location: StoreLocation, opened: CopySource, as: 'it is' | 'restored') => {
      const goal = await openCopyTarget(location)
      let count = 0
      const counted: typeof goal = {
        ...goal,
        put(messages, ...rest) {
          count += messages.length
          return goal.put(messages, ...rest)
        },
      }
      await copyStore(opened, counted, { as })
      await goal.close()
      await opened.close()
      return count
    }
    await expect(copied(source, target, interruptedAfter(1_200))).rejects.toThrow('interrupted')
    expect(await written(target, await openCopySource(source), 'it is')).toBeLessThan(500)
    await expect(restored(other, interruptedAfter(1_200))).rejects.toThrow('interrupted')
    expect(await written(other, await openBackup(file), 'restored')).toBeLessThan(500)
  })

  it('resumes after a process died between messages and their conversation', async () => {
    const [source, target] = [from(), to()]
    await fillWithLong(source, 1_300)
    await expect(copied(source, target, interruptedAfter(1_200))).rejects.toThrow('interrupted')
    const half = await openCopyTarget(target)
    const long = clientId('Long')
    const there = (await half.chatsSoFar([long])).get(long)?.seq ?? 0
    expect(there).toBeGreaterThan(100)
    const opened = await openCopySource(source)
    for await (const { table, row } of opened.entries()) {
      // The next message of an unfinished conversation, and one of an epoch that the source no longer has.
      if (table !== 'messages') continue
      const isNext = row.clientId === long && row.seq === there + 1
      const isLater = row.clientId === clientId('Talk') && row.seq === 1
      if (isNext) await half.put([row], [], [])
      if (isLater)
        await half.put([{ ...row, _id: 'f'.repeat(24), message: 'of then', epoch: 'of then' }], [], [])
    }
    await Promise.all([half.close(), opened.close()])
    await copied(source, target)
    const ids = ['Long', 'Talk'].map(clientId)
    expect(await contents(target, ids)).toEqual(await contents(source, ids))
  })

  it('copies in the next run what changed since the interruption', async () => {
    const [source, target] = [from(), to()]
    await fillWithLong(source, 1_500)
    await expect(copied(source, target, interruptedAfter(1_520))).rejects.toThrow('interrupted')
    await using(source, async (stores) => {
      const { storage } = stores
      await storage.conversations.erase(clientId('Long'))
      await say(stores, clientId('Long'), 'of a new history')
      await say(stores, clientId('Answered'), 'one more')
      await storage.conversations.markRead(clientId('Talk'), 'admin', 5)
      const blog = await storage.blogs.findBySlug('with-a-picture')
      await storage.blogs.remove(blog?._id ?? '')
      await stores.uploadFiles.remove(`${'ab'.repeat(20)}.png`)
      await storage.blogs.create({
        ...{ slug: 'with-a-picture', title: 'Another', summary: '', img: '', imgAlt: null, content: '' },
        createdAt: 1,
      })
      await storage.sessions.end('1'.repeat(24))
    })
    await copied(source, target)
    const ids = ['Long', 'Talk', 'Answered', 'Zero'].map(clientId)
    expect(await contents(target, ids)).toEqual(await contents(source, ids))
  })

  it('copies what changed since its end, until a server opens the copy', async () => {
    const [source, target] = [from(), to()]
    await using(source, fill)
    await copied(source, target)
    await using(source, async (stores) => {
      await say(stores, clientId('Talk'), 'later')
      await say(stores, clientId('New'), 'hello')
      await stores.storage.conversations.markRead(clientId('Waits'), 'admin', 1)
    })
    await copied(source, target)
    const ids = ['Talk', 'New', 'Waits'].map(clientId)
    expect(await contents(target, ids)).toEqual(await contents(source, ids))
    await expect(copied(source, target)).rejects.toThrow(/already holds data/)
  })

  it('includes the image of a post that is stored during the copy', async () => {
    const [source, target] = [from(), to()]
    await using(source, async (stores) => {
      await fill(stores)
      const meanwhile = (through: CopySource): CopySource => ({
        ...through,
        async *entries() {
          let isStored = false
          for await (const entry of through.entries()) {
            yield entry
            if (isStored || entry.table !== 'uploads') continue
            isStored = true
            await stores.uploadFiles.put(`${'cd'.repeat(20)}.png`, Buffer.from('new'))
            await stores.storage.blogs.create({
              ...{ slug: 'new', title: 'New', summary: '', content: '', createdAt: 1 },
              img: `/uploads/${'cd'.repeat(20)}.png`,
              imgAlt: null,
            })
          }
        },
      })
      await copied(source, target, meanwhile)
    })
    const { blogs, uploads } = await contents(target)
    expect(blogs.map((blog) => blog?.slug)).toContain('new')
    expect(uploads.map(([name]) => name)).toContain(`${'cd'.repeat(20)}.png`)
  })

  it.each([
    ['first entry', 'users', 1],
    ['first message', 'messages', 1],
    ['second message', 'messages', 2],
    ['first conversation', 'conversations', 1],
  ])('includes every message with its files when they are erased behind the %s', async (_, table, nth) => {
    const [source, target] = [from(), to()]
    // Copied before the others.
    const ids = [clientId('Abel'), clientId('Talk')]
    const [early = ''] = ids
    await using(source, async (stores) => {
      await fill(stores)
      for (const name of ['f'.repeat(24), 'e'.repeat(24)]) await sayWithFile(stores, early, name)
      const meanwhile = (through: CopySource): CopySource => ({
        ...through,
        async *entries() {
          let seen = 0
          for await (const entry of through.entries()) {
            yield entry
            if (entry.table !== table || ++seen !== nth) continue
            for (const id of ids) await eraseWithFiles(stores, id)
          }
        },
      })
      await copied(source, target, meanwhile)
    })
    await using(target, async ({ storage, attachmentFiles }) => {
      const files = (await attachmentFiles.list()).map(({ name }) => name).sort()
      const shown: string[] = []
      for (const id of ids) {
        const page = await storage.messages.page(id, { limit: 100 })
        expect(page?.messages.map(({ seq }) => seq)).toEqual(page?.messages.map((_, index) => index + 1))
        expect(page).toMatchObject({ seq: page?.messages.length })
        for (const { _id } of page?.messages.flatMap(({ attachments = [] }) => attachments) ?? []) {
          expect(await storage.attachments.find(id, _id)).not.toBeNull()
          shown.push(_id)
        }
      }
      expect(files).toEqual(shown.sort())
    })
  })

  it('keeps a message whose file was lost', async () => {
    const [source, target] = [from(), to()]
    const id = 'f'.repeat(24)
    await using(source, async (stores) => {
      await sayWithFile(stores, clientId('Early'), id)
      await stores.attachmentFiles.remove(id)
    })
    await copied(source, target)
    await using(target, async ({ storage }) => {
      const page = await storage.messages.page(clientId('Early'), { limit: 10 })
      expect(page?.messages).toMatchObject([{ attachments: [{ _id: id }] }])
    })
  })

  it('refuses a target that holds data, or is half filled from another source, and does not change it', async () => {
    const [source, target, half] = [from(), to(), to()]
    await using(source, fill)
    await backedUp(source)
    await using(target, (stores) => say(stores, clientId('Other'), 'mine'))
    await expect(copied(source, target)).rejects.toThrow(/already holds data \(messages, conversations\)/)
    await expect(restored(target)).rejects.toThrow(/already holds data/)
    expect((await contents(target, [clientId('Other')])).conversations).toMatchObject([{ seq: 1 }])
    await expect(copied(source, half, interruptedAfter(9))).rejects.toThrow('interrupted')
    await expect(restored(half)).rejects.toThrow(/half filled from another source/)
    await expect(copied(half, to())).rejects.toThrow(/only partly filled/)
    await copied(source, half)
  })

  it('reports a difference when another process wrote to the target', async () => {
    const [source, target] = [from(), to()]
    await using(source, fill)
    const other = await openCopyTarget(target)
    const meddling = (through: CopySource): CopySource => ({
      ...through,
      async *entries() {
        yield* through.entries()
        const row = {
          _id: 'b'.repeat(24),
          email: 'a@b.example',
          title: '',
          message: '',
          createdAt: 1,
          doneAt: null,
        }
        await other.insert('contacts', [row])
      },
    })
    await expect(copied(source, target, meddling)).rejects.toThrow(/contacts: 1 in the source, 2 in the copy/)
    await other.close()
    await copied(source, target)
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('keeps conversations consistent during writes', async () => {
    const [source, target] = [from(), to()]
    const ids = ['One', 'Two', 'Three'].map(clientId)
    await using(source, async (stores) => {
      for (const id of ids) await say(stores, id, 'first')
      let writing = true
      let written = 0
      const writer = async (id: string) => {
        while (writing) {
          const index = written++
          await say(stores, id, `message ${index}`, { byAdmin: index % 5 === 0 })
          if (index % 7 === 0) await stores.storage.conversations.markRead(id, 'admin', 100_000)
          const { inbox } = stores.storage
          const by = { by: 'b'.repeat(24), at: index }
          if (index % 3 === 0) await inbox.change(id, { status: 'resolved' }, by)
          if (index % 4 === 0) await inbox.change(id, { assigneeId: null }, by)
          if (index % 5 === 0) {
            await inbox.addNote({ ...by, clientId: id, text: `${index}`, nonce: `of-${index}`, mentions: [] })
          }
        }
      }
      const writers = ids.map(writer)
      const opened = await openCopySource(source)
      // Starts after many writes, and pauses after each of its first rows, so that writes happen in between.
      while (written < 300) await new Promise(setImmediate)
      const slow: CopySource = {
        ...opened,
        async *entries() {
          let rows = 0
          for await (const entry of opened.entries()) {
            const until = written + 3
            while (rows < 50 && written < until) await new Promise(setImmediate)
            rows += 1
            yield entry
          }
        },
      }
      await writeBackup(slow, file)
      writing = false
      await Promise.all(writers)
      await opened.close()
    })
    await restored(target)
    const { conversations, logs, list, unread } = await contents(target, ids)
    let unreadOfAll = 0
    for (const [index, page] of conversations.entries()) {
      const log = logs[index]?.activity ?? []
      expect(log.map(({ n }) => n)).toEqual(log.map((_, at) => at + 1))
      expect(log.map(({ afterSeq }) => afterSeq)).toEqual(
        log.map(({ afterSeq }) => afterSeq).sort((a, b) => a - b),
      )
      const messages = page?.messages ?? []
      expect(messages.length).toBeGreaterThan(1)
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
      const unreadHere = messages.filter(
        ({ seq, senderId, clientId: of }) => senderId === of && seq > (page?.read.admin ?? 0),
      ).length
      expect(page).toMatchObject({ seq: messages.length, adminUnread: unreadHere })
      const row = list.conversations.find(({ clientId: of }) => of === page?.clientId)
      expect(row?.lastMessage).toEqual(messages.at(-1))
      const lastReply = messages.findLast(({ senderId, clientId: of }) => senderId !== of)?.seq ?? 0
      const statuses = log.filter(({ kind }) => kind === 'status')
      const to = (entry: ActivityRecord | undefined) => (entry?.data as { to?: string } | undefined)?.to
      const settled = statuses.findLast((entry) => to(entry) === 'resolved')
      const waits = messages.find(({ seq }) => seq > Math.max(lastReply, settled?.afterSeq ?? 0))
      const { inbox } = row ?? {}
      // Here every change but a note has one entry.
      expect(inbox?.version).toBe(log.filter(({ kind }) => kind !== 'note').length)
      expect(inbox?.status).toBe(to(statuses.at(-1)))
      const isReopened = messages.some(
        ({ seq, senderId, clientId: of }) => senderId === of && seq > (settled?.afterSeq ?? 0),
      )
      if (inbox?.status === 'resolved') expect(isReopened).toBe(false)
      expect(row?.waitingSince).toBe(waits === undefined ? null : Date.parse(waits.createdAt))
      unreadOfAll += unreadHere
    }
    expect(unread).toBe(unreadOfAll)
  })
}

describe('from SQLite to SQLite', () => {
  describeCopies(inFolder, inFolder)

  it('does not write into its source', async () => {
    const source = inFolder()
    await using(source, fill)
    const listing = () =>
      readdirSync(source.dataDir, { recursive: true })
        .map(String)
        // Connection files of SQLite, without data.
        .filter((name) => !name.endsWith('-shm') && !(name.endsWith('-wal') && sizeOf(name) === 0))
        .sort()
        .map((name) => [name, statSync(join(source.dataDir, name)).mtimeMs, sizeOf(name)])
    const sizeOf = (name: string) => statSync(join(source.dataDir, name)).size
    const before = listing()
    const bytes = readFileSync(join(source.dataDir, 'chat.sqlite'))
    await copied(source, inFolder())
    await backedUp(source)
    expect(listing()).toEqual(before)
    expect(readFileSync(join(source.dataDir, 'chat.sqlite')).equals(bytes)).toBe(true)
  })

  it('copies a snapshot, without later writes', async () => {
    const [source, target] = [inFolder(), inFolder()]
    await using(source, async (stores) => {
      await fill(stores)
      let isWritten = false
      const meanwhile = (through: CopySource): CopySource => ({
        ...through,
        async *entries() {
          for await (const entry of through.entries()) {
            if (entry.table === 'users' && !isWritten) {
              isWritten = true
              await say(stores, clientId('Later'), 'hello')
            }
            yield entry
          }
        },
      })
      await copied(source, target, meanwhile)
    })
    const later = async (location: StoreLocation) =>
      (await contents(location, [clientId('Later')])).conversations
    expect([await later(target), await later(source)]).toMatchObject([[null], [{ seq: 1 }]])
  })

  it('reads the WAL of a killed server, and does not change it', async () => {
    const [source, left] = [inFolder(), inFolder()]
    mkdirSync(left.dataDir)
    await using(source, async (stores) => {
      await fill(stores)
      for (const name of ['chat.sqlite', 'chat.sqlite-wal']) {
        copyFileSync(join(source.dataDir, name), join(left.dataDir, name))
      }
    })
    const bytes = () =>
      ['chat.sqlite', 'chat.sqlite-wal'].map((name) => readFileSync(join(left.dataDir, name)).toString('hex'))
    const before = bytes()
    expect((await backedUp(left)).messages).toBe(14)
    expect(bytes()).toEqual(before)
  })

  it('ignores an upload that a server is storing', async () => {
    const source = inFolder()
    await using(source, fill)
    const unfinished = join(source.dataDir, 'uploads', 'unfinished.part')
    writeFileSync(unfinished, 'half of')
    const counts = await backedUp(source)
    expect([counts.uploads, readFileSync(unfinished, 'utf8')]).toEqual([2, 'half of'])
  })

  it('makes a backup and a restored store readable by their owner only', async () => {
    const [source, target] = [inFolder(), inFolder()]
    await using(source, fill)
    await backedUp(source)
    await restored(target)
    const mode = (path: string) => statSync(path).mode & 0o777
    const restoredTo = (name: string) => join(target.dataDir, name)
    expect([file, restoredTo('chat.sqlite'), target.dataDir, restoredTo('uploads')].map(mode)).toEqual([
      0o600, 0o600, 0o700, 0o700,
    ])
  })

  it('leaves no partial file, and replaces none', async () => {
    const source = inFolder()
    await using(source, fill)
    mkdirSync(join(dir.path, 'backups'))
    file = join(dir.path, 'backups', 'one')
    const opened = await openCopySource(source)
    await expect(writeBackup(interruptedAfter(9)(opened), file)).rejects.toThrow('interrupted')
    const stopped = writeBackup(opened, file, { signal: AbortSignal.abort() })
    await expect(stopped).rejects.toThrow()
    expect(readdirSync(join(dir.path, 'backups'))).toEqual([])
    await writeBackup(opened, file)
    await expect(writeBackup(opened, file)).rejects.toThrow(/already exists/)
    expect(readdirSync(join(dir.path, 'backups'))).toEqual(['one'])
    file = join(dir.path, 'nowhere', 'one')
    await expect(writeBackup(opened, file)).rejects.toThrow(/Can't write .*: the folder doesn't exist/)
    await opened.close()
  })

  it('refuses a missing source, and one of another release', async () => {
    await expect(openCopySource(inFolder())).rejects.toThrow(/There is no database/)
    const { DatabaseSync } = await import('node:sqlite')
    const source = inFolder()
    await using(source, fill)
    const db = new DatabaseSync(join(source.dataDir, 'chat.sqlite'))
    for (const [version, what] of [
      [1, /Start the server once/],
      [99, /Use a newer release/],
    ] as const) {
      db.exec(`PRAGMA user_version = ${version}`)
      await expect(openCopySource(source)).rejects.toThrow(what)
    }
    db.close()
  })
})

describe('a backup', () => {
  beforeEach(async () => {
    const source = inFolder()
    await using(source, fill)
    await backedUp(source)
  })
  const refused = () =>
    expect(openBackup(file)).rejects.toThrow(/cut off or changed|isn't a backup|is invalid/)

  it('is refused when it was cut off', async () => {
    const { size } = statSync(file)
    for (const left of [size - 1, size - 9, Math.floor(size / 2), 300, 11, 1, 0]) {
      truncateSync(file, left)
      await refused()
    }
  })

  it('is refused when a byte changed', async () => {
    const bytes = readFileSync(file)
    for (const at of [0, 40, Math.floor(bytes.length / 3), bytes.length - 6]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      writeFileSync(file, changed)
      await refused()
    }
  })

  it('is refused when a line is missing, changed, added or moved', async () => {
    const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
    const changes: ((all: string[]) => string[])[] = [
      (all) => all.toSpliced(5, 1),
      (all) => all.with(5, (all[5] ?? '').replace('a', 'b')),
      (all) => all.with(0, (all[0] ?? '').replace('"at":"2', '"at":"1')),
      (all) => all.toSpliced(5, 0, all[5] ?? ''),
      (all) => all.with(5, all[6] ?? '').with(6, all[5] ?? ''),
      (all) => all.slice(0, -1),
      (all) => all.slice(0, 1),
      (all) => all.with(5, 'no JSON'),
      (all) => all.with(5, '["strangers",{}]'),
      (all) => all.slice(1),
    ]
    for (const change of changes) {
      const changed = change(lines)
      expect(changed).not.toEqual(lines)
      writeFileSync(file, gzipSync(`${changed.join('\n')}\n`))
      await refused()
    }
    writeFileSync(file, gzipSync(`${lines.join('\n')}\n`))
    await openBackup(file)
  })

  /** Restores the backup with each of its lines changed, and returns the restored rows. */
  async function restoredAs(
    change: (line: string) => string,
    countsOf: (counts: Counts) => object = (counts) => counts,
  ) {
    const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(0, -1)
    const older = lines.map(change).filter((line) => line !== '')
    expect(older).not.toEqual(lines)
    const counts = countsOf(await openBackup(file).then((backup) => backup.counts()))
    const sha256 = createHash('sha256')
      .update(older.map((line) => `${line}\n`).join(''))
      .digest('hex')
    writeFileSync(file, gzipSync(`${[...older, JSON.stringify(['end', { counts, sha256 }])].join('\n')}\n`))
    const target = inFolder()
    await restored(target)
    return contents(target)
  }

  it('is restored with its overdue messages, which are then not sent', async () => {
    const { scheduled } = await restoredAs((line) =>
      line.replace(/"sendAt":\d+(,"anyway":true,"version":1\},)/, '"sendAt":1767225700000$1'),
    )
    expect(scheduled[0]).toMatchObject([
      { nonce: 'scheduled-earlier', sendAt: 1_767_225_700_000, missed: true },
      { nonce: 'scheduled-nonce' },
    ])
    expect(scheduled[0]?.[1]).not.toHaveProperty('missed')
  })

  it('is restored when it comes from a release without scheduled messages', async () => {
    const ofWaiting = /^\["attachment(s|Files)",.*5{24}/
    const { scheduled, conversations } = await restoredAs(
      (line) =>
        ofWaiting.test(line)
          ? ''
          : line.replace('"version":9', '"version":8').replace(/"scheduled":.*?,("siteId":)/s, '$1'),
      ({ attachments, attachmentFiles, ...counts }) => ({
        ...counts,
        ...{ attachments: attachments - 1, attachmentFiles: attachmentFiles - 1 },
      }),
    )
    expect(scheduled.flat()).toEqual([])
    expect(conversations[0]?.messages.length).toBeGreaterThan(3)
  })

  it('is restored when it comes from a release without a team', async () => {
    const { users } = await restoredAs((line) =>
      line
        .replace('"version":9', '"version":3')
        .replace(/,"displayName":.*"inviteExpiresAt":(?:null|\d+)/, ''),
    )
    const { displayName, onDuty, email, inviteHash, inviteExpiresAt } = NEW_USER
    expect(users).toEqual(
      users.map(() => expect.objectContaining({ displayName, onDuty, email, inviteHash, inviteExpiresAt })),
    )
  })

  it('is restored when it comes from a release without corrections', async () => {
    const { conversations } = await restoredAs((line) =>
      line
        .replace('"version":9', '"version":8')
        .replace(/,"edited":(?:null|\{[^}]*\})/, '')
        .replace(/,"edits":\d+/, ''),
    )
    const answered = conversations.find((page) => page?.messages[1]?.message === 'hello!')
    expect(answered).toMatchObject({ edits: 0, seq: 2 })
  })

  it('is restored when it comes from a release without drafts', async () => {
    const { blogs } = await restoredAs((line) =>
      line.replace('"version":9', '"version":8').replace(/"publishAt":.*?,"createdAt"/, '"createdAt"'),
    )
    expect(blogs).toHaveLength(3)
    for (const blog of blogs) {
      expect(blog).toMatchObject({ publishAt: blog?.createdAt, authorId: null, readingMinutes: null })
      expect(blog).toMatchObject({ editedBy: null, lang: 'en' })
    }
  })

  it('is restored when it comes from a release without descriptions of images', async () => {
    const { blogs } = await restoredAs((line) =>
      line.replace('"version":9', '"version":2').replace(/,"imgAlt":(?:null|"[^"]*")/, ''),
    )
    expect(blogs.map((blog) => blog?.imgAlt)).toEqual([null, null, null])
  })

  it('is restored when it comes from a release without visitor keys', async () => {
    const { conversations } = await restoredAs((line) =>
      line.replace('"version":9', '"version":1').replace(/,"keyHashes":\[[^\]]*\]/, ''),
    )
    expect(conversations.map((page) => [page?.seq, page?.keyHashes])).toEqual(
      [6, 2, 2, 0, 1].map((seq) => [seq, []]),
    )
  })

  it('is restored when it comes from a release without what visitors said', async () => {
    const { visitors, conversations } = await restoredAs((line) =>
      line.replace('"version":9', '"version":3').replace(/,"visitor":[\s\S]*(?=,"seen")/, ''),
    )
    expect(visitors).toEqual([null, null, null, null, null])
    expect(conversations.map((page) => page?.seq)).toEqual([6, 2, 2, 0, 1])
  })

  it('is restored when it comes from a release without blocks and ratings', async () => {
    const { conversations } = await restoredAs((line) =>
      line
        .replace('"version":9', '"version":4')
        .replace(/,"blockedUntil":(?:null|\d+),"rated":(?:true|false)/, ''),
    )
    expect(conversations.map((page) => page?.blockedUntil)).toEqual([null, null, null, null, null])
    expect(conversations.map((page) => page?.isUnrated)).toEqual([false, false, true, false, false])
  })

  it('is restored when it comes from a release without seen marks', async () => {
    const { seen, conversations } = await restoredAs((line) =>
      line.replace('"version":9', '"version":5').replace(/,"seen":\[[^\]]*\]/, ''),
    )
    expect(seen).toEqual([[], []])
    expect(conversations.map((page) => page?.seq)).toEqual([6, 2, 2, 0, 1])
  })

  it('is restored when it comes from a release that read no mail', async () => {
    const { conversations, visitors } = await restoredAs((line) =>
      line
        .replace('"version":9', '"version":6')
        .replace(/,"via":(?:null|"mail"),"quoted":(?:null|"[^"]*")/, '')
        .replace(/,"failing":(?:true|false)/, ''),
    )
    expect(conversations[0]?.messages.at(-1)).not.toHaveProperty('via')
    expect(visitors[0]).toMatchObject({ failing: false })
  })

  it('is restored when it comes from a release without an inbox', async () => {
    const { logs, list, counts } = await restoredAs(
      (line) => {
        if (line.startsWith('["activity"')) return ''
        return line
          .replace('"version":9', '"version":3')
          .replace(/"activity":\d+,/, '')
          .replace(/,"status":.*"settledSeq":\d+/, '')
      },
      ({ activity, ...rest }) => {
        expect(activity).toBe(25)
        return rest
      },
    )
    expect(logs).toEqual(logs.map(() => ({ activity: [], n: 0, more: false })))
    expect(list.conversations.map(({ inbox }) => inbox)).toEqual(list.conversations.map(() => NEW_INBOX))
    expect(counts).toMatchObject({ open: 6, unassigned: 6, all: 6 })
    expect(list.conversations.filter(({ waitingSince }) => waitingSince !== null)).toHaveLength(5)
  })

  it('is restored when it comes from a release without canned replies', async () => {
    const { replies, contacts } = await restoredAs(
      (line) => {
        if (line.startsWith('["replies"')) return ''
        return line.replace('"version":9', '"version":3').replace(/"replies":\d+,/, '')
      },
      ({ replies, ...counts }) => {
        expect(replies).toBe(2)
        return counts
      },
    )
    expect([replies, contacts.count]).toEqual([[], 1])
  })

  it('is restored when it comes from a release that remembered no addresses', async () => {
    const { links, unsubscribed, freeAt } = await restoredAs(
      (line) => {
        if (line.startsWith('["addresses"')) return ''
        return line
          .replace('"version":9', '"version":5')
          .replace(/"addresses":\d+,/, '')
          .replace(/,"addressId":(?:null|"\w+")/, '')
      },
      ({ addresses, ...counts }) => {
        expect(addresses).toBe(1)
        return counts
      },
    )
    expect(links.map((link) => link?.addressId)).toEqual([null, null])
    expect([unsubscribed, freeAt]).toEqual([false, null])
  })

  it('is refused when it is of a newer release, another file or missing', async () => {
    const text = gunzipSync(readFileSync(file)).toString()
    writeFileSync(file, gzipSync(text.replace('"version":9', '"version":10')))
    await expect(openBackup(file)).rejects.toThrow(/Use that release/)
    writeFileSync(file, 'some text')
    await expect(openBackup(file)).rejects.toThrow(/isn't a backup/)
    await expect(openBackup(join(dir.path, 'nothing'))).rejects.toThrow(/doesn't exist/)
    await expect(openBackup(dir.path)).rejects.toThrow(/Can't read/)
  })

  it('is refused when it changes between its check and its use', async () => {
    const opened = await openBackup(file)
    appendFileSync(file, 'x')
    truncateSync(file, statSync(file).size - 20)
    const target = await openCopyTarget(inFolder())
    await expect(copyStore(opened, target, { as: 'restored' })).rejects.toThrow(/cut off or changed/)
    await target.close()
  })
})

describeOnMongo('with MongoDB', (url) => {
  const inMongo = (): StoreLocation => ({ dataDir: join(dir.path, 'unused'), mongodbUrl: url() })

  it('copies posts of a release without descriptions of images', async () => {
    const [source, target] = [inMongo(), inFolder()]
    await using(source, fill)
    const client = await new MongoClient(source.mongodbUrl ?? '').connect()
    await collectionsOf(client.db()).blogs.updateMany({}, { $unset: { imgAlt: 1 } })
    await client.close()
    await copied(source, target)
    const { blogs } = await contents(target)
    expect(blogs.map((blog) => blog?.imgAlt)).toEqual([null, null, null])
  })

  it('copies posts of a release without drafts', async () => {
    const [source, target] = [inMongo(), inFolder()]
    await using(source, fill)
    const client = await new MongoClient(source.mongodbUrl ?? '').connect()
    const added = { publishAt: 1, authorId: 1, editedBy: 1, lang: 1, readingMinutes: 1 } as const
    await collectionsOf(client.db()).blogs.updateMany({}, { $unset: added })
    await client.close()
    await copied(source, target)
    const { blogs } = await contents(target)
    for (const blog of blogs) {
      expect(blog).toMatchObject({ publishAt: blog?.createdAt, authorId: null, readingMinutes: null })
      expect(blog).toMatchObject({ editedBy: null, lang: 'en' })
    }
  })

  it('copies users of a release without a team', async () => {
    const [source, target] = [inMongo(), inFolder()]
    await using(source, fill)
    const client = await new MongoClient(source.mongodbUrl ?? '').connect()
    const { users } = collectionsOf(client.db())
    const { disabled: _, ...added } = NEW_USER
    await users.updateMany({}, { $unset: Object.fromEntries(Object.keys(added).map((name) => [name, 1])) })
    await client.close()
    const expected = (await contents(source)).users
    expect(expected).toEqual(expected.map(() => expect.objectContaining(added)))
    await copied(source, target)
    expect((await contents(target)).users).toEqual(expected)
  })

  it('repairs in the copy what a process left behind that died', async () => {
    const [source, target] = [inMongo(), inFolder()]
    await using(source, fill)
    const client = await new MongoClient(source.mongodbUrl ?? '').connect()
    const { messages, conversations } = collectionsOf(client.db())
    const last = await messages.findOne({ clientId: clientId('Waits'), seq: 2 })
    if (last === null) throw new Error('no message')
    // A message whose conversation was not updated yet, and a late one of an erased epoch.
    const next = { _id: 'e'.repeat(24), seq: 3, visitorCount: 3, nonce: 'nonce-left', message: 'left' }
    await messages.insertOne({ ...last, ...next })
    await messages.insertOne({ ...last, ...next, _id: 'd'.repeat(24), epoch: 'erased' })
    // A read mark beyond the messages that are read.
    await conversations.updateOne({ _id: clientId('Answered') }, { $set: { adminRead: 9, visitorRead: 9 } })
    await client.close()
    await copied(source, target)
    const { conversations: pages, list } = await contents(target, ['Waits', 'Answered'].map(clientId))
    expect(pages).toMatchObject([
      {
        seq: 3,
        adminUnread: 3,
        messages: [{ message: 'hello?' }, { message: 'are you there?' }, { message: 'left' }],
      },
      { seq: 2, adminUnread: 0, read: { admin: 2, visitor: 2 } },
    ])
    expect(list.conversations.find((each) => each.clientId === clientId('Waits'))).toMatchObject({
      lastMessage: { message: 'left' },
      waitingSince: last.waitingSince,
    })
  })

  it('copies the entries that a process left in a conversation, and what its messages change', async () => {
    const [source, target] = [inMongo(), inFolder()]
    await using(source, fill)
    const ids = ['Waits', 'Answered', 'Talk'].map(clientId)
    const before = await contents(source, ids)
    const client = await new MongoClient(source.mongodbUrl ?? '').connect()
    const { messages, conversations, activity } = collectionsOf(client.db())
    // The newest entries are still pending: of one conversation also moved, of another only here.
    for (const [index, id] of ids.entries()) {
      const pending = await activity.find({ clientId: id }).sort({ n: -1 }).limit(1).toArray()
      await conversations.updateOne(
        { _id: id },
        { $set: { pendingActivity: pending, pendingFrom: pending[0]?.n ?? 0 } },
      )
      if (index > 0) await activity.deleteOne({ _id: pending[0]?._id ?? '' })
      await activity.insertOne({
        ...(pending[0] as ActivityDoc),
        _id: 'f'.repeat(23) + index,
        epoch: 'erased',
      })
    }
    await copied(source, target)
    expect(await contents(target, ids)).toEqual(before)

    // Messages behind which the conversation was not moved: of its visitor, and of an admin.
    const last = await messages.findOne({ clientId: clientId('Answered'), seq: 2 })
    if (last === null) throw new Error('no message')
    const visitors = { _id: 'e'.repeat(24), seq: 3, visitorCount: 2, senderId: clientId('Answered') }
    const time = { createdAt: last.createdAt + 1 }
    await messages.insertOne({
      ...last,
      ...visitors,
      ...time,
      nonce: 'nonce-3',
      waitingSince: time.createdAt,
    })
    const admins = { _id: 'd'.repeat(24), seq: 4, visitorCount: 2, senderId: 'b'.repeat(24) }
    await messages.insertOne({ ...last, ...admins, ...time, nonce: 'nonce-4', waitingSince: null })
    await client.close()
    const [other, unopened] = [inFolder(), inFolder()]
    await copied(source, other)
    await copied(source, unopened)
    const after = await contents(other, ids)
    const [is, was] = [after, before].map(({ list }) =>
      list.conversations.find((each) => each.clientId === clientId('Answered')),
    )
    const version = (was?.inbox.version ?? 0) + 2
    expect(is).toMatchObject({ inbox: { status: 'open', assigneeId: 'b'.repeat(24), version } })
    const n = before.logs[1]?.n ?? 0
    expect(after.logs[1]?.activity.slice(n)).toMatchObject([
      { n: n + 1, kind: 'status', by: null, afterSeq: 3, data: { from: 'resolved', to: 'open' } },
      { n: n + 2, kind: 'assignee', by: 'b'.repeat(24), afterSeq: 4, data: { to: 'b'.repeat(24) } },
    ])
    // Another run takes what a server has stored meanwhile.
    await using(source, (stores) => say(stores, clientId('Answered'), 'hello again'))
    await copied(source, unopened)
    expect(await contents(unopened, ids)).toEqual(await contents(source, ids))
  })

  describe('from SQLite', () => describeCopies(inFolder, inMongo))
  describe('to SQLite', () => describeCopies(inMongo, inFolder))
})
