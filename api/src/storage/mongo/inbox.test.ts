import { MongoClient } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  connectRaw,
  describeOnEachMongo,
  NO_COMMANDS,
  openStores,
  type RawMongo,
} from '../../../test/mongo-stores.ts'
import { FOREVER } from '../model/conversation/blocks-and-ratings.ts'
import { changeByMessage, type InboxChange } from '../model/conversation/inbox-changes.ts'
import type { Storage } from '../model/storage.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { openConversations } from './conversations.ts'
import { rememberLarge } from './inbox.ts'

const VISITOR = 'Visitor0000000000001'
const ADMIN = 'a'.repeat(24)
const OTHER_ADMIN = 'b'.repeat(24)
const T0 = Date.UTC(2026, 0, 1)
const LATER = T0 + 90 * 24 * 3_600_000

type Node = Pick<Storage, 'messages' | 'conversations' | 'inbox' | 'visitors'> & {
  sweep: () => Promise<number>
}

/** The same store, opened twice as by two processes. */
let here: Node
let there: Node
let url: string
let raw: RawMongo
let stored: Collections
let close: () => Promise<unknown>

let count = 0
const unique = () => `nonce-${++count}-xxxx`
const say = (
  node: Node,
  message: string,
  options: Partial<Parameters<Storage['messages']['append']>[0]> = {},
) => {
  const { clientId = VISITOR } = options
  const at = T0 + ++count
  return node.messages.append({ clientId, senderId: clientId, message, nonce: unique(), at, ...options })
}
const change = (node: Node, what: InboxChange, options = {}) =>
  node.inbox.change(VISITOR, what, { by: ADMIN, at: T0 + ++count, ...options })
const note = (node: Node, text: string, nonce = unique()) =>
  node.inbox.addNote({ clientId: VISITOR, nonce, by: ADMIN, text, mentions: [], at: T0 + ++count })
const documentOf = async (clientId = VISITOR) => {
  const found = await stored.conversations.findOne({ _id: clientId })
  if (found === null) throw new Error('There is no conversation.')
  return found
}
const logOf = (node: Node) => node.inbox.activity(VISITOR, { limit: 1_000 })

const WRITES = ['insertOne', 'insertMany', 'updateOne', 'findOneAndUpdate', 'deleteOne', 'deleteMany']

/** The collections of a process. `before` runs before each call, and `after` once a write is done. */
function watched(
  before: (collection: string, method: string) => void | Promise<void>,
  after: () => void = () => {},
): Collections {
  const collections = Object.entries(stored).map(([name, collection]) => [
    name,
    new Proxy(collection, {
      get(target, key) {
        const found = Reflect.get(target, key)
        if (typeof found !== 'function') return found
        if (!WRITES.includes(String(key)) && key !== 'findOne') return found.bind(target)
        return async (...args: unknown[]) => {
          await before(name, String(key))
          const result = await found.apply(target, args)
          if (key !== 'findOne') after()
          return result
        }
      },
    }),
  ])
  return Object.fromEntries(collections)
}

/** A process that dies after this many writes: its last write is stored, and nothing follows. */
function dying(writes: number): { node: Node; isDead: () => boolean } {
  let left = writes
  const dieAtZero = () => {
    if (left === 0) throw new Error('died')
  }
  const collections = watched(dieAtZero, () => {
    left -= 1
    dieAtZero()
  })
  return { node: openConversations(collections, {}), isDead: () => left === 0 }
}

/** A process in which `meanwhile` happens once, before its first such call. */
function interrupted(collection: string, method: string, meanwhile: () => Promise<unknown>): Node {
  let isDone = false
  return openConversations(
    watched(async (name, key) => {
      if (isDone || name !== collection || key !== method) return
      isDone = true
      await meanwhile()
    }),
    {},
  )
}

/** What must hold whenever no message is behind the projection. */
async function expectConsistent(): Promise<void> {
  const found = await documentOf()
  const { activity, n } = await logOf(there)
  expect(activity.map((entry) => entry.n)).toEqual(Array.from({ length: n }, (_, index) => index + 1))
  const afterSeqs = activity.map(({ afterSeq }) => afterSeq)
  expect(afterSeqs).toEqual([...afterSeqs].sort((a, b) => a - b))
  // Each change of these tests has one entry.
  const changes = activity.filter(({ kind }) => kind === 'status' || kind === 'assignee')
  expect(found.version).toBe(changes.length)
  const to = (kind: string) =>
    (changes.findLast((entry) => entry.kind === kind)?.data as { to: string } | undefined)?.to
  expect(found.status).toBe(to('status') ?? 'open')
  expect(found.assigneeId).toBe(to('assignee') ?? null)
  for (const [index, entry] of changes.entries()) {
    const previous = changes.slice(0, index).findLast(({ kind }) => kind === entry.kind)
    const from =
      (previous?.data as { to: string } | undefined)?.to ?? (entry.kind === 'status' ? 'open' : null)
    expect(entry.data).toMatchObject({ from })
  }
  const messages = await stored.messages
    .find({ clientId: VISITOR, epoch: found.epoch })
    .sort({ seq: 1 })
    .toArray()
  expect(found.seq).toBe(messages.length)
  const statuses = changes.filter(({ kind }) => kind === 'status')
  // An admin who reopens undoes the resolve.
  const decisive = statuses.findLast(({ by, data }) => {
    const { from, to } = data as { from: string; to: string }
    return to === 'resolved' || (from === 'resolved' && by !== null)
  })
  const isResolve = (decisive?.data as { to: string } | undefined)?.to === 'resolved'
  const resolved = isResolve ? (decisive?.afterSeq ?? 0) : 0
  expect(found.settledSeq).toBe(resolved)
  const answered = messages.findLast(({ senderId }) => senderId !== VISITOR)?.seq ?? 0
  const waits = messages.find(({ seq }) => seq > Math.max(answered, resolved))
  expect(found.waitingSince).toBe(waits?.createdAt ?? null)
  if (messages.some(({ seq, senderId }) => senderId === VISITOR && seq > resolved)) {
    expect(found.status).not.toBe('resolved')
  }
}

describeOnEachMongo('the inbox on MongoDB', (freshUrl, isMemory) => {
  beforeEach(async () => {
    url = freshUrl()
    raw = await connectRaw(url)
    const first = (await openStores(url)).storage
    stored = collectionsOf(raw.db())
    here = openConversations(stored, {})
    there = openConversations(stored, {})
    close = () => Promise.all([first.close(), raw.close()])
  })
  afterEach(() => close())

  describe('a process that dies', () => {
    const nonce = 'nonce-of-the-operation'
    const operations: Record<string, (node: Node) => Promise<unknown>> = {
      'reopening for a message': (node) => say(node, 'again', { nonce }),
      'assigning for a message': (node) => say(node, 'answer', { nonce, senderId: OTHER_ADMIN }),
      'snoozing with a message': (node) =>
        say(node, 'later', {
          nonce,
          senderId: OTHER_ADMIN,
          then: { status: 'snoozed', snoozedUntil: LATER },
        }),
      'storing a change': (node) => change(node, { status: 'open' }),
      'storing a note': (node) => note(node, 'a note', nonce),
    }
    const recoveries: Record<string, (operation: (node: Node) => Promise<unknown>) => Promise<unknown>> = {
      'the same again': (operation) => operation(there),
      'a message of the visitor': () => say(there, 'and again'),
      'a message of an admin': () => say(there, 'another answer', { senderId: OTHER_ADMIN }),
      'another change': () => change(there, { status: 'resolved' }),
      'another note': () => note(there, 'another note'),
      'the sweep': () => there.sweep(),
    }
    for (const [what, operation] of Object.entries(operations)) {
      it(`while it is ${what} leaves nothing half done`, async () => {
        for (const [how, recover] of Object.entries(recoveries)) {
          for (let writes = 0; ; writes += 1) {
            await here.conversations.erase(VISITOR)
            await say(here, 'hello')
            await say(here, 'hello?')
            await change(here, { status: 'resolved' })
            const { node, isDead } = dying(writes)
            await operation(node).catch(() => {})
            const point = `${how} after ${writes} writes`
            const seen = await logOf(there)
            expect(
              seen.activity.map(({ n }) => n),
              point,
            ).toEqual(seen.activity.map((_, index) => index + 1))
            await recover(operation)
            const message = await stored.messages.findOne({ clientId: VISITOR, nonce })
            if (message !== null && (await documentOf()).seq < message.seq) await there.sweep()
            await expectConsistent().catch((error) => {
              throw new Error(`${point}: ${(error as Error).message}`, { cause: error })
            })
            // Nothing is done again.
            const before = await documentOf()
            expect(before.seq, point).toBe(await stored.messages.countDocuments({ clientId: VISITOR }))
            await there.sweep()
            const { pendingActivity: _, pendingFrom: __, ...rest } = before
            expect(await documentOf(), point).toEqual(rest)
            const { activity } = await logOf(there)
            expect(await stored.activity.countDocuments({ clientId: VISITOR }), point).toBe(activity.length)
            expect(
              activity.filter(({ data }) => 'text' in data && data.text === 'a note').length,
            ).toBeLessThan(2)
            if (!isDead()) break
          }
        }
      })
    }

    it('while it corrects a message leaves the earlier words or the new ones, everywhere the same', async () => {
      const correct = (node: Node, message: string, nonce: string, seq = 2) =>
        node.inbox.edit({ clientId: VISITOR, seq, nonce, by: ADMIN, message, at: T0 + ++count })
      const ways: Record<string, (() => Promise<unknown>) | null> = {
        nothing: null,
        'the same again': () => correct(there, 'first', 'edit-first'),
        'another correction': () => correct(there, 'second', 'edit-second'),
        'a correction of another message': async () => {
          await say(there, 'and', { senderId: ADMIN })
          await correct(there, 'and this', 'edit-third', 3)
        },
        'the sweep': () => there.sweep(),
      }
      for (const [how, recover] of Object.entries(ways)) {
        for (let writes = 0; ; writes += 1) {
          await here.conversations.erase(VISITOR)
          await say(here, 'hello?')
          await say(here, 'helo', { senderId: ADMIN })
          const { node, isDead } = dying(writes)
          await correct(node, 'first', 'edit-first').catch(() => {})
          await recover?.()
          const point = `${how} after ${writes} writes`
          const { activity } = await logOf(there)
          const entries = activity.filter(({ kind }) => kind === 'edit')
          expect(
            entries.map(({ data }) => (data as { edit: number }).edit),
            point,
          ).toEqual(entries.map((_, index) => index + 1))
          const page = await there.messages.page(VISITOR, { after: 0, limit: 10, edits: 0 })
          const found = page?.messages.map(({ message, edit }) => ({ message, edit: edit ?? 0 })) ?? []
          const isStored = entries.some(({ data }) => (data as { text: string }).text === 'helo')
          if (how === 'nothing') expect(found[1]?.message, point).toBe(isStored ? 'first' : 'helo')
          else if (how !== 'the sweep') expect(isStored || found.length === 3, point).toBe(true)
          expect(page?.edits, point).toBe(entries.length)
          expect(
            page?.corrected?.map(({ message }) => message),
            point,
          ).toEqual(found.filter(({ edit }) => edit > 0).map(({ message }) => message))
          const record = await there.conversations.record(VISITOR)
          expect(record?.lastMessage.message, point).toBe(found.at(-1)?.message)
          // The words of the first correction stay when another message is corrected.
          if (isStored && how === 'a correction of another message') {
            expect(found.map(({ message }) => message)).toEqual(['hello?', 'first', 'and this'])
          }
          await there.sweep()
          expect(await documentOf()).not.toHaveProperty('pendingEdit')
          expect((await there.messages.page(VISITOR, { after: 0, limit: 10, edits: 0 }))?.corrected).toEqual(
            page?.corrected,
          )
          if (!isDead()) break
        }
      }
    })

    it('while it erases leaves no word in sight, and the sweep removes them', async () => {
      for (let writes = 1; ; writes += 1) {
        await say(here, 'secret words')
        await here.visitors.update(VISITOR, { name: 'secret words' }, { by: ADMIN, at: T0 })
        await change(here, { status: 'resolved', labels: ['secret words'] })
        await note(here, 'secret words')
        // An entry that is still pending.
        await stored.conversations.updateOne(
          { _id: VISITOR },
          {
            $set: {
              pendingActivity: await stored.activity.find({ n: 3 }).toArray(),
              pendingFrom: 3,
              pendingEdit: { epoch: 'e', seq: 1, edit: 1, message: 'secret words', at: T0 },
              pendingEditOf: 1,
            },
          },
        )
        const { epoch, activityN } = await documentOf()
        const { node, isDead } = dying(writes)
        await node.conversations.erase(VISITOR).catch(() => {})
        // It died while it moved the entry: nothing is erased.
        if ((await documentOf()).epoch === epoch) {
          expect((await logOf(there)).activity).toHaveLength(activityN ?? 0)
          await there.conversations.erase(VISITOR)
          continue
        }
        expect(await logOf(there)).toEqual({ activity: [], n: 0, more: false })
        expect((await there.messages.page(VISITOR, { limit: 10 }))?.messages).toEqual([])
        expect(await there.visitors.find(VISITOR)).toBeNull()
        expect(await there.inbox.labels(10)).toEqual([])
        expect(JSON.stringify(await documentOf())).not.toContain('secret')
        // A new history begins before the old one is removed.
        await say(there, 'new')
        await note(there, 'new')
        await there.sweep()
        for (const collection of [stored.messages, stored.activity, stored.conversations]) {
          expect(JSON.stringify(await collection.find({}).toArray())).not.toContain('secret')
        }
        expect(await stored.messages.countDocuments({})).toBe(1)
        expect(await stored.activity.countDocuments({})).toBe(1)
        expect(await documentOf()).not.toHaveProperty('erasedAt')
        if (!isDead()) break
      }
    })
  })

  describe('a process that is overtaken', () => {
    it('is not overtaken by itself', async () => {
      await say(here, 'hello')
      let updates = 0
      const count = (name: string, key: string) => {
        if (name === 'conversations' && key === 'findOneAndUpdate') updates += 1
      }
      const node = openConversations(watched(count), {})
      const notes = Array.from({ length: 10 }, (_, index) => note(node, `note ${index}`))
      const changes = Array.from({ length: 10 }, (_, index) => change(node, { labels: [`label ${index}`] }))
      const outcomes = (await Promise.all([...notes, ...changes])).map(({ outcome }) => outcome)
      expect(new Set(outcomes)).toEqual(new Set(['stored']))
      expect(updates).toBe(20)
    })

    it('applies many writes at once on two nodes', async () => {
      await say(here, 'hello')
      const writes = Array.from({ length: 24 }, (_, index) =>
        [here, there].map((node) => note(node, `note ${index}`)),
      )
      const outcomes = (await Promise.all(writes.flat())).map(({ outcome }) => outcome)
      expect(new Set(outcomes)).toEqual(new Set(['stored']))
      expect((await logOf(here)).activity).toHaveLength(48)
      await expectConsistent()
    })

    it('reopens once when messages arrive at two nodes', async () => {
      await say(here, 'hello')
      await change(here, { status: 'resolved' })
      const slow = interrupted('conversations', 'findOneAndUpdate', () => say(there, 'faster'))
      const results = await Promise.all([say(slow, 'slower'), say(here, 'more'), say(there, 'even more')])
      await expectConsistent()
      expect((await documentOf()).version).toBe(2)
      const changed = results.filter((each) => each.outcome === 'stored' && each.inboxChanged !== null)
      expect(changed.length).toBeLessThan(2)
    })

    it('resolves what it has seen, and not a message that arrives meanwhile', async () => {
      await say(here, 'hello')
      const slow = interrupted('conversations', 'findOneAndUpdate', () => say(there, 'wait'))
      expect(await change(slow, { status: 'resolved' }, { version: 0 })).toMatchObject({ outcome: 'stored' })
      await expectConsistent()
      const { settledSeq, seq } = await documentOf()
      expect(settledSeq).toBe(seq)
    })

    it('does not reopen for a message that was accepted just before the block', async () => {
      await say(here, 'hello')
      const slow = interrupted('messages', 'insertOne', () =>
        there.inbox.block(VISITOR, FOREVER, { by: ADMIN, at: T0 + ++count }),
      )
      expect(await say(slow, 'and another')).toMatchObject({ outcome: 'stored' })
      expect(await documentOf()).toMatchObject({ seq: 2, status: 'resolved', waitingSince: null })
      expect(await there.inbox.now(10)).toMatchObject({ waiting: 0 })
      await there.inbox.block(VISITOR, null, { by: ADMIN, at: T0 + ++count })
      const at = T0 + ++count
      await say(there, 'later', { at })
      expect(await documentOf()).toMatchObject({ status: 'open', waitingSince: at })
    })

    it('is told of a change that came first', async () => {
      await say(here, 'hello')
      const slow = interrupted('conversations', 'findOneAndUpdate', () =>
        change(there, { assigneeId: OTHER_ADMIN }),
      )
      expect(await change(slow, { assigneeId: ADMIN }, { version: 0 })).toMatchObject({
        outcome: 'stale',
        conversation: { inbox: { assigneeId: OTHER_ADMIN, version: 1 } },
      })
      await expectConsistent()
    })

    it('stores a note once that two nodes receive', async () => {
      await say(here, 'hello')
      const nonce = unique()
      const slow = interrupted('conversations', 'findOneAndUpdate', () => note(there, 'once', nonce))
      expect(await note(slow, 'once', nonce)).toMatchObject({ outcome: 'repeated', activity: { n: 1 } })
      expect((await logOf(here)).n).toBe(1)
      // Also when the first is found in neither place: it is being moved.
      const moving = interrupted('activity', 'findOne', () => there.sweep())
      expect(await note(moving, 'once', nonce)).toMatchObject({ outcome: 'repeated' })
    })

    it('leaves nothing when it moves entries of a history that is erased meanwhile', async () => {
      await say(here, 'hello')
      const slow = interrupted('activity', 'insertOne', () => there.conversations.erase(VISITOR))
      await note(slow, 'secret')
      expect(await stored.activity.countDocuments({})).toBe(0)
      expect(await logOf(there)).toMatchObject({ n: 0 })
    })

    it('keeps the messages of a history that begins while an older one is removed', async () => {
      await say(here, 'old')
      const slow = interrupted('messages', 'deleteMany', async () => {
        await there.conversations.erase(VISITOR)
        await say(there, 'new')
      })
      await slow.conversations.erase(VISITOR)
      const page = await there.messages.page(VISITOR, { limit: 10 })
      expect(page?.messages.map(({ message }) => message)).toEqual(['new'])
      expect(await stored.messages.countDocuments({})).toBe(1)
    })
  })

  it('does not assign again after an admin has declined what a dead process left', async () => {
    await say(here, 'hello')
    await say(dying(1).node, 'answer', { senderId: OTHER_ADMIN }).catch(() => {})
    expect((await documentOf()).seq).toBe(1)
    expect(await change(there, { assigneeId: null })).toMatchObject({
      outcome: 'stored',
      conversation: { inbox: { assigneeId: null, version: 2 } },
    })
    await there.sweep()
    await say(there, 'thanks')
    expect(await documentOf()).toMatchObject({ assigneeId: null, version: 2 })
    await expectConsistent()
  })

  it('gives the status of a message that a dead process left, once and behind that message', async () => {
    await say(here, 'hello')
    const nonce = 'nonce-of-the-answer'
    const bye = { nonce, senderId: OTHER_ADMIN, then: { status: 'resolved', snoozedUntil: null } } as const
    await say(dying(1).node, 'bye', bye).catch(() => {})
    expect((await documentOf()).seq).toBe(1)
    await say(there, 'thanks')
    await say(there, 'bye', bye)
    expect(await documentOf()).toMatchObject({ status: 'open', version: 3, settledSeq: 2 })
    expect((await logOf(there)).activity).toMatchObject([
      { kind: 'assignee', by: OTHER_ADMIN, afterSeq: 2 },
      { kind: 'status', by: OTHER_ADMIN, afterSeq: 2, data: { to: 'resolved' } },
      { kind: 'status', by: null, afterSeq: 3, data: { to: 'open' } },
    ])
    await expectConsistent()
  })

  it('resolves with the messages that a dead process left', async () => {
    await say(here, 'hello')
    await say(dying(1).node, 'seen on the page').catch(() => {})
    expect(await change(there, { status: 'resolved' })).toMatchObject({ outcome: 'stored' })
    await there.sweep()
    expect(await documentOf()).toMatchObject({ status: 'resolved', settledSeq: 2, waitingSince: null })
    await expectConsistent()
  })

  it('ends the wait of a visitor whom a node of an older release blocked', async () => {
    await say(here, 'hello')
    await stored.conversations.updateOne({ _id: VISITOR }, { $set: { blockedUntil: FOREVER } })
    await there.sweep()
    expect(await there.inbox.now(10)).toMatchObject({ open: 1, waiting: 0 })
  })

  it('reads documents of an older release as open, and changes them', async () => {
    await say(here, 'hello')
    await stored.conversations.updateMany(
      {},
      {
        $unset: Object.fromEntries(
          ['status', 'snoozedUntil', 'assigneeId', 'labels', 'version', 'settledSeq', 'activityN'].map(
            (field) => [field, ''],
          ),
        ),
      },
    )
    const inbox = { status: 'open', snoozedUntil: null, assigneeId: null, labels: [], version: 0 }
    for (const filter of [{}, { statuses: ['open'] }, { assigneeId: null }] as const) {
      expect((await there.conversations.list({ limit: 5, filter })).conversations).toMatchObject([{ inbox }])
    }
    expect(await there.inbox.counts(ADMIN, T0)).toMatchObject({ open: 1, unassigned: 1, all: 1, resolved: 0 })
    await say(there, 'more')
    expect(await change(there, { status: 'resolved' }, { version: 0 })).toMatchObject({ outcome: 'stored' })
    await say(there, 'and more')
    expect(changeByMessage({ ...inbox, status: 'resolved' }, null)).not.toBeNull()
    expect((await logOf(there)).n).toBe(2)
  })

  it('reopens in the sweep what a node of an older release stored in a resolved conversation', async () => {
    await say(here, 'hello')
    await change(here, { status: 'resolved' })
    const { conversations } = await here.conversations.list({ limit: 1 })
    await say(here, 'again')
    const { status: _, ...rest } = await documentOf()
    await stored.conversations.updateOne(
      { _id: VISITOR },
      { $set: { status: 'resolved', version: 1, activityN: 1 } },
    )
    await stored.activity.deleteOne({ clientId: VISITOR, n: 2 })
    expect(conversations).toHaveLength(1)
    await there.sweep()
    expect(await documentOf()).toMatchObject({ status: 'open', version: 2, waitingSince: rest.waitingSince })
    expect((await logOf(there)).n).toBe(2)
  })

  it('counts exactly, also when the server estimates', async () => {
    await say(here, 'hello')
    await change(here, { status: 'resolved' })
    await say(here, 'other', { clientId: 'Visitor0000000000002', senderId: 'Visitor0000000000002' })
    const conversations = new Proxy(stored.conversations, {
      get(target, key) {
        // As after a crash of the server.
        if (key === 'estimatedDocumentCount') return async () => 40
        const found = Reflect.get(target, key)
        return typeof found === 'function' ? found.bind(target) : found
      },
    })
    const { inbox } = openConversations({ ...stored, conversations }, {})
    expect(await inbox.counts(ADMIN, T0)).toMatchObject({ open: 1, resolved: 1, all: 2 })
  })

  it('reads of the unread only what it lists, however many there are', async ({ skip }) => {
    skip(isMemory, NO_COMMANDS)
    for (let index = 10; index < 40; index++) {
      const clientId = `Visitor00000000000${index}`
      await say(here, 'hello', { clientId, senderId: clientId })
      if (index % 2 === 0) await say(here, 'an answer', { clientId, senderId: ADMIN })
    }
    const watching = await new MongoClient(url, { monitorCommands: true }).connect()
    let read = 0
    watching.on('commandSucceeded', ({ commandName, reply }) => {
      const { cursor } = reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } }
      if (['find', 'getMore'].includes(commandName)) {
        read += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length
      }
    })
    const { conversations } = openConversations(collectionsOf(watching.db()), {})
    const listed: string[] = []
    let after: Parameters<typeof conversations.list>[0]['after']
    do {
      const page = await conversations.list({ limit: 10, after, filter: { unread: true } })
      listed.push(...page.conversations.map(({ clientId }) => clientId))
      after = page.next ?? undefined
    } while (after !== undefined)
    await watching.close()
    expect(new Set(listed).size).toBe(30)
    // Each page reads one more, to know whether another follows.
    expect(read).toBeLessThanOrEqual(33)
  })
})

describe('a large count', () => {
  it.each([
    [49_999, 2],
    [50_000, 1],
  ])('of %i is taken %i times in two calls', async (found, times) => {
    let taken = 0
    const count = rememberLarge(async () => {
      taken += 1
      return found
    })
    expect([await count(), await count(), taken]).toEqual([found, found, times])
  })
})
