import { describe, expect, it } from 'vitest'
import {
  type AuditRecord,
  ChainCheck,
  keyOfNumber,
  type NewAuditEntry,
  withEntry,
} from '../../src/storage/model/audit.ts'
import { OLD_SESSION } from '../../src/storage/model/sessions.ts'
import { ADMIN, post, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

const entry = (change: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  ...{ by: ADMIN, action: 'settings.changed', target: null, details: {}, address: '192.0.2.0/24', at: T0 },
  ...change,
})

function brokenAt(entries: readonly AuditRecord[]): number | null {
  const check = new ChainCheck()
  for (const each of entries) check.add(each)
  return check.result().brokenAt
}

export function describeAudit(store: StoreUnderTest): void {
  const all = () => store.storage.audit.page(null, 100)
  const actions = async () => (await all()).map(({ action }) => action)
  const contact = (at = T0) =>
    store.storage.contacts.create({
      email: 'sam@example.com',
      title: 'Title',
      message: 'Hello',
      createdAt: at,
    })

  describe('audit log', () => {
    it('numbers entries without a gap, and chains them', async () => {
      const { audit } = store.storage
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => audit.append(entry({ details: { z: i, a: '你好' } }))),
      )
      const entries = await all()
      expect(entries.map(({ _id }) => _id)).toEqual(entries.map((_, i) => keyOfNumber(i + 1)))
      expect(brokenAt(entries)).toBe(null)
      await store.reopen()
      expect(await all()).toEqual(entries)
    })

    it('shows a changed, missing or exchanged entry', async () => {
      for (const details of [{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }]) {
        await store.storage.audit.append(entry({ details }))
      }
      const [first, second, third, fourth] = (await all()) as [never, never, never, never]
      const changed = { ...(second as object), details: '{"b":3}' } as never
      expect(brokenAt([first, changed, third, fourth])).toBe(2)
      expect(brokenAt([first, third, fourth])).toBe(3)
      expect(brokenAt([second, third, fourth])).toBe(2)
      expect(brokenAt([second, first, third, fourth])).toBe(2)
    })

    it('stores the entry of a change with the change, and without one no entry', async () => {
      const { storage } = store
      const { _id } = await contact()
      const deleted = entry({ action: 'contact.deleted', target: _id })
      expect(await withEntry(deleted, () => storage.contacts.remove('f'.repeat(24)))).toBe(false)
      expect(await actions()).toEqual([])
      expect(await withEntry(deleted, () => storage.contacts.remove(_id))).toBe(true)
      expect(await withEntry(deleted, () => storage.contacts.remove(_id))).toBe(false)
      expect(await all()).toMatchObject([{ action: 'contact.deleted', target: _id, by: ADMIN, at: T0 }])

      const changed = entry()
      expect(await withEntry(changed, () => storage.documents.write('settings', { a: 1 }, 0))).toBe(true)
      expect(await withEntry(changed, () => storage.documents.write('settings', { a: 2 }, 0))).toBe(false)
      expect(await withEntry(changed, () => storage.documents.write('settings', { a: 2 }, 7))).toBe(false)
      expect(await withEntry(changed, () => storage.documents.write('settings', { a: 2 }, 1))).toBe(true)
      expect(await actions()).toEqual(['contact.deleted', 'settings.changed', 'settings.changed'])
      expect(await storage.documents.read('settings')).toEqual({ version: 2, value: { a: 2 } })
    })

    it('stores entries of admins, sessions, conversations, posts, reviews and samples', async () => {
      const { users, sessions, conversations, inbox, blogs, reviews, samples } = store.storage
      const invited = { userName: 'sam', passwordHash: 'x', roles: ['Admin'], createdAt: T0 }
      const invite = { inviteHash: 'i'.repeat(43), inviteExpiresAt: T0 }
      const sam = await withEntry(entry({ action: 'admin.invited' }), () =>
        users.create({ ...invited, ...invite }),
      )
      await withEntry(entry({ action: 'admin.invited' }), () => users.create({ ...invited, ...invite }))
      const userId = sam?._id ?? ''
      await withEntry(entry({ action: 'password.changed' }), () =>
        users.changeCredentials(userId, { passwordHash: 'y', ifVersion: 5 }),
      )
      await withEntry(entry({ action: 'admin.renamed' }), () =>
        users.changeProfile(userId, { displayName: 'S' }),
      )
      await withEntry(entry({ action: 'admin.disabled' }), () => users.disable(userId))
      await withEntry(entry({ action: 'admin.removed' }), () => users.removeInvited(userId))
      await withEntry(entry({ action: 'admin.removed' }), () => users.removeInvited(userId))
      const session = {
        ...OLD_SESSION,
        currentHash: 'h'.repeat(43),
        previousHash: null,
        createdAt: T0,
        expiresAt: T0 + DAY_MS,
      }
      const sid = 'b'.repeat(24)
      await withEntry(entry({ action: 'session.started' }), () =>
        sessions.create({ ...session, _id: sid, userId: ADMIN, credentialVersion: 0 }),
      )
      await withEntry(entry({ action: 'session.ended' }), () => sessions.end(sid))

      await store.append('Hello')
      await withEntry(entry({ action: 'visitor.blocked' }), () =>
        inbox.block(VISITOR, T0 + DAY_MS, { by: ADMIN, at: T0 }),
      )
      await withEntry(entry({ action: 'visitor.blocked' }), () =>
        inbox.block('Visitor0000000000009', T0, { by: ADMIN, at: T0 }),
      )
      await withEntry(entry({ action: 'conversation.erased', by: null }), () => conversations.erase(VISITOR))
      await withEntry(entry({ action: 'conversation.erased', by: null }), () => conversations.erase(VISITOR))

      const blog = await blogs.create(post('first'))
      await withEntry(entry({ action: 'post.deleted' }), () => blogs.remove(blog?._id ?? ''))
      await withEntry(entry({ action: 'post.deleted' }), () => blogs.remove(blog?._id ?? ''))
      const review = await reviews.create({ name: 'A', time: 'May', star: 5, review: 'B', createdAt: T0 })
      await withEntry(entry({ action: 'review.deleted' }), () => reviews.remove(review._id))
      await samples.seed({ blogs: [post('sample')], reviews: [] }, { onlyWhenEmpty: false })
      await withEntry(entry({ action: 'samples.deleted' }), () => samples.remove())

      expect(await actions()).toEqual([
        'admin.invited',
        'admin.renamed',
        'admin.removed',
        'session.started',
        'session.ended',
        'visitor.blocked',
        'conversation.erased',
        'post.deleted',
        'review.deleted',
        'samples.deleted',
      ])
      expect(brokenAt(await all())).toBe(null)
    })

    it('stores no entry of a write that belongs to another call', async () => {
      const { storage } = store
      const { _id } = await contact()
      await Promise.all([
        withEntry(entry({ action: 'contact.deleted' }), () => storage.contacts.remove(_id)),
        contact(),
        storage.documents.write('other', 1, 0),
      ])
      expect(await actions()).toEqual(['contact.deleted'])
    })

    it('is listed newest first, by time, admin and action, page by page', async () => {
      const { audit } = store.storage
      for (let day = 0; day < 6; day++) {
        const action = day % 2 === 0 ? 'settings.changed' : 'post.deleted'
        await audit.append(entry({ at: T0 + day * DAY_MS, action, by: day < 3 ? ADMIN : null }))
      }
      const days = async (query: object) =>
        (await audit.list({ limit: 100, ...query })).map(({ at }) => (at - T0) / DAY_MS)
      expect(await days({})).toEqual([5, 4, 3, 2, 1, 0])
      expect(await days({ from: T0 + DAY_MS, to: T0 + 3 * DAY_MS })).toEqual([3, 2, 1])
      expect(await days({ by: ADMIN, action: 'settings.changed' })).toEqual([2, 0])
      expect(await days({ action: 'post.deleted', to: T0 + 4 * DAY_MS })).toEqual([3, 1])
      expect(await days({ before: keyOfNumber(3), limit: 1 })).toEqual([1])
      expect(await days({ from: T0 + 99 * DAY_MS })).toEqual([])
    })

    it('never dates an entry before its predecessor', async () => {
      await store.storage.audit.append(entry({ at: T0 + DAY_MS }))
      await store.storage.audit.append(entry({ at: T0 }))
      expect((await all()).map(({ at }) => at)).toEqual([T0 + DAY_MS, T0 + DAY_MS])
    })

    it('is cut at its old end, and still verified', async () => {
      const { audit } = store.storage
      for (let day = 0; day < 5; day++) await audit.append(entry({ at: T0 + day * DAY_MS }))
      expect(await audit.cut(T0, T0 + 9 * DAY_MS)).toBe(0)
      expect(await audit.cut(T0 + 2 * DAY_MS, T0 + 9 * DAY_MS)).toBe(2)
      expect((await all()).map(({ _id }) => Number(_id))).toEqual([3, 4, 5, 6])
      expect(brokenAt(await all())).toBe(null)
      expect(brokenAt((await all()).slice(1))).toBe(4)
      expect(await audit.cut(T0 + 99 * DAY_MS, T0 + 99 * DAY_MS)).toBe(4)
      expect((await all()).map(({ _id, action }) => [Number(_id), action])).toEqual([[7, 'audit.cut']])
      expect(brokenAt(await all())).toBe(null)
      await audit.append(entry({ at: T0 }))
      expect(brokenAt(await all())).toBe(null)
    })
  })
}
