import { brotliCompressSync } from 'node:zlib'
import type { Suggestions } from '@proctorpass/shared/schemas/suggestion'
import { describe, expect, it } from 'vitest'
import { buildTestApp } from '../../test/build-app.ts'
import { postsToSuggest } from './suggestions.ts'

const POST = {
  _id: '',
  img: '',
  imgAlt: null,
  lang: 'en',
  createdAt: '',
  updatedAt: '',
  sample: false,
  ...{ state: 'published' as const, publishAt: null, publishedAt: null, author: null, readingMinutes: 1 },
}

describe('GET /suggestions', () => {
  it('has the terms of titles and summaries, each once, and follows the posts', async () => {
    const test = await buildTestApp()
    const read = async () => ((await test.call('GET', '/api/suggestions')).json() as Suggestions).pages
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
    expect(await read()).toEqual([{ path: '/blog/webcams', title: 'Your webcam', terms: 'a i room the' }])
    await test.call('DELETE', `/api/blogs/${post?._id}`, { headers: admin.bearer })
    expect(await read()).toEqual([])
    await test.close()
  })

  it('stays below 20 KB, however badly the posts compress', async () => {
    const noise = () => Array.from({ length: 60 }, () => Math.random().toString(36).slice(2, 9)).join(' ')
    const blogs = Array.from({ length: 100 }, (_, n) => ({
      ...POST,
      slug: `p${n}`,
      title: noise(),
      summary: noise(),
    }))
    const sent = await postsToSuggest({ list: async () => ({ blogs, count: 100 }) })
    const json = JSON.stringify(sent)
    expect(sent.pages.length).toBeGreaterThan(5)
    expect(sent.pages[0]?.path).toBe('/blog/p0')
    expect(brotliCompressSync(json).length).toBeLessThan(20_100)
  })
})
