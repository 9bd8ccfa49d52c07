import type { Blog, BlogList } from '@proctorpass/shared/schemas/blog'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { multipart, PNG } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let test: TestApp
let bearer: { authorization: string }
let ahead = 0
const now = () => Date.now() + ahead
const build = makeWebBuild()
beforeAll(async () => {
  test = await buildTestApp({ variables: { SERVE_WEB: 'true' }, distDir: build.distDir, now })
  bearer = (await test.signIn()).bearer
})
afterAll(async () => {
  await test.close()
  build.remove()
})
afterEach(async () => {
  const { blogs } = await listed('draft,scheduled,published')
  for (const { _id } of blogs) await test.call('DELETE', `/api/blogs/${_id}`, { headers: bearer })
  ahead = 0
})

const full = { title: 'A title', summary: 'A summary', slug: 'a-post', content: '<p>Text</p>' }
const png = { name: 'picture.png', type: 'image/png', bytes: PNG }

async function send(method: 'POST' | 'PATCH', path: string, fields: Record<string, string>, file = false) {
  const { payload, headers } = await multipart(fields, file ? png : null)
  return test.call(method, `/api/blogs${path}`, { payload, headers: { ...headers, ...bearer } })
}
const add = (fields: Record<string, string>, file = false) => send('POST', '', fields, file)
const added = async (fields: Record<string, string>, file = false): Promise<Blog> =>
  (await add(fields, file)).json().data
const change = (id: string, fields: Record<string, string>, file = false) =>
  send('PATCH', `/${id}`, fields, file)
const in5Minutes = () => new Date(now() + 5 * MINUTE).toISOString()
const fieldsOf = (answer: { json(): { details?: { field: string; message: string }[] } }) =>
  answer.json().details?.map(({ field, message }) => [field, message])

const get = (url: string, headers: Record<string, string> = {}) => test.call('GET', `/api${url}`, { headers })
async function listed(state: string): Promise<BlogList> {
  return (await get(`/blogs?perPage=100&state=${state}`, bearer)).json()
}
const slugsOf = async (state: string) => (await listed(state)).blogs.map(({ slug }) => slug)
const publicSlugs = async () => ((await get('/blogs')).json() as BlogList).blogs.map(({ slug }) => slug)

describe('POST /blogs', () => {
  it('publishes at once without a state', async () => {
    const answer = await add(full, true)
    expect(answer.json()).toMatchObject({ message: 'Post published', data: { state: 'published' } })
    const { publishAt, publishedAt, createdAt } = answer.json().data
    expect([publishAt, publishedAt]).toEqual([createdAt, createdAt])
  })

  it('stores a draft with a title and a slug alone, which only admins see', async () => {
    const answer = await add({ title: 'A title', slug: 'a-draft', state: 'draft' })
    expect([answer.statusCode, answer.json()]).toMatchObject([
      201,
      {
        message: 'Draft saved',
        data: { state: 'draft', publishAt: null, publishedAt: null, img: '', summary: '', content: '' },
      },
    ])
    expect(await publicSlugs()).toEqual([])
    expect((await get('/blogs/one/a-draft')).statusCode).toBe(404)
    expect((await test.call('GET', '/blog/a-draft')).statusCode).toBe(404)
    expect((await get('/blogs/one/a-draft?state=draft', bearer)).json().title).toBe('A title')
    expect((await get('/blogs/one/a-draft?state=published', bearer)).statusCode).toBe(404)
  })

  it('judges what a draft has', async () => {
    const wrong = { title: '', slug: 'A Slug', summary: 'x'.repeat(501), state: 'draft' }
    expect(fieldsOf(await add(wrong))?.map(([field]) => field)).toEqual(['title', 'summary', 'slug'])
    await add({ ...full, state: 'draft' })
    expect((await add({ ...full, state: 'draft' })).statusCode).toBe(409)
  })

  it.each(['scheduled', 'published'])('asks for everything when the post is %s', async (state) => {
    const time: Record<string, string> = state === 'scheduled' ? { publishAt: in5Minutes() } : {}
    const answer = await add({ title: 'A title', slug: 'a-post', state, ...time })
    expect(fieldsOf(answer)).toEqual([
      ['summary', 'Summary is required'],
      ['content', 'Content is required!'],
      ['file', 'Please upload image!'],
    ])
  })

  it.each([
    [{ state: 'gone' }, 'state', 'Use draft, scheduled, or published'],
    [{ state: 'scheduled' }, 'publishAt', 'Choose when the post is published'],
    [{ publishAt: 'tomorrow' }, 'publishAt', 'Use a date and time such as 2026-01-31T09:00:00Z'],
    [{ publishAt: '2020-01-01T00:00:00Z' }, 'publishAt', 'Choose a time in the future'],
    [{ publishAt: '9020-01-01T00:00:00Z' }, 'publishAt', 'Choose a time within two years'],
    [{ state: 'draft', publishAt: '2031-01-01T00:00:00Z' }, 'publishAt', expect.stringContaining('Only a')],
    [{ state: 'published', publishAt: '2031-01-01T00:00:00Z' }, 'publishAt', expect.any(String)],
  ])('refuses %o', async (fields, field, message) => {
    const answer = await add({ ...full, ...(fields as Record<string, string>) }, true)
    expect([answer.statusCode, fieldsOf(answer)]).toEqual([400, [[field, message]]])
  })
})

describe('a scheduled post', () => {
  it('is published at its time, in every list and page within two seconds', async () => {
    const { publishAt } = await added({ ...full, publishAt: in5Minutes() }, true)
    expect(await slugsOf('scheduled')).toEqual(['a-post'])
    expect(await publicSlugs()).toEqual([])
    const page = async (url: string) => (await test.call('GET', url)).json()
    expect((await page('/blogs')).data.blogs).toEqual([])
    expect((await test.call('GET', '/blog/a-post')).statusCode).toBe(404)

    ahead = 5 * MINUTE
    const published = [{ slug: 'a-post', publishedAt: publishAt }]
    await vi.waitFor(async () => expect((await page('/blogs')).data.blogs).toMatchObject(published), 2_000)
    expect(await publicSlugs()).toEqual(['a-post'])
    expect((await page('/blog/a-post')).data.state).toBe('published')
    expect([await slugsOf('scheduled'), await slugsOf('published')]).toEqual([[], ['a-post']])
  })

  it('is listed by the time when it was published, not by when it was written', async () => {
    await added({ ...full, publishAt: in5Minutes() }, true)
    await added({ ...full, slug: 'at-once' }, true)
    ahead = DAY
    await vi.waitFor(async () => expect(await publicSlugs()).toEqual(['a-post', 'at-once']))
  })

  it('is moved, published at once, and made a draft', async () => {
    const { _id } = await added({ ...full, state: 'scheduled', publishAt: in5Minutes() }, true)
    const later = new Date(now() + DAY).toISOString()
    expect((await change(_id, { publishAt: later })).json()).toMatchObject({
      message: 'Post saved',
      data: { state: 'scheduled', publishAt: later },
    })
    expect((await change(_id, { title: 'Other' })).json().data.publishAt).toBe(later)
    expect((await change(_id, { state: 'draft' })).json()).toMatchObject({
      message: 'Draft saved',
      data: { state: 'draft', publishAt: null },
    })
    expect((await change(_id, { publishAt: later })).json().data.state).toBe('scheduled')
    expect((await change(_id, { state: 'published' })).json()).toMatchObject({
      message: 'Post published',
      data: { state: 'published' },
    })
    const published = await get('/blogs/one/a-post')
    expect((await change(_id, { state: 'published' })).json().data.publishAt).toBe(published.json().publishAt)
    expect((await change(_id, { publishAt: later })).statusCode).toBe(400)
    expect((await change(_id, { state: 'scheduled', publishAt: later })).json().message).toBe(
      'Post scheduled',
    )
    expect((await get('/blogs/one/a-post')).statusCode).toBe(404)
  })

  it('needs everything that a draft may lack', async () => {
    const { _id } = await added({ title: 'A title', slug: 'a-post', state: 'draft', summary: 'S' })
    const answer = await change(_id, { state: 'published' })
    expect(fieldsOf(answer)?.map(([field]) => field)).toEqual(['content', 'file'])
    expect((await change(_id, { summary: '' })).json().data.state).toBe('draft')
    const rest = { content: '<p>Text</p>', summary: 'S', publishAt: in5Minutes() }
    expect((await change(_id, rest, true)).json().message).toBe('Post saved')
    expect(fieldsOf(await change(_id, { summary: '' }))).toEqual([['summary', 'Summary is required']])
  })

  it('is not emptied by a change that another admin began while it was a draft', async () => {
    const { _id } = await added({ ...full, state: 'draft' }, true)
    const [emptied, published] = await Promise.all([
      change(_id, { summary: '' }),
      change(_id, { state: 'published' }),
    ])
    const { state, summary } = (await get(`/blogs/id/${_id}`, bearer)).json()
    if (state === 'published') expect([summary, emptied.statusCode]).toEqual(['A summary', 400])
    else expect([summary, published.statusCode]).toEqual(['', 400])
  })

  it('has entries in the audit log when it changes who sees the post', async () => {
    const { _id } = await added({ ...full, state: 'draft' }, true)
    const publishAt = in5Minutes()
    await change(_id, { publishAt })
    await change(_id, { title: 'Other' })
    await change(_id, { state: 'published' })
    await change(_id, { state: 'draft' })
    const { entries } = (await get('/audit?limit=100', bearer)).json()
    const ofPost = entries.filter(({ target }: { target: string }) => target === _id)
    expect(
      ofPost.map(({ action, details }: { action: string; details: object }) => [action, details]),
    ).toEqual([
      ['post.withdrawn', { title: 'Other' }],
      ['post.published', { title: 'Other' }],
      ['post.scheduled', { title: 'A title', publishAt }],
    ])
  })
})

describe('GET /blogs?state=', () => {
  it('is for admins only', async () => {
    for (const url of [
      '/blogs?state=draft',
      '/blogs?state=',
      '/blogs?state=published',
      '/blogs/one/x?state=draft',
    ]) {
      expect((await get(url)).statusCode).toBe(401)
      expect((await get(url, { authorization: 'Bearer x' })).statusCode).toBe(403)
    }
  })

  it('lists the states that are named, by comma', async () => {
    await added({ ...full, slug: 'published-one' }, true)
    await added({ ...full, slug: 'scheduled-one', publishAt: in5Minutes() }, true)
    await added({ title: 'A title', slug: 'draft-one', state: 'draft' })
    const answer = await get('/blogs?state=draft,scheduled', bearer)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(await slugsOf('draft,scheduled')).toEqual(['draft-one', 'scheduled-one'])
    expect(await slugsOf('published,draft')).toEqual(['draft-one', 'published-one'])
    expect(await publicSlugs()).toEqual(['published-one'])
    for (const state of ['', 'gone', 'draft,', 'draft, scheduled', 'draft&state=scheduled']) {
      expect((await get(`/blogs?state=${encodeURI(state)}`, bearer)).statusCode).toBe(400)
    }
  })
})

describe('a post', () => {
  it('tells its author by the name that visitors see, and minutes to read', async () => {
    const words = 'word '.repeat(500)
    await added({ ...full, content: `<p>${words}</p>` }, true)
    const read = async () => (await get('/blogs/one/a-post')).json()
    expect(await read()).toMatchObject({ author: 'ProctorPass', readingMinutes: 3 })
    const headers = { ...bearer }
    await test.call('PATCH', '/api/account', { headers, payload: { displayName: 'Dana' } })
    expect(await read()).toMatchObject({ author: 'Dana' })
    expect((await get('/blogs')).json().blogs).toMatchObject([{ author: 'Dana', readingMinutes: 3 }])
    expect((await test.call('GET', '/blog/a-post')).json().data.author).toBe('Dana')
    await test.call('PATCH', '/api/account', { headers, payload: { displayName: null } })
  })

  it('of an older release is measured once', async () => {
    const content = `<p>${'word '.repeat(1_000)}</p>`
    const old = { ...full, img: '/i.svg', imgAlt: null, content, createdAt: Date.now() }
    const blog = await test.storage.blogs.create(old)
    expect((await listed('published')).blogs).toMatchObject([{ author: null, readingMinutes: 5 }])
    expect(await test.storage.blogs.findBySlug('a-post')).toEqual({ ...blog, readingMinutes: 5 })
  })
})
