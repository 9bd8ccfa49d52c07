import type { Blog } from '@proctorpass/shared/schemas/blog'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { blogForm, multipart } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let headers: { authorization: string }
let userId: string
beforeAll(async () => {
  test = await buildTestApp()
  const signedIn = await test.signIn()
  headers = signedIn.bearer
  userId = signedIn.user_Id
})
afterAll(() => test.close())

async function send(method: 'POST' | 'PATCH', path: string, fields: Record<string, string>) {
  const form = blogForm('a-post')
  const file = method === 'POST' ? { ...form.file, bytes: new Uint8Array(form.file.bytes) } : null
  const { payload, headers: type } = await multipart(
    method === 'POST' ? { ...form.fields, ...fields } : fields,
    file,
  )
  const answer = await test.call(method, `/api/blogs${path}`, { payload, headers: { ...headers, ...type } })
  return { status: answer.statusCode, body: answer.json() }
}
const add = async (fields: Record<string, string> = {}): Promise<Blog> =>
  (await send('POST', '', fields)).body.data
const change = async (id: string, fields: Record<string, string>) => send('PATCH', `/${id}`, fields)
const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) => {
  const answer = await test.call(method, `/api/blogs/${path}`, { headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.json() }
}
const numbers = async (id: string) =>
  (await call('GET', `${id}/versions`)).body.versions.map(({ n }: { n: number }) => n)

let post: Blog
beforeEach(async () => {
  for (const slug of ['a-post', 'other']) {
    const found = await test.storage.blogs.findBySlug(slug)
    if (found !== null) await call('DELETE', found._id)
  }
  post = await add()
})

it('keeps each version of a post, with who stored it and when', async () => {
  await change(post._id, { title: 'Second', imgAlt: 'A door', lang: 'zh' })
  const { versions } = (await call('GET', `${post._id}/versions`)).body
  const by = { id: userId, name: expect.any(String) }
  expect(versions).toEqual([
    { n: 2, at: expect.any(String), by },
    { n: 1, at: post.updatedAt, by },
  ])
  const { title, summary, slug, img, content } = post
  expect((await call('GET', `${post._id}/versions/1`)).body).toEqual({
    ...{ n: 1, at: post.updatedAt, by },
    fields: { title, summary, slug, img, imgAlt: null, content, lang: 'en' },
  })
  expect((await call('GET', `${post._id}/versions/2`)).body.fields).toEqual({
    ...{ title: 'Second', summary, slug, img, imgAlt: 'A door', content, lang: 'zh' },
  })
})

it('keeps the text of a post from 1.0.0 with its first change', async () => {
  const created = await test.storage.blogs.create({
    ...{ slug: 'other', title: 'Old', summary: 'S', img: '/a.svg', imgAlt: null, content: '<p>Old</p>' },
    createdAt: 1,
  })
  const id = created?._id ?? ''
  expect((await change(id, { title: 'New' })).status).toBe(200)
  const { body } = await call('GET', `${id}/versions/1`)
  expect(body).toMatchObject({ n: 1, by: null, at: new Date(1).toISOString() })
  expect(body.fields).toMatchObject({ title: 'Old', content: '<p>Old</p>', lang: 'en' })
})

it('restores a version as the next one', async () => {
  await change(post._id, { title: 'Second', slug: 'other', content: '<p>Second</p>', lang: 'zh' })
  const path = `${post._id}/versions/1/restore`
  expect((await call('POST', path, { version: 1 })).status).toBe(409)
  const restored = await call('POST', path, { version: 2 })
  expect(restored.body.message).toBe('Version restored')
  const { title, slug, content, lang, img, imgAlt } = post
  expect(restored.body.data).toMatchObject({ title, slug, content, lang, img, imgAlt, version: 3 })
  expect(await numbers(post._id)).toEqual([3, 2, 1])
  for (const n of ['0', '4', 'x', '-1']) {
    expect((await call('GET', `${post._id}/versions/${n}`)).status).toBe(404)
    expect((await call('POST', `${post._id}/versions/${n}/restore`, { version: 3 })).status).toBe(404)
  }
})

it('restores no version whose slug is taken, or that its state does not allow', async () => {
  const draft = await add({ slug: 'other', state: 'draft', summary: '', content: '' })
  await change(draft._id, { slug: 'third', state: 'published', summary: 'S', content: '<p>C</p>' })
  const refused = await call('POST', `${draft._id}/versions/1/restore`, { version: 2 })
  expect(refused.status).toBe(400)
  await change(draft._id, { slug: 'other' })
  await change(post._id, { slug: 'fourth' })
  await change(draft._id, { slug: 'a-post' })
  const taken = await call('POST', `${post._id}/versions/1/restore`, { version: 2 })
  expect([taken.status, taken.body.details[0].field]).toEqual([409, 'slug'])
  await call('DELETE', post._id)
})

it('keeps the last twenty versions, until the post is deleted', async () => {
  for (let n = 2; n <= 23; n += 1) await change(post._id, { title: `Title ${n}` })
  expect(await numbers(post._id)).toEqual(Array.from({ length: 20 }, (_, index) => 23 - index))
  await call('DELETE', post._id)
  expect((await call('GET', `${post._id}/versions`)).status).toBe(404)
  expect(await test.storage.versions.list(`post ${post._id}`, 100)).toEqual([])
})

it('knows the language of a post', async () => {
  expect(post.lang).toBe('en')
  const wrong = await change(post._id, { lang: 'xx' })
  expect([wrong.status, wrong.body.details[0].field]).toEqual([400, 'lang'])
  expect((await add({ slug: 'other', lang: 'zh' })).lang).toBe('zh')
  const { blogs } = (await test.call('GET', '/api/blogs')).json()
  expect(blogs.map(({ lang }: Blog) => lang).sort()).toEqual(['en', 'zh'])
})

it('shows versions to admins alone', async () => {
  for (const path of ['versions', 'versions/1']) {
    expect((await test.call('GET', `/api/blogs/${post._id}/${path}`)).statusCode).toBe(401)
  }
  const restore = `/api/blogs/${post._id}/versions/1/restore`
  expect((await test.call('POST', restore, { payload: { version: 1 } })).statusCode).toBe(401)
})
