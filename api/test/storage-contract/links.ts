import { describe, expect, it } from 'vitest'
import type { LinkRecord } from '../../src/storage/port/links.ts'
import { OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const HOUR = 3_600_000

export function describeLinks({ storage, append, reopen }: StoreUnderTest): void {
  describe('links', () => {
    const link = (hash: string, rest: Partial<LinkRecord> = {}): LinkRecord => ({
      ...{ hash, kind: 'resume', clientId: VISITOR, epoch: 'e', addressId: null },
      expiresAt: T0 + HOUR,
      ...rest,
    })
    const find = (hash: string, now = T0) => storage.links.find(hash, 'resume', now)

    it('are found by their hash and kind until they expire, also after a restart', async () => {
      await storage.links.create([link('a'), link('b', { kind: 'unsubscribe', addressId: 'address' })], T0)
      await reopen()
      expect(await find('a', T0 + HOUR - 1)).toEqual(link('a'))
      expect(await find('a', T0 + HOUR)).toBeNull()
      expect(await find('b')).toBeNull()
      expect(await storage.links.find('b', 'unsubscribe', T0)).toEqual(
        link('b', { kind: 'unsubscribe', addressId: 'address' }),
      )
      expect(await find('c')).toBeNull()
    })

    it('are removed once they have expired', async () => {
      await storage.links.create([link('a')], T0)
      await storage.links.create([link('b', { expiresAt: T0 + 2 * HOUR })], T0 + HOUR)
      expect(await find('a')).toBeNull()
      expect(await find('b')).not.toBeNull()
    })

    it('are erased with their conversation, except those to unsubscribe', async () => {
      await append('hello')
      await append('hello', { clientId: OTHER, senderId: OTHER })
      const epochOf = async (clientId: string) => (await storage.conversations.find(clientId))?.epoch ?? ''
      await storage.links.create(
        [
          link('a', { epoch: await epochOf(VISITOR) }),
          link('b', { clientId: OTHER, epoch: await epochOf(OTHER) }),
          link('c', { kind: 'unsubscribe', epoch: await epochOf(VISITOR) }),
          link('d', { kind: 'reply', epoch: await epochOf(VISITOR) }),
          link('e', { kind: 'sent', epoch: await epochOf(VISITOR) }),
        ],
        T0,
      )
      await storage.conversations.erase(VISITOR)
      expect(await find('a')).toBeNull()
      expect(await storage.links.find('d', 'reply', T0)).toBeNull()
      expect(await storage.links.find('e', 'sent', T0)).toBeNull()
      expect(await find('b')).not.toBeNull()
      expect(await storage.links.find('c', 'unsubscribe', T0)).not.toBeNull()
    })
  })
}
