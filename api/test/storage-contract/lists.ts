import { describe, expect, it } from 'vitest'
import { contact, listPosts, post, review, type StoreUnderTest, T0 } from './store-under-test.ts'

export function describeLists({ storage }: StoreUnderTest): void {
  describe.each([
    {
      table: 'blogs' as const,
      create: async (name: string, at?: number) => (await storage.blogs.create(post(name, at)))?._id,
    },
    {
      table: 'reviews' as const,
      create: async (name: string, at?: number) => (await storage.reviews.create(review(name, at)))._id,
    },
    {
      table: 'pending reviews' as const,
      create: async (name: string, at?: number) => (await storage.reviews.submit(review(name, at)))._id,
    },
    {
      table: 'contacts' as const,
      create: async (name: string, at?: number) => (await storage.contacts.create(contact(name, at)))._id,
    },
  ])('list of $table', ({ table, create }) => {
    const list = (page: number, perPage: number) => {
      if (table === 'blogs') return listPosts(storage, { page, perPage })
      return table === 'pending reviews'
        ? storage.reviews.pending({ page, perPage })
        : storage[table].list({ page, perPage })
    }
    const idsOf = async (page: number, perPage: number) =>
      (await list(page, perPage)).items.map((item) => item._id)

    it('is empty at first', async () => {
      expect(await list(1, 15)).toEqual({ items: [], count: 0 })
    })

    it('is newest first, in any order of creation', async () => {
      const middle = await create('middle', T0 + 10)
      const newest = await create('newest', T0 + 20)
      const oldest = await create('oldest', T0)
      expect(await idsOf(1, 15)).toEqual([newest, middle, oldest])
    })

    it('pages through everything once, even with equal times', async () => {
      const created: (string | undefined)[] = []
      for (const letter of 'abcdefg') created.push(await create(letter, T0 + Math.floor(created.length / 3)))
      const whole = await idsOf(1, 100)
      expect(new Set(whole)).toEqual(new Set(created))
      const ties = (from: number, to: number) => whole.slice(from, to)
      expect([ties(1, 4), ties(4, 7)]).toEqual([ties(1, 4).sort().reverse(), ties(4, 7).sort().reverse()])
      for (const perPage of [1, 2, 3, 7]) {
        const seen: string[] = []
        for (let page = 1; seen.length < whole.length; page += 1) seen.push(...(await idsOf(page, perPage)))
        expect(seen).toEqual(whole)
      }
    })

    it('is empty beyond its end, with the whole count', async () => {
      await create('only')
      expect(await list(2, 15)).toEqual({ items: [], count: 1 })
      expect(await list(1_000_000, 100)).toEqual({ items: [], count: 1 })
    })

    it('gives an id of 24 hex digits to each', async () => {
      const ids = await Promise.all([create('one'), create('two')])
      expect(new Set(ids).size).toBe(2)
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/)
    })
  })
}
