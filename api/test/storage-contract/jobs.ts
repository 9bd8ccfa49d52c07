import { describe, expect, it } from 'vitest'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

const job = (key: string, dueAt: number, data: unknown = null) => ({
  ...{ key, kind: 'test', clientId: null, dueAt, data },
})

export function describeJobs({ storage, reopen }: StoreUnderTest): void {
  describe('jobs', () => {
    const claim = (now: number, leaseUntil = now + 100, limits: Record<string, number> = { test: 10 }) =>
      storage.jobs.claim({ now, leaseUntil, limits })
    const keys = async (now: number) => (await claim(now)).map(({ key }) => key)

    it('are claimed when they are due, the earliest first, also after a restart', async () => {
      await storage.jobs.schedule(job('b', T0 + 2, { words: '你好 $set a.b' }))
      await storage.jobs.schedule(job('a', T0 + 3))
      await storage.jobs.schedule({ ...job('c', T0 + 1), clientId: 'c'.repeat(20) })
      expect(await claim(T0)).toEqual([])
      await reopen()
      expect(await claim(T0 + 2, T0 + 50)).toEqual([
        {
          ...{ key: 'c', kind: 'test', clientId: 'c'.repeat(20), dueAt: T0 + 1, leaseUntil: T0 + 50 },
          ...{ attempts: 1, revision: 0, data: null },
        },
        {
          ...{ key: 'b', kind: 'test', clientId: null, dueAt: T0 + 2, leaseUntil: T0 + 50 },
          ...{ attempts: 1, revision: 0, data: { words: '你好 $set a.b' } },
        },
      ])
    })

    it('are claimed by one of several nodes', async () => {
      for (let n = 0; n < 5; n++) await storage.jobs.schedule(job(`job ${n}`, T0))
      const claims = await Promise.all([keys(T0), keys(T0), keys(T0)])
      expect(claims.flat().sort()).toEqual(['job 0', 'job 1', 'job 2', 'job 3', 'job 4'])
    })

    it('are claimed up to the limit of their kind, and not without one', async () => {
      for (let n = 0; n < 3; n++) await storage.jobs.schedule(job(`job ${n}`, T0 + n))
      for (const kind of ['mail', 'none', 'other'])
        await storage.jobs.schedule({ ...job(`${kind} job`, T0), kind })
      const limits = { test: 2, other: 1, none: 0 }
      const claimed = (await claim(T0 + 9, T0 + 20, limits)).map(({ key }) => key)
      expect(claimed.toSorted()).toEqual(['job 0', 'job 1', 'other job'])
    })

    it('are taken over from a node that has ended, whatever the clock says', async () => {
      await storage.jobs.schedule(job('a', T0))
      await storage.jobs.schedule({ ...job('b', T0), kind: 'other' })
      const [first] = await claim(T0, T0 + 100)
      if (first === undefined) throw new Error('not claimed')
      expect(await keys(T0 + 1_000_000)).toEqual([])
      expect(await storage.jobs.claimed(T0 - 1, ['test'])).toEqual([])
      expect(await storage.jobs.claimed(T0, ['other'])).toEqual([])
      expect(await storage.jobs.claimed(T0, ['test', 'other'])).toEqual([first])
      expect(await storage.jobs.takeOver({ ...first, leaseUntil: T0 + 99 }, T0 + 200)).toBeNull()
      const second = await storage.jobs.takeOver(first, T0 + 200)
      expect(second).toMatchObject({ key: 'a', attempts: 2, leaseUntil: T0 + 200 })
      expect(await storage.jobs.takeOver(first, T0 + 300)).toBeNull()
      // The node comes back.
      if (second === null) throw new Error('not taken over')
      expect(await storage.jobs.save(first, 'late')).toBe(false)
      expect(await storage.jobs.finish(first, T0 + 101)).toBe(false)
      expect(await storage.jobs.finish(second, T0 + 101)).toBe(true)
      expect(await keys(T0 + 999)).toEqual([])
    })

    it('stay claimed while their lease is renewed', async () => {
      await storage.jobs.schedule(job('a', T0))
      const [first] = await claim(T0, T0 + 100)
      if (first === undefined) throw new Error('not claimed')
      expect(await storage.jobs.renew(first, T0 + 150)).toBe(true)
      expect(await storage.jobs.renew(first, T0 + 170)).toBe(false)
      expect(await keys(T0 + 149)).toEqual([])
      expect(await storage.jobs.finish({ ...first, leaseUntil: T0 + 150 }, T0 + 149)).toBe(true)
      expect(await keys(T0 + 999)).toEqual([])
    })

    it('exist once for each key, due at the earlier time', async () => {
      await storage.jobs.schedule(job('a', T0 + 10, 'first'))
      await storage.jobs.schedule(job('a', T0 + 20, 'second'))
      await storage.jobs.schedule(job('a', T0 + 5, 'third'))
      expect(await claim(T0 + 4)).toEqual([])
      expect(await claim(T0 + 5)).toMatchObject([{ key: 'a', dueAt: T0 + 5, data: 'first' }])
      expect(await claim(T0 + 30)).toEqual([])
    })

    it('exist once when they are scheduled at once', async () => {
      await Promise.all([1, 2, 3, 4].map((n) => storage.jobs.schedule(job('a', T0 + n))))
      expect(await claim(T0 + 1)).toMatchObject([{ key: 'a', dueAt: T0 + 1 }])
    })

    it('are kept by their handler, with its data', async () => {
      await storage.jobs.schedule(job('a', T0, 0))
      const [first] = await claim(T0)
      if (first === undefined) throw new Error('not claimed')
      expect(await storage.jobs.save(first, 1)).toBe(true)
      expect(await storage.jobs.finish(first, T0 + 1, { dueAt: T0 + 50, data: 2, attempts: 0 })).toBe(true)
      expect(await keys(T0 + 49)).toEqual([])
      expect(await claim(T0 + 50)).toMatchObject([{ attempts: 1, data: 2, dueAt: T0 + 50 }])
    })

    it('stay when they are scheduled again while they run', async () => {
      for (const next of [undefined, { dueAt: T0 + 500, data: 'x', attempts: 0 }]) {
        await storage.jobs.schedule(job('a', T0))
        const [first] = await claim(T0)
        if (first === undefined) throw new Error('not claimed')
        await storage.jobs.schedule(job('a', T0 + 10))
        expect(await storage.jobs.finish(first, T0 + 20, next)).toBe(true)
        const [second] = await claim(T0 + 20)
        expect(second).toMatchObject({ key: 'a', attempts: 1 })
        await storage.jobs.cancel('a')
      }
    })

    it('are scheduled with a message, also when it is repeated', async () => {
      const clientId = 'a'.repeat(20)
      const send = (nonce: string, message: string, dueAt: number) =>
        storage.messages.append({
          ...{ clientId, senderId: clientId, nonce, message, at: T0 },
          job: { ...job('alert', dueAt), clientId },
        })
      expect((await send('nonce-01', 'hello', T0 + 10)).outcome).toBe('stored')
      expect((await send('nonce-01', 'other', T0 + 1)).outcome).toBe('nonce-taken')
      expect(await claim(T0 + 9)).toEqual([])
      const [claimed] = await claim(T0 + 10)
      expect(claimed).toMatchObject({ key: 'alert', clientId, revision: 0 })
      if (claimed !== undefined) await storage.jobs.finish(claimed, T0 + 11)
      expect((await send('nonce-01', 'hello', T0 + 20)).outcome).toBe('repeated')
      expect(await keys(T0 + 20)).toEqual(['alert'])
    })

    it('are canceled', async () => {
      await storage.jobs.schedule(job('a', T0))
      await storage.jobs.cancel('a')
      await storage.jobs.cancel('missing')
      expect(await keys(T0)).toEqual([])
    })
  })

  describe('documents', () => {
    it('are written once for each version', async () => {
      expect(await storage.documents.read('settings')).toBeNull()
      const created = await Promise.all([1, 2, 3].map((n) => storage.documents.write('settings', { n }, 0)))
      expect(created.filter(Boolean)).toHaveLength(1)
      const first = await storage.documents.read('settings')
      expect(first).toEqual({ version: 1, value: { n: created.indexOf(true) + 1 } })
      const value = { 'a.b': '$set 你好', list: [null, 1.5] }
      const changed = await Promise.all([1, 2].map(() => storage.documents.write('settings', value, 1)))
      expect(changed.filter(Boolean)).toHaveLength(1)
      await reopen()
      expect(await storage.documents.read('settings')).toEqual({ version: 2, value })
      expect(await storage.documents.write('settings', {}, 1)).toBe(false)
      expect(await storage.documents.write('other', {}, 1)).toBe(false)
    })
  })
}
