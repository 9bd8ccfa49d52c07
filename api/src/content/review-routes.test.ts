import type { Review } from '@proctorpass/shared/schemas/review'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const T0 = Date.UTC(2026, 0, 1)

let test: TestApp
beforeAll(async () => {
  test = await buildTestApp()
})
afterAll(() => test.close())

const get = (url: string) => test.call('GET', `/api${url}`)

describe('GET /reviews', () => {
  it('answers a message when there are none', async () => {
    expect((await get('/reviews')).json()).toEqual({ reviews: [], count: 0, message: 'No reviews found!' })
  })

  describe('with reviews', () => {
    beforeAll(async () => {
      for (let index = 0; index < 17; index += 1) {
        await test.storage.reviews.create({
          name: `Person ${index}`,
          time: 'March 2026',
          star: 3.5,
          review: '<script>alert(1)</script>',
          createdAt: T0 + index,
        })
      }
    })

    it('answers fifteen, newest first and verbatim, and the count of all', async () => {
      const { reviews, count, ...rest } = (await get('/reviews')).json()
      const stars = { count: 17, average: 3.5 }
      expect([reviews.length, count, rest]).toEqual([15, 17, { stars }])
      expect(reviews[0]).toEqual({
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name: 'Person 16',
        time: 'March 2026',
        star: 3.5,
        review: '<script>alert(1)</script>',
      })
    })

    it('answers the requested page', async () => {
      const names = async (query: string) =>
        (await get(`/reviews?${query}`)).json().reviews.map(({ name }: Review) => name)
      expect(await names('page=2')).toEqual(['Person 1', 'Person 0'])
      expect(await names('page=2&perPage=4')).toEqual(['Person 12', 'Person 11', 'Person 10', 'Person 9'])
      expect((await get('/reviews?page=3')).json()).toEqual({
        reviews: [],
        count: 17,
        stars: { count: 17, average: 3.5 },
        message: 'No reviews found!',
      })
    })

    it.each(['page=0', 'page=x', 'perPage=0', 'perPage=101', 'page=1&page=2'])(
      'refuses ?%s',
      async (query) => {
        const answer = await get(`/reviews?${query}`)
        expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
      },
    )

    it('answers one review by its id', async () => {
      const [first] = (await get('/reviews?perPage=1')).json().reviews
      expect((await get(`/reviews/one/${first._id}`)).json()).toEqual(first)
    })

    it.each(['f'.repeat(24), '1', 'F'.repeat(24), '%00', '[object Object]', '{"$ne":""}', '__proto__'])(
      'answers 404 for the id %s',
      async (id) => {
        const answer = await get(`/reviews/one/${encodeURI(id)}`)
        expect([answer.statusCode, answer.json().message]).toEqual([404, 'Review not found.'])
      },
    )
  })
})
