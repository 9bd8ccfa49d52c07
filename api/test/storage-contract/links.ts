import { describe, expect, it } from 'vitest'
import type { LinkRecord } from '../../src/storage/model/links.ts'
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

    it('of a mail that came back mark the address, until it changes', async () => {
      await append('hello')
      await storage.visitors.update(VISITOR, { email: 'sam@example.org' }, { by: null, at: T0 })
      const { epoch = '' } = (await storage.conversations.find(VISITOR)) ?? {}
      const bounce = { epoch, email: 'sam@example.org', at: T0 + 1 }
      expect(await storage.visitors.bounced(VISITOR, { ...bounce, epoch: 'another' })).toBeNull()
      expect(await storage.visitors.bounced(VISITOR, { ...bounce, email: 'eve@example.org' })).toBeNull()
      expect(await storage.visitors.bounced(VISITOR, bounce)).toMatchObject({
        kind: 'mail',
        data: { failed: true },
      })
      expect(await storage.visitors.bounced(VISITOR, bounce)).toBeNull()
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ failing: true })
      await storage.visitors.update(VISITOR, { email: 'sam@example.net' }, { by: null, at: T0 })
      expect(await storage.visitors.find(VISITOR)).toMatchObject({ failing: false })
    })

    it('lead to entries for mails, each stored once in its history', async () => {
      await append('hello')
      const { epoch = '' } = (await storage.conversations.find(VISITOR)) ?? {}
      const data = { from: 'eve@example.org', text: 'forged', verified: false }
      const mail = { clientId: VISITOR, epoch, nonce: 'mail-nonce', data, at: T0 + 1 }
      expect(await storage.inbox.addMail({ ...mail, epoch: 'another' })).toEqual({ outcome: 'missing' })
      const added = await storage.inbox.addMail(mail)
      expect(added).toMatchObject({ outcome: 'stored', activity: { kind: 'mail', by: null, data } })
      expect(await storage.inbox.addMail(mail)).toEqual({ ...added, outcome: 'repeated' })
      await storage.conversations.erase(VISITOR)
      expect(await storage.inbox.addMail(mail)).toEqual({ outcome: 'missing' })
    })

    it('and mails that were read are remembered until they expire', async () => {
      await storage.mails.add({ hash: 'h'.repeat(43), expiresAt: T0 + HOUR }, T0)
      await storage.mails.add({ hash: 'h'.repeat(43), expiresAt: T0 + HOUR }, T0)
      await reopen()
      expect(await storage.mails.has('h'.repeat(43))).toBe(true)
      await storage.mails.add({ hash: 'i'.repeat(43), expiresAt: T0 + 2 * HOUR }, T0 + HOUR)
      expect(await storage.mails.has('h'.repeat(43))).toBe(false)
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
