import { describe, expect, it } from 'vitest'
import type { SecretRecord, SiteRecord } from '../../src/storage/model/sites.ts'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

const idOf = (name: string) => name.padEnd(20, '0')
const secret = (digit: number): SecretRecord => ({
  ...{ _id: String(digit).repeat(24), sealed: 'sealed', createdAt: T0, lastUsedAt: null },
})

export function siteRecord(name: string, more: Partial<SiteRecord> = {}): SiteRecord {
  return {
    ...{ _id: idOf(name), name: `“${name}” 😀`, enabled: true, color: '#0a6e39', side: 'left' },
    origins: ['https://example.com', 'https://*.shop.example'],
    ...{ displayName: `${name} & Co`, greetingEn: 'Hi!\nAsk us.', greetingZh: '您好！' },
    otherGreetings: { de: 'Hallo!', 'pt-BR': 'Olá!' },
    otherLabels: { de: 'Fragen?' },
    ...{ offsetX: 0, offsetY: 200, labelEn: 'Chat', labelZh: '聊天', secrets: [], createdAt: T0, version: 1 },
    ...more,
  }
}

export function describeSites({ storage, reopen }: StoreUnderTest): void {
  describe('sites', () => {
    const create = async (name: string, more?: Partial<SiteRecord>) => {
      const site = siteRecord(name, more)
      expect(await storage.sites.create(site, 50)).toBe(true)
      return site
    }

    it('are listed in order of creation, also after a restart', async () => {
      const later = await create('later', { createdAt: T0 + 1, enabled: false, side: 'right' })
      const first = await create('first', { secrets: [secret(1)] })
      expect(await storage.sites.list()).toEqual([first, later])
      await reopen()
      expect(await storage.sites.list()).toEqual([first, later])
      expect(await storage.sites.find(first._id)).toEqual(first)
      expect(await storage.sites.find(idOf('missing'))).toBeNull()
    })

    it('are at most as many as asked for', async () => {
      await create('a')
      expect(await storage.sites.create(siteRecord('b'), 1)).toBe(false)
      expect(await storage.sites.create(siteRecord('b'), 2)).toBe(true)
    })

    it('store one of two changes of a version', async () => {
      const site = await create('a')
      const results = await Promise.all(
        ['one', 'two'].map((name) => storage.sites.update(site._id, { name }, 1)),
      )
      expect(results.map(({ outcome }) => outcome).sort()).toEqual(['stale', 'stored'])
      expect(await storage.sites.find(site._id)).toMatchObject({ version: 2, origins: site.origins })
      const origins = ['https://other.example']
      expect(await storage.sites.update(site._id, { origins, enabled: false }, 2)).toMatchObject({
        ...{ outcome: 'stored', site: { origins, enabled: false, version: 3 } },
      })
      const words = { displayName: '', greetingEn: 'Welcome', greetingZh: '' }
      const others = { otherGreetings: { fr: 'Bonjour' }, otherLabels: {} }
      const changed = { ...words, ...others }
      expect(await storage.sites.update(site._id, changed, 3)).toMatchObject({
        site: { ...words, version: 4 },
      })
      const { otherGreetings, otherLabels, ...found } = (await storage.sites.find(site._id)) ?? site
      expect(found).toMatchObject(words)
      expect({ otherGreetings, otherLabels }).toEqual(others)
      expect(await storage.sites.update(idOf('b'), { name: 'x' }, 1)).toEqual({ outcome: 'missing' })
    })

    it('have at most as many secrets as asked for, also when added at once', async () => {
      const { _id } = await create('a')
      const added = await Promise.all(
        [1, 2, 3].map((digit) => storage.sites.addSecret(_id, secret(digit), 2)),
      )
      expect(added.sort()).toEqual(['full', 'stored', 'stored'])
      const before = await storage.sites.find(_id)
      expect(before).toMatchObject({ version: 1 })
      const [kept, removed] = before?.secrets ?? []
      expect(await storage.sites.changeSecret(_id, kept?._id ?? '', { lastUsedAt: T0 + 5 })).toBe(true)
      expect(await storage.sites.removeSecret(_id, removed?._id ?? '')).toBe(true)
      expect(await storage.sites.removeSecret(_id, removed?._id ?? '')).toBe(false)
      expect(await storage.sites.changeSecret(_id, removed?._id ?? '', { lastUsedAt: T0 })).toBe(false)
      expect((await storage.sites.find(_id))?.secrets).toEqual([{ ...kept, lastUsedAt: T0 + 5 }])
      expect(await storage.sites.addSecret(idOf('b'), secret(4), 2)).toBe('missing')
    })

    it('are missing after removal', async () => {
      const { _id } = await create('a', { secrets: [secret(1)] })
      expect([await storage.sites.remove(_id), await storage.sites.remove(_id)]).toEqual([true, false])
      expect(await storage.sites.list()).toEqual([])
      expect(await storage.sites.addSecret(_id, secret(2), 2)).toBe('missing')
    })
  })
}
