import { MESSAGE_MAX, PAGE_BYTES_MAX } from '@proctorpass/shared/limits'
import { beforeEach, describe, expect, it } from 'vitest'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

export function describeMessages({ storage, append, texts }: StoreUnderTest): void {
  describe('append', () => {
    it('numbers messages 1, 2, 3 in each conversation', async () => {
      await append('one')
      await append('in another', { clientId: OTHER })
      const second = await append('two', { senderId: ADMIN })
      expect(second).toMatchObject({ outcome: 'stored', message: { seq: 2, senderId: ADMIN } })
      expect(await texts()).toEqual(['one', 'two'])
      expect(await texts({}, OTHER)).toEqual(['in another'])
    })

    it('stores what came by mail without a key, and leaves quotes out of the list', async () => {
      await append('with a key', { keyHash: 'k'.repeat(43) })
      const input = { nonce: 'a-mail-nonce', mail: { quoted: '> old' } }
      const stored = await append('by mail', input)
      expect(stored).toMatchObject({ outcome: 'stored', message: { via: 'mail', quoted: '> old', seq: 2 } })
      expect(await append('by mail', input)).toMatchObject({
        outcome: 'repeated',
        message: { quoted: '> old' },
      })
      await append('no quotes', { mail: { quoted: '' } })
      const page = await storage.messages.page(VISITOR, { limit: 10 })
      expect(page?.messages.map(({ via, quoted }) => [via, quoted])).toEqual([
        [undefined, undefined],
        ['mail', '> old'],
        ['mail', undefined],
      ])
      await append('by mail again', { mail: { quoted: '> old' } })
      const listed = (await storage.conversations.record(VISITOR))?.lastMessage
      expect([listed?.via, listed?.quoted]).toEqual(['mail', undefined])
      expect(await append('no key')).toEqual({ outcome: 'wrong-key' })
      await storage.inbox.block(VISITOR, T0 * 2, { by: ADMIN, at: T0 })
      expect(await append('blocked', { mail: { quoted: '' } })).toEqual({ outcome: 'blocked' })
    })

    it('answers the stored message for a repeated nonce', async () => {
      const first = await append('once', { nonce: 'the-same-nonce' })
      const again = await append('once', { nonce: 'the-same-nonce', at: T0 + 5_000 })
      expect(again.outcome).toBe('repeated')
      expect('message' in again && again.message).toEqual('message' in first && first.message)
      expect(await texts()).toEqual(['once'])
    })

    it('refuses a nonce that belongs to another text or sender', async () => {
      await append('mine', { nonce: 'the-same-nonce' })
      expect(await append('other', { nonce: 'the-same-nonce' })).toEqual({ outcome: 'nonce-taken' })
      expect(await append('mine', { nonce: 'the-same-nonce', senderId: ADMIN })).toEqual({
        outcome: 'nonce-taken',
      })
      expect(await texts()).toEqual(['mine'])
    })

    it('accepts the same nonce in another conversation', async () => {
      await append('a', { nonce: 'the-same-nonce' })
      const other = await append('b', { nonce: 'the-same-nonce', clientId: OTHER })
      expect(other.outcome).toBe('stored')
    })

    it('numbers concurrent calls consecutively, in call order', async () => {
      const texts30 = Array.from({ length: 30 }, (_, index) => `m${index}`)
      await Promise.all(texts30.map((text) => append(text)))
      const page = await storage.messages.page(VISITOR, { limit: 200 })
      expect(page?.messages.map((m) => m.message)).toEqual(texts30)
      expect(page?.messages.map((m) => m.seq)).toEqual(texts30.map((_, index) => index + 1))
    })

    it('stores one of many concurrent retries', async () => {
      const results = await Promise.all(
        Array.from({ length: 10 }, () => append('once', { nonce: 'the-same-nonce' })),
      )
      expect(results.filter((result) => result.outcome === 'stored')).toHaveLength(1)
      expect(results.filter((result) => result.outcome === 'repeated')).toHaveLength(9)
      expect(await texts()).toEqual(['once'])
    })

    it('numbers what follows a retry in the same turn', async () => {
      const results = await Promise.all([
        append('one', { nonce: 'the-same-nonce' }),
        append('one', { nonce: 'the-same-nonce' }),
        append('two'),
      ])
      expect(results.map((result) => 'message' in result && result.message.seq)).toEqual([1, 1, 2])
      expect(results.map(({ outcome }) => outcome)).toEqual(['stored', 'repeated', 'stored'])
      expect(results.map((result) => 'state' in result && result.state.adminUnread)).toEqual([1, 1, 2])
    })

    it('starts again after an erase, with the epoch that the erase made', async () => {
      const first = await append('one')
      await storage.conversations.erase(VISITOR)
      const found = await storage.conversations.find(VISITOR)
      const again = await append('one')
      expect(again).toMatchObject({
        outcome: 'stored',
        message: { seq: 1, epoch: found?.epoch },
        state: { seq: 1, adminUnread: 1 },
      })
      expect('message' in first && first.message.epoch).not.toBe(found?.epoch)
    })

    it('counts from the read mark that moved since the last message', async () => {
      await append('one')
      await storage.conversations.markRead(VISITOR, 'admin', 1)
      await storage.conversations.markRead(VISITOR, 'visitor', 1)
      expect(await append('two')).toMatchObject({
        state: { seq: 2, adminUnread: 1, read: { admin: 1, visitor: 1 } },
      })
    })

    it('accepts a key that was added since the last message', async () => {
      await append('one', { keyHash: 'first' })
      expect(await append('two', { keyHash: 'second' })).toEqual({ outcome: 'wrong-key' })
      const found = await storage.conversations.find(VISITOR)
      await storage.conversations.addKey(VISITOR, 'second', found?.epoch ?? '')
      expect(await append('two', { keyHash: 'second' })).toMatchObject({
        outcome: 'stored',
        state: { keyHashes: ['first', 'second'] },
      })
    })

    it('never dates a message before its predecessor', async () => {
      await append('late', { at: T0 + 60_000 })
      const early = await append('clock went back', { at: T0 })
      expect(early).toMatchObject({ message: { createdAt: new Date(T0 + 60_000).toISOString() } })
    })

    it('dates messages by the clock once it has passed their predecessor', async () => {
      const ahead = T0 + 60_000
      const timeOf = async (at: number, clientId = VISITOR) => {
        const appended = await append('x', { at, clientId })
        return 'message' in appended ? Date.parse(appended.message.createdAt) : null
      }
      await timeOf(ahead)
      expect(await timeOf(T0)).toBe(ahead)
      expect(await timeOf(T0, OTHER)).toBe(T0)
      expect(await timeOf(ahead + 1)).toBe(ahead + 1)
      await storage.conversations.erase(VISITOR)
      expect(await timeOf(T0)).toBe(T0)
    })

    it('limits new messages of a visitor, not their retries or messages of admins', async () => {
      const bounded = { visitorMessagesMax: 2 }
      await append('one', bounded)
      await append('of an admin', { senderId: ADMIN, ...bounded })
      const [second, third] = await Promise.all([
        append('two', { nonce: 'the-second-nonce', ...bounded }),
        append('three', bounded),
      ])
      expect(second).toMatchObject({ outcome: 'stored' })
      expect(third).toEqual({ outcome: 'full' })
      expect(await append('two', { nonce: 'the-second-nonce', ...bounded })).toMatchObject({
        outcome: 'repeated',
      })
      expect(await append('again an admin', { senderId: ADMIN, ...bounded })).toMatchObject({
        outcome: 'stored',
      })
      expect(await append('in another', { clientId: OTHER, ...bounded })).toMatchObject({ outcome: 'stored' })
      expect(await texts()).toEqual(['one', 'of an admin', 'two', 'again an admin'])
      await storage.conversations.erase(VISITOR)
      expect(await append('from the start', bounded)).toMatchObject({ outcome: 'stored' })
    })

    it('stores every text unchanged', async () => {
      const odd = ['汉字 and 😀', "'; DROP TABLE messages; --", '{"$gt":""}', 'a\r\n\tb', 'e\u0301 \u202Eabc']
      for (const text of odd) await append(text)
      expect(await texts()).toEqual(odd)
    })

    it('gives every message an id of 24 hex digits', async () => {
      const results = await Promise.all([append('a'), append('b')])
      const ids = results.map((result) => 'message' in result && result.message._id)
      expect(new Set(ids).size).toBe(2)
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/)
    })

    it('refuses another epoch and stores nothing', async () => {
      expect(await append('x', { epoch: 'of-another-life' })).toEqual({ outcome: 'stale-epoch' })
      const first = await append('one')
      const epoch = 'message' in first ? first.message.epoch : ''
      expect(await append('x', { epoch: 'of-another-life' })).toEqual({ outcome: 'stale-epoch' })
      expect(await append('two', { epoch })).toMatchObject({ outcome: 'stored', message: { epoch } })
      expect(await texts()).toEqual(['one', 'two'])
    })
  })

  describe('page', () => {
    beforeEach(async () => {
      for (let index = 1; index <= 10; index++) await append(`m${index}`)
    })

    it('is null without a conversation', async () => {
      expect(await storage.messages.page(OTHER, { limit: 10 })).toBeNull()
    })

    it('holds the newest messages in order of seq', async () => {
      const page = await storage.messages.page(VISITOR, { limit: 3 })
      expect(page).toMatchObject({ seq: 10, more: true, read: { visitor: 0, admin: 0 } })
      expect(page?.messages.map((m) => m.seq)).toEqual([8, 9, 10])
    })

    it('after: starts with the oldest newer message, and shows whether more follow', async () => {
      const page = await storage.messages.page(VISITOR, { after: 4, limit: 3 })
      expect(page?.messages.map((m) => m.seq)).toEqual([5, 6, 7])
      expect(page?.more).toBe(true)
      const last = await storage.messages.page(VISITOR, { after: 7, limit: 3 })
      expect(last?.messages.map((m) => m.seq)).toEqual([8, 9, 10])
      expect(last?.more).toBe(false)
      expect(await texts({ after: 10 })).toEqual([])
      expect(await texts({ after: 99 })).toEqual([])
    })

    it('before: ends with the newest older message', async () => {
      const page = await storage.messages.page(VISITOR, { before: 4, limit: 2 })
      expect(page?.messages.map((m) => m.seq)).toEqual([2, 3])
      expect(page?.more).toBe(true)
      const first = await storage.messages.page(VISITOR, { before: 2, limit: 2 })
      expect(first?.messages.map((m) => m.seq)).toEqual([1])
      expect(first?.more).toBe(false)
      expect(await texts({ before: 1 })).toEqual([])
    })

    it('both: starts with the oldest message between them', async () => {
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
        seqs(1, COUNT).map((index) => append(index % 3 === 0 ? escaped : index % 3 === 1 ? long : 'short')),
      )
    })

    it('ends at PAGE_BYTES_MAX in every direction, with more', async () => {
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

    it('has each message once when a caller follows more', async () => {
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

    it('has no more when the last message just fits', async () => {
      const whole = await pageOf({ after: 0, limit: 5 })
      expect(whole.messages.map((m) => m.message)).toEqual([long, 'short', escaped, long, 'short'])
      expect(await pageOf({ after: 0, before: 6 })).toMatchObject({ messages: whole.messages, more: false })
    })
  })
}
