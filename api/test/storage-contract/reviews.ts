import { describe, expect, it } from 'vitest'
import { review, type StoreUnderTest } from './store-under-test.ts'

export function describeReviews({ storage }: StoreUnderTest): void {
  describe('reviews', () => {
    it('are found by id, with fractions of stars', async () => {
      const created = await storage.reviews.create({ ...review('Zoë'), star: 4.7 })
      expect(created).toMatchObject({ name: 'Zoë', star: 4.7, time: 'March 2026' })
      expect(await storage.reviews.findById(created._id)).toEqual(created)
      expect(await storage.reviews.create({ ...review('Sam'), star: 5 })).toMatchObject({ star: 5 })
      for (const id of ['f'.repeat(24), '', `${created._id}0`, '%']) {
        expect(await storage.reviews.findById(id)).toBeNull()
      }
    })

    it('are not found by their id in capitals', async () => {
      const { _id } = await storage.reviews.create(review('Zoë', 0xabcdef * 1_000))
      expect(await storage.reviews.findById(_id.toUpperCase())).toBeNull()
      expect(await storage.reviews.findById(_id)).not.toBeNull()
    })

    it('change any field', async () => {
      const created = await storage.reviews.create(review('Sam'))
      const changed = { ...created, star: 2.5, review: '' }
      expect(await storage.reviews.update(created._id, { star: 2.5, review: '' })).toEqual(changed)
      expect(await storage.reviews.findById(created._id)).toEqual(changed)
      const renamed = { ...changed, name: 'Zoë', time: 'May 2026' }
      expect(await storage.reviews.update(created._id, { name: 'Zoë', time: 'May 2026' })).toEqual(renamed)
      expect(await storage.reviews.update('f'.repeat(24), { star: 1 })).toBeNull()
    })

    it('are missing after removal', async () => {
      const remaining = await storage.reviews.create(review('Remaining'))
      const gone = await storage.reviews.create(review('Gone'))
      expect(await storage.reviews.remove(gone._id)).toBe(true)
      expect(await storage.reviews.remove(gone._id)).toBe(false)
      expect(await storage.reviews.list({ page: 1, perPage: 15 })).toEqual({ items: [remaining], count: 1 })
    })

    it('are hidden while pending, and are approved once', async () => {
      const waiting = await storage.reviews.submit(review('Waiting'))
      expect(await storage.reviews.list({ page: 1, perPage: 15 })).toEqual({ items: [], count: 0 })
      expect(await storage.reviews.findById(waiting._id)).toBeNull()
      expect(await storage.reviews.update(waiting._id, { star: 5 })).toBeNull()
      const approved = await Promise.all([
        storage.reviews.approve(waiting._id),
        storage.reviews.approve(waiting._id),
      ])
      expect(approved.filter((each) => each !== null)).toEqual([waiting])
      expect(await storage.reviews.list({ page: 1, perPage: 15 })).toEqual({ items: [waiting], count: 1 })
      expect(await storage.reviews.pending({ page: 1, perPage: 15 })).toEqual({ items: [], count: 0 })
      expect(await storage.reviews.findById(waiting._id)).toEqual(waiting)
      expect(await storage.reviews.update(waiting._id, { star: 5 })).toEqual({ ...waiting, star: 5 })
      expect(await storage.reviews.remove(waiting._id)).toBe(true)
    })

    it('can be removed while pending', async () => {
      const waiting = await storage.reviews.submit(review('Waiting'))
      expect(await storage.reviews.remove(waiting._id)).toBe(true)
      expect(await storage.reviews.approve(waiting._id)).toBeNull()
      expect(await storage.reviews.pending({ page: 1, perPage: 15 })).toEqual({ items: [], count: 0 })
    })
  })
}
