import { MongoServerError } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectRaw, describeOnEachMongo, openStores, type RawMongo } from '../../../test/mongo-stores.ts'
import type { Storage } from '../model/storage.ts'
import { openActivityLog } from './activity-log.ts'
import { type Collections, type ConversationDoc, collectionsOf } from './collections.ts'
import { openConversations } from './conversations.ts'
import { sweep } from './sweep.ts'

const VISITOR = 'Visitor0000000000001'
const T0 = Date.UTC(2026, 0, 1)

/** The same store, opened twice as by two processes. */
let url: string
let here: Storage
let there: Storage
let raw: RawMongo

let count = 0
const say = (
  storage: Storage,
  message: string,
  options: Partial<Parameters<Storage['messages']['append']>[0]> = {},
) =>
  storage.messages.append({
    clientId: VISITOR,
    senderId: VISITOR,
    message,
    nonce: `nonce-${++count}-xxxx`,
    at: T0,
    ...options,
  })
const whole = async (storage: Storage) =>
  (await storage.messages.page(VISITOR, { limit: 1_000 }))?.messages.map(({ seq, message }) => [seq, message])

/** Repositories that run `meanwhile` before their first `method` on a collection. */
function interrupted(name: 'messages' | 'conversations', method: string, meanwhile: () => Promise<unknown>) {
  const collections = collectionsOf(raw.db())
  let isFirst = true
  const collection = new Proxy<Collections[typeof name]>(collections[name], {
    get(target, key) {
      const found = Reflect.get(target, key)
      if (typeof found !== 'function') return found
      if (key !== method) return found.bind(target)
      return async (...args: unknown[]) => {
        const mustWait = isFirst
        isFirst = false
        if (mustWait) await meanwhile()
        return found.apply(target, args)
      }
    },
  })
  return openConversations({ ...collections, [name]: collection }, {}) as unknown as Storage
}

/** Stores a message like a process that dies between its two writes. */
async function leaveBehind(message: string, nonce: string, key: { keyHash?: string } = {}): Promise<void> {
  const { messages } = collectionsOf(raw.db())
  const [last] = await messages.find({ clientId: VISITOR }).sort({ seq: -1 }).limit(1).toArray()
  if (last === undefined) throw new Error('The conversation has no message.')
  await messages.insertOne({
    ...last,
    _id: nonce.padEnd(24, '0').slice(0, 24),
    seq: last.seq + 1,
    message,
    nonce,
    visitorCount: last.visitorCount + 1,
    waitingSince: last.waitingSince ?? last.createdAt,
    ...key,
  })
}

describeOnEachMongo('conversations on MongoDB', (freshUrl) => {
  beforeEach(async () => {
    url = freshUrl()
    raw = await connectRaw(url)
    here = (await openStores(url)).storage
    there = (await openStores(url)).storage
  })
  afterEach(async () => {
    await Promise.all([here.close(), there.close(), raw.close()])
  })

  describe('a job', () => {
    const job = (data: unknown) => ({ key: 'alert', kind: 'test', clientId: VISITOR, dueAt: T0, data })
    const due = () => here.jobs.claim({ now: T0, leaseUntil: T0 + 1, limits: { test: 10 } })

    /** Like a process that dies behind the new epoch. */
    async function dieWhileErasing({ conversations }: Collections): Promise<void> {
      const { epoch } = (await conversations.findOne({ _id: VISITOR })) ?? {}
      const erased = { epoch: 'a-new-epoch', erasedEpochs: [epoch ?? ''], erasedAt: T0 }
      await conversations.updateOne({ _id: VISITOR }, { $set: { ...erased, seq: 0 } })
    }

    it('of the next history stays when the sweep removes an erased one', async () => {
      const collections = collectionsOf(raw.db())
      await say(here, 'old', { job: job('old') })
      await dieWhileErasing(collections)
      expect(await say(there, 'new', { job: job('new') })).toMatchObject({ message: { seq: 1 } })
      await openConversations(collections, {}).sweep()
      expect(await due()).toMatchObject([{ key: 'alert', data: 'new', revision: 0 }])
    })

    it('of a reply stays when its process dies behind the message', async () => {
      await say(here, 'question')
      const dying = interrupted('conversations', 'findOneAndUpdate', async () => {
        throw new Error('killed')
      })
      await expect(say(dying, 'reply', { senderId: 'a'.repeat(24), job: job('mail') })).rejects.toThrow(
        'killed',
      )
      expect(await whole(there)).toHaveLength(2)
      expect(await due()).toMatchObject([{ key: 'alert', data: 'mail' }])
    })

    it('of an erased history is removed by the sweep', async () => {
      const collections = collectionsOf(raw.db())
      await say(here, 'old', { job: job('old') })
      await here.jobs.schedule({ ...job('later'), key: 'mail' })
      await dieWhileErasing(collections)
      await openConversations(collections, {}).sweep()
      expect(await due()).toEqual([])
    })
  })

  it('leaves what another process erases to it, for the figures', async () => {
    const { conversations, messages, activity, ...others } = collectionsOf(raw.db())
    const at = Date.now()
    await say(here, 'old', { at })
    const note = {
      clientId: VISITOR,
      nonce: 'nonce-of-note',
      by: 'a'.repeat(24),
      text: 'note',
      mentions: [],
      at,
    }
    await here.inbox.addNote(note)
    const { epoch } = (await conversations.findOne({ _id: VISITOR })) ?? {}
    const erased = { epoch: 'a-new-epoch', erasedEpochs: [epoch ?? ''], seq: 0 }
    await conversations.updateOne({ _id: VISITOR }, { $set: erased })
    const none = async () => null
    const steps = { newestDurable: none, project: none, move: none, store: none, removeErased: none } as never
    const rows = async () => [await messages.countDocuments(), await activity.countDocuments()]
    await sweep({ conversations, messages, activity, ...others }, {}, steps)
    expect(await rows()).toEqual([1, 1])
    await conversations.updateOne({ _id: VISITOR }, { $unset: { erasedEpochs: '' } })
    await sweep({ conversations, messages, activity, ...others }, {}, steps)
    expect(await rows()).toEqual([0, 0])
  })

  it('leaves its log to an erase that another process begins while entries are moved', async () => {
    const collections = collectionsOf(raw.db())
    const { conversations, messages, activity } = collections
    const { move } = openActivityLog(
      collections,
      {},
      {} as never,
      () => ({}),
      () => {},
    )
    await say(here, 'old')
    const note = { nonce: 'nonce-of-note', by: 'a'.repeat(24), text: 'note', mentions: [], at: T0 }
    await here.inbox.addNote({ ...note, clientId: VISITOR })
    const found = (await conversations.findOne({ _id: VISITOR })) as ConversationDoc
    const pending = { ...found, pendingActivity: await activity.find({}).toArray() }
    const erased = { epoch: 'a-new-epoch', erasedEpochs: [found.epoch], seq: 0 }
    await conversations.updateOne({ _id: VISITOR }, { $set: erased })
    await move(pending)
    expect(await activity.countDocuments()).toBe(1)
    // The erase keeps the figures before it removes the messages, and removes the log after them.
    await messages.deleteMany({})
    await move(pending)
    expect(await activity.countDocuments()).toBe(0)
  })

  describe('two processes on one MongoDB', () => {
    it('sweeps current messages even if the newest is dated a year ahead', async () => {
      const { sweep } = openConversations(collectionsOf(raw.db()), {})
      const now = Date.now()
      await say(here, 'from a wrong clock', {
        clientId: 'Visitor0000000000002',
        senderId: 'Visitor0000000000002',
        at: now + 365 * 24 * 3_600_000,
      })
      await say(here, 'today', { at: now })
      await leaveBehind('left behind', 'left-by-a-process')
      expect(await sweep()).toBe(1)
      const { conversations } = await here.conversations.list({ limit: 10 })
      expect(conversations.map(({ lastMessage }) => lastMessage.message)).toContain('left behind')
    })

    it('number the messages of one conversation without gaps', async () => {
      const texts = Array.from({ length: 16 }, (_, index) => `m${index}`)
      const results = await Promise.all(texts.map((text, index) => say(index % 2 ? here : there, text)))
      expect(results.every(({ outcome }) => outcome === 'stored')).toBe(true)
      const page = (await whole(here)) ?? []
      expect(page.map(([seq]) => seq)).toEqual(texts.map((_, index) => index + 1))
      expect(page.map(([, text]) => text).sort()).toEqual([...texts].sort())
      expect(await there.conversations.find(VISITOR)).toMatchObject({ seq: 16, adminUnread: 16 })
      expect(await there.conversations.totalAdminUnread()).toBe(16)
    })

    it('store a message that the server gave up for a concurrent one', async () => {
      await say(there, 'first')
      const conflict = new MongoServerError({ message: 'deadlock detected', code: 112 })
      const slow = interrupted('messages', 'insertOne', () => Promise.reject(conflict))
      expect(await say(slow, 'second')).toMatchObject({ outcome: 'stored', message: { seq: 2 } })
      expect(await whole(here)).toEqual([
        [1, 'first'],
        [2, 'second'],
      ])
    })

    it('store a message once that both receive', async () => {
      const nonce = 'sent-to-both'
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) => say(index % 2 ? here : there, 'once', { nonce })),
      )
      expect(results.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1)
      expect(results.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(9)
      expect(await whole(there)).toEqual([[1, 'once']])
    })

    it('count unread messages correctly while one writes and the other reads', async () => {
      await say(here, 'first')
      const reading = (async () => {
        for (let seq = 1; seq <= 12; seq++) await there.conversations.markRead(VISITOR, 'admin', seq)
      })()
      for (let index = 0; index < 11; index++) await say(here, `m${index}`)
      await reading
      const state = await here.conversations.find(VISITOR)
      expect(state).toMatchObject({ seq: 12 })
      expect(state?.adminUnread).toBe(12 - (state?.read.admin ?? 0))
      expect(await here.conversations.totalAdminUnread()).toBe(state?.adminUnread)
      expect(await there.conversations.markRead(VISITOR, 'admin', 12)).toMatchObject({ adminUnread: 0 })
    })

    it('use the new epoch after one erases the history', async () => {
      const first = await say(here, 'old')
      await say(there, 'old too')
      await there.conversations.erase(VISITOR)
      const old = 'message' in first ? first.message.epoch : ''
      expect(await say(here, 'for the old one', { epoch: old })).toEqual({ outcome: 'stale-epoch' })
      expect(await say(here, 'new')).toMatchObject({ outcome: 'stored', message: { seq: 1 } })
      expect(await say(there, 'new too')).toMatchObject({ outcome: 'stored', message: { seq: 2 } })
      expect(await whole(there)).toEqual([
        [1, 'new'],
        [2, 'new too'],
      ])
      expect(await here.conversations.totalAdminUnread()).toBe(2)
    })

    it('lose only erased messages when one writes and the other erases', async () => {
      await say(here, 'before')
      const [results] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, (_, index) => say(here, `m${index}`))),
        there.conversations.erase(VISITOR),
      ])
      expect(results.every(({ outcome }) => outcome === 'stored')).toBe(true)
      const page = (await whole(there)) ?? []
      expect(page.map(([seq]) => seq)).toEqual(page.map((_, index) => index + 1))
      expect(await here.conversations.find(VISITOR)).toMatchObject({
        seq: page.length,
        adminUnread: page.length,
      })
      // The collection has nothing of the old history.
      expect(await collectionsOf(raw.db()).messages.countDocuments({ clientId: VISITOR })).toBe(page.length)
    })
  })

  describe('a process that is overtaken between two of its steps', () => {
    it('takes the next seq when another has taken its own', async () => {
      const slow = interrupted('messages', 'insertOne', () => say(there, 'faster'))
      expect(await say(slow, 'slower')).toMatchObject({ outcome: 'stored', message: { seq: 2 } })
      expect(await whole(here)).toEqual([
        [1, 'faster'],
        [2, 'slower'],
      ])
    })

    it('leaves the list at the newest message when another has moved it', async () => {
      const slow = interrupted('conversations', 'findOneAndUpdate', () => say(there, 'after it'))
      expect(await say(slow, 'first')).toMatchObject({ outcome: 'stored', message: { seq: 1 } })
      const { conversations } = await here.conversations.list({ limit: 10 })
      expect(conversations).toMatchObject([{ adminUnread: 2, lastMessage: { message: 'after it' } }])
    })

    it('does not count a message as read that arrives while it marks others', async () => {
      await say(here, 'seen')
      const slow = interrupted('conversations', 'findOneAndUpdate', () => say(there, 'not seen'))
      expect(await slow.conversations.markRead(VISITOR, 'admin', 1)).toMatchObject({ adminUnread: 1 })
      expect(await here.conversations.totalAdminUnread()).toBe(1)
    })

    it('does not move back a mark that another has moved further', async () => {
      for (const text of ['one', 'two', 'three']) await say(here, text)
      const slow = interrupted('conversations', 'findOneAndUpdate', () =>
        there.conversations.markRead(VISITOR, 'admin', 3),
      )
      expect(await slow.conversations.markRead(VISITOR, 'admin', 1)).toMatchObject({
        moved: false,
        adminUnread: 0,
        read: { admin: 3 },
      })
    })

    it.each([
      ['before it writes', 'messages', 'insertOne'],
      ['once it has written', 'conversations', 'findOneAndUpdate'],
    ] as const)(
      'writes into the new history when another erases the old one %s',
      async (_when, name, method) => {
        await say(here, 'old')
        const slow = interrupted(name, method, async () => {
          await there.conversations.erase(VISITOR)
          await say(there, 'new')
        })
        expect(await say(slow, 'late')).toMatchObject({ outcome: 'stored', message: { seq: 2 } })
        expect(await whole(here)).toEqual([
          [1, 'new'],
          [2, 'late'],
        ])
        expect(await here.conversations.totalAdminUnread()).toBe(2)
        expect(await collectionsOf(raw.db()).messages.countDocuments({ clientId: VISITOR })).toBe(2)
      },
    )
  })

  describe('a message whose process died before it moved the projection', () => {
    beforeEach(async () => {
      await say(here, 'first')
      await leaveBehind('second', 'left-behind')
    })

    it('is on the page at once', async () => {
      expect(await whole(there)).toEqual([
        [1, 'first'],
        [2, 'second'],
      ])
      expect(await there.messages.page(VISITOR, { limit: 10 })).toMatchObject({ seq: 2 })
      expect((await there.messages.page(VISITOR, { limit: 10, after: 1 }))?.messages).toHaveLength(1)
      // The seq does not go back for a client that has the message.
      expect(await there.messages.page(VISITOR, { limit: 10, after: 2 })).toMatchObject({
        seq: 2,
        messages: [],
      })
      expect(await there.messages.page(VISITOR, { limit: 10, after: 9 })).toMatchObject({ seq: 2 })
      expect(await there.messages.page(VISITOR, { limit: 10, before: 2 })).toMatchObject({ seq: 2 })
      expect(await there.messages.page(VISITOR, { limit: 1, after: 0 })).toMatchObject({ seq: 2, more: true })
      expect(await there.conversations.totalAdminUnread()).toBe(1)
    })

    it('counts after a retry of its sender', async () => {
      expect(await say(there, 'second', { nonce: 'left-behind' })).toMatchObject({
        outcome: 'repeated',
        message: { seq: 2 },
        state: { seq: 2, adminUnread: 2 },
      })
      expect(await here.conversations.totalAdminUnread()).toBe(2)
    })

    it('counts after the next message', async () => {
      expect(await say(here, 'third')).toMatchObject({
        message: { seq: 3 },
        state: { seq: 3, adminUnread: 3 },
      })
      expect(await there.conversations.totalAdminUnread()).toBe(3)
    })

    it('can be marked as read', async () => {
      expect(await there.conversations.markRead(VISITOR, 'admin', 2)).toMatchObject({
        moved: true,
        adminUnread: 0,
        read: { admin: 2 },
      })
    })

    it('counts after the start of a process', async () => {
      const next = (await openStores(url)).storage
      await expect.poll(() => next.conversations.totalAdminUnread(), { timeout: 20_000 }).toBe(2)
      const { conversations } = await next.conversations.list({ limit: 10 })
      expect(conversations).toMatchObject([{ adminUnread: 2, lastMessage: { message: 'second' } }])
      await next.close()
    })
  })

  describe('a visitor key', () => {
    const KEY = { keyHash: 'hash-of-the-key' }
    const wrong = { outcome: 'wrong-key' }

    it('is required by a process that cached the conversation without one', async () => {
      await say(there, 'open')
      await say(here, 'keyed', KEY)
      expect(await say(there, 'too late')).toEqual(wrong)
      expect(await say(there, 'right', KEY)).toMatchObject({ outcome: 'stored', keyAdded: false })
      expect(await whole(here)).toEqual([
        [1, 'open'],
        [2, 'keyed'],
        [3, 'right'],
      ])
    })

    it.each([
      ['the first message', false],
      ['a later one', true],
    ])('refuses %s without one that is being written', async (_, isLater) => {
      if (isLater) await say(there, 'open')
      const slow = interrupted('messages', 'insertOne', () => say(there, 'keyed', KEY))
      expect(await say(slow, 'too late')).toEqual(wrong)
      expect((await whole(here))?.map(([, text]) => text)).toEqual(isLater ? ['open', 'keyed'] : ['keyed'])
    })

    it('takes the next seq after a concurrent message without one', async () => {
      const slow = interrupted('messages', 'insertOne', () => say(there, 'open'))
      expect(await say(slow, 'keyed', KEY)).toMatchObject({ keyAdded: true, message: { seq: 2 } })
      expect(await say(there, 'too late')).toEqual(wrong)
    })

    it.each(['open', 'first'])('is required from the insert on: %s', async (before) => {
      const insights: unknown[] = []
      if (before === 'open') await say(here, 'open')
      // Between the insert of the message and the move of the conversation.
      const slow = interrupted('conversations', 'findOneAndUpdate', async () => {
        const queries = [{}, { after: 0 }, { after: 1 }, { before: 2 }, { after: 0, limit: 1 }, { limit: 1 }]
        for (const query of queries) {
          insights.push(await there.messages.page(VISITOR, { limit: 10, ...query, keyHash: null }))
        }
        insights.push(await there.conversations.markRead(VISITOR, 'visitor', 2, 'wrong'))
        insights.push(await there.conversations.find(VISITOR))
        expect(await say(there, 'too late')).toEqual(wrong)
      })
      expect(await say(slow, 'keyed', KEY)).toMatchObject({ keyAdded: true })
      for (const insight of insights) {
        const { messages = [], ...rest } = insight as { messages?: unknown[] }
        expect(messages).toEqual([])
        // A page that ends before the keyed message was read before it.
        expect(rest).toMatchObject({ keyHashes: [KEY.keyHash] })
        expect(rest).not.toMatchObject({ moved: true })
      }
    })

    it('is repaired after a process died behind the insert, and outlives an erased history', async () => {
      await say(here, 'open')
      await leaveBehind('keyed', 'nonce-left', KEY)
      expect(await say(here, 'keyed', { nonce: 'nonce-left' })).toEqual(wrong)
      const { conversations } = collectionsOf(raw.db())
      expect(await conversations.findOne({ _id: VISITOR })).not.toHaveProperty('keyHash')
      await here.conversations.erase(VISITOR)
      expect(await conversations.findOne({ _id: VISITOR })).toMatchObject({ ...KEY, seq: 0 })
      expect(await say(there, 'too late')).toEqual(wrong)
    })

    it('prevents a concurrent erase by a visitor without one', async () => {
      await say(there, 'open')
      const slow = interrupted('conversations', 'updateOne', () => say(there, 'keyed', KEY))
      expect(await slow.conversations.erase(VISITOR, { keyHash: null })).toBe(false)
      expect(await whole(here)).toHaveLength(2)
    })

    it('is moved by the sweep', async () => {
      await say(here, 'open')
      await leaveBehind('keyed', 'nonce-left', KEY)
      const collections = collectionsOf(raw.db())
      expect(await openConversations(collections, {}).sweep()).toBe(1)
      expect(await collections.conversations.findOne({ _id: VISITOR })).toMatchObject(KEY)
    })

    it('costs no read per message beside that of a block', async () => {
      const reads: string[] = []
      const collections = collectionsOf(raw.db())
      const counted = new Proxy(collections.conversations, {
        get(target, key) {
          const found = Reflect.get(target, key)
          if (typeof found !== 'function') return found
          return (...args: unknown[]) => {
            reads.push(String(key))
            return found.apply(target, args)
          }
        },
      })
      const { messages } = openConversations({ ...collections, conversations: counted }, {})
      const send = (nonce: string) =>
        messages.append({ clientId: VISITOR, senderId: VISITOR, message: 'hi', nonce, at: T0, ...KEY })
      await send('nonce-first')
      reads.length = 0
      await send('nonce-second')
      expect(reads).toEqual(['findOne', 'findOneAndUpdate'])
    })
  })
})
