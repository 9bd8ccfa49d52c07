import { MESSAGE_MAX, PAGE_BYTES_MAX, SUMMARY_TEXT_MAX, VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Storage } from '../src/storage/storage.ts'

/** What every adapter must do. `open` opens the same store again after a close; `reset` empties it. */
export interface StorageUnderTest {
  open: () => Promise<Storage>
  reset: () => Promise<void>
  /** Titles of tests that what is below the adapter cannot pass, and why it cannot. */
  leftOut?: Readonly<Record<string, string>>
}

const VISITOR = 'Visitor0000000000001'
const OTHER = 'Visitor0000000000002'
const ADMIN = 'a'.repeat(24)
const T0 = Date.UTC(2026, 0, 1)

let count = 0
const nonce = () => `nonce-${++count}-xxxx`

export function describeStorage(name: string, { open, reset, leftOut = {} }: StorageUnderTest): void {
  describe(`${name} storage`, () => {
    let storage: Storage

    beforeEach(async ({ task, skip }) => {
      await reset()
      storage = await open()
      const reason = leftOut[task.name]
      if (reason !== undefined) skip(reason)
    })
    afterEach(() => storage.close())

    const say = (message: string, options: Partial<Parameters<Storage['messages']['append']>[0]> = {}) =>
      storage.messages.append({
        clientId: VISITOR,
        senderId: options.clientId ?? VISITOR,
        message,
        nonce: nonce(),
        at: T0,
        ...options,
      })
    const texts = async (
      query: { after?: number; before?: number; limit?: number } = {},
      clientId = VISITOR,
    ) => (await storage.messages.page(clientId, { limit: 200, ...query }))?.messages.map((m) => m.message)

    describe('append', () => {
      it('numbers messages 1, 2, 3 in each conversation', async () => {
        await say('one')
        await say('elsewhere', { clientId: OTHER })
        const second = await say('two', { senderId: ADMIN })
        expect(second).toMatchObject({ outcome: 'stored', message: { seq: 2, senderId: ADMIN } })
        expect(await texts()).toEqual(['one', 'two'])
        expect(await texts({}, OTHER)).toEqual(['elsewhere'])
      })

      it('answers the stored message for a repeated nonce', async () => {
        const first = await say('once', { nonce: 'the-same-nonce' })
        const again = await say('once', { nonce: 'the-same-nonce', at: T0 + 5_000 })
        expect(again.outcome).toBe('repeated')
        expect('message' in again && again.message).toEqual('message' in first && first.message)
        expect(await texts()).toEqual(['once'])
      })

      it('refuses a nonce that belongs to another text or sender', async () => {
        await say('mine', { nonce: 'the-same-nonce' })
        expect(await say('other', { nonce: 'the-same-nonce' })).toEqual({ outcome: 'nonce-taken' })
        expect(await say('mine', { nonce: 'the-same-nonce', senderId: ADMIN })).toEqual({
          outcome: 'nonce-taken',
        })
        expect(await texts()).toEqual(['mine'])
      })

      it('keeps nonces of different conversations apart', async () => {
        await say('a', { nonce: 'the-same-nonce' })
        const other = await say('b', { nonce: 'the-same-nonce', clientId: OTHER })
        expect(other.outcome).toBe('stored')
      })

      it('gives consecutive numbers without holes to concurrent calls, in call order', async () => {
        const texts30 = Array.from({ length: 30 }, (_, index) => `m${index}`)
        await Promise.all(texts30.map((text) => say(text)))
        const page = await storage.messages.page(VISITOR, { limit: 200 })
        expect(page?.messages.map((m) => m.message)).toEqual(texts30)
        expect(page?.messages.map((m) => m.seq)).toEqual(texts30.map((_, index) => index + 1))
      })

      it('stores one of many concurrent repetitions', async () => {
        const results = await Promise.all(
          Array.from({ length: 10 }, () => say('once', { nonce: 'the-same-nonce' })),
        )
        expect(results.filter((result) => result.outcome === 'stored')).toHaveLength(1)
        expect(results.filter((result) => result.outcome === 'repeated')).toHaveLength(9)
        expect(await texts()).toEqual(['once'])
      })

      it('never dates a message before its predecessor', async () => {
        await say('late', { at: T0 + 60_000 })
        const early = await say('clock went back', { at: T0 })
        expect(early).toMatchObject({ message: { createdAt: new Date(T0 + 60_000).toISOString() } })
      })

      it('dates messages by the clock again as soon as it has passed their predecessor', async () => {
        const ahead = T0 + 60_000
        const timeOf = async (at: number, clientId = VISITOR) => {
          const said = await say('x', { at, clientId })
          return 'message' in said ? Date.parse(said.message.createdAt) : null
        }
        await timeOf(ahead)
        expect(await timeOf(T0)).toBe(ahead)
        expect(await timeOf(T0, OTHER)).toBe(T0)
        expect(await timeOf(ahead + 1)).toBe(ahead + 1)
        await storage.conversations.erase(VISITOR)
        expect(await timeOf(T0)).toBe(T0)
      })

      it('stores no more of a visitor than may be, but repetitions and what admins write', async () => {
        const bounded = { visitorMessagesMax: 2 }
        await say('one', bounded)
        await say('of an admin', { senderId: ADMIN, ...bounded })
        const [second, third] = await Promise.all([
          say('two', { nonce: 'the-second-nonce', ...bounded }),
          say('three', bounded),
        ])
        expect(second).toMatchObject({ outcome: 'stored' })
        expect(third).toEqual({ outcome: 'full' })
        expect(await say('two', { nonce: 'the-second-nonce', ...bounded })).toMatchObject({
          outcome: 'repeated',
        })
        expect(await say('again an admin', { senderId: ADMIN, ...bounded })).toMatchObject({
          outcome: 'stored',
        })
        expect(await say('in another', { clientId: OTHER, ...bounded })).toMatchObject({ outcome: 'stored' })
        expect(await texts()).toEqual(['one', 'of an admin', 'two', 'again an admin'])
        await storage.conversations.erase(VISITOR)
        expect(await say('from the start', bounded)).toMatchObject({ outcome: 'stored' })
      })

      it('keeps every text as it was', async () => {
        const odd = [
          '汉字 and 😀',
          "'; DROP TABLE messages; --",
          '{"$gt":""}',
          'a\r\n\tb',
          'e\u0301 \u202Eabc',
        ]
        for (const text of odd) await say(text)
        expect(await texts()).toEqual(odd)
      })

      it('gives every message an id of 24 hex digits', async () => {
        const results = await Promise.all([say('a'), say('b')])
        const ids = results.map((result) => 'message' in result && result.message._id)
        expect(new Set(ids).size).toBe(2)
        for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/)
      })

      it('refuses an epoch that is not the conversation’s, and stores nothing', async () => {
        expect(await say('x', { epoch: 'of-another-life' })).toEqual({ outcome: 'stale-epoch' })
        const first = await say('one')
        const epoch = 'message' in first ? first.message.epoch : ''
        expect(await say('x', { epoch: 'of-another-life' })).toEqual({ outcome: 'stale-epoch' })
        expect(await say('two', { epoch })).toMatchObject({ outcome: 'stored', message: { epoch } })
        expect(await texts()).toEqual(['one', 'two'])
      })
    })

    describe('repairTimes', () => {
      const YEAR = 365 * 24 * 3_600_000
      const times = async () =>
        (await storage.messages.page(VISITOR, { limit: 9 }))?.messages.map((m) => Date.parse(m.createdAt))

      it('brings what is dated ahead back to now, so that what follows is dated by the clock', async () => {
        await say('before', { at: T0 })
        await say('an answer', { at: T0 + 1, senderId: ADMIN })
        await say('from a wrong clock', { at: T0 + YEAR })
        await say('and its answer', { at: T0 + 2, senderId: ADMIN })
        await say('waits', { at: T0 + 3 })
        await say('waits since before', { at: T0 + 10, clientId: OTHER })
        const post = { title: 'A', summary: 'A', img: '/a.svg', content: '<p>A</p>' }
        await storage.blogs.create({ ...post, slug: 'ahead', createdAt: T0 + YEAR })
        await storage.blogs.create({ ...post, slug: 'today', createdAt: T0 + 50 })
        await storage.reviews.create({ name: 'A', time: 'May', star: 5, review: 'A', createdAt: T0 + YEAR })
        await storage.reviews.submit({ name: 'B', time: 'May', star: 5, review: 'B', createdAt: T0 + YEAR })
        await storage.contacts.create({
          email: 'a@b.example',
          title: 'A',
          message: 'A',
          createdAt: T0 + YEAR,
        })
        await storage.close()

        storage = await open()
        const now = T0 + 100
        expect(await storage.repairTimes(now)).toBe(7)
        expect(await times()).toEqual([T0, T0 + 1, now, now, now])
        expect(await storage.repairTimes(now)).toBe(0)
        const next = await say('by the clock', { at: now + 1 })
        expect(next).toMatchObject({ message: { createdAt: new Date(now + 1).toISOString() } })
        const { conversations } = await storage.conversations.list({ limit: 9 })
        expect(conversations.map(({ clientId, waitingSince }) => [clientId, waitingSince])).toEqual([
          [OTHER, T0 + 10],
          [VISITOR, now],
        ])
        const page = { page: 1, perPage: 9 }
        const { items } = await storage.blogs.list(page)
        expect(items.map(({ slug, createdAt }) => [slug, createdAt])).toEqual([
          ['ahead', now],
          ['today', T0 + 50],
        ])
        const [blog] = items
        expect(blog?.updatedAt).toBe(now)
        expect((await storage.reviews.list(page)).items[0]?.createdAt).toBe(now)
        expect((await storage.reviews.pending(page)).items[0]?.createdAt).toBe(now)
        expect((await storage.contacts.list(page)).items[0]?.createdAt).toBe(now)
      })

      it('shows the repaired time of the newest message in the list', async () => {
        await say('from a wrong clock', { at: T0 + YEAR })
        await storage.repairTimes(T0)
        const { conversations } = await storage.conversations.list({ limit: 9 })
        expect(conversations[0]?.lastMessage.createdAt).toBe(new Date(T0).toISOString())
      })

      it('ends sessions that began ahead', async () => {
        const session = {
          userId: ADMIN,
          currentHash: 'h',
          previousHash: null,
          credentialVersion: 0,
          expiresAt: T0 + 2 * YEAR,
        }
        await storage.sessions.create({ ...session, _id: 'b'.repeat(24), createdAt: T0 + YEAR })
        await storage.sessions.create({ ...session, _id: 'c'.repeat(24), createdAt: T0 })
        expect(await storage.repairTimes(T0)).toBe(1)
        expect(await storage.sessions.find('b'.repeat(24), T0)).toBeNull()
        expect(await storage.sessions.find('c'.repeat(24), T0)).not.toBeNull()
      })
    })

    describe('page', () => {
      beforeEach(async () => {
        for (let index = 1; index <= 10; index++) await say(`m${index}`)
      })

      it('is null without a conversation', async () => {
        expect(await storage.messages.page(OTHER, { limit: 10 })).toBeNull()
      })

      it('is the newest in order of seq', async () => {
        const page = await storage.messages.page(VISITOR, { limit: 3 })
        expect(page).toMatchObject({ seq: 10, more: true, read: { visitor: 0, admin: 0 } })
        expect(page?.messages.map((m) => m.seq)).toEqual([8, 9, 10])
      })

      it('after: the oldest newer ones, and says whether more follow', async () => {
        const page = await storage.messages.page(VISITOR, { after: 4, limit: 3 })
        expect(page?.messages.map((m) => m.seq)).toEqual([5, 6, 7])
        expect(page?.more).toBe(true)
        const last = await storage.messages.page(VISITOR, { after: 7, limit: 3 })
        expect(last?.messages.map((m) => m.seq)).toEqual([8, 9, 10])
        expect(last?.more).toBe(false)
        expect(await texts({ after: 10 })).toEqual([])
        expect(await texts({ after: 99 })).toEqual([])
      })

      it('before: the newest older ones, in order', async () => {
        const page = await storage.messages.page(VISITOR, { before: 4, limit: 2 })
        expect(page?.messages.map((m) => m.seq)).toEqual([2, 3])
        expect(page?.more).toBe(true)
        const first = await storage.messages.page(VISITOR, { before: 2, limit: 2 })
        expect(first?.messages.map((m) => m.seq)).toEqual([1])
        expect(first?.more).toBe(false)
        expect(await texts({ before: 1 })).toEqual([])
      })

      it('both: those between, oldest first', async () => {
        const page = await storage.messages.page(VISITOR, { after: 2, before: 6, limit: 2 })
        expect(page?.messages.map((m) => m.seq)).toEqual([3, 4])
        expect(page?.more).toBe(true)
        expect(await texts({ after: 2, before: 6 })).toEqual(['m3', 'm4', 'm5'])
      })
    })

    describe('a page of long messages', () => {
      const long = '😀'.repeat(MESSAGE_MAX)
      const escaped = '\u0001'.repeat(MESSAGE_MAX)
      const COUNT = 36
      type Query = { after?: number; before?: number; limit?: number }
      const pageOf = async (query: Query) => {
        const page = await storage.messages.page(VISITOR, { limit: 200, ...query })
        if (page === null) throw new Error('The conversation is missing.')
        expect(Buffer.byteLength(JSON.stringify(page.messages))).toBeLessThanOrEqual(PAGE_BYTES_MAX)
        return { ...page, seqs: page.messages.map((m) => m.seq) }
      }
      const seqs = (from: number, to: number) =>
        Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

      beforeEach(async () => {
        await Promise.all(
          seqs(1, COUNT).map((index) => say(index % 3 === 0 ? escaped : index % 3 === 1 ? long : 'short')),
        )
      })

      it('ends at PAGE_BYTES_MAX, in every direction, with more', async () => {
        const newest = await pageOf({})
        expect(newest).toMatchObject({ seq: COUNT, more: true })
        const { length } = newest.seqs
        expect(length).toBeGreaterThan(10)
        expect(newest.seqs).toEqual(seqs(COUNT - length + 1, COUNT))

        const newer = await pageOf({ after: 2 })
        expect(newer).toMatchObject({ seq: COUNT, more: true })
        expect(newer.seqs).toEqual(seqs(3, 2 + newer.seqs.length))

        const older = await pageOf({ before: 31 })
        expect(older).toMatchObject({ seq: COUNT, more: true })
        expect(older.seqs).toEqual(seqs(31 - older.seqs.length, 30))

        const between = await pageOf({ after: 2, before: 31 })
        expect(between).toMatchObject({ seq: COUNT, more: true })
        expect(between.seqs).toEqual(seqs(3, 2 + between.seqs.length))

        const few = await pageOf({ after: 2, limit: 3 })
        expect([few.seqs, few.more]).toEqual([[3, 4, 5], true])
        const last = await pageOf({ after: COUNT - 3 })
        expect([last.seqs, last.more]).toEqual([seqs(COUNT - 2, COUNT), false])
      })

      it('gives each message once when more is followed', async () => {
        const forwards = async (first: number, before?: number) => {
          const seen: number[] = []
          for (let after = first; ; after = seen.at(-1) as number) {
            const page = await pageOf({ after, ...(before === undefined ? {} : { before }) })
            seen.push(...page.seqs)
            if (!page.more) return seen
          }
        }
        expect(await forwards(0)).toEqual(seqs(1, COUNT))
        expect(await forwards(1, 33)).toEqual(seqs(2, 32))

        const backwards: number[] = []
        for (let page = await pageOf({}); ; page = await pageOf({ before: backwards[0] as number })) {
          backwards.unshift(...page.seqs)
          if (!page.more) break
        }
        expect(backwards).toEqual(seqs(1, COUNT))
      })

      it('says that nothing is left when the last message just fits', async () => {
        const whole = await pageOf({ after: 0, limit: 5 })
        expect(whole.messages.map((m) => m.message)).toEqual([long, 'short', escaped, long, 'short'])
        expect(await pageOf({ after: 0, before: 6 })).toMatchObject({ messages: whole.messages, more: false })
      })
    })

    describe('read marks', () => {
      it('count visitor messages after the admin’s mark as unread', async () => {
        await say('v1')
        await say('v2')
        await say('a1', { senderId: ADMIN })
        await say('v3')
        expect(await storage.conversations.find(VISITOR)).toMatchObject({ seq: 4, adminUnread: 3 })
        expect(await storage.conversations.markRead(VISITOR, 'admin', 3)).toMatchObject({
          moved: true,
          adminUnread: 1,
          read: { admin: 3, visitor: 0 },
        })
      })

      it('move forwards only, and not beyond the newest message', async () => {
        await say('v1')
        await say('v2')
        await storage.conversations.markRead(VISITOR, 'admin', 2)
        expect(await storage.conversations.markRead(VISITOR, 'admin', 1)).toMatchObject({
          moved: false,
          read: { admin: 2 },
        })
        expect(await storage.conversations.markRead(VISITOR, 'visitor', 1_000)).toMatchObject({
          moved: true,
          read: { visitor: 2, admin: 2 },
        })
        await say('v3')
        expect(await storage.conversations.find(VISITOR)).toMatchObject({ adminUnread: 1 })
      })

      it('are null without a conversation', async () => {
        expect(await storage.conversations.markRead(OTHER, 'admin', 1)).toBeNull()
      })

      it('leave unread alone when an admin replies', async () => {
        await say('v1')
        const reply = await say('a1', { senderId: ADMIN })
        expect(reply).toMatchObject({ state: { adminUnread: 1 } })
      })
    })

    describe('list', () => {
      const id = (index: number) => `Conversation${String(index).padStart(8, '0')}`

      it('puts those who wait longest first, then the newest', async () => {
        await say('answered early', { clientId: id(1), at: T0 })
        await say('reply', { clientId: id(1), senderId: ADMIN, at: T0 + 1 })
        await say('answered late', { clientId: id(2), at: T0 + 10 })
        await say('reply', { clientId: id(2), senderId: ADMIN, at: T0 + 11 })
        await say('waits short', { clientId: id(3), at: T0 + 30 })
        await say('waits long', { clientId: id(4), at: T0 + 20 })
        await say('waits long, again', { clientId: id(4), at: T0 + 40 })
        const { conversations, next } = await storage.conversations.list({ limit: 10 })
        expect(conversations.map((c) => [c.clientId, c.waitingSince, c.lastMessage.message])).toEqual([
          [id(4), T0 + 20, 'waits long, again'],
          [id(3), T0 + 30, 'waits short'],
          [id(2), null, 'reply'],
          [id(1), null, 'reply'],
        ])
        expect(next).toBeNull()
      })

      it('pages through everything once, also where times tie', async () => {
        for (let index = 0; index < 12; index++) {
          await say('hello', { clientId: id(index), at: T0 + Math.floor(index / 4) })
          if (index % 2) await say('reply', { clientId: id(index), senderId: ADMIN, at: T0 + 9 })
        }
        const whole = (await storage.conversations.list({ limit: 50 })).conversations.map((c) => c.clientId)
        expect(new Set(whole).size).toBe(12)
        for (const limit of [1, 5, 6, 7]) {
          const seen: string[] = []
          let after: Parameters<typeof storage.conversations.list>[0]['after']
          do {
            const page = await storage.conversations.list({ limit, after })
            seen.push(...page.conversations.map((c) => c.clientId))
            after = page.next ?? undefined
          } while (after)
          expect(seen).toEqual(whole)
        }
      })

      it('cuts the newest message after SUMMARY_TEXT_MAX characters, and says so', async () => {
        const faces = '😀'.repeat(SUMMARY_TEXT_MAX)
        await say(faces, { clientId: id(1), at: T0 })
        await say(`${faces}!`, { clientId: id(2), at: T0 + 1 })
        await say(`x${'😀'.repeat(MESSAGE_MAX - 1)}`, { clientId: id(3), at: T0 + 2 })
        await say('short', { clientId: id(4), at: T0 + 3 })
        const { conversations } = await storage.conversations.list({ limit: 10 })
        expect(conversations.map(({ lastMessage: { message, cut } }) => [message, cut])).toEqual([
          [faces, undefined],
          [`${faces}…`, true],
          [`x${'😀'.repeat(SUMMARY_TEXT_MAX - 1)}…`, true],
          ['short', undefined],
        ])
        expect(conversations.map(({ lastMessage }) => 'cut' in lastMessage)).toEqual([
          false,
          true,
          true,
          false,
        ])
        expect(await texts({}, id(3))).toEqual([`x${'😀'.repeat(MESSAGE_MAX - 1)}`])
      })

      it('ends a page at PAGE_BYTES_MAX, and the next one goes on there', async () => {
        const escaped = '\u0001'.repeat(MESSAGE_MAX)
        const ids = Array.from({ length: 160 }, (_, index) => id(index))
        await Promise.all(ids.map((clientId, index) => say(escaped, { clientId, at: T0 + index })))
        // Half of them wait for an answer, half do not: the page ends in either part of the list.
        const answered = ids.slice(80)
        await Promise.all(
          answered.map((clientId, index) =>
            say(escaped, { clientId, senderId: ADMIN, at: T0 + 1_000 - index }),
          ),
        )
        for (const limit of [500, 100]) {
          const seen: string[] = []
          let pages = 0
          let after: Parameters<typeof storage.conversations.list>[0]['after']
          do {
            const page = await storage.conversations.list({ limit, after })
            expect(Buffer.byteLength(JSON.stringify(page.conversations))).toBeLessThanOrEqual(PAGE_BYTES_MAX)
            seen.push(...page.conversations.map((c) => c.clientId))
            pages += 1
            after = page.next ?? undefined
          } while (after)
          expect(seen).toEqual(ids)
          expect(pages).toBe(2)
        }
      })

      it('is empty without conversations', async () => {
        expect(await storage.conversations.list({ limit: 5 })).toEqual({ conversations: [], next: null })
      })
    })

    it('totalAdminUnread sums over all conversations', async () => {
      expect(await storage.conversations.totalAdminUnread()).toBe(0)
      await say('a')
      await say('b')
      await say('c', { clientId: OTHER })
      expect(await storage.conversations.totalAdminUnread()).toBe(3)
      await storage.conversations.markRead(VISITOR, 'admin', 2)
      expect(await storage.conversations.totalAdminUnread()).toBe(1)
    })

    it('erase removes the messages and gives a new epoch', async () => {
      const first = await say('one')
      const epoch = 'message' in first ? first.message.epoch : ''
      await storage.conversations.markRead(VISITOR, 'admin', 1)
      expect(await storage.conversations.erase(VISITOR)).toBe(true)
      expect(await storage.conversations.erase(OTHER)).toBe(false)
      const page = await storage.messages.page(VISITOR, { limit: 10 })
      expect(page).toMatchObject({ messages: [], seq: 0, adminUnread: 0, read: { visitor: 0, admin: 0 } })
      expect(page?.epoch).not.toBe(epoch)
      expect(await storage.conversations.list({ limit: 10 })).toEqual({ conversations: [], next: null })
      expect(await say('x', { epoch })).toEqual({ outcome: 'stale-epoch' })
      expect(await say('again')).toMatchObject({ message: { seq: 1, epoch: page?.epoch } })
    })

    describe('visitor keys', () => {
      const KEY = 'hash-of-the-first-key'
      const WRONG = 'hash-of-a-wrong-key'
      const hashes = async (clientId = VISITOR) => (await storage.conversations.find(clientId))?.keyHashes
      const epochOf = async () => (await storage.conversations.find(VISITOR))?.epoch ?? ''

      it('come with the first message', async () => {
        expect(await say('one', { keyHash: KEY })).toMatchObject({
          outcome: 'stored',
          keyAdded: true,
          state: { keyHashes: [KEY] },
        })
        expect(await hashes()).toEqual([KEY])
        expect(await say('two', { keyHash: KEY })).toMatchObject({
          keyAdded: false,
          state: { keyHashes: [KEY] },
        })
        expect(await hashes()).toEqual([KEY])
      })

      it('come with a later message where the conversation began without one', async () => {
        expect(await say('one')).toMatchObject({ keyAdded: false, state: { keyHashes: [] } })
        expect(await say('a reply', { senderId: ADMIN })).toMatchObject({ keyAdded: false })
        await storage.messages.page(VISITOR, { limit: 10, keyHash: KEY })
        await storage.conversations.markRead(VISITOR, 'visitor', 1, KEY)
        expect(await hashes()).toEqual([])
        expect(await say('two', { keyHash: KEY })).toMatchObject({ keyAdded: true })
        expect(await hashes()).toEqual([KEY])
        expect(await hashes(OTHER)).toBeUndefined()
      })

      it.each([
        ['no key', undefined],
        ['a wrong key', WRONG],
      ])('refuse a message with %s, and store nothing', async (_, keyHash) => {
        await say('one', { keyHash: KEY, nonce: 'the-same-nonce' })
        const wrong = { outcome: 'wrong-key' }
        expect(await say('two', { keyHash })).toEqual(wrong)
        expect(await say('one', { keyHash, nonce: 'the-same-nonce' })).toEqual(wrong)
        expect(await say('other', { keyHash, nonce: 'the-same-nonce' })).toEqual(wrong)
        expect(await say('two', { keyHash, epoch: 'of-another-life' })).toEqual(wrong)
        expect(await say('two', { keyHash, epoch: await epochOf() })).toEqual(wrong)
        expect(await texts()).toEqual(['one'])
        expect(await hashes()).toEqual([KEY])
      })

      it('do not concern admins', async () => {
        await say('one', { keyHash: KEY })
        expect(await say('a reply', { senderId: ADMIN })).toMatchObject({
          outcome: 'stored',
          state: { keyHashes: [KEY] },
        })
        expect(await texts()).toEqual(['one', 'a reply'])
        expect(await storage.conversations.markRead(VISITOR, 'admin', 1)).toMatchObject({ moved: true })
        expect(await say('two', { keyHash: WRONG })).toEqual({ outcome: 'wrong-key' })
        expect(await say('two', { keyHash: KEY })).toMatchObject({ outcome: 'stored' })
      })

      it('open a page to a visitor, and no other does', async () => {
        await say('one', { keyHash: KEY })
        const page = (keyHash?: string | null) => storage.messages.page(VISITOR, { limit: 10, keyHash })
        expect((await page(KEY))?.messages).toHaveLength(1)
        expect((await page())?.messages).toHaveLength(1)
        for (const keyHash of [null, WRONG]) {
          expect(await page(keyHash)).toMatchObject({ messages: [], keyHashes: [KEY] })
        }
      })

      it('move a visitor’s mark, and no other does', async () => {
        await say('one', { keyHash: KEY })
        await say('a reply', { senderId: ADMIN })
        const mark = (keyHash?: string) =>
          storage.conversations.markRead(VISITOR, 'visitor', 2, keyHash ?? null)
        for (const keyHash of [undefined, WRONG]) {
          expect(await mark(keyHash)).toMatchObject({ moved: false, read: { visitor: 0 } })
        }
        expect(await mark(KEY)).toMatchObject({ moved: true, read: { visitor: 2 }, keyHashes: [KEY] })
      })

      it('let one of many first messages win that come at once', async () => {
        const results = await Promise.all(
          Array.from({ length: 12 }, (_, index) => say(`m${index}`, { keyHash: `hash-${index}` })),
        )
        const won = results.flatMap((result) => (result.outcome === 'stored' ? [result] : []))
        expect(won).toMatchObject([{ keyAdded: true }])
        expect(results.filter(({ outcome }) => outcome === 'wrong-key')).toHaveLength(11)
        expect(await texts()).toEqual(won.map(({ message }) => message.message))
        expect(await hashes()).toEqual(won[0]?.state.keyHashes)
      })

      it('take over an open conversation once, whatever else is written at once', async () => {
        await say('zero')
        const results = await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            say(`m${index}`, { keyHash: index % 3 === 0 ? null : `hash-${index % 3}` }),
          ),
        )
        const [hash] = (await hashes()) ?? []
        const keyed = results.findIndex((result) => result.outcome === 'stored' && result.keyAdded)
        for (const [index, { outcome }] of results.entries()) {
          if (index > keyed) expect(outcome).toBe(`hash-${index % 3}` === hash ? 'stored' : 'wrong-key')
        }
      })

      it('can be several, each as good as the first, up to a limit', async () => {
        expect(await storage.conversations.addKey(VISITOR, 'none')).toBe(false)
        await say('open')
        expect(await storage.conversations.addKey(VISITOR, 'open')).toBe(false)
        await say('one', { keyHash: KEY })
        expect(await storage.conversations.addKey(VISITOR, 'second')).toBe(true)
        expect(await storage.conversations.addKey(VISITOR, 'second')).toBe(true)
        expect(await hashes()).toEqual([KEY, 'second'])
        expect(await say('two', { keyHash: 'second' })).toMatchObject({ outcome: 'stored', keyAdded: false })
        expect(await say('three', { keyHash: KEY })).toMatchObject({ outcome: 'stored' })
        expect(await say('four', { keyHash: WRONG })).toEqual({ outcome: 'wrong-key' })
        for (let each = 3; each <= VISITOR_KEYS_MAX; each += 1) {
          expect(await storage.conversations.addKey(VISITOR, `hash-${each}`)).toBe(true)
        }
        expect(await storage.conversations.addKey(VISITOR, 'one too many')).toBe(false)
        expect(await hashes()).toHaveLength(VISITOR_KEYS_MAX)
      })

      it('stay when the history is erased and when the store is opened again', async () => {
        await say('one', { keyHash: KEY })
        await storage.conversations.addKey(VISITOR, 'second')
        for (const keyHash of [null, WRONG]) {
          expect(await storage.conversations.erase(VISITOR, keyHash)).toBe(false)
        }
        expect(await texts()).toEqual(['one'])
        expect(await storage.conversations.erase(VISITOR, KEY)).toBe(true)
        expect(await storage.conversations.erase(VISITOR)).toBe(true)
        expect(await say('two')).toEqual({ outcome: 'wrong-key' })
        await storage.close()
        storage = await open()
        expect(await hashes()).toEqual([KEY, 'second'])
        expect(await say('two', { keyHash: WRONG })).toEqual({ outcome: 'wrong-key' })
        expect(await say('two', { keyHash: 'second' })).toMatchObject({ outcome: 'stored', keyAdded: false })
        expect(await say('three', { keyHash: KEY })).toMatchObject({ outcome: 'stored' })
        expect(await hashes()).toEqual([KEY, 'second'])
      })
    })

    describe('users', () => {
      const user = { userName: 'Admin', passwordHash: 'hash', roles: ['Admin'], createdAt: T0 }

      it('createFirst creates one user, whoever asks at once', async () => {
        const created = await Promise.all([
          storage.users.createFirst(user),
          storage.users.createFirst({ ...user, userName: 'second' }),
        ])
        expect(created.filter((record) => record !== null)).toHaveLength(1)
        expect(await storage.users.createFirst({ ...user, userName: 'third' })).toBeNull()
        expect(await storage.users.any()).toBe(true)
      })

      it('are found by name in any case or composition, and by id', async () => {
        const created = await storage.users.create({ ...user, userName: 'Zoë' })
        expect(await storage.users.findByName('ZOE\u0308')).toEqual(created)
        expect(await storage.users.findById(created?._id ?? '')).toEqual(created)
        expect(await storage.users.findByName('nobody')).toBeNull()
        expect(await storage.users.findById('f'.repeat(24))).toBeNull()
      })

      it('have names that are taken once', async () => {
        await storage.users.create(user)
        expect(await storage.users.create({ ...user, userName: 'admin' })).toBeNull()
      })

      it('take a new hash in place of the one that is there, and of no other', async () => {
        const created = await storage.users.create(user)
        const replace = (from: string, to: string) =>
          storage.users.replacePasswordHash(created?._id ?? '', from, to)
        expect(await replace('wrong', 'new hash')).toBe(false)
        expect(await storage.users.findByName('admin')).toEqual(created)
        expect(await replace(user.passwordHash, 'new hash')).toBe(true)
        expect(await storage.users.findByName('admin')).toEqual({ ...created, passwordHash: 'new hash' })
      })

      it('change their credentials, which counts, and nothing else of them or others', async () => {
        const created = await storage.users.create(user)
        const other = await storage.users.create({ ...user, userName: 'other' })
        const id = created?._id ?? ''
        expect(created).toMatchObject({ disabled: false, credentialVersion: 0, keptSessionId: null })
        expect(await storage.users.changeCredentials(id, { disabled: true })).toEqual([])
        const disabled = { ...created, disabled: true, credentialVersion: 1 }
        expect(await storage.users.findByName('admin')).toEqual(disabled)
        const change = { passwordHash: 'new hash', keepSessionId: 'session1' }
        expect(await storage.users.changeCredentials(id, { ...change, ifVersion: 0 })).toBeNull()
        expect(await storage.users.findByName('admin')).toEqual(disabled)
        expect(await storage.users.changeCredentials(id, { ...change, ifVersion: 1 })).toEqual([])
        expect(await storage.users.findById(id)).toEqual({
          ...disabled,
          ...{ passwordHash: 'new hash', keptSessionId: 'session1', credentialVersion: 2 },
        })
        await storage.users.changeCredentials(id, { disabled: false })
        expect(await storage.users.findById(id)).toMatchObject({ disabled: false, keptSessionId: null })
        expect(await storage.users.findById(other?._id ?? '')).toEqual(other)
        expect(await storage.users.changeCredentials('f'.repeat(24), { disabled: true })).toBeNull()
      })

      it('are changed once by two who start from the same version', async () => {
        const id = (await storage.users.create(user))?._id ?? ''
        const changed = await Promise.all(
          ['one', 'two'].map((passwordHash) =>
            storage.users.changeCredentials(id, { passwordHash, ifVersion: 0 }),
          ),
        )
        expect(changed.filter((ended) => ended !== null)).toEqual([[]])
        expect(await storage.users.findById(id)).toMatchObject({ credentialVersion: 1 })
      })
    })

    describe('sessions', () => {
      const session = (index: number, userId = ADMIN) => ({
        _id: `session${index}`,
        userId,
        currentHash: 'h1',
        previousHash: null,
        createdAt: T0,
        expiresAt: T0 + 1_000,
        credentialVersion: 0,
      })

      it('are found until they expire', async () => {
        await storage.sessions.create(session(1))
        expect(await storage.sessions.find('session1', T0)).toEqual(session(1))
        expect(await storage.sessions.find('session1', T0 + 1_000)).toBeNull()
        expect(await storage.sessions.find('session2', T0)).toBeNull()
      })

      it('rotate once from one token, whoever asks at once', async () => {
        await storage.sessions.create(session(1))
        const rotated = await Promise.all([
          storage.sessions.rotate('session1', 'h1', 'h2', T0 + 2_000),
          storage.sessions.rotate('session1', 'h1', 'h3', T0 + 2_000),
        ])
        expect(rotated.filter((isRotated) => isRotated)).toHaveLength(1)
        expect(await storage.sessions.find('session1', T0)).toMatchObject({
          currentHash: rotated[0] ? 'h2' : 'h3',
          previousHash: 'h1',
          expiresAt: T0 + 2_000,
        })
        expect(await storage.sessions.rotate('gone', 'h1', 'h2', T0)).toBe(false)
      })

      it('end one, all but one, or what has expired', async () => {
        const user = await storage.users.create({
          ...{ userName: 'admin', passwordHash: 'hash', roles: [], createdAt: T0 },
        })
        const id = user?._id ?? ''
        for (const index of [1, 2, 3]) await storage.sessions.create(session(index, id))
        await storage.sessions.create(session(4, 'b'.repeat(24)))
        await storage.sessions.end('session1')
        expect(await storage.sessions.find('session1', T0)).toBeNull()
        const change = { passwordHash: 'new hash', keepSessionId: 'session3' }
        expect(await storage.users.changeCredentials(id, change)).toEqual(['session2'])
        expect(await storage.sessions.find('session2', T0)).toBeNull()
        expect(await storage.sessions.find('session3', T0)).toEqual(session(3, id))
        expect(await storage.sessions.find('session4', T0)).not.toBeNull()
        await storage.sessions.sweep(T0 + 1_000)
        expect(await storage.sessions.find('session3', T0)).toBeNull()
      })

      it('are listed for their user, newest first, while they live', async () => {
        await storage.sessions.create(session(1))
        await storage.sessions.create({ ...session(2), createdAt: T0 + 5 })
        await storage.sessions.create({ ...session(3), expiresAt: T0 + 1 })
        await storage.sessions.create(session(4, 'b'.repeat(24)))
        expect(await storage.sessions.listOf(ADMIN, T0 + 1)).toEqual([
          { ...session(2), createdAt: T0 + 5 },
          session(1),
        ])
        expect(await storage.sessions.listOf('c'.repeat(24), T0)).toEqual([])
      })

      it('are listed up to a hundred, the newest', async () => {
        for (let index = 0; index < 105; index++) {
          await storage.sessions.create({ ...session(index), createdAt: T0 + index })
        }
        const listed = (await storage.sessions.listOf(ADMIN, T0)).map(({ _id }) => _id)
        expect(listed).toEqual(Array.from({ length: 100 }, (_, index) => `session${104 - index}`))
      })
    })

    const post = (slug: string, createdAt = T0) => ({
      slug,
      title: `Title of ${slug}`,
      summary: 'A summary',
      img: '/images/posts/desk.svg',
      content: '<p>Text</p>',
      createdAt,
    })
    const review = (name: string, createdAt = T0) => ({
      name,
      time: 'March 2026',
      star: 4.5,
      review: `Written by ${name}`,
      createdAt,
    })
    const contact = (title: string, createdAt = T0) => ({
      email: 'sam@example.com',
      title,
      message: 'A question',
      createdAt,
    })

    // What the three lists have in common.
    describe.each([
      {
        table: 'blogs' as const,
        create: async (name: string, at?: number) => (await storage.blogs.create(post(name, at)))?._id,
      },
      {
        table: 'reviews' as const,
        create: async (name: string, at?: number) => (await storage.reviews.create(review(name, at)))._id,
      },
      {
        table: 'pending reviews' as const,
        create: async (name: string, at?: number) => (await storage.reviews.submit(review(name, at)))._id,
      },
      {
        table: 'contacts' as const,
        create: async (name: string, at?: number) => (await storage.contacts.create(contact(name, at)))._id,
      },
    ])('list of $table', ({ table, create }) => {
      const list = (page: number, perPage: number) =>
        table === 'pending reviews'
          ? storage.reviews.pending({ page, perPage })
          : storage[table].list({ page, perPage })
      const idsOf = async (page: number, perPage: number) =>
        (await list(page, perPage)).items.map((item) => item._id)

      it('is empty at first', async () => {
        expect(await list(1, 15)).toEqual({ items: [], count: 0 })
      })

      it('is newest first, whatever came first', async () => {
        const middle = await create('middle', T0 + 10)
        const newest = await create('newest', T0 + 20)
        const oldest = await create('oldest', T0)
        expect(await idsOf(1, 15)).toEqual([newest, middle, oldest])
      })

      it('pages through everything once, also where times tie', async () => {
        const created: (string | undefined)[] = []
        for (const letter of 'abcdefg')
          created.push(await create(letter, T0 + Math.floor(created.length / 3)))
        const whole = await idsOf(1, 100)
        expect(new Set(whole)).toEqual(new Set(created))
        const ties = (from: number, to: number) => whole.slice(from, to)
        expect([ties(1, 4), ties(4, 7)]).toEqual([ties(1, 4).sort().reverse(), ties(4, 7).sort().reverse()])
        for (const perPage of [1, 2, 3, 7]) {
          const seen: string[] = []
          for (let page = 1; seen.length < whole.length; page += 1) seen.push(...(await idsOf(page, perPage)))
          expect(seen).toEqual(whole)
        }
      })

      it('is empty beyond its end, with the count of all', async () => {
        await create('only')
        expect(await list(2, 15)).toEqual({ items: [], count: 1 })
        expect(await list(1_000_000, 100)).toEqual({ items: [], count: 1 })
      })

      it('gives an id of 24 hex digits to each', async () => {
        const ids = await Promise.all([create('one'), create('two')])
        expect(new Set(ids).size).toBe(2)
        for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/)
      })
    })

    describe('blogs', () => {
      it('are found by slug with their content, and listed without it', async () => {
        const created = await storage.blogs.create(post('first-post'))
        expect(created).toMatchObject({ ...post('first-post'), updatedAt: T0, version: 1 })
        expect(await storage.blogs.findBySlug('first-post')).toEqual(created)
        const { content: _, version: __, ...summary } = created ?? {}
        expect((await storage.blogs.list({ page: 1, perPage: 1 })).items).toEqual([summary])
      })

      it('are not found by anything but the whole slug', async () => {
        await storage.blogs.create(post('first-post'))
        for (const slug of ['', 'first', 'First-Post', 'first-post ', '%', "' OR 1=1 --", 'first-post\0']) {
          expect(await storage.blogs.findBySlug(slug)).toBeNull()
        }
      })

      it('are found by their id under whatever slug', async () => {
        const id = (await storage.blogs.create(post('first-post')))?._id ?? ''
        await storage.blogs.update(id, { slug: 'other-post', at: T0 + 5 })
        expect(await storage.blogs.findById(id)).toEqual(await storage.blogs.findBySlug('other-post'))
        for (const other of ['', 'other-post', '0'.repeat(24), `${id}0`, '%']) {
          expect(await storage.blogs.findById(other)).toBeNull()
        }
      })

      it('have slugs that are taken once, whoever asks at once', async () => {
        const created = await Promise.all([
          storage.blogs.create(post('the-same')),
          storage.blogs.create({ ...post('the-same'), title: 'Another' }),
        ])
        const stored = created.filter((blog) => blog !== null)
        expect(stored).toHaveLength(1)
        expect(await storage.blogs.findBySlug('the-same')).toEqual(stored[0])
        expect((await storage.blogs.list({ page: 1, perPage: 15 })).count).toBe(1)
      })

      it('are gone once removed, and their slug is free', async () => {
        const created = await storage.blogs.create(post('passing'))
        expect(await storage.blogs.remove(created?._id ?? '')).toEqual(created)
        expect(await storage.blogs.remove(created?._id ?? '')).toBeNull()
        expect(await storage.blogs.findBySlug('passing')).toBeNull()
        expect(await storage.blogs.create(post('passing'))).not.toBeNull()
      })

      it('change in any part, under the next version', async () => {
        const created = await storage.blogs.create(post('first-post'))
        const id = created?._id ?? ''
        const titled = { ...created, title: 'Better', updatedAt: T0 + 5, version: 2 }
        expect(await storage.blogs.update(id, { title: 'Better', at: T0 + 5 })).toEqual({
          outcome: 'stored',
          blog: titled,
          before: created,
        })
        const all = { slug: 'other-post', title: 'T', summary: 'S', img: '/i.svg', content: '<p>C</p>' }
        const changed = await storage.blogs.update(id, { ...all, at: T0 + 9 })
        expect(changed).toMatchObject({
          outcome: 'stored',
          blog: { ...all, createdAt: T0, updatedAt: T0 + 9, version: 3 },
        })
        expect(await storage.blogs.findBySlug('other-post')).toMatchObject(all)
        expect(await storage.blogs.findBySlug('first-post')).toBeNull()
      })

      it('never go back in time when they change', async () => {
        const created = await storage.blogs.create(post('first-post', T0 + 100))
        const changed = await storage.blogs.update(created?._id ?? '', { title: 'Earlier', at: T0 })
        expect(changed).toMatchObject({ blog: { updatedAt: T0 + 100, version: 2 } })
      })

      it('change from one version once, whoever asks at once', async () => {
        const id = (await storage.blogs.create(post('first-post')))?._id ?? ''
        const changed = await Promise.all([
          storage.blogs.update(id, { title: 'One', at: T0 }, 1),
          storage.blogs.update(id, { title: 'Two', at: T0 }, 1),
        ])
        expect(changed.map(({ outcome }) => outcome).sort()).toEqual(['stale', 'stored'])
        const title = changed[0].outcome === 'stored' ? 'One' : 'Two'
        expect(await storage.blogs.findBySlug('first-post')).toMatchObject({ title, version: 2 })
        expect(await storage.blogs.update(id, { title: 'Three', at: T0 }, 2)).toMatchObject({
          outcome: 'stored',
          blog: { version: 3 },
        })
      })

      it('take every change that names no version, whoever asks at once', async () => {
        const id = (await storage.blogs.create(post('first-post')))?._id ?? ''
        const changed = await Promise.all([
          storage.blogs.update(id, { title: 'Title', at: T0 }),
          storage.blogs.update(id, { summary: 'Summary', at: T0 }),
          storage.blogs.update(id, { img: '/i.svg', at: T0 }),
        ])
        expect(changed.map(({ outcome }) => outcome)).toEqual(['stored', 'stored', 'stored'])
        const all = { title: 'Title', summary: 'Summary', img: '/i.svg', version: 4 }
        expect(await storage.blogs.findBySlug('first-post')).toMatchObject(all)
      })

      it('are removed once, whoever asks at once', async () => {
        const created = await storage.blogs.create(post('passing'))
        const removed = await Promise.all([
          storage.blogs.remove(created?._id ?? ''),
          storage.blogs.remove(created?._id ?? ''),
        ])
        expect(removed.filter((blog) => blog !== null)).toEqual([created])
      })

      it('do not take the slug of another, nor anything else with it', async () => {
        await storage.blogs.create(post('taken'))
        const created = await storage.blogs.create(post('mine'))
        const id = created?._id ?? ''
        const change = { slug: 'taken', title: 'New', at: T0 + 5 }
        expect(await storage.blogs.update(id, change)).toEqual({ outcome: 'slug-taken' })
        expect(await storage.blogs.update(id, change, 1)).toEqual({ outcome: 'slug-taken' })
        expect(await storage.blogs.update(id, change, 7)).toEqual({ outcome: 'stale' })
        expect(await storage.blogs.findBySlug('mine')).toEqual(created)
        expect(await storage.blogs.update(id, { slug: 'mine', at: T0 })).toMatchObject({ outcome: 'stored' })
      })

      it('cannot change when there is none', async () => {
        for (const id of ['f'.repeat(24), '', '%']) {
          expect(await storage.blogs.update(id, { title: 'x', at: T0 })).toEqual({ outcome: 'missing' })
        }
      })

      it('are known to refer to an upload by image or content, until they do not', async () => {
        const [image, inText, other] = ['aa11', 'bb22', 'cc33'].map((hash) => `/uploads/${hash}.webp`) as [
          string,
          string,
          string,
        ]
        const refers = () => Promise.all([image, inText, other].map((url) => storage.blogs.refersTo(url)))
        const content = `<p><img src="${inText.replace('.webp', '-480.webp')}"><img src="${image}"></p>`
        const first = await storage.blogs.create({ ...post('first'), img: image, content })
        const second = await storage.blogs.create({ ...post('second'), img: image })
        expect(await refers()).toEqual([true, true, false])
        expect(await storage.blogs.refersTo('/uploads/aa11-960.webp')).toBe(true)
        expect(await storage.blogs.refersTo('/uploads/aa1.webp')).toBe(false)
        expect(await storage.blogs.refersTo('/images/posts/desk.svg')).toBe(false)
        await storage.blogs.update(first?._id ?? '', { img: other, content: '<p>Text</p>', at: T0 })
        expect(await refers()).toEqual([true, false, true])
        await storage.blogs.remove(second?._id ?? '')
        expect(await refers()).toEqual([false, false, true])
      })

      it('keep every text as it was', async () => {
        const odd = {
          title: '汉字 😀 e\u0301 \u202Eabc',
          summary: "'); DROP TABLE blogs; --",
          content: 'a\r\n\tb',
        }
        await storage.blogs.create({ ...post('odd'), ...odd })
        expect(await storage.blogs.findBySlug('odd')).toMatchObject(odd)
      })
    })

    it('reviews are found by id, fractions of stars and all', async () => {
      const created = await storage.reviews.create({ ...review('Zoë'), star: 4.7 })
      expect(created).toMatchObject({ name: 'Zoë', star: 4.7, time: 'March 2026' })
      expect(await storage.reviews.findById(created._id)).toEqual(created)
      expect(await storage.reviews.create({ ...review('Sam'), star: 5 })).toMatchObject({ star: 5 })
      for (const id of ['f'.repeat(24), '', `${created._id}0`, '%']) {
        expect(await storage.reviews.findById(id)).toBeNull()
      }
    })

    it('reviews are not found by their id in capitals', async () => {
      const { _id } = await storage.reviews.create(review('Zoë', 0xabcdef * 1_000))
      expect(await storage.reviews.findById(_id.toUpperCase())).toBeNull()
      expect(await storage.reviews.findById(_id)).not.toBeNull()
    })

    describe('reviews', () => {
      it('change in any part', async () => {
        const created = await storage.reviews.create(review('Sam'))
        const changed = { ...created, star: 2.5, review: '' }
        expect(await storage.reviews.update(created._id, { star: 2.5, review: '' })).toEqual(changed)
        expect(await storage.reviews.findById(created._id)).toEqual(changed)
        const renamed = { ...changed, name: 'Zoë', time: 'May 2026' }
        expect(await storage.reviews.update(created._id, { name: 'Zoë', time: 'May 2026' })).toEqual(renamed)
        expect(await storage.reviews.update('f'.repeat(24), { star: 1 })).toBeNull()
      })

      it('are gone once removed', async () => {
        const [kept, gone] = [
          await storage.reviews.create(review('Kept')),
          await storage.reviews.create(review('Gone')),
        ]
        expect(await storage.reviews.remove(gone._id)).toBe(true)
        expect(await storage.reviews.remove(gone._id)).toBe(false)
        expect(await storage.reviews.list({ page: 1, perPage: 15 })).toEqual({ items: [kept], count: 1 })
      })

      it('that wait are nowhere among the others until they are approved', async () => {
        const waiting = await storage.reviews.submit(review('Waiting'))
        expect(await storage.reviews.list({ page: 1, perPage: 15 })).toEqual({ items: [], count: 0 })
        expect(await storage.reviews.findById(waiting._id)).toBeNull()
        expect(await storage.reviews.update(waiting._id, { star: 5 })).toBeNull()
        const approved = await Promise.all([
          storage.reviews.approve(waiting._id),
          storage.reviews.approve(waiting._id),
        ])
        expect(approved.filter((each) => each !== null)).toEqual([waiting])
        expect(await storage.reviews.list({ page: 1, perPage: 15 })).toEqual({ items: [waiting], count: 1 })
        expect(await storage.reviews.pending({ page: 1, perPage: 15 })).toEqual({ items: [], count: 0 })
        expect(await storage.reviews.findById(waiting._id)).toEqual(waiting)
        expect(await storage.reviews.update(waiting._id, { star: 5 })).toEqual({ ...waiting, star: 5 })
        expect(await storage.reviews.remove(waiting._id)).toBe(true)
      })

      it('that wait can be removed', async () => {
        const waiting = await storage.reviews.submit(review('Waiting'))
        expect(await storage.reviews.remove(waiting._id)).toBe(true)
        expect(await storage.reviews.approve(waiting._id)).toBeNull()
        expect(await storage.reviews.pending({ page: 1, perPage: 15 })).toEqual({ items: [], count: 0 })
      })
    })

    it('contacts keep every text as it was', async () => {
      const odd = { email: 'zoë@例子.example', title: '{"$gt":""}', message: 'a\n\n汉字 <b>😀</b>' }
      const created = await storage.contacts.create({ ...odd, createdAt: T0 })
      expect((await storage.contacts.list({ page: 1, perPage: 100 })).items).toEqual([created])
      expect(created).toEqual({ _id: created._id, ...odd, createdAt: T0 })
    })

    describe('samples', () => {
      const samples = { blogs: [post('sample-one'), post('sample-two')], reviews: [review('Sample')] }
      const counts = async () => [
        (await storage.blogs.list({ page: 1, perPage: 1 })).count,
        (await storage.reviews.list({ page: 1, perPage: 1 })).count,
      ]

      it('are stored once, whoever asks at once, and not again after a reopening', async () => {
        const options = { onlyWhenEmpty: true }
        const seeded = await Promise.all([
          storage.demo.seed(samples, options),
          storage.demo.seed(samples, options),
        ])
        expect(seeded.filter((isSeeded) => isSeeded)).toHaveLength(1)
        await storage.close()
        storage = await open()
        expect(await storage.demo.seed(samples, { onlyWhenEmpty: false })).toBe(false)
        expect(await counts()).toEqual([2, 1])
      })

      it('are removed in one step, leave what is real, and do not come back', async () => {
        await storage.demo.seed(samples, { onlyWhenEmpty: true })
        await storage.blogs.create(post('real'))
        await storage.reviews.create(review('Real'))
        expect(await storage.demo.remove()).toEqual({ blogs: 2, reviews: 1 })
        expect(await storage.demo.remove()).toEqual({ blogs: 0, reviews: 0 })
        expect(await counts()).toEqual([1, 1])
        expect(await storage.blogs.findBySlug('real')).not.toBeNull()
        expect(await storage.demo.seed(samples, { onlyWhenEmpty: false })).toBe(false)
      })

      it('are samples no more once they are changed', async () => {
        await storage.demo.seed(samples, { onlyWhenEmpty: true })
        const [blog] = (await storage.blogs.list({ page: 1, perPage: 1 })).items
        const [sample] = (await storage.reviews.list({ page: 1, perPage: 1 })).items
        await storage.blogs.update(blog?._id ?? '', { title: 'Mine', at: T0 })
        await storage.reviews.update(sample?._id ?? '', { star: 3 })
        expect(await storage.demo.remove()).toEqual({ blogs: 1, reviews: 0 })
        expect(await counts()).toEqual([1, 1])
      })

      it.each([
        [
          'a user',
          () => storage.users.create({ userName: 'a', passwordHash: 'h', roles: [], createdAt: T0 }),
        ],
        ['a conversation', () => say('hello')],
        ['a post', () => storage.blogs.create(post('real'))],
        ['a review', () => storage.reviews.create(review('Real'))],
        ['a contact message', () => storage.contacts.create(contact('Real'))],
      ])('stay out of a store that holds %s, unless they are wanted there', async (_what, store) => {
        await store()
        expect(await storage.demo.seed(samples, { onlyWhenEmpty: true })).toBe(false)
        expect(await storage.demo.seed(samples, { onlyWhenEmpty: false })).toBe(true)
      })

      it('leave out a post whose slug is taken', async () => {
        await storage.blogs.create({ ...post('sample-one'), title: 'Real' })
        await storage.demo.seed(samples, { onlyWhenEmpty: false })
        expect(await counts()).toEqual([2, 1])
        expect(await storage.blogs.findBySlug('sample-one')).toMatchObject({ title: 'Real' })
      })
    })

    it('keeps everything when it is opened again', async () => {
      await say('one')
      await say('two', { senderId: ADMIN })
      await storage.conversations.markRead(VISITOR, 'visitor', 2)
      const before = await storage.messages.page(VISITOR, { limit: 10 })
      await storage.close()
      storage = await open()
      expect(await storage.messages.page(VISITOR, { limit: 10 })).toEqual(before)
      expect(await say('three')).toMatchObject({ message: { seq: 3 } })
    })

    it('keeps posts, reviews and contact messages when it is opened again', async () => {
      const blog = await storage.blogs.create(post('kept'))
      const written = [
        await storage.reviews.create(review('Kept')),
        await storage.contacts.create(contact('Kept')),
      ]
      await storage.close()
      storage = await open()
      expect(await storage.blogs.findBySlug('kept')).toEqual(blog)
      const page = { page: 1, perPage: 1 }
      const read = [(await storage.reviews.list(page)).items[0], (await storage.contacts.list(page)).items[0]]
      expect(read).toEqual(written)
    })

    it('stores what was pending when it closes', async () => {
      const pending = say('just in time')
      await storage.close()
      expect((await pending).outcome).toBe('stored')
      await expect(say('too late')).rejects.toMatchObject({ code: 'unavailable' })
      storage = await open()
      expect(await texts()).toEqual(['just in time'])
    })
  })
}
