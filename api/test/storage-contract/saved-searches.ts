import { describe, expect, it } from 'vitest'
import { ADMIN, type StoreUnderTest, T0 } from './store-under-test.ts'

const OTHER_ADMIN = 'b'.repeat(24)

export function describeSavedSearches({ storage, reopen }: StoreUnderTest): void {
  describe('saved searches', () => {
    const create = (name: string, { userId = ADMIN, max = 20 } = {}) =>
      storage.savedSearches.create({ userId, name, query: 'q=refund&from=visitor', createdAt: T0 }, max)
    const names = async (userId = ADMIN) =>
      (await storage.savedSearches.listOf(userId)).map(({ name }) => name)

    it("are listed in order of name, also after a restart, without others' searches", async () => {
      for (const name of ['refund', 'B', 'Ärger 😀', 'a']) await create(name)
      await create('theirs', { userId: OTHER_ADMIN })
      const inOrder = ['a', 'B', 'refund', 'Ärger 😀']
      expect(await names()).toEqual(inOrder)
      await reopen()
      expect(await names()).toEqual(inOrder)
      expect(await storage.savedSearches.listOf(OTHER_ADMIN)).toEqual([
        {
          _id: expect.stringMatching(/^[0-9a-f]{24}$/),
          userId: OTHER_ADMIN,
          name: 'theirs',
          nameKey: 'theirs',
          query: 'q=refund&from=visitor',
        },
      ])
    })

    it('have one name each, in any case, also when stored at once', async () => {
      const results = await Promise.all([create('Refunds'), create('refunds'), create('REFUNDS')])
      expect(results.map(({ outcome }) => outcome).sort()).toEqual(['name-taken', 'name-taken', 'stored'])
      expect(await create('refunds')).toEqual({ outcome: 'name-taken' })
      expect(await create('refunds', { userId: OTHER_ADMIN })).toMatchObject({ outcome: 'stored' })
    })

    it('are at most as many for each admin as asked for', async () => {
      expect(await create('a', { max: 2 })).toMatchObject({ outcome: 'stored' })
      expect(await create('b', { max: 2 })).toMatchObject({ outcome: 'stored' })
      expect(await create('c', { max: 2 })).toEqual({ outcome: 'full' })
      expect(await create('a', { max: 2 })).toEqual({ outcome: 'name-taken' })
      expect(await create('c', { userId: OTHER_ADMIN, max: 2 })).toMatchObject({ outcome: 'stored' })
      expect(await names()).toEqual(['a', 'b'])
    })

    it('keep the longest name', async () => {
      const name = '\ufdfa'.repeat(60)
      expect(await create(name)).toMatchObject({ outcome: 'stored' })
      expect(await names()).toEqual([name])
    })

    it('are removed by their admin alone', async () => {
      const created = await create('a')
      const _id = created.outcome === 'stored' ? created.search._id : ''
      for (const id of ['f'.repeat(24), '', '%', `${_id}0`]) {
        expect(await storage.savedSearches.remove(ADMIN, id)).toBe(false)
      }
      expect(await storage.savedSearches.remove(OTHER_ADMIN, _id)).toBe(false)
      expect(await storage.savedSearches.remove(ADMIN, _id)).toBe(true)
      expect(await storage.savedSearches.remove(ADMIN, _id)).toBe(false)
      expect(await names()).toEqual([])
      expect(await create('a')).toMatchObject({ outcome: 'stored' })
    })
  })
}
