import type { Blog, PreviewLink } from '@proctorpass/shared/schemas/blog'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { multipart } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const DAY = 24 * 60 * 60_000

let test: TestApp
let bearer: { authorization: string }
let ahead = 0
const build = makeWebBuild()
beforeAll(async () => {
  test = await buildTestApp({
    now: () => Date.now() + ahead,
    variables: {
      ...{ PUBLIC_URL: 'https://exam.example', TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'debug' },
      SERVE_WEB: 'true',
    },
    distDir: build.distDir,
  })
  bearer = (await test.signIn()).bearer
})
afterAll(async () => {
  await test.close()
  build.remove()
})
afterEach(() => {
  ahead = 0
})

let posts = 0
async function draft(): Promise<Blog> {
  const slug = `draft-${'abcdefghij'[posts++]}`
  const { payload, headers } = await multipart({ title: 'A title', slug, state: 'draft' })
  return (await test.call('POST', '/api/blogs', { payload, headers: { ...headers, ...bearer } })).json().data
}
const call = (method: 'POST' | 'DELETE', id: string, headers: Record<string, string> = bearer) =>
  test.call(method, `/api/blogs/${id}/preview-link`, { headers })
const made = async (id: string): Promise<PreviewLink> => (await call('POST', id)).json()
const tokenOf = ({ url }: PreviewLink) => url.split('/').at(-1) ?? ''
const read = (token: string, address = '192.0.2.1') =>
  test.call('GET', `/api/blogs/preview/${token}`, { headers: { 'x-forwarded-for': address } })

it('opens the post for anyone, for seven days', async () => {
  const post = await draft()
  const answer = await call('POST', post._id)
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([201, 'no-store'])
  const { url, expiresAt } = answer.json()
  expect(url).toMatch(/^https:\/\/exam\.example\/blog\/preview\/[0-9a-f]{64}$/)
  expect(Math.round((Date.parse(expiresAt) - Date.now()) / DAY)).toBe(7)

  const opened = await read(tokenOf({ url, expiresAt }))
  expect(opened.json()).toMatchObject({ slug: post.slug, state: 'draft' })
  expect(opened.json()).not.toHaveProperty('previewExpiresAt')
  expect(opened.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
  const byId = await test.call('GET', `/api/blogs/id/${post._id}`, { headers: bearer })
  expect(byId.json().previewExpiresAt).toBe(expiresAt)
  ahead = 7 * DAY
  expect((await read(tokenOf({ url, expiresAt }))).statusCode).toBe(404)
})

it('ends when it is revoked, replaced, or its post is deleted', async () => {
  const { _id } = await draft()
  const first = tokenOf(await made(_id))
  const second = tokenOf(await made(_id))
  expect([(await read(first)).statusCode, (await read(second)).statusCode]).toEqual([404, 200])
  expect((await call('DELETE', _id)).statusCode).toBe(204)
  expect((await read(second)).statusCode).toBe(404)
  expect((await call('DELETE', _id)).statusCode).toBe(204)

  const third = tokenOf(await made(_id))
  await test.call('DELETE', `/api/blogs/${_id}`, { headers: bearer })
  expect((await read(third)).statusCode).toBe(404)
  expect((await call('POST', _id)).statusCode).toBe(404)
  expect((await call('DELETE', _id)).statusCode).toBe(404)
})

it('is made and revoked by admins only, with entries in the audit log', async () => {
  const { _id } = await draft()
  for (const method of ['POST', 'DELETE'] as const) expect((await call(method, _id, {})).statusCode).toBe(401)
  await made(_id)
  await made(_id)
  await call('DELETE', _id)
  await call('DELETE', _id)
  const { entries } = (await test.call('GET', '/api/audit', { headers: bearer })).json()
  const ofPost = entries.filter(({ target }: { target: string }) => target === _id)
  expect(ofPost.map(({ action }: { action: string }) => action)).toEqual([
    'preview-link.deleted',
    'preview-link.created',
    'preview-link.created',
  ])
})

it('leaves its token neither in the store nor in the log', async () => {
  const { _id } = await draft()
  const token = tokenOf(await made(_id))
  await read(token)
  await read(`${token}0`)
  const link = await test.storage.previewLinks.ofPost(_id, Date.now())
  expect(JSON.stringify(link)).not.toContain(token)
  expect(test.log.join('\n')).toContain('/blogs/preview/:token')
  expect(test.log.join('\n')).not.toContain(token)
})

it('has a page that no cache, search engine, or other page learns of', async () => {
  const { _id, slug } = await draft()
  const path = `/blog/preview/${tokenOf(await made(_id))}`
  const open = (url: string) => test.call('GET', url, { headers: { 'x-forwarded-for': '192.0.2.2' } })
  for (const url of [path, path]) {
    const page = await open(url)
    expect([page.statusCode, page.json().data.slug]).toEqual([200, slug])
    expect(page.headers).toMatchObject({
      ...{ 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' },
    })
    expect(page.headers.etag).toBeUndefined()
  }
  await call('DELETE', _id)
  const ended = await open(path)
  expect([ended.statusCode, ended.headers['cache-control']]).toEqual([404, 'no-store'])
  expect(test.log.join('\n')).not.toContain(path)
})

it('is refused to an address that tries too many', async () => {
  const { _id } = await draft()
  const token = tokenOf(await made(_id))
  for (const wrong of ['x', '0'.repeat(64), token.toUpperCase()]) {
    expect((await read(wrong, '192.0.2.9')).statusCode).toBe(404)
  }
  for (let tries = 3; tries < 120; tries += 1) await read('0'.repeat(64), '192.0.2.9')
  expect((await read(token, '192.0.2.9')).statusCode).toBe(429)
  expect((await read(token, '192.0.2.8')).statusCode).toBe(200)
})
