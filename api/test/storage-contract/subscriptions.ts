import { describe, expect, it } from 'vitest'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

const [ZOE, SAM] = ['a'.repeat(24), 'b'.repeat(24)]
const device = (name: string, changed: object = {}) => ({
  ...{ _id: name.padEnd(43, '0'), userId: ZOE, sessionId: '1'.repeat(24), createdAt: T0, retryAt: 0 },
  ...{ endpoint: `https://push.example/${name}`, p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) },
  ...{ label: `“${name}” 手机 😀`, previews: false },
  ...changed,
})

export function describeSubscriptions({ storage, reopen }: StoreUnderTest): void {
  describe('subscriptions', () => {
    const put = (name: string, changed?: object, max = 20) =>
      storage.subscriptions.put(device(name, changed), max)
    const namesOf = async (userId: string) =>
      (await storage.subscriptions.listOf(userId)).map(({ endpoint }) => endpoint.split('/').at(-1))

    it('are listed for their user, the newest first, also after a restart', async () => {
      expect(await put('one')).toBe('created')
      expect(await put('two', { createdAt: T0 + 2, previews: true, retryAt: T0 + 9 })).toBe('created')
      expect(await put('other', { userId: SAM })).toBe('created')
      await reopen()
      expect(await storage.subscriptions.listOf(ZOE)).toEqual([
        device('two', { createdAt: T0 + 2, previews: true, retryAt: T0 + 9 }),
        device('one'),
      ])
      expect(await storage.subscriptions.listOf('c'.repeat(24))).toEqual([])
    })

    it('are replaced by their endpoint, and keep the time of their beginning', async () => {
      await put('one', { previews: true })
      const again = { userId: SAM, sessionId: '2'.repeat(24), label: 'Phone', createdAt: T0 + 5, retryAt: 0 }
      expect(await put('one', again)).toBe('changed')
      expect(await storage.subscriptions.listOf(ZOE)).toEqual([])
      expect(await storage.subscriptions.listOf(SAM)).toEqual([device('one', { ...again, createdAt: T0 })])
    })

    it('are limited for each user', async () => {
      expect(await put('one', {}, 2)).toBe('created')
      expect(await put('two', {}, 2)).toBe('created')
      expect(await put('three', {}, 2)).toBe('full')
      expect(await put('two', { label: 'New' }, 2)).toBe('changed')
      expect(await put('four', { userId: SAM }, 2)).toBe('created')
      expect(await put('four', {}, 2)).toBe('full')
      expect((await namesOf(ZOE)).sort()).toEqual(['one', 'two'])
      expect(await namesOf(SAM)).toEqual(['four'])
    })

    it('wait, and are removed', async () => {
      await put('one')
      await put('two', { createdAt: T0 + 1 })
      await storage.subscriptions.setRetryAt(device('one')._id, T0 + 7)
      expect((await storage.subscriptions.listOf(ZOE)).map(({ retryAt }) => retryAt)).toEqual([0, T0 + 7])
      await storage.subscriptions.remove(device('two')._id)
      await storage.subscriptions.remove(device('two')._id)
      expect(await namesOf(ZOE)).toEqual(['one'])
    })

    it('are removed with sessions', async () => {
      await put('one')
      await put('two', { sessionId: '2'.repeat(24), createdAt: T0 + 1 })
      await put('three', { sessionId: '3'.repeat(24), createdAt: T0 + 2 })
      await storage.subscriptions.removeOfSessions([])
      expect(await namesOf(ZOE)).toEqual(['three', 'two', 'one'])
      await storage.subscriptions.removeOfSessions(['1'.repeat(24), '3'.repeat(24), 'f'.repeat(24)])
      expect(await namesOf(ZOE)).toEqual(['two'])
    })
  })
}
