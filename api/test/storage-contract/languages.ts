import { describe, expect, it } from 'vitest'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

export function describeLanguages({ storage, reopen }: StoreUnderTest): void {
  describe('uploaded languages', () => {
    const record = (tag: string, text = tag) => ({
      tag,
      file: JSON.stringify({ 'view.send': text, 'a.$b': '\u2028 😀' }),
      changedAt: T0,
    })

    it('are listed in the order of their tags, also after a restart', async () => {
      expect(await storage.languages.list()).toEqual([])
      for (const tag of ['pt-BR', 'de', 'zh']) await storage.languages.put(record(tag))
      const all = [record('de'), record('pt-BR'), record('zh')]
      expect(await storage.languages.list()).toEqual(all)
      await reopen()
      expect(await storage.languages.list()).toEqual(all)
    })

    it('replace each other, and can be removed', async () => {
      await storage.languages.put(record('de', 'one'))
      await Promise.all([1, 2, 3].map(() => storage.languages.put(record('de', 'two'))))
      expect((await storage.languages.list()).find(({ tag }) => tag === 'de')).toEqual(record('de', 'two'))
      expect([await storage.languages.remove('de'), await storage.languages.remove('de')]).toEqual([
        true,
        false,
      ])
    })
  })
}
