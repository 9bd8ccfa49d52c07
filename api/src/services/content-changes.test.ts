import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blogForm } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'
import type { AdminCaller } from './chat.ts'

let test: TestApp
const build = makeWebBuild()
beforeAll(async () => {
  test = await buildTestApp({ variables: { SERVE_WEB: 'true' }, distDir: build.distDir })
})
afterAll(async () => {
  await test.close()
  build.remove()
})

const admin: AdminCaller = { side: 'admin', userId: 'a'.repeat(24), userName: 'admin', sid: 's' }
const read = async (url: string, etag?: unknown) => {
  const headers = etag === undefined ? {} : { 'if-none-match': String(etag) }
  return test.call('GET', url, { headers })
}
const slugs = async (url: string) =>
  (await read(url)).json().data.blogs.map(({ slug }: { slug: string }) => slug)

describe('a change of content', () => {
  it('is seen by every reader of a kept page with the next request', async () => {
    const [one, two] = await Promise.all([read('/blogs'), read('/blogs')])
    expect(one.headers.etag).toBe(two.headers.etag)
    expect((await read('/blogs', one.headers.etag)).statusCode).toBe(304)

    await test.app.blogs.create(admin, blogForm('fresh'))
    const [again, other] = await Promise.all([read('/blogs', one.headers.etag), read('/blogs')])
    expect([again.statusCode, other.statusCode]).toEqual([200, 200])
    expect(again.json().data.blogs[0].slug).toBe('fresh')
    expect(other.body).toBe(again.body)
  })

  it('takes a removed post away everywhere at once', async () => {
    const { _id } = await test.app.blogs.create(admin, blogForm('passing'))
    const kept = await read('/blog/passing')
    expect(kept.statusCode).toBe(200)
    expect(await slugs('/blogs?page=1')).toContain('passing')

    await test.app.blogs.remove(admin, _id)
    for (const url of ['/blog/passing', '/api/blogs/one/passing']) {
      expect((await read(url, kept.headers.etag)).statusCode).toBe(404)
    }
    for (const url of ['/blogs', '/blogs?page=1']) expect(await slugs(url)).not.toContain('passing')
    await expect(test.app.blogs.remove(admin, _id)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('gives a page to who asked for it before it was there', async () => {
    expect((await read('/blog/awaited')).statusCode).toBe(404)
    await test.app.blogs.create(admin, blogForm('awaited'))
    expect((await read('/blog/awaited')).json().data.title).toBe('A title')
  })

  it('is seen by every reader of a kept list of the API with the next request', async () => {
    const list = '/api/blogs?page=1&perPage=15'
    const before = await read(list)
    expect((await read(list, before.headers.etag)).statusCode).toBe(304)
    const { _id } = await test.app.blogs.create(admin, blogForm('listed'))
    const after = await read(list, before.headers.etag)
    expect(after.json().blogs[0].slug).toBe('listed')
    expect(after.json().count).toBe(before.json().count + 1)
    await test.app.blogs.remove(admin, _id)
    expect((await read(list)).body).toBe(before.body)
  })

  it('is not lost on a page that is being rendered meanwhile', async () => {
    const reading = Array.from({ length: 20 }, () => read('/blogs?page=1'))
    const creating = test.app.blogs.create(admin, blogForm('meanwhile'))
    await Promise.all([...reading, creating])
    expect(await slugs('/blogs?page=1')).toContain('meanwhile')
  })

  it('of a review counts as well', async () => {
    expect((await read('/reviews')).json().data.count).toBe(0)
    await test.app.reviews.create(admin, { name: 'Sam', time: 'March 2026', star: 4.5, review: 'Calm.' })
    expect((await read('/reviews')).json().data).toMatchObject({ count: 1, reviews: [{ star: 4.5 }] })
  })
})
