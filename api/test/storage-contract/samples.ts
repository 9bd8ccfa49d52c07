import { describe, expect, it } from 'vitest'
import { contact, listPosts, post, review, type StoreUnderTest, T0 } from './store-under-test.ts'

export function describeSamples({ storage, append, reopen }: StoreUnderTest): void {
  describe('samples', () => {
    const samples = { blogs: [post('sample-one'), post('sample-two')], reviews: [review('Sample')] }
    const counts = async () => [
      (await listPosts(storage, { page: 1, perPage: 1 })).count,
      (await storage.reviews.list({ page: 1, perPage: 1 })).count,
    ]

    it('are stored once by concurrent calls, and not again after a restart', async () => {
      const options = { onlyWhenEmpty: true }
      const seeded = await Promise.all([
        storage.samples.seed(samples, options),
        storage.samples.seed(samples, options),
      ])
      expect(seeded.filter((isSeeded) => isSeeded)).toHaveLength(1)
      await reopen()
      expect(await storage.samples.seed(samples, { onlyWhenEmpty: false })).toBe(false)
      expect(await counts()).toEqual([2, 1])
    })

    it('are removed without real posts and reviews, and are not stored again', async () => {
      await storage.samples.seed(samples, { onlyWhenEmpty: true })
      await storage.blogs.create(post('real'))
      await storage.reviews.create(review('Real'))
      expect(await storage.samples.remove()).toEqual({ blogs: 2, reviews: 1 })
      expect(await storage.samples.remove()).toEqual({ blogs: 0, reviews: 0 })
      expect(await counts()).toEqual([1, 1])
      expect(await storage.blogs.findBySlug('real')).not.toBeNull()
      expect(await storage.samples.seed(samples, { onlyWhenEmpty: false })).toBe(false)
    })

    it('count for no average of the reviews', async () => {
      await storage.samples.seed(samples, { onlyWhenEmpty: true })
      expect(await storage.reviews.stars()).toBeNull()
      await storage.reviews.create({ ...review('Real'), star: 4 })
      await storage.reviews.create({ ...review('Another'), star: 4.5 })
      await storage.reviews.submit({ ...review('Pending'), star: 1 })
      expect(await storage.reviews.stars()).toEqual({ count: 2, average: 4.25 })
    })

    it('are no longer samples after a change', async () => {
      await storage.samples.seed(samples, { onlyWhenEmpty: true })
      const [blog] = (await listPosts(storage, { page: 1, perPage: 1 })).items
      expect(blog?.demo).toBe(true)
      const [sample] = (await storage.reviews.list({ page: 1, perPage: 1 })).items
      await storage.blogs.update(blog?._id ?? '', { title: 'Mine', at: T0 })
      await storage.reviews.update(sample?._id ?? '', { star: 3 })
      expect(await storage.blogs.findById(blog?._id ?? '')).toMatchObject({ demo: false })
      expect(await storage.samples.remove()).toEqual({ blogs: 1, reviews: 0 })
      expect(await counts()).toEqual([1, 1])
    })

    it.each([
      ['a user', () => storage.users.create({ userName: 'a', passwordHash: 'h', roles: [], createdAt: T0 })],
      ['a conversation', () => append('hello')],
      ['a post', () => storage.blogs.create(post('real'))],
      ['a review', () => storage.reviews.create(review('Real'))],
      ['a contact message', () => storage.contacts.create(contact('Real'))],
    ])('are not stored beside %s with onlyWhenEmpty', async (_what, store) => {
      await store()
      expect(await storage.samples.seed(samples, { onlyWhenEmpty: true })).toBe(false)
      expect(await storage.samples.seed(samples, { onlyWhenEmpty: false })).toBe(true)
    })

    it('leave out a post whose slug is taken', async () => {
      await storage.blogs.create({ ...post('sample-one'), title: 'Real' })
      await storage.samples.seed(samples, { onlyWhenEmpty: false })
      expect(await counts()).toEqual([2, 1])
      expect(await storage.blogs.findBySlug('sample-one')).toMatchObject({ title: 'Real' })
    })
  })
}
