import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const DAY = 24 * 60 * 60 * 1_000
const T0 = Date.UTC(2026, 0, 1)

let test: TestApp
beforeAll(async () => {
  test = await buildTestApp()
})
afterAll(() => test.close())

const get = (url: string) => test.call('GET', `/api${url}`)
const slugsOf = async (url: string) => (await get(url)).json().blogs.map(({ slug }: { slug: string }) => slug)

describe('GET /blogs', () => {
  it('answers a message when there are none', async () => {
    const answer = await get('/blogs')
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ blogs: [], count: 0, message: 'No blogs found!' })
  })

  describe('with posts', () => {
    beforeAll(async () => {
      for (let index = 0; index < 17; index += 1) {
        await test.storage.blogs.create({
          slug: `post-${'abcdefghijklmnopq'[index]}`,
          title: `Post <b>${index}</b>`,
          summary: 'A summary',
          img: '/images/posts/desk.svg',
          imgAlt: 'A desk',
          content: '<p>Text</p>',
          createdAt: T0 + index * DAY,
        })
      }
    })

    it('answers fifteen, newest first, without their content, and the count of all', async () => {
      const answer = await get('/blogs')
      expect(answer.headers['cache-control']).toBe('no-cache')
      const { blogs, count, ...rest } = answer.json()
      expect([blogs.length, count, rest]).toEqual([15, 17, {}])
      expect(blogs[0]).toEqual({
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        slug: 'post-q',
        title: 'Post <b>16</b>',
        summary: 'A summary',
        img: '/images/posts/desk.svg',
        imgAlt: 'A desk',
        sample: false,
        ...{ lang: 'en', state: 'published', author: null, readingMinutes: 1 },
        publishAt: '2026-01-17T00:00:00.000Z',
        publishedAt: '2026-01-17T00:00:00.000Z',
        createdAt: '2026-01-17T00:00:00.000Z',
        updatedAt: '2026-01-17T00:00:00.000Z',
      })
    })

    it('answers the requested page', async () => {
      expect(await slugsOf('/blogs?page=2')).toEqual(['post-b', 'post-a'])
      expect(await slugsOf('/blogs?page=2&perPage=7')).toEqual(
        ['j', 'i', 'h', 'g', 'f', 'e', 'd'].map((letter) => `post-${letter}`),
      )
      expect(await slugsOf('/blogs?perPage=1')).toEqual(['post-q'])
      expect(await slugsOf('/blogs?perPage=100')).toHaveLength(17)
      // Unknown parameters are ignored.
      expect(await slugsOf('/blogs?utm_source=mail&page[]=2&__proto__=x&perPage=1')).toEqual(['post-q'])
    })

    it('answers no posts beyond the last page, with the count of all', async () => {
      for (const page of ['3', '1000000']) {
        expect((await get(`/blogs?page=${page}`)).json()).toEqual({
          blogs: [],
          count: 17,
          message: 'No blogs found!',
        })
      }
    })

    it.each([
      'page=0',
      'page=-1',
      'page=1.5',
      'page=abc',
      'page=',
      'page=1e3',
      'page=01',
      'page=1000001',
      'page=99999999999999999999',
      'page=1&page=2',
      'page=%00',
      'perPage=0',
      'perPage=101',
      'perPage=ten',
      'perPage[$gt]=1&perPage=',
    ])('refuses ?%s with a clear message', async (query) => {
      const answer = await get(`/blogs?${query}`)
      expect(answer.statusCode).toBe(400)
      const { code, message, details } = answer.json()
      expect(code).toBe('invalid-input')
      expect(message).toMatch(/^(page|perPage) must be /)
      expect(details[0].field).toMatch(/^(page|perPage)$/)
    })

    it('answers one post with its content', async () => {
      const answer = await get('/blogs/one/post-q')
      expect(answer.headers['cache-control']).toBe('no-cache')
      expect(answer.json()).toMatchObject({ slug: 'post-q', content: '<p>Text</p>' })
    })

    it.each([
      'no-such-post',
      'POST-Q',
      'post-q%20',
      'post-1234',
      '%00',
      '%27%20OR%201=1--',
      '..%2f..%2fetc%2fpasswd',
      '..%5c..%5cwindows',
      '__proto__',
      'constructor',
      '%E2%80%AE',
      'x'.repeat(1_900),
    ])('answers 404 for the slug %s', async (slug) => {
      const answer = await get(`/blogs/one/${slug}`)
      expect(answer.statusCode).toBe(404)
      expect(answer.json()).toEqual({
        message: 'Post not found.',
        code: 'not-found',
        retryable: false,
        requestId: expect.any(String),
      })
    })

    it('answers 4xx for malformed addresses and other methods', async () => {
      expect((await get('/blogs/one/%FF')).statusCode).toBe(400)
      expect((await get('/blogs/one/')).statusCode).toBe(404)
      expect((await get(`/blogs/one/${'x'.repeat(3_000)}`)).statusCode).toBe(414)
      expect((await test.call('DELETE', '/api/blogs/one/post-q')).statusCode).toBe(405)
    })
  })
})
