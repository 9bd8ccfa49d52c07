import { MESSAGE_MAX, PAGE_BYTES_MAX, SUMMARY_TEXT_MAX } from '@proctorpass/shared/limits'
import { describe, expect, it } from 'vitest'
import type {
  ConversationCursor,
  ConversationPage,
} from '../../src/storage/model/conversation/conversation.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

export function describeConversations({ storage, append, texts }: StoreUnderTest): void {
  describe('idle conversations', () => {
    it('have no newer message, in any state', async () => {
      const ids = ['waits', 'answered', 'resolved', 'renewed', 'young', 'erased'].map((name) =>
        name.padEnd(20, '0'),
      )
      const [waits, answered, resolved, renewed, young, erased] = ids as [string, ...string[]] as string[]
      for (const clientId of ids) await append('hello', { clientId, at: T0 + (clientId === young ? 10 : 1) })
      await append('hi', { clientId: answered, senderId: ADMIN, at: T0 + 2 })
      await storage.inbox.change(resolved as string, { status: 'resolved' }, { by: ADMIN, at: T0 + 2 })
      await append('still here', { clientId: renewed, at: T0 + 9 })
      await storage.conversations.erase(erased as string)
      expect((await storage.conversations.idle(T0 + 2, 10)).sort()).toEqual([answered, resolved, waits])
      expect(await storage.conversations.idle(T0 + 2, 2)).toHaveLength(2)
      expect(await storage.conversations.idle(T0, 10)).toEqual([])
      expect(await storage.conversations.idle(T0 + 10, 10)).toHaveLength(5)
    })
  })

  describe('read marks', () => {
    it('count visitor messages after the admin’s mark as unread', async () => {
      await append('v1')
      await append('v2')
      await append('a1', { senderId: ADMIN })
      await append('v3')
      expect(await storage.conversations.find(VISITOR)).toMatchObject({ seq: 4, adminUnread: 3 })
      expect(await storage.conversations.markRead(VISITOR, 'admin', 3)).toMatchObject({
        moved: true,
        adminUnread: 1,
        read: { admin: 3, visitor: 0 },
      })
    })

    it('move only forwards and at most to the newest message', async () => {
      await append('v1')
      await append('v2')
      await storage.conversations.markRead(VISITOR, 'admin', 2)
      expect(await storage.conversations.markRead(VISITOR, 'admin', 1)).toMatchObject({
        moved: false,
        read: { admin: 2 },
      })
      expect(await storage.conversations.markRead(VISITOR, 'visitor', 1_000)).toMatchObject({
        moved: true,
        read: { visitor: 2, admin: 2 },
      })
      await append('v3')
      expect(await storage.conversations.find(VISITOR)).toMatchObject({ adminUnread: 1 })
    })

    it('are null without a conversation', async () => {
      expect(await storage.conversations.markRead(OTHER, 'admin', 1)).toBeNull()
    })

    it('do not change the unread count when an admin replies', async () => {
      await append('v1')
      const reply = await append('a1', { senderId: ADMIN })
      expect(reply).toMatchObject({ state: { adminUnread: 1 } })
    })
  })

  describe('list', () => {
    const id = (index: number) => `Conversation${String(index).padStart(8, '0')}`
    const pagesOf = async (limit: number) => {
      const pages: ConversationPage['conversations'][] = []
      for (let after: ConversationCursor | undefined; ; ) {
        const { conversations, next } = await storage.conversations.list({ limit, after })
        pages.push(conversations)
        if (next === null) return pages
        after = next
      }
    }

    it('starts with the longest wait, then the newest answered ones', async () => {
      await append('answered early', { clientId: id(1), at: T0 })
      await append('reply', { clientId: id(1), senderId: ADMIN, at: T0 + 1 })
      await append('answered late', { clientId: id(2), at: T0 + 10 })
      await append('reply', { clientId: id(2), senderId: ADMIN, at: T0 + 11 })
      await append('waits short', { clientId: id(3), at: T0 + 30 })
      await append('waits long', { clientId: id(4), at: T0 + 20 })
      await append('waits long, again', { clientId: id(4), at: T0 + 40 })
      const { conversations, next } = await storage.conversations.list({ limit: 10 })
      expect(conversations.map((c) => [c.clientId, c.waitingSince, c.lastMessage.message])).toEqual([
        [id(4), T0 + 20, 'waits long, again'],
        [id(3), T0 + 30, 'waits short'],
        [id(2), null, 'reply'],
        [id(1), null, 'reply'],
      ])
      expect(next).toBeNull()
    })

    it('pages through everything once, even with equal times', async () => {
      for (let index = 0; index < 12; index++) {
        await append('hello', { clientId: id(index), at: T0 + Math.floor(index / 4) })
        if (index % 2) await append('reply', { clientId: id(index), senderId: ADMIN, at: T0 + 9 })
      }
      const whole = (await storage.conversations.list({ limit: 50 })).conversations.map((c) => c.clientId)
      expect(new Set(whole).size).toBe(12)
      for (const limit of [1, 5, 6, 7]) {
        expect((await pagesOf(limit)).flat().map((c) => c.clientId)).toEqual(whole)
      }
    })

    it('cuts the newest message after SUMMARY_TEXT_MAX characters and marks it as cut', async () => {
      const faces = '😀'.repeat(SUMMARY_TEXT_MAX)
      await append(faces, { clientId: id(1), at: T0 })
      await append(`${faces}!`, { clientId: id(2), at: T0 + 1 })
      await append(`x${'😀'.repeat(MESSAGE_MAX - 1)}`, { clientId: id(3), at: T0 + 2 })
      await append('short', { clientId: id(4), at: T0 + 3 })
      const { conversations } = await storage.conversations.list({ limit: 10 })
      expect(conversations.map(({ lastMessage: { message, cut } }) => [message, cut])).toEqual([
        [faces, undefined],
        [`${faces}…`, true],
        [`x${'😀'.repeat(SUMMARY_TEXT_MAX - 1)}…`, true],
        ['short', undefined],
      ])
      expect(conversations.map(({ lastMessage }) => 'cut' in lastMessage)).toEqual([false, true, true, false])
      expect(await texts({}, id(3))).toEqual([`x${'😀'.repeat(MESSAGE_MAX - 1)}`])
    })

    it('ends a page at PAGE_BYTES_MAX, and continues on the next one', async () => {
      const escaped = '\u0001'.repeat(MESSAGE_MAX)
      const ids = Array.from({ length: 160 }, (_, index) => id(index))
      // One after another: a busy stand-in does not answer hundreds at once in time.
      for (const [index, clientId] of ids.entries()) await append(escaped, { clientId, at: T0 + index })
      // Half of them wait for an answer, half do not: the page ends in either part of the list.
      for (const [index, clientId] of ids.slice(80).entries()) {
        await append(escaped, { clientId, senderId: ADMIN, at: T0 + 1_000 - index })
      }
      for (const limit of [500, 100]) {
        const pages = await pagesOf(limit)
        for (const page of pages) {
          expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(PAGE_BYTES_MAX)
        }
        expect(pages.flat().map((c) => c.clientId)).toEqual(ids)
        expect(pages).toHaveLength(2)
      }
    })

    it('is empty without conversations', async () => {
      expect(await storage.conversations.list({ limit: 5 })).toEqual({ conversations: [], next: null })
    })
  })

  it('totalAdminUnread sums over all conversations', async () => {
    expect(await storage.conversations.totalAdminUnread()).toBe(0)
    await append('a')
    await append('b')
    await append('c', { clientId: OTHER })
    expect(await storage.conversations.totalAdminUnread()).toBe(3)
    await storage.conversations.markRead(VISITOR, 'admin', 2)
    expect(await storage.conversations.totalAdminUnread()).toBe(1)
  })

  it('erase removes the messages and gives a new epoch', async () => {
    const first = await append('one')
    const epoch = 'message' in first ? first.message.epoch : ''
    await storage.conversations.markRead(VISITOR, 'admin', 1)
    expect(await storage.conversations.erase(VISITOR)).toBe(true)
    expect(await storage.conversations.erase(OTHER)).toBe(false)
    const page = await storage.messages.page(VISITOR, { limit: 10 })
    expect(page).toMatchObject({ messages: [], seq: 0, adminUnread: 0, read: { visitor: 0, admin: 0 } })
    expect(page?.epoch).not.toBe(epoch)
    expect(await storage.conversations.list({ limit: 10 })).toEqual({ conversations: [], next: null })
    expect(await append('x', { epoch })).toEqual({ outcome: 'stale-epoch' })
    expect(await append('again')).toMatchObject({ message: { seq: 1, epoch: page?.epoch } })
  })
}
