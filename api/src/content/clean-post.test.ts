import { BLOG_CONTENT_BYTES_MAX } from '@proctorpass/shared/limits'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { multipart, PNG } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { createPostCleaner } from './clean-post.ts'
import { type CleanPost, cleanPost } from './post-html.ts'

const ORIGIN = 'https://own.example'
const HOSTILE = '<'.repeat(BLOG_CONTENT_BYTES_MAX)

let test: TestApp
let headers: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp()
  headers = (await test.signIn()).bearer
})
afterAll(() => test.close())

const answerOf = async (content: string) => {
  const answer = await test.call('POST', '/api/blogs/preview', { headers, payload: { content } })
  return [answer.statusCode, answer.json()]
}

describe('a long post', () => {
  it('keeps no other request waiting while it is cleaned', async () => {
    const clean = createPostCleaner(ORIGIN)
    // What is loaded with the first post.
    await clean('<p>Short</p>')
    const order: string[] = []
    await Promise.all([
      clean(HOSTILE).then(() => order.push('cleaned')),
      test.app.inject('/healthz').then(() => order.push('answered')),
    ])
    expect(order).toEqual(['answered', 'cleaned'])
  })

  it.each([
    ['hostile text', HOSTILE],
    ['words', '<p onclick="x">plain <b>words</b></p>'.repeat(4_000)],
    ['links', `<a href="${ORIGIN}/faq">a</a><a href="https://other.example">b</a>`.repeat(2_000)],
    ['halves of characters', '\ud800<p>\udc00</p>'.repeat(4_000)],
    ['nothing that shows', '<p>\r\n</p>'.repeat(4_000)],
  ])('of %s is cleaned as a short one is', async (_, html) => {
    const clean = createPostCleaner(ORIGIN)
    const expected = cleanPost(html, ORIGIN)
    // Cleaned together, again, and once more as it was cleaned.
    const all = [
      ...(await Promise.all([clean(html), clean(html)])),
      await clean(html),
      await clean(expected.html),
    ]
    expect(all).toEqual(Array<CleanPost>(4).fill(expected))
  })

  it('is refused with the reason when it has too many elements', async () => {
    const refused = [
      413,
      expect.objectContaining({
        code: 'too-large',
        details: [{ field: 'content', message: 'The post has too many elements. The limit is 10,000.' }],
      }),
    ]
    const html = '<br>'.repeat(10_001)
    expect([await answerOf(html), await answerOf(html)]).toEqual([refused, refused])
  })

  it('is refused as empty when nothing of it shows', async () => {
    const form = { title: 'A', summary: 'A', slug: 'a-post', content: '<p> </p>'.repeat(4_000), imgAlt: 'A' }
    const sent = await multipart(form, { name: 'a.png', type: 'image/png', bytes: PNG })
    const answer = await test.call('POST', '/api/blogs', {
      ...sent,
      headers: { ...sent.headers, ...headers },
    })
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ field: 'content', message: 'Content is required!' }],
    ])
  })
})
