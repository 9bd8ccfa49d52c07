import { describe, expect, it } from 'vitest'
import type { StoreUnderTest } from './store-under-test.ts'

export function describeSuggestions({ storage, reopen }: StoreUnderTest): void {
  describe('counts of suggestions', () => {
    const opened = (path: string, day: string) => storage.suggestions.add(path, day, { opened: 1, asked: 0 })
    const asked = (path: string, day: string) => storage.suggestions.add(path, day, { opened: 0, asked: 1 })

    it('count each page and day, also of calls at once, and after a restart', async () => {
      await asked('/faq#refunds', '2026-11-24')
      await opened('/faq#refunds', '2026-11-25')
      await Promise.all([
        ...Array.from({ length: 20 }, () => opened('/faq#refunds', '2026-11-24')),
        ...Array.from({ length: 19 }, () => opened('/faq#refunds', '2026-11-25')),
        ...Array.from({ length: 7 }, () => asked('/faq#refunds', '2026-11-25')),
        opened('/blog/webcams', '2026-11-24'),
      ])
      await reopen()
      const list = await storage.suggestions.list('2026-11-24', '2026-11-25', { offset: 0, limit: 9 })
      expect(list).toEqual([
        { _id: '/blog/webcams 2026-11-24', day: '2026-11-24', opened: 1, asked: 0 },
        { _id: '/faq#refunds 2026-11-24', day: '2026-11-24', opened: 20, asked: 1 },
        { _id: '/faq#refunds 2026-11-25', day: '2026-11-25', opened: 20, asked: 7 },
      ])
    })

    it('are listed by range, page by page, and removed before a day', async () => {
      for (const day of ['2026-11-30', '2026-12-01', '2026-12-02', '2026-12-03'])
        for (const path of ['/blog/a', '/faq#z']) await opened(path, day)
      const ids = async (from: string, offset = 0, limit = 9) =>
        (await storage.suggestions.list(from, '2026-12-02', { offset, limit })).map(({ _id }) => _id)
      const all = ['/blog/a 2026-12-01', '/faq#z 2026-12-01', '/blog/a 2026-12-02', '/faq#z 2026-12-02']
      expect(await ids('2026-12-01')).toEqual(all)
      expect(await ids('2026-12-01', 0, 3)).toEqual(all.slice(0, 3))
      expect(await ids('2026-12-01', 3, 3)).toEqual(all.slice(3))
      await storage.suggestions.removeBefore('2026-12-02')
      expect(await ids('2026-11-01')).toEqual(all.slice(2))
    })
  })
}
