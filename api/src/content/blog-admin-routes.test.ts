import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { BLOG_CONTENT_BYTES_MAX } from '@proctorpass/shared/limits'
import type { Blog } from '@proctorpass/shared/schemas/blog'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { multipart, PNG } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { listPosts } from '../../test/storage-contract/store-under-test.ts'

let test: TestApp
let bearer: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp()
  bearer = (await test.signIn()).bearer
})
afterAll(() => test.close())
beforeEach(async () => {
  const { items } = await listPosts(test.storage, { page: 1, perPage: 100 })
  for (const { _id } of items) await send('DELETE', `/blogs/${_id}`)
})

const send = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  { payload, headers }: { payload?: Buffer; headers?: Record<string, string> } = {},
) =>
  test.call(method, `/api${path}`, {
    headers: { ...headers, ...bearer },
    ...(payload === undefined ? {} : { payload }),
  })

type File = NonNullable<Parameters<typeof multipart>[1]>
const png = { name: 'picture.png', type: 'image/png', bytes: PNG }
const good = {
  ...{ title: 'A title', summary: 'A summary', slug: 'a-post', content: '<p>Text</p>' },
  imgAlt: 'A green square',
}
const add = async (fields: Record<string, string> = {}, file: File | null = png) =>
  send('POST', '/blogs', await multipart({ ...good, ...fields }, file))
const change = async (id: string, fields: Record<string, string>, file: File | null = null) =>
  send('PATCH', `/blogs/${id}`, await multipart(fields, file))
const added = async (fields: Record<string, string> = {}, file?: File) =>
  (await add(fields, file)).json().data as Blog
const read = async (slug: string) => (await test.call('GET', `/api/blogs/one/${slug}`)).json() as Blog

const files = () => readdirSync(join(test.env.dataDir, 'uploads'))
/** Each is stored in several widths. */
const storedImages = () => new Set(files().map((name) => name.slice(0, 40))).size
const count = async () => (await listPosts(test.storage, { page: 1, perPage: 1 })).count
/** An image that no other test has. */
const image = async (shade: number): Promise<File> => ({
  name: 'shade.png',
  type: 'image/png',
  bytes: Buffer.from(
    await sharp({ create: { width: 8, height: 8, channels: 3, background: { r: shade, g: 0, b: 0 } } })
      .png()
      .toBuffer(),
  ),
})

describe('POST /blogs', () => {
  it('answers once the post is stored and readable', async () => {
    const answer = await add()
    expect([answer.statusCode, answer.json()]).toEqual([
      201,
      {
        message: 'Post published',
        data: {
          _id: expect.stringMatching(/^[0-9a-f]{24}$/),
          ...good,
          img: expect.stringMatching(/^\/uploads\/[0-9a-f]{40}\.png$/),
          lang: 'en',
          version: 1,
          sample: false,
          ...{ state: 'published', author: 'ProctorPass', readingMinutes: 1 },
          publishAt: answer.json().data.createdAt,
          publishedAt: answer.json().data.createdAt,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        },
      },
    ])
    expect(await read('a-post')).toEqual(answer.json().data)
    const served = await test.call('GET', answer.json().data.img)
    expect([served.statusCode, served.headers['content-type']]).toEqual([200, 'image/png'])
  })

  it('has a detail for each missing field', async () => {
    const answer = await send('POST', '/blogs', await multipart({}))
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [
        { field: 'title', message: 'Title is required' },
        { field: 'summary', message: 'Summary is required' },
        { field: 'slug', message: 'Blog slug is required' },
        { field: 'content', message: 'Content is required!' },
        { field: 'file', message: 'Please upload image!' },
      ],
    ])
  })

  it.each([
    ['title', ' \n '],
    ['title', 'x'.repeat(201)],
    ['title', 'Two\nlines'],
    ['title', 'NUL\0'],
    ['summary', 'x'.repeat(501)],
    ['slug', 'A-Post'],
    ['slug', 'post-2'],
    ['slug', 'post--two'],
    ['slug', '-post'],
    ['slug', 'post_one'],
    ['slug', '../post'],
    ['slug', 'póst'],
    ['slug', 'a'.repeat(121)],
    ['slug', `${'a-'.repeat(50_000)}A`],
    ['slug', '{"$gt":""}'],
    ['content', '<p><br></p>'],
    ['content', '<p> &nbsp;\u00a0\u200b</p><h1></h1>'],
    ['content', '<script>alert(1)</script>'],
    ['content', '<img src="https://evil.example/x.png" onerror="alert(1)">'],
    ['imgAlt', 'x'.repeat(301)],
    ['imgAlt', 'NUL\0'],
    ['imgAlt', 'A \u202edrawkcab text'],
    ['version', 'newest'],
  ])('refuses the %s %j, and stores neither row nor file', async (field, value) => {
    const before = files()
    const answer = await add({ [field]: value })
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ field, message: expect.any(String) }],
    ])
    expect(await count()).toBe(0)
    expect(files()).toEqual(before)
  })

  it('stores the description of the image on one line, and none where none was sent', async () => {
    const described = await added({ imgAlt: ' A desk\n and a lamp ' }, await image(30))
    expect(described.imgAlt).toBe('A desk and a lamp')
    expect((await added({ slug: 'decorative', imgAlt: '' }, await image(31))).imgAlt).toBe('')
    const { imgAlt: _, ...undescribed } = { ...good, slug: 'undescribed' }
    const answer = await send('POST', '/blogs', await multipart(undescribed, await image(32)))
    expect([answer.statusCode, answer.json().data.imgAlt]).toEqual([201, null])
    const { blogs } = (await test.call('GET', '/api/blogs')).json() as { blogs: Blog[] }
    expect(blogs.map(({ slug, imgAlt }) => [slug, imgAlt])).toEqual([
      ['undescribed', null],
      ['decorative', ''],
      ['a-post', 'A desk and a lamp'],
    ])
  })

  it('stores only what the editor can produce', async () => {
    const content = '<h2>Part</h2><p onclick="x()">Text<script>alert(1)</script></p>'
    expect(await added({ content })).toMatchObject({ content: '<h2>Part</h2><p>Text</p>' })
    expect((await test.storage.blogs.findBySlug('a-post'))?.content).toBe('<h2>Part</h2><p>Text</p>')
  })

  it('sanitizes stored content again when it is read', async () => {
    await test.storage.blogs.create({
      ...good,
      img: '/images/posts/desk.svg',
      content: '<p>Old</p><script>alert(1)</script>',
      createdAt: 1,
    })
    expect((await read('a-post')).content).toBe('<p>Old</p>')
  })

  it('refuses a slug of another post or of an article', async () => {
    await add({}, await image(1))
    const before = files()
    for (const slug of ['a-post', 'how-to-cheat-on-proctoru', 'title-of-the-blog']) {
      const answer = await add({ slug }, await image(2))
      expect([answer.statusCode, answer.json()]).toMatchObject([
        409,
        { code: 'conflict', details: [{ field: 'slug', message: expect.stringContaining('taken') }] },
      ])
    }
    expect([await count(), files()]).toEqual([1, before])
  })

  it('stores one of two parallel posts with one slug, and only its image', async () => {
    const before = storedImages()
    const images = [await image(3), await image(4)]
    const answers = await Promise.all(images.map((file) => add({}, file)))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
    expect([await count(), storedImages()]).toEqual([1, before + 1])
  })

  it('ignores unknown fields', async () => {
    const before = Date.now()
    const data = await added({
      _id: '0'.repeat(24),
      createdAt: '1',
      version: '7',
      demo: '1',
      img: 'https://evil.example/x.png',
      __proto__x: 'x',
      'title.$ne': '1',
    })
    expect(data).toMatchObject({ version: 1, img: expect.stringMatching(/^\/uploads\//) })
    expect(data._id).not.toMatch(/^0+$/)
    expect(Date.parse(data.createdAt)).toBeGreaterThanOrEqual(before)
  })

  it.each([
    '../../etc/passwd.png',
    '..\\..\\windows\\win.ini.png',
    '%2e%2e%2fetc%2fpasswd.png',
    'con.png',
    'a.png:stream.png',
    '"><img src=x onerror=alert(1)>.png',
    "';DROP TABLE uploads;--.png",
    `${'a'.repeat(5_000)}.png`,
  ])('uses nothing of the file name %s', async (name) => {
    const answer = await add({}, { ...png, name })
    expect([201, 400]).toContain(answer.statusCode)
    for (const file of files()) expect(file).toMatch(/^[0-9a-f]{40}(-\d+)?\.[a-z]+$/)
  })

  it.each([
    ['a text called .png', { ...png, bytes: Buffer.from('not an image') }],
    ['a PNG called .jpg', { ...png, name: 'picture.jpg', type: 'image/jpeg' }],
    ['an empty file', { ...png, bytes: Buffer.alloc(0) }],
    ['half a PNG', { ...png, bytes: PNG.subarray(0, 30) }],
    ['a page', { name: 'x.html', type: 'text/html', bytes: Buffer.from('<html><script>alert(1)</script>') }],
  ])('refuses %s with a detail for the file, and stores neither row nor file', async (_what, file) => {
    const before = files()
    const answer = await add({}, file)
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ field: 'file', message: expect.any(String) }],
    ])
    expect([await count(), files()]).toEqual([0, before])
  })

  it('refuses a file of 12 MB', async () => {
    const answer = await add({}, { ...png, bytes: Buffer.alloc(12 * 1024 * 1024, PNG) })
    expect([answer.statusCode, answer.json()]).toMatchObject([
      413,
      { code: 'too-large', details: [{ field: 'file' }] },
    ])
    expect(await count()).toBe(0)
  })
})

describe('a malformed form', () => {
  const boundary = 'AaB03x'
  const type = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const part = (name: string, value: string, rest = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n${value}\r\n`
  const filePart = (name = 'file') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\n` +
    `Content-Type: image/png\r\n\r\nx\r\n`
  const fields = Object.entries(good)
    .map(([name, value]) => part(name, value))
    .join('')
  const end = `--${boundary}--\r\n`
  const nested =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"\r\n` +
    'Content-Type: multipart/mixed, boundary=BbC04y\r\n\r\n' +
    '--BbC04y\r\nContent-Disposition: attachment; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx\r\n' +
    '--BbC04y--\r\n'

  it.each<[string, string, Record<string, string>]>([
    ['ends early', fields + filePart().slice(0, -4), type],
    ['has no end', fields, type],
    ['has another boundary', fields + end, { 'content-type': 'multipart/form-data; boundary=other' }],
    ['names no boundary', fields + end, { 'content-type': 'multipart/form-data' }],
    ['is empty', '', type],
    ['is no form', 'hello', type],
    ['has twenty files', fields + filePart().repeat(20) + end, type],
    ['has a file in another field', fields + filePart('title') + end, type],
    ['has a thousand fields', fields + part('more', 'x').repeat(1_000) + end, type],
    ['has a field twice', fields + part('title', 'Other') + filePart() + end, type],
    ['has a huge field', fields + part('content2', 'x'.repeat(600_000)) + end, type],
    ['has a huge field name', fields + part('n'.repeat(100_000), 'x') + end, type],
    ['has a huge header', fields + part('x', 'x', `; y="${'y'.repeat(100_000)}"`) + end, type],
    ['names a prototype', fields + part('__proto__', 'x') + end, type],
    ['names a constructor', fields + part('constructor', 'x') + end, type],
    ['nests another', fields + nested + end, type],
    ['is JSON', JSON.stringify(good), { 'content-type': 'application/json' }],
    ['is urlencoded', 'title=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])(
    'that %s is answered with a clear 4xx, and leaves neither row nor file',
    async (_what, body, headers) => {
      const before = files()
      for (const method of ['POST', 'PATCH'] as const) {
        const path = method === 'POST' ? '/blogs' : `/blogs/${'f'.repeat(24)}`
        const answer = await send(method, path, { payload: Buffer.from(body), headers })
        expect(answer.statusCode, answer.body).toBeGreaterThanOrEqual(400)
        expect(answer.statusCode, answer.body).toBeLessThan(500)
        expect(answer.json()).toMatchObject({ message: expect.any(String), requestId: expect.any(String) })
      }
      expect([await count(), files()]).toEqual([0, before])
      expect((await add()).statusCode).toBe(201)
    },
  )

  it('whose connection breaks stores nothing, and the next is served', async () => {
    const before = storedImages()
    await test.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = test.app.server.address() as AddressInfo
    await new Promise<void>((resolve) => {
      const sending = request({
        port,
        method: 'POST',
        path: '/api/blogs',
        headers: { ...type, ...bearer, 'content-length': '1000000' },
      })
      sending.on('error', () => {})
      sending.on('close', () => resolve())
      sending.write(fields + filePart(), () => sending.destroy())
    })
    expect((await add({ slug: 'the-next' })).statusCode).toBe(201)
    expect(await count()).toBe(1)
    expect(storedImages()).toBe(before + 1)
  })
})

describe('GET /blogs/id/{id}', () => {
  it('answers the post after its slug changed', async () => {
    const post = await added()
    await change(post._id, { slug: 'moved', title: 'Moved' })
    const answer = await send('GET', `/blogs/id/${post._id}`)
    expect([answer.statusCode, answer.json()]).toEqual([200, await read('moved')])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it.each(['0'.repeat(24), 'a-post', "'", '%00', 'x'.repeat(300)])(
    'answers 404 for the id %s',
    async (id) => {
      const answer = await send('GET', `/blogs/id/${id}`)
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not-found'])
    },
  )
})

describe('POST /blogs/preview', () => {
  const preview = (content: string) =>
    test.call('POST', '/api/blogs/preview', { headers: bearer, payload: { content } })

  it('answers the content as it would be shown, and stores nothing', async () => {
    const content = '<p onclick="alert(1)">Text<script>alert(2)</script></p><img src=x onerror=alert(3)>'
    const answer = await preview(content)
    expect([answer.statusCode, answer.json()]).toEqual([200, { content: '<p>Text</p>' }])
    expect(await added({ content })).toMatchObject(answer.json())
    expect(await count()).toBe(1)
  })

  it('accepts content up to the limit of a post, and refuses longer content', async () => {
    const quotes = '"'.repeat(BLOG_CONTENT_BYTES_MAX)
    expect((await preview(quotes)).statusCode).toBe(200)
    const refused = await preview(`${quotes}"`)
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      { details: [{ field: 'content', message: 'The content is too long: the limit is 512 KB' }] },
    ])
    // More than the server reads.
    const unread = await preview('x'.repeat(2 * BLOG_CONTENT_BYTES_MAX + 1_024))
    expect([unread.statusCode, unread.json()]).toMatchObject([
      413,
      { code: 'too-large', message: expect.stringContaining('1,025 KB') },
    ])
  })
})

describe('PATCH /blogs/{id}', () => {
  it('changes any subset and leaves the rest', async () => {
    const post = await added()
    const answer = await change(post._id, { title: 'Better' })
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        message: 'Post saved',
        data: { ...post, title: 'Better', version: 2, updatedAt: expect.any(String) },
      },
    ])
    const next = await change(post._id, { slug: 'moved', summary: 'S', content: '<p>New</p>' })
    expect(next.json().data).toMatchObject({ slug: 'moved', title: 'Better', img: post.img, version: 3 })
    expect(await read('moved')).toEqual(next.json().data)
  })

  it('forgets the description of an image that it replaces', async () => {
    const post = await added()
    const described = await change(post._id, { imgAlt: 'A red square' }, await image(8))
    expect(described.json().data).toMatchObject({ imgAlt: 'A red square' })
    expect((await change(post._id, { title: 'Better' })).json().data.imgAlt).toBe('A red square')
    expect((await change(post._id, {}, await image(9))).json().data.imgAlt).toBeNull()
    expect((await change(post._id, { imgAlt: '' })).json().data.imgAlt).toBe('')
  })

  it('answers a conflict to the second of two admins who save one post', async () => {
    const post = await added()
    const version = String(post.version)
    const answers = await Promise.all([
      change(post._id, { title: 'One', version }),
      change(post._id, { title: 'Two', version }, await image(7)),
    ])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    const refused = answers.find(({ statusCode }) => statusCode === 409)
    expect(refused?.json()).toMatchObject({ code: 'conflict', details: [{ field: 'version' }] })
    const stored = answers.find(({ statusCode }) => statusCode === 200)?.json().data as Blog
    expect(await read('a-post')).toEqual(stored)
    // The second admin saves again, on top of the stored version.
    const again = await change(post._id, { title: 'Two', version: String(stored.version) })
    expect(again.json().data).toMatchObject({ title: 'Two', version: 3 })
    // Without a version there is no conflict.
    expect((await change(post._id, { title: 'Three' })).json().data.version).toBe(4)
  })

  it('refuses a taken slug', async () => {
    const post = await added()
    await added({ slug: 'other' })
    for (const slug of ['other', 'can-proctoru-detect-phones']) {
      const answer = await change(post._id, { slug })
      expect([answer.statusCode, answer.json().details[0].field]).toEqual([409, 'slug'])
    }
    expect((await change(post._id, { slug: 'a-post' })).statusCode).toBe(200)
  })

  it.each<Record<string, string>>([
    { title: '' },
    { summary: ' ' },
    { slug: '' },
    { slug: 'A' },
    { content: '<p><br></p>' },
    {},
  ])('refuses %j', async (fields) => {
    const post = await added()
    expect((await change(post._id, fields)).statusCode).toBe(400)
    expect(await read('a-post')).toEqual(post)
  })

  it('removes the image that it replaced twenty versions later, unless another post shows it', async () => {
    const first = await added({}, await image(10))
    const shown = await added({ slug: 'shows-it', content: `<p><img src="${first.img}"></p>` })
    const isThere = async (url: string) => (await test.call('GET', url)).statusCode === 200
    await change(first._id, {}, await image(11))
    const titled = async (id: string, times: number) => {
      for (let n = 1; n <= times; n += 1) await change(id, { title: `Title ${n}` })
    }
    await titled(first._id, 19)
    await change(shown._id, { content: '<p>No image</p>' })
    await titled(shown._id, 18)
    expect(await isThere(first.img)).toBe(true)
    await titled(shown._id, 1)
    expect(await isThere(first.img)).toBe(false)
    expect(await isThere((await read('a-post')).img)).toBe(true)
  })

  it('stores no image of a refused change', async () => {
    const post = await added()
    const before = files()
    expect((await change(post._id, { version: '9' }, await image(12))).statusCode).toBe(409)
    expect((await change('f'.repeat(24), {}, await image(13))).statusCode).toBe(404)
    expect(files()).toEqual(before)
  })
})

describe('DELETE /blogs/{id}', () => {
  it('is final, and removes the images that no other post shows', async () => {
    const post = await added({}, await image(20))
    const answer = await send('DELETE', `/blogs/${post._id}`)
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Post deleted' }])
    expect((await test.call('GET', '/api/blogs/one/a-post')).statusCode).toBe(404)
    expect((await test.call('GET', post.img)).statusCode).toBe(404)
    expect((await send('DELETE', `/blogs/${post._id}`)).statusCode).toBe(404)
  })

  it.each(['f'.repeat(24), '1', '%00', '{"$ne":""}', '__proto__', '..%2f..%2fetc'])(
    'answers 404 for the id %s',
    async (id) => {
      const answer = await send('DELETE', `/blogs/${encodeURI(id)}`)
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not-found'])
      expect((await change(encodeURI(id), { title: 'x' })).statusCode).toBe(404)
    },
  )
})

it('logs each change, without the texts', async () => {
  test.log.length = 0
  const post = await added({ title: 'secret title' })
  await change(post._id, { title: 'secret again' })
  await send('DELETE', `/blogs/${post._id}`)
  const log = test.log.join('')
  for (const what of ['post added', 'post changed', 'post deleted']) expect(log).toContain(what)
  expect(log).not.toContain('secret')
})
