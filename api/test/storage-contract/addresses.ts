import { describe, expect, it } from 'vitest'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

const HOUR = 3_600_000
const THREE = { max: 3, windowMs: HOUR }

export function describeAddresses({ storage, reopen }: StoreUnderTest): void {
  describe('addresses', () => {
    const take = (name: string, now = T0, id = 'address') => storage.addresses.take(id, name, THREE, now)

    it('have a number of places, each free some time after it was taken, also after a restart', async () => {
      for (const [n, name] of ['a', 'b', 'c'].entries()) expect(await take(name, T0 + n)).toBeNull()
      expect(await take('d', T0 + 3)).toBe(T0 + HOUR)
      await reopen()
      expect(await take('d', T0 + HOUR - 1)).toBe(T0 + HOUR)
      expect(await take('e', T0, 'other')).toBeNull()
      expect(await take('d', T0 + HOUR)).toBeNull()
      expect(await take('e', T0 + HOUR)).toBe(T0 + HOUR + 1)
    })

    it('let who has a place keep it', async () => {
      for (const name of ['a', 'b', 'c', 'a']) expect(await take(name)).toBeNull()
      expect(await take('a', T0 + HOUR - 1)).toBeNull()
      // It has only its own place now, and the others are free.
      expect(await take('d', T0 + HOUR)).toBeNull()
      expect(await take('e', T0 + HOUR)).toBeNull()
      expect(await take('f', T0 + HOUR)).toBe(T0 + 2 * HOUR - 1)
    })

    it('give each place to one of those who want it at once', async () => {
      const names = Array.from({ length: 9 }, (_, n) => `name-${n}`)
      const answers = await Promise.all(names.map((name) => take(name)))
      expect(answers.filter((freeAt) => freeAt === null)).toHaveLength(3)
    })

    it('are not held by times of a clock that was far ahead', async () => {
      for (const name of ['a', 'b', 'c']) await take(name, T0 + 10 * HOUR)
      expect(await take('d')).toBeNull()
    })

    it('stay unsubscribed until they are subscribed again', async () => {
      expect(await storage.addresses.isUnsubscribed('address')).toBe(false)
      await storage.addresses.setUnsubscribed('address', T0)
      await storage.addresses.setUnsubscribed('address', T0)
      expect(await storage.addresses.isUnsubscribed('other')).toBe(false)
      for (const name of ['a', 'b', 'c']) expect(await take(name)).toBeNull()
      expect(await take('d')).toBe(T0 + HOUR)
      // Removes what has expired.
      await take('a', T0 + 1_000 * HOUR, 'other')
      await reopen()
      expect(await storage.addresses.isUnsubscribed('address')).toBe(true)
      await storage.addresses.setUnsubscribed('address', null)
      expect(await storage.addresses.isUnsubscribed('address')).toBe(false)
    })
  })
}
