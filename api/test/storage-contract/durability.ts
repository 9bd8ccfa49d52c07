import { describe, expect, it } from 'vitest'
import { OLD_SESSION } from '../../src/storage/model/sessions.ts'
import {
  ADMIN,
  contact,
  listPosts,
  OTHER,
  post,
  review,
  type StoreUnderTest,
  T0,
  VISITOR,
} from './store-under-test.ts'

export function describeDurability({ storage, append, texts, reopen }: StoreUnderTest): void {
  it('keeps conversations when it is reopened', async () => {
    await append('one')
    await append('two', { senderId: ADMIN })
    await storage.conversations.markRead(VISITOR, 'visitor', 2)
    const before = await storage.messages.page(VISITOR, { limit: 10 })
    await reopen()
    expect(await storage.messages.page(VISITOR, { limit: 10 })).toEqual(before)
    expect(await append('three')).toMatchObject({ message: { seq: 3 } })
  })

  it('keeps posts, reviews and contact messages when it is reopened', async () => {
    const blog = await storage.blogs.create(post('stored'))
    const written = [
      await storage.reviews.create(review('Stored')),
      await storage.contacts.create(contact('Stored')),
    ]
    await reopen()
    expect(await storage.blogs.findBySlug('stored')).toEqual(blog)
    const page = { page: 1, perPage: 1 }
    const read = [(await storage.reviews.list(page)).items[0], (await storage.contacts.list(page)).items[0]]
    expect(read).toEqual(written)
  })

  it('stores pending writes when it closes', async () => {
    const pending = append('just in time')
    await storage.close()
    expect((await pending).outcome).toBe('stored')
    await expect(append('too late')).rejects.toMatchObject({ code: 'unavailable' })
    await reopen()
    expect(await texts()).toEqual(['just in time'])
  })

  describe('repairTimes', () => {
    const YEAR = 365 * 24 * 3_600_000
    const times = async () =>
      (await storage.messages.page(VISITOR, { limit: 9 }))?.messages.map((m) => Date.parse(m.createdAt))

    it('sets future times to now, so that later messages are dated by the clock', async () => {
      await append('before', { at: T0 })
      await append('an answer', { at: T0 + 1, senderId: ADMIN })
      await append('from a wrong clock', { at: T0 + YEAR })
      await append('and its answer', { at: T0 + 2, senderId: ADMIN })
      await append('waits', { at: T0 + 3 })
      await append('waits since before', { at: T0 + 10, clientId: OTHER })
      await storage.blogs.create(post('ahead', T0 + YEAR))
      await storage.blogs.create(post('today', T0 + 50))
      await storage.blogs.create({ ...post('scheduled'), publishAt: T0 + YEAR })
      const link = { _id: '1'.repeat(24), hash: 'p'.repeat(43), expiresAt: T0 + YEAR }
      await storage.previewLinks.replace(link, T0)
      await storage.reviews.create(review('Ahead', T0 + YEAR))
      await storage.reviews.submit(review('Pending', T0 + YEAR))
      await storage.contacts.create(contact('Ahead', T0 + YEAR))
      await reopen()
      const now = T0 + 100
      expect(await storage.repairTimes(now)).toBe(7)
      expect(await times()).toEqual([T0, T0 + 1, now, now, now])
      expect(await storage.repairTimes(now)).toBe(0)
      const next = await append('by the clock', { at: now + 1 })
      expect(next).toMatchObject({ message: { createdAt: new Date(now + 1).toISOString() } })
      const { conversations } = await storage.conversations.list({ limit: 9 })
      expect(conversations.map(({ clientId, waitingSince }) => [clientId, waitingSince])).toEqual([
        [OTHER, T0 + 10],
        [VISITOR, now],
      ])
      const page = { page: 1, perPage: 9 }
      const { items } = await listPosts(storage, page)
      expect(items.map(({ slug, createdAt, publishAt }) => [slug, createdAt, publishAt])).toEqual([
        ['scheduled', T0, T0 + YEAR],
        ['ahead', now, now],
        ['today', T0 + 50, T0 + 50],
      ])
      const [, blog] = items
      expect(blog?.updatedAt).toBe(now)
      expect((await storage.reviews.list(page)).items[0]?.createdAt).toBe(now)
      expect((await storage.reviews.pending(page)).items[0]?.createdAt).toBe(now)
      expect((await storage.contacts.list(page)).items[0]?.createdAt).toBe(now)
    })

    it('repairs when a visitor was seen, and leaves the time of their exam', async () => {
      await append('before', { at: T0 })
      const seen = { by: null, at: T0 + YEAR }
      await storage.visitors.update(VISITOR, { examAt: T0 + YEAR }, seen)
      await storage.repairTimes(T0 + 1)
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ examAt: T0 + YEAR, lastSeenAt: T0 + 1 })
    })

    it('repairs the times of the log, and leaves the end of a snooze', async () => {
      await append('hello')
      const snooze = { status: 'snoozed', snoozedUntil: T0 + YEAR } as const
      await storage.inbox.change(VISITOR, snooze, { by: ADMIN, at: T0 })
      const note = { clientId: VISITOR, by: ADMIN, text: 'a note', mentions: [], nonce: 'nonce-of-a-note' }
      await storage.inbox.addNote({ ...note, at: T0 + YEAR })
      await storage.repairTimes(T0 + 1)
      const { activity } = await storage.inbox.activity(VISITOR, { limit: 9 })
      expect(activity.map(({ at }) => at)).toEqual([T0, T0 + 1])
      expect(await storage.inbox.dueSnoozes(T0 + YEAR - 1, 9)).toEqual([])
      expect(await storage.inbox.dueSnoozes(T0 + YEAR, 9)).toEqual([VISITOR])
    })

    it('ends invitations of a wrong clock as late as those of now', async () => {
      const user = { passwordHash: 'hash', roles: ['Admin'], createdAt: T0 }
      const invited = { ...user, inviteHash: 'one', inviteExpiresAt: T0 + YEAR }
      await storage.users.create({ ...invited, userName: 'invited' })
      await storage.users.create({
        ...invited,
        userName: 'before',
        inviteHash: 'two',
        inviteExpiresAt: T0 + 9,
      })
      await storage.users.create({ ...user, userName: 'admin' })
      await storage.repairTimes(T0)
      expect((await storage.users.list()).map(({ inviteExpiresAt }) => inviteExpiresAt)).toEqual([
        T0 + 72 * 3_600_000,
        T0 + 9,
        null,
      ])
    })

    it('shows the repaired time of the newest message in the list', async () => {
      await append('from a wrong clock', { at: T0 + YEAR })
      await storage.repairTimes(T0)
      const { conversations } = await storage.conversations.list({ limit: 9 })
      expect(conversations[0]?.lastMessage.createdAt).toBe(new Date(T0).toISOString())
    })

    it('ends sessions that began in the future, and corrects the times of the others', async () => {
      const session = {
        userId: ADMIN,
        currentHash: 'h',
        previousHash: null,
        credentialVersion: 0,
        ...OLD_SESSION,
        expiresAt: T0 + 2 * YEAR,
      }
      await storage.sessions.create({ ...session, _id: 'b'.repeat(24), createdAt: T0 + YEAR })
      const later = { usedAt: T0 + YEAR, confirmedAt: T0 + YEAR }
      await storage.sessions.create({ ...session, ...later, _id: 'c'.repeat(24), createdAt: T0 })
      expect(await storage.repairTimes(T0)).toBe(1)
      expect(await storage.sessions.find('b'.repeat(24), T0)).toBeNull()
      expect(await storage.sessions.find('c'.repeat(24), T0)).toMatchObject({ usedAt: T0, confirmedAt: T0 })
    })
  })
}
