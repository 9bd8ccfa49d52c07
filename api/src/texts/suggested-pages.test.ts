import { brotliCompressSync } from 'node:zlib'
import type { BlogSummary } from '@proctorpass/shared/schemas/blog'
import type { SuggestedPage, Suggestions } from '@proctorpass/shared/schemas/suggestion'
import { describe, expect, it } from 'vitest'
import { buildTestApp } from '../../test/build-app.ts'
import { NO_WORDS, shippedSource } from '../../test/shipped-source.ts'
import { createPageTexts } from './page-texts.ts'
import { loadShippedTexts } from './shipped-texts.ts'
import { createSuggestedPages } from './suggested-pages.ts'

describe('GET /suggestions', () => {
  it('has the terms of the FAQ, the articles, and the posts, each once, and follows the posts', async () => {
    const test = await buildTestApp()
    const answer = () => test.call('GET', '/api/suggestions')
    const read = async () => (await answer()).json<Suggestions>().pages
    const pathsOf = (pages: SuggestedPage[]) => pages.map(({ path }) => path)
    const admin = await test.signIn()
    const post = await test.storage.blogs.create({
      slug: 'webcams',
      title: 'Your webcam',
      summary: 'A webcam, a <i>room</i>; the webcam.',
      img: '/images/posts/desk.svg',
      imgAlt: 'A desk',
      content: '<p>Text</p>',
      createdAt: 0,
    })
    const pages = await read()
    expect(pages.at(-1)).toEqual({ path: '/blog/webcams', title: 'Your webcam', terms: 'a i room the' })
    expect(pages.find(({ path }) => path === '/faq#how-do-refunds-work')).toEqual({
      ...{ path: '/faq#how-do-refunds-work', title: 'How do refunds work?' },
      terms: expect.stringMatching(/\bdays\b.*\bwriting\b/),
    })
    expect(pages.find(({ path }) => path === '/blog/how-to-cheat-on-proctoru')?.onlyFor).toBe('cheat')
    const { etag } = (await answer()).headers
    const again = await test.call('GET', '/api/suggestions', { headers: { 'if-none-match': String(etag) } })
    expect(again.statusCode).toBe(304)
    await test.call('DELETE', `/api/blogs/${post?._id}`, { headers: admin.bearer })
    expect(pathsOf(await read())).toEqual(pathsOf(pages).slice(0, -1))
    await test.close()
  })

  it('leaves out the oldest posts beyond 30 KB', async () => {
    const noise = () => Array.from({ length: 60 }, () => Math.random().toString(36).slice(2, 9)).join(' ')
    const blogs = Array.from(
      { length: 100 },
      (_, n) => ({ slug: `p${n}`, title: noise(), summary: noise() }) as BlogSummary,
    )
    const shipped = loadShippedTexts()
    const pageTexts = createPageTexts({
      ...{
        shipped,
        texts: shippedSource(shipped),
        languages: NO_WORDS,
        brand: 'A',
        supportEmail: 'a@a.example',
      },
      languagesOn: async () => ['en'],
    })
    const list = async () => ({ blogs, count: 100 })
    const sent = await createSuggestedPages({ shipped, pageTexts, blogs: { list } })()
    const posts = sent.pages.filter(({ path }) => path.startsWith('/blog/p'))
    expect(posts.length).toBeGreaterThan(5)
    expect(posts[0]?.path).toBe('/blog/p0')
    expect(brotliCompressSync(JSON.stringify(sent)).length).toBeLessThan(30 * 1_024)
  })
})
