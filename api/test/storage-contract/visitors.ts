import { describe, expect, it } from 'vitest'
import type { ProfileChange, VisitorRecord } from '../../src/storage/model/conversation/visitors.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const NOTHING = { name: null, email: null, examAt: null, locale: null, timeZone: null, signed: null }
const UNKNOWN: VisitorRecord = {
  clientId: VISITOR,
  ...NOTHING,
  ...{ device: null, page: null, referrer: null, card: null, lastSeenAt: null },
  ...{ unsubscribed: false, failing: false, mailedAt: [], mailedSeq: 0, pages: [] },
}
const SAM = { name: 'Sam', email: 'sam@example.com', examAt: T0 + 5_000 }
const BROWSER = { locale: 'de-CH', timeZone: 'Europe/Zurich', device: 'Firefox on Linux', page: '/faq' }

export function describeVisitors({ storage, append, reopen }: StoreUnderTest): void {
  describe('visitors', () => {
    const KEY = 'hash-of-the-first-key'
    const said = (change: ProfileChange, at = T0, keyHash: string | null = null) =>
      storage.visitors.update(VISITOR, change, { by: null, at, keyHash })
    const corrected = (change: ProfileChange, at = T0) =>
      storage.visitors.update(VISITOR, change, { by: ADMIN, at })
    const listed = async () =>
      (await storage.conversations.list({ limit: 10 })).conversations.map(({ visitor }) => visitor)

    it('are known once they have a conversation', async () => {
      expect(await said(SAM)).toEqual({ outcome: 'missing' })
      expect(await corrected(SAM)).toEqual({ outcome: 'missing' })
      expect(await storage.visitors.find(VISITOR)).toBeNull()
      await append('hello')
      expect(await storage.visitors.find(VISITOR)).toBeNull()
      expect(await said(SAM)).toMatchObject({ outcome: 'stored', changed: ['name', 'email', 'examAt'] })
      const visitor = { ...UNKNOWN, ...SAM, lastSeenAt: T0 }
      expect(await storage.visitors.find(VISITOR)).toEqual(visitor)
      expect(await storage.visitors.find(OTHER)).toBeNull()
    })

    it('change only in the fields that are given', async () => {
      await append('hello')
      await said({ ...SAM, ...BROWSER })
      const changed = await said({ name: 'Sam', page: '/reviews', referrer: undefined, email: null }, T0 + 9)
      const visitor = { ...UNKNOWN, ...SAM, ...BROWSER, page: '/reviews', email: null, lastSeenAt: T0 + 9 }
      expect(changed).toMatchObject({ outcome: 'stored', visitor, changed: ['email', 'page'] })
      expect(await storage.visitors.find(VISITOR)).toEqual(visitor)
      expect(await said({ page: '/reviews' }, T0 + 7)).toMatchObject({ visitor, changed: [] })
    })

    it('keep their last 20 pages, reported in any order and by several browsers', async () => {
      const view = (n: number, seconds = 0) => ({ path: `/${n}`, title: `Page ${n}`, at: T0 + n, seconds })
      const views = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, index) => view(from + index))
      const kept = async () => (await storage.visitors.find(VISITOR))?.pages
      expect(await said({ pages: [view(1)] })).toEqual({ outcome: 'missing' })
      await append('hello')
      expect(await said({ pages: [view(2), view(1)] })).toMatchObject({ changed: ['pages'], activity: null })
      expect(await kept()).toEqual([view(1), view(2)])
      expect(await said({ page: '/2', pages: [view(2, 7)] })).toMatchObject({ changed: ['page', 'pages'] })
      expect(await said({ pages: [view(2, 3)] })).toMatchObject({ changed: [] })
      await Promise.all([said({ pages: views(5, 12) }), said({ pages: views(3, 9) }), said({ page: '/' })])
      expect(await kept()).toEqual([view(1), view(2, 7), ...views(3, 12)])
      await said({ pages: views(13, 30) })
      await reopen()
      expect(await kept()).toEqual(views(11, 30))
      expect(await said({ pages: [view(1)] })).toMatchObject({ changed: [] })
      await storage.conversations.erase(VISITOR)
      await append('hello again')
      expect(await storage.visitors.find(VISITOR)).toBeNull()
    })

    it('keep the first card that is reported, and with the history', async () => {
      await append('hello')
      expect(await said({ card: 'one' })).toMatchObject({ changed: ['card'], activity: null })
      expect(await said({ card: 'two', page: '/' })).toMatchObject({ changed: ['page'] })
      await reopen()
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ card: 'one', page: '/' })
      await storage.conversations.erase(VISITOR)
      await append('hello again')
      await said({ page: '/' })
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ card: null })
    })

    it('are not seen by the correction of an admin', async () => {
      await append('hello')
      expect(await corrected({})).toMatchObject({ outcome: 'stored', visitor: UNKNOWN, changed: [] })
      await corrected({ name: 'Samuel' }, T0 + 50)
      expect(await storage.visitors.find(VISITOR)).toEqual({ ...UNKNOWN, name: 'Samuel' })
      await said({ page: '/' }, T0 + 60)
      await corrected({ name: null }, T0 + 70)
      expect(await storage.visitors.find(VISITOR)).toEqual({ ...UNKNOWN, page: '/', lastSeenAt: T0 + 60 })
    })

    it('say nothing while they are blocked, and admins still correct them', async () => {
      await append('hello')
      await storage.inbox.block(VISITOR, T0 + 100, { by: ADMIN, at: T0 })
      expect(await said(SAM, T0 + 99)).toEqual({ outcome: 'blocked' })
      expect(await storage.visitors.find(VISITOR)).toBeNull()
      expect(await corrected(SAM, T0 + 99)).toMatchObject({ outcome: 'stored' })
      expect(await said({ name: 'Samuel' }, T0 + 100)).toMatchObject({ changed: ['name'] })
    })

    it('need a key of their conversation, and admins need none', async () => {
      await append('hello', { keyHash: KEY })
      for (const keyHash of [null, 'a-wrong-hash']) {
        expect(await said(SAM, T0, keyHash)).toEqual({ outcome: 'wrong-key' })
      }
      expect(await storage.visitors.find(VISITOR)).toBeNull()
      expect(await said(SAM, T0, KEY)).toMatchObject({ outcome: 'stored', keyHashes: [KEY] })
      expect(await corrected({ name: 'Samuel' })).toMatchObject({ outcome: 'stored', keyHashes: [KEY] })
    })

    it('stand in the list of conversations', async () => {
      await append('hello')
      await append('hello', { clientId: OTHER })
      await said({ ...SAM, ...BROWSER })
      const { locale, timeZone } = BROWSER
      expect(await listed()).toEqual([
        { ...SAM, examAt: new Date(SAM.examAt).toISOString(), locale, timeZone, signed: null },
        NOTHING,
      ])
    })

    it('are named together, those who gave a name', async () => {
      const named = () => storage.visitors.names([VISITOR, OTHER, 'Missing0000000000001'])
      await append('hello')
      await append('hello', { clientId: OTHER })
      expect(await named()).toEqual(new Map())
      await said({ ...SAM, ...BROWSER })
      await storage.visitors.update(OTHER, { page: '/faq' }, { by: null, at: T0 })
      expect(await named()).toEqual(new Map([[VISITOR, 'Sam']]))
      await storage.visitors.update(OTHER, { name: 'Zoë' }, { by: ADMIN, at: T0 })
      await corrected({ name: null })
      expect(await named()).toEqual(new Map([[OTHER, 'Zoë']]))
      expect(await storage.visitors.names([])).toEqual(new Map())
    })

    it('go with the history of their conversation', async () => {
      await append('hello', { keyHash: KEY })
      await said({ ...SAM, ...BROWSER }, T0, KEY)
      await storage.conversations.erase(VISITOR)
      expect(await storage.visitors.find(VISITOR)).toBeNull()
      expect(await said(SAM, T0, KEY)).toEqual({ outcome: 'missing' })
      expect(await said(SAM, T0, 'a-wrong-hash')).toEqual({ outcome: 'wrong-key' })
      await append('again', { keyHash: KEY })
      expect(await listed()).toEqual([NOTHING])
      expect(await storage.visitors.find(VISITOR)).toBeNull()
    })

    it('are logged with the name, the email or the exam, not with what browsers report', async () => {
      await append('hello')
      expect(await said(BROWSER)).toMatchObject({ outcome: 'stored', activity: null })
      const told = await said({ ...SAM, page: '/' }, T0 + 1)
      const fixed = await corrected({ name: 'Samuel', locale: null }, T0 + 2)
      expect(await corrected({ name: 'Samuel' }, T0 + 3)).toMatchObject({ changed: [], activity: null })
      await append('again')
      await said({ examAt: null }, T0 + 4)
      const { activity, n } = await storage.inbox.activity(VISITOR, { limit: 10 })
      expect(activity).toMatchObject([
        { n: 1, kind: 'profile', by: null, at: T0 + 1, data: { fields: ['name', 'email', 'examAt'] } },
        { n: 2, kind: 'profile', by: ADMIN, at: T0 + 2, afterSeq: 1, data: { fields: ['name'] } },
        { n: 3, kind: 'profile', by: null, at: T0 + 4, afterSeq: 2, data: { fields: ['examAt'] } },
      ])
      expect(n).toBe(3)
      const logged = [told, fixed].map((result) => (result.outcome === 'stored' ? result.activity : null))
      expect(activity.slice(0, 2)).toEqual(logged)
    })

    it('keep every text, also after a restart', async () => {
      await append('hello')
      const odd = {
        name: `{"$gt":""} '; DROP TABLE visitors; --`,
        email: 'zoë@例子.example',
        page: '/$where.a',
      }
      await said({ ...odd, examAt: 8.64e15 })
      await reopen()
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ ...odd, examAt: 8.64e15 })
    })

    it('take concurrent changes of different fields, and tell each change once', async () => {
      await append('hello')
      const results = await Promise.all([
        said({ name: 'Sam' }),
        said({ email: 'sam@example.com' }),
        corrected({ examAt: T0 }),
        ...Array.from({ length: 6 }, () => corrected({ locale: 'en' })),
      ])
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ ...SAM, examAt: T0, locale: 'en' })
      const changed = results.flatMap((result) => (result.outcome === 'stored' ? result.changed : []))
      expect(changed.sort()).toEqual(['email', 'examAt', 'locale', 'name'])
    })

    it('remember their last mails and whether they unsubscribed', async () => {
      const epochOf = async () => (await storage.conversations.find(VISITOR))?.epoch ?? ''
      const mail = async (seq: number, at: number, failed = false) =>
        storage.visitors.mailed(VISITOR, { epoch: await epochOf(), seq, at, failed })
      expect(await mail(1, T0)).toBeNull()
      expect(await storage.visitors.setUnsubscribed(VISITOR, true)).toBe(false)
      await append('hello')
      expect(await storage.visitors.setUnsubscribed(VISITOR, true)).toBe(false)
      await said(SAM)
      for (const n of [1, 2, 3, 4]) expect(await mail(n, T0 + n)).toBeNull()
      expect(await mail(3, T0 + 5)).toBeNull()
      expect(await storage.visitors.setUnsubscribed(VISITOR, true)).toBe(true)
      expect(await storage.visitors.setUnsubscribed(VISITOR, true)).toBe(true)
      const mailedAt = [T0 + 3, T0 + 4, T0 + 5]
      await said({ page: '/', email: SAM.email })
      expect(await storage.visitors.find(VISITOR)).toMatchObject({
        ...{ unsubscribed: true, mailedAt, mailedSeq: 4 },
      })
      await said({ email: 'other@example.com' })
      expect(await storage.visitors.find(VISITOR)).toMatchObject({
        ...{ unsubscribed: false, mailedAt, mailedSeq: 4 },
      })
      await storage.visitors.setUnsubscribed(VISITOR, true)
      await said({ email: 'other@example.com' })
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ unsubscribed: true })
      await storage.visitors.setUnsubscribed(VISITOR, false)
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ unsubscribed: false, mailedAt })
      expect(await mail(9, T0 + 6, true)).toMatchObject({
        ...{ kind: 'mail', data: { failed: true }, by: null, at: T0 + 6, afterSeq: 1 },
      })
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ mailedAt, mailedSeq: 9 })
      const { activity } = await storage.inbox.activity(VISITOR, { limit: 10 })
      expect(activity.map(({ kind, n }) => [kind, n])).toEqual([
        ['profile', 1],
        ['profile', 2],
        ['mail', 3],
      ])
    })

    it('are not mailed about a history that was erased meanwhile', async () => {
      await append('hello')
      await said(SAM)
      const { epoch = '' } = (await storage.conversations.find(VISITOR)) ?? {}
      await storage.conversations.erase(VISITOR)
      await append('hello again')
      await said(SAM)
      for (const failed of [true, false])
        expect(await storage.visitors.mailed(VISITOR, { epoch, seq: 1, at: T0, failed })).toBeNull()
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ mailedAt: [], mailedSeq: 0 })
    })
  })
}
