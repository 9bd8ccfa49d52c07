import { describe, expect, it } from 'vitest'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

export function describeAnswers({ storage, reopen, append }: StoreUnderTest): void {
  describe('answers', () => {
    it('are read since a time, the newest first, up to the limit, also after a restart', async () => {
      for (const n of [2, 1, 4, 3]) await storage.answers.add({ at: T0 + n, waitedMs: n * 10 })
      await storage.answers.add({ at: T0 + 4, waitedMs: 40 })
      await reopen()
      expect(await storage.answers.waits(T0 + 2, 10)).toEqual([40, 40, 30, 20])
      expect(await storage.answers.waits(T0, 3)).toEqual([40, 40, 30])
      expect(await storage.answers.waits(T0 + 5, 10)).toEqual([])
    })

    it('are removed before a time', async () => {
      for (const n of [1, 2, 3]) await storage.answers.add({ at: T0 + n, waitedMs: n })
      await storage.answers.removeBefore(T0 + 2)
      expect(await storage.answers.waits(0, 10)).toEqual([3, 2])
    })

    const answer = async (at: number, senderId = ADMIN) => {
      const appended = await append('an answer', { senderId, at })
      return appended.outcome === 'stored' ? appended.waitedSince : appended.outcome
    }

    it('know since when the visitor waited', async () => {
      expect(await append('hello', { at: T0 })).toMatchObject({ outcome: 'stored', waitedSince: null })
      expect(await append('hello?', { at: T0 + 10 })).toMatchObject({ waitedSince: null })
      await reopen()
      expect(await answer(T0 + 50)).toBe(T0)
      expect(await answer(T0 + 60)).toBe(null)
      await append('thanks', { at: T0 + 70 })
      expect(await answer(T0 + 80)).toBe(T0 + 70)
      expect(await append('first', { clientId: OTHER, senderId: ADMIN })).toMatchObject({ waitedSince: null })
    })

    it('end a wait once', async () => {
      await append('hello', { at: T0 })
      const ends = await Promise.all([answer(T0 + 1), answer(T0 + 1, 'b'.repeat(24)), answer(T0 + 2)])
      expect(ends.filter((waitedSince) => waitedSince !== null)).toEqual([T0])
    })

    it('end no wait that was resolved', async () => {
      await append('hello', { at: T0 })
      await storage.inbox.change(VISITOR, { status: 'resolved' }, { by: ADMIN, at: T0 + 1 })
      expect(await answer(T0 + 2)).toBe(null)
      await append('hello again', { at: T0 + 3 })
      await storage.inbox.change(VISITOR, { status: 'resolved' }, { by: ADMIN, at: T0 + 4 })
      await append('hello?', { at: T0 + 5 })
      expect(await answer(T0 + 6)).toBe(T0 + 5)
    })
  })
}
