import { describe, expect, it } from 'vitest'
import { FOREVER } from '../../src/storage/model/conversation/blocks-and-ratings.ts'
import type { InboxChange } from '../../src/storage/model/conversation/inbox-changes.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const HOUR = 3_600_000

export function describeSpam({ storage, append, texts, reopen }: StoreUnderTest): void {
  const change = (wanted: InboxChange, at: number, version?: number) =>
    storage.inbox.change(VISITOR, wanted, { by: ADMIN, at, version })
  const mark = (at: number) => change({ status: 'spam' }, at)
  const takeBack = (at: number) => change({ spam: false }, at)
  const listed = async (filter = {}) =>
    (await storage.conversations.list({ limit: 10, filter })).conversations.map(({ clientId }) => clientId)
  const record = () => storage.conversations.record(VISITOR)
  const counts = () => storage.inbox.counts(ADMIN, T0)
  const stateOf = async () => {
    const found = await record()
    return { ...found?.inbox, waitingSince: found?.waitingSince }
  }

  describe('spam', () => {
    it('is in no list and no count unless its status is named', async () => {
      await append('buy now')
      await append('a question', { clientId: OTHER })
      await change({ assigneeId: ADMIN, labels: ['VIP'] }, T0 + 1)
      await storage.visitors.update(VISITOR, { examAt: T0 + HOUR }, { by: ADMIN, at: T0 + 1 })
      expect(await mark(T0 + 2)).toMatchObject({
        outcome: 'stored',
        conversation: { inbox: { status: 'spam', version: 2 }, waitingSince: null },
        activity: [{ n: 4, kind: 'status', by: ADMIN, data: { from: 'open', to: 'spam' } }],
      })
      expect(await mark(T0 + 3)).toMatchObject({ outcome: 'unchanged' })
      await reopen()
      expect(await listed()).toEqual([OTHER])
      for (const filter of [
        { unread: true },
        { assigneeId: ADMIN },
        { label: 'VIP' },
        { siteId: null },
        { exam: { from: T0, to: T0 + HOUR } },
        { exam: { from: T0, to: T0 + HOUR }, statuses: ['open', 'spam'] as const },
      ]) {
        expect(await listed(filter), JSON.stringify(filter)).not.toContain(VISITOR)
      }
      expect(await listed({ statuses: ['spam'] })).toEqual([VISITOR])
      expect(await listed({ statuses: ['open', 'spam'] })).toEqual([OTHER, VISITOR])
      expect(await listed({ statuses: ['spam'], assigneeId: ADMIN, label: 'vip', unread: true })).toEqual([
        VISITOR,
      ])
      expect(await counts()).toEqual({
        ...{ open: 1, mine: 0, unassigned: 1, examSoon: 0, snoozed: 0, resolved: 0, spam: 1, all: 1 },
      })
      expect(await storage.conversations.totalAdminUnread()).toBe(1)
      expect(await storage.inbox.now(10)).toMatchObject({ open: 1, waiting: 1 })
    })

    it('stays spam when its visitor or an admin writes, and nobody waits in it', async () => {
      await append('buy now')
      await mark(T0 + 1)
      expect(await append('buy more', { at: T0 + 2 })).toMatchObject({
        outcome: 'stored',
        inboxChanged: null,
        waitedSince: null,
        state: { adminUnread: 2, spam: { status: 'open', messages: 1 } },
      })
      expect(await stateOf()).toMatchObject({ status: 'spam', version: 1, waitingSince: null })
      expect(await append('no, thanks', { senderId: ADMIN, at: T0 + 3 })).toMatchObject({
        waitedSince: null,
        inboxChanged: { conversation: { inbox: { status: 'spam', assigneeId: ADMIN } } },
      })
      expect(await append('please', { at: T0 + 4 })).toMatchObject({ inboxChanged: null })
      expect(await stateOf()).toMatchObject({ status: 'spam', waitingSince: null })
      expect(await texts()).toEqual(['buy now', 'buy more', 'no, thanks', 'please'])
      await takeBack(T0 + 5)
      expect(await stateOf()).toMatchObject({ status: 'open', waitingSince: T0 + 4 })
    })

    it('goes back to open and to the same wait', async () => {
      await append('a question', { at: T0 + 1 })
      await append('another one', { at: T0 + 2 })
      await mark(T0 + 3)
      expect(await takeBack(T0 + 4)).toMatchObject({
        outcome: 'stored',
        conversation: { inbox: { status: 'open', snoozedUntil: null, version: 2 }, waitingSince: T0 + 1 },
        activity: [{ n: 2, kind: 'status', by: ADMIN, data: { from: 'spam', to: 'open' } }],
      })
      expect(await takeBack(T0 + 5)).toMatchObject({ outcome: 'unchanged' })
      expect(await counts()).toMatchObject({ open: 1, spam: 0, all: 1 })
      expect(await storage.conversations.find(VISITOR)).toMatchObject({ spam: null })
    })

    it('goes back to a snooze that is not over, and else to open', async () => {
      await append('a question')
      await change({ status: 'snoozed', snoozedUntil: T0 + HOUR }, T0 + 1)
      await mark(T0 + 2)
      expect(await stateOf()).toMatchObject({ status: 'spam', snoozedUntil: null })
      expect(await storage.inbox.dueSnoozes(T0 + HOUR, 10)).toEqual([])
      await takeBack(T0 + 3)
      expect(await stateOf()).toMatchObject({
        ...{ status: 'snoozed', snoozedUntil: T0 + HOUR, waitingSince: T0 },
      })
      await mark(T0 + 4)
      await takeBack(T0 + HOUR)
      expect(await stateOf()).toMatchObject({ status: 'open', snoozedUntil: null, waitingSince: T0 })
    })

    it('goes back to resolved, where earlier messages do not wait, and to open with a newer message', async () => {
      await append('a question')
      await change({ status: 'resolved' }, T0 + 1)
      await mark(T0 + 2)
      await takeBack(T0 + 3)
      expect(await stateOf()).toMatchObject({ status: 'resolved', waitingSince: null })
      await mark(T0 + 4)
      await append('one more thing', { at: T0 + 5 })
      await append('and another', { at: T0 + 6 })
      await reopen()
      await takeBack(T0 + 7)
      expect(await stateOf()).toMatchObject({ status: 'open', waitingSince: T0 + 5 })
    })

    it('changes nothing that its visitor sees, and can be rated if it was resolved', async () => {
      await append('a question')
      await change({ status: 'resolved' }, T0 + 1)
      const isUnrated = async () => (await storage.conversations.find(VISITOR))?.isUnrated
      await mark(T0 + 2)
      expect(await isUnrated()).toBe(true)
      const rate = (at: number) =>
        storage.inbox.rate(VISITOR, { score: 2, words: null }, { at, keyHash: null })
      expect(await rate(T0 + 3)).toMatchObject({ outcome: 'stored' })
      expect(await isUnrated()).toBe(false)
      await takeBack(T0 + 4)
      expect(await isUnrated()).toBe(false)
      await change({ status: 'open' }, T0 + 5)
      await change({ status: 'resolved' }, T0 + 6)
      await mark(T0 + 7)
      expect(await isUnrated()).toBe(true)
      await append('again', { at: T0 + 8 })
      expect(await isUnrated()).toBe(false)
      expect(await rate(T0 + 9)).toEqual({ outcome: 'not-open' })
    })

    it('stays spam when its visitor is blocked, who then does not wait', async () => {
      await append('buy now')
      await mark(T0 + 1)
      expect(await storage.inbox.block(VISITOR, FOREVER, { by: ADMIN, at: T0 + 2 })).toMatchObject({
        conversation: { inbox: { status: 'spam', version: 1 }, waitingSince: null },
        activity: [{ kind: 'block' }],
      })
      await takeBack(T0 + 3)
      expect(await stateOf()).toMatchObject({ status: 'open', waitingSince: null })
      await storage.inbox.block(VISITOR, null, { by: ADMIN, at: T0 + 4 })
      expect(await stateOf()).toMatchObject({ status: 'open', waitingSince: T0 })
      await mark(T0 + 5)
      await storage.inbox.block(VISITOR, FOREVER, { by: ADMIN, at: T0 + 6 })
      await storage.inbox.block(VISITOR, null, { by: ADMIN, at: T0 + 7 })
      expect(await stateOf()).toMatchObject({ status: 'spam', waitingSince: null })
      await takeBack(T0 + 8)
      expect(await stateOf()).toMatchObject({ status: 'open', waitingSince: T0 })
    })

    it('ends with another status too', async () => {
      await append('a question')
      await mark(T0 + 1)
      await append('more', { at: T0 + 2 })
      await change({ status: 'resolved' }, T0 + 3)
      expect(await stateOf()).toMatchObject({ status: 'resolved', waitingSince: null })
      await change({ status: 'open' }, T0 + 4)
      expect(await stateOf()).toMatchObject({ status: 'open', waitingSince: T0 })
      await change({ status: 'resolved' }, T0 + 5)
      await mark(T0 + 6)
      await change({ status: 'open' }, T0 + 7)
      expect(await stateOf()).toMatchObject({ status: 'open', waitingSince: T0 })
      expect(await takeBack(T0 + 8)).toMatchObject({ outcome: 'unchanged' })
    })

    it('is refused with a stale version', async () => {
      await append('hello')
      await mark(T0 + 1)
      expect(await change({ spam: false }, T0 + 2, 0)).toMatchObject({ outcome: 'stale' })
    })

    it('is erased some time after the later of its mark and its newest message', async () => {
      await append('buy now')
      await append('a question', { clientId: OTHER })
      await mark(T0 + 2)
      expect(await storage.conversations.idleSpam(T0 + 1, 10)).toEqual([])
      expect(await storage.conversations.idleSpam(T0 + 2, 10)).toEqual([VISITOR])
      const erase = (clientId: string, idleSince: number) =>
        storage.conversations.erase(clientId, { idleSince, isSpam: true })
      expect(await erase(VISITOR, T0 + 1)).toBe(false)
      await append('buy more', { at: T0 + 4 })
      expect(await storage.conversations.idleSpam(T0 + 3, 10)).toEqual([])
      expect(await erase(VISITOR, T0 + 3)).toBe(false)
      expect(await erase(OTHER, T0 + 4)).toBe(false)
      await takeBack(T0 + 5)
      expect(await storage.conversations.idleSpam(T0 + 9, 10)).toEqual([])
      expect(await erase(VISITOR, T0 + 9)).toBe(false)
      await mark(T0 + 6)
      await reopen()
      expect(await storage.conversations.idleSpam(T0 + 6, 10)).toEqual([VISITOR])
      expect(await erase(VISITOR, T0 + 6)).toBe(true)
      expect(await storage.conversations.idleSpam(T0 + 9, 10)).toEqual([])
      expect(await storage.conversations.record(VISITOR)).toBeNull()
    })

    it('is gone with its history', async () => {
      await append('buy now')
      await mark(T0 + 1)
      await storage.conversations.erase(VISITOR)
      expect(await counts()).toMatchObject({ spam: 0, all: 0 })
      await append('hello again', { at: T0 + 2 })
      expect(await stateOf()).toMatchObject({ status: 'open', version: 0, waitingSince: T0 + 2 })
    })
  })
}
