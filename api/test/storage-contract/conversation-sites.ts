import { describe, expect, it } from 'vitest'
import type { SignedRecord } from '../../src/storage/model/conversation/visitors.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const SHOP = { _id: 'Shop'.padEnd(20, '0'), name: 'Shop' }
const BLOG = { _id: 'Blog'.padEnd(20, '0'), name: 'Blog' }
const SIGNED: SignedRecord = { sub: 'user-7 “😀”', name: 'Sam', email: null, site: SHOP, at: T0 }
const [KEY, SECOND] = ['k'.repeat(43), 's'.repeat(43)] as const

export function describeConversationSites({ storage, append, texts, reopen }: StoreUnderTest): void {
  const siteOf = async (clientId = VISITOR) => (await storage.conversations.record(clientId))?.site

  describe('the site of a conversation', () => {
    it('is that of its first message, also after a restart', async () => {
      expect(await append('one', { site: SHOP })).toMatchObject({ state: { site: SHOP } })
      await append('two', { site: BLOG })
      await append('reply', { senderId: ADMIN })
      await append('one', { clientId: OTHER })
      await append('two', { clientId: OTHER, site: SHOP })
      expect([await siteOf(), await siteOf(OTHER)]).toEqual([SHOP, null])
      await reopen()
      expect([await siteOf(), await siteOf(OTHER)]).toEqual([SHOP, null])
      expect((await storage.conversations.find(VISITOR))?.site).toEqual(SHOP)
    })

    it('is erased with the history', async () => {
      await append('one', { site: SHOP })
      await storage.conversations.erase(VISITOR)
      expect((await storage.conversations.find(VISITOR))?.site).toBeNull()
      await append('again', { site: BLOG })
      expect(await siteOf()).toEqual(BLOG)
    })

    it('filters the list and is counted', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e'].map((name) => name.padEnd(20, '0'))
      const [a = '', b = '', c = '', d = '', e = ''] = ids
      await append('1', { clientId: a, site: SHOP, at: T0 })
      await append('1', { clientId: b, site: BLOG, at: T0 + 1 })
      await append('1', { clientId: c, at: T0 + 2 })
      await append('1', { clientId: d, site: SHOP, at: T0 + 3 })
      await append('2', { clientId: d, senderId: ADMIN, at: T0 + 4 })
      await append('1', { clientId: e, site: SHOP, at: T0 + 5 })
      await storage.inbox.change(e, { status: 'resolved' }, { by: null, at: T0 + 6 })
      const listed = async (siteId: string | null | undefined, more = {}) =>
        (await storage.conversations.list({ limit: 10, filter: { siteId, ...more } })).conversations.map(
          ({ clientId }) => clientId,
        )
      expect(await listed(SHOP._id)).toEqual([a, e, d])
      expect(await listed(SHOP._id, { statuses: ['open'] })).toEqual([a, d])
      expect(await listed(SHOP._id, { statuses: ['open'], unread: true })).toEqual([a, d])
      expect(await listed(SHOP._id, { assigneeId: ADMIN })).toEqual([d])
      expect(await listed(null)).toEqual([c])
      expect(await listed('Unknown'.padEnd(20, '0'))).toEqual([])
      const first = await storage.conversations.list({ limit: 1, filter: { siteId: SHOP._id } })
      const rest = await storage.conversations.list({
        ...{ limit: 10, filter: { siteId: SHOP._id }, after: first.next ?? undefined },
      })
      expect(rest.conversations.map(({ clientId }) => clientId)).toEqual([e, d])
      const { sites } = await storage.inbox.counts(ADMIN, T0)
      expect(sites).toEqual({ [SHOP._id]: 2, [BLOG._id]: 1, own: 1 })
    })
  })

  describe('admitting', () => {
    it('creates a conversation that only the key opens', async () => {
      const epoch = await storage.conversations.admit(VISITOR, KEY, SHOP)
      expect(await storage.conversations.find(VISITOR)).toMatchObject({
        epoch,
        seq: 0,
        keyHashes: [KEY],
        site: SHOP,
      })
      expect(await storage.conversations.record(VISITOR)).toBeNull()
      expect((await storage.conversations.list({ limit: 10 })).conversations).toEqual([])
      expect((await storage.inbox.counts(ADMIN, T0)).sites).toBeUndefined()
      expect(await append('one', { keyHash: SECOND })).toEqual({ outcome: 'wrong-key' })
      expect(await storage.conversations.admit(VISITOR, SECOND, BLOG)).toBe(epoch)
      expect(await append('one', { keyHash: SECOND })).toMatchObject({
        state: { epoch, seq: 1, keyHashes: [KEY, SECOND], site: SHOP },
      })
      await reopen()
      expect(await append('two', { keyHash: KEY })).toMatchObject({ outcome: 'stored' })
      expect(await texts()).toEqual(['one', 'two'])
    })

    it('adds a key to a conversation with messages, and no site', async () => {
      await append('one', { keyHash: KEY })
      await storage.conversations.admit(VISITOR, SECOND, SHOP)
      expect(await storage.conversations.find(VISITOR)).toMatchObject({
        keyHashes: [KEY, SECOND],
        site: null,
      })
    })

    it('at once keeps every key', async () => {
      const keys = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(43))
      const epochs = await Promise.all(keys.map((key) => storage.conversations.admit(VISITOR, key, SHOP)))
      expect(new Set(epochs).size).toBe(1)
      expect([...((await storage.conversations.find(VISITOR))?.keyHashes ?? [])].sort()).toEqual(keys)
    })
  })

  describe('signed visitors', () => {
    it('are signed before and after their first message, and claims change nothing', async () => {
      const epoch = await storage.conversations.admit(VISITOR, KEY, SHOP)
      expect(await storage.visitors.sign(VISITOR, epoch, SIGNED)).toBe(true)
      expect(await storage.visitors.sign(VISITOR, 'another', SIGNED)).toBe(false)
      expect(await storage.visitors.sign(OTHER, epoch, SIGNED)).toBe(false)
      await append('one', { keyHash: KEY })
      await storage.visitors.update(VISITOR, { name: 'Mallory' }, { by: null, at: T0, keyHash: KEY })
      await reopen()
      const { visitor } = (await storage.conversations.record(VISITOR)) ?? {}
      expect(visitor).toMatchObject({
        name: 'Mallory',
        signed: { ...SIGNED, at: new Date(T0).toISOString() },
      })
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ name: 'Mallory', signed: SIGNED })
      await storage.conversations.erase(VISITOR)
      expect(await storage.visitors.find(VISITOR)).toBeNull()
    })

    it('have one conversation, and it one person, also at once', async () => {
      const hash = (letter: string) => letter.repeat(43)
      const add = (_id: string, clientId: string) =>
        storage.identities.add({ _id, siteId: SHOP._id, clientId })
      expect((await Promise.all([add(hash('a'), VISITOR), add(hash('a'), OTHER)])).sort()).toEqual([
        false,
        true,
      ])
      const taken = (await storage.identities.find(hash('a')))?.clientId ?? ''
      expect(await add(hash('b'), taken)).toBe(false)
      expect(await storage.identities.findOf(taken)).toMatchObject({ _id: hash('a') })
    })

    it('and remembered browsers end with the history', async () => {
      await append('one', { keyHash: KEY })
      const { epoch = '' } = (await storage.conversations.find(VISITOR)) ?? {}
      const row = { hash: 'h'.repeat(43), siteId: SHOP._id, clientId: VISITOR, epoch, expiresAt: T0 + 10 }
      await storage.remembered.add(row, T0)
      await storage.remembered.add({ ...row, hash: 'o'.repeat(43), clientId: OTHER }, T0)
      await storage.identities.add({ _id: 'i'.repeat(43), siteId: SHOP._id, clientId: VISITOR })
      expect(await storage.remembered.find(row.hash, SHOP._id, T0 + 9)).toEqual(row)
      expect(await storage.remembered.find(row.hash, BLOG._id, T0)).toBeNull()
      expect(await storage.remembered.find(row.hash, SHOP._id, T0 + 10)).toBeNull()
      const later = { ...row, expiresAt: T0 + 12 }
      expect(await storage.remembered.extend({ ...later, epoch: 'another-epoch' })).toBe(false)
      expect(await storage.remembered.extend(later)).toBe(true)
      expect(await storage.remembered.find(row.hash, SHOP._id, T0 + 10)).toEqual(later)
      await storage.conversations.erase(VISITOR)
      expect(await storage.remembered.find(row.hash, SHOP._id, T0)).toBeNull()
      expect(await storage.remembered.find('o'.repeat(43), SHOP._id, T0)).not.toBeNull()
      expect(await storage.identities.findOf(VISITOR)).toBeNull()
      await storage.remembered.remove('o'.repeat(43))
      expect(await storage.remembered.find('o'.repeat(43), SHOP._id, T0)).toBeNull()
    })

    it('are logged once for each other conversation, behind messages', async () => {
      const log = (clientId: string) => storage.inbox.logIdentity(VISITOR, { sub: 'user-7', clientId }, T0)
      expect(await log(OTHER)).toBeNull()
      await append('one')
      const entry = {
        kind: 'identity',
        by: null,
        n: 1,
        afterSeq: 1,
        data: { sub: 'user-7', clientId: OTHER },
      }
      expect(await log(OTHER)).toMatchObject(entry)
      expect(await log(OTHER)).toBeNull()
      expect(await log(VISITOR)).toMatchObject({ n: 2 })
      expect((await storage.inbox.activity(VISITOR, { limit: 10 })).activity).toMatchObject([entry, { n: 2 }])
    })
  })
}
