import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const FIXTURES = new URL('../../test/pictures/', import.meta.url)
const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  svgz: 'image/svg+xml',
  gif: 'image/gif',
}

let test: TestApp
let bearer: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  bearer = (await test.signIn()).bearer
})
afterAll(() => test.close())

const folder = () => join(test.env.dataDir, 'uploads')
const stored = () => readdirSync(folder())
const fixture = (name: string) => readFileSync(new URL(name, FIXTURES))

async function send(form: FormData, headers: Record<string, string> = bearer) {
  const body = new Response(form)
  return test.call('POST', '/api/uploads', {
    headers: { ...headers, 'content-type': body.headers.get('content-type') ?? '' },
    payload: Buffer.from(await body.arrayBuffer()),
  })
}

async function upload(bytes: Uint8Array, name: string, type = TYPES[name.split('.').at(-1) ?? ''] ?? '') {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(bytes)], name, { type }))
  return send(form)
}

/** A photo of noise, which does not compress, with GPS data. */
function photo(width: number, height: number): Sharp {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 }
  return sharp({ create: { width, height, channels: 3, background: '#888', noise } }).withExif({
    IFD0: { Copyright: 'a secret of the owner' },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
  })
}

describe('a valid image', () => {
  it.each(['jpg', 'png', 'webp'])(
    'in %s keeps its format, loses its metadata and gets narrower widths',
    async (kind) => {
      const sent = await photo(1_200, 500)
        .toFormat(kind as 'png')
        .toBuffer()
      expect(sent.includes('a secret of the owner')).toBe(true)
      const answer = await upload(sent, `Holiday photo.${kind}`)
      expect(answer.statusCode).toBe(201)
      const { message, data } = answer.json()
      expect(message).toBe('Image uploaded')
      expect(data).toEqual({
        url: expect.stringMatching(new RegExp(`^/uploads/[0-9a-f]{40}\\.${kind}$`)),
        width: 1_200,
        height: 500,
      })

      const served = await test.call('GET', data.url)
      expect(served.headers).toMatchObject({
        'content-type': TYPES[kind],
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
        'content-disposition': `inline; filename="picture.${kind}"`,
        'content-length': String(served.rawPayload.length),
      })
      const { exif, format, width } = await sharp(served.rawPayload).metadata()
      expect([exif, format, width]).toEqual([undefined, kind === 'jpg' ? 'jpeg' : kind, 1_200])
      expect(served.rawPayload.includes('a secret')).toBe(false)

      for (const [asked, width] of [
        [480, 480],
        [960, 960],
        [1_600, 1_200],
      ]) {
        const narrower = await test.call('GET', data.url.replace(/\.\w+$/, `-${asked}.webp`))
        expect(await sharp(narrower.rawPayload).metadata()).toMatchObject({ format: 'webp', width })
      }
    },
  )

  it('is reduced to 3,200 pixels of width, and keeps any height', async () => {
    const plain = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#123' } })
        .jpeg()
        .toBuffer()
    const { data } = (await upload(await plain(4_000, 1_000), 'wide.jpg')).json()
    expect(data).toMatchObject({ width: 3_200, height: 800 })
    const reduced = await sharp((await test.call('GET', data.url)).rawPayload).metadata()
    expect([reduced.width, reduced.height]).toEqual([3_200, 800])
    const tall = (await upload(await plain(900, 5_000), 'tall.jpg')).json().data
    expect(tall).toMatchObject({ width: 900, height: 5_000 })
  })

  it('is rotated by its EXIF orientation', async () => {
    const lying = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect((await upload(lying, 'a.jpeg')).json().data).toMatchObject({ width: 20, height: 40 })
  })

  it.each(['BENIGN-logo.svg', 'BENIGN-clip-mask.svg', 'BENIGN-text-use.svg'])(
    '%s keeps its drawing and gets its size from the viewBox',
    async (name) => {
      const { data } = (await upload(fixture(name), name)).json()
      const size = /viewBox="0 0 (\d+) (\d+)"/.exec(fixture(name).toString())
      expect([data.width, data.height]).toEqual([Number(size?.[1]), Number(size?.[2])])
      const { body, headers } = await test.call('GET', data.url)
      expect(headers['content-type']).toBe('image/svg+xml')
      expect(body).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*width="\d+" height="\d+"/)
      for (const word of ['linearGradient', 'clip-path', '<use', '<text', 'url(#g)']) {
        expect(body.includes(word)).toBe(fixture(name).toString().includes(word))
      }
    },
  )

  it('is readable by its owner only, and stored once', async () => {
    const bytes = fixture('1x1.png')
    const { url } = (await upload(bytes, 'a.png')).json().data
    const before = stored()
    expect((await upload(bytes, 'b.png')).json().data.url).toBe(url)
    expect(stored()).toEqual(before)
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
    for (const name of before) expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600)
  })

  it('answers 304 for its ETag, and HEAD without its bytes', async () => {
    const { url } = (await upload(fixture('1x1.png'), 'a.png')).json().data
    const { etag } = (await test.call('GET', url)).headers
    const again = await test.call('GET', url, { headers: { 'if-none-match': `"other", W/${etag}` } })
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    const head = await test.call('HEAD', url)
    expect([head.statusCode, head.body, Number(head.headers['content-length']) > 0]).toEqual([200, '', true])
  })
})

describe('a hostile upload', () => {
  let before: string[]
  beforeEach(() => {
    before = stored()
  })
  const refusedWith = (answer: Awaited<ReturnType<typeof upload>>, status: number) => {
    expect([answer.statusCode, answer.body]).toEqual([status, expect.stringContaining('"field":"file"')])
    expect(answer.json().message).toMatch(/^[A-Z].*[.!]$/)
    expect(stored()).toEqual(before)
  }
  const hostile = readdirSync(FIXTURES).filter(
    (name) => !/BENIGN|^1x1\.(png|webp)|arith|trailer|comment|text-chunk|ztxt/.test(name),
  )

  it.each(hostile)('%s is refused with a detail for its field, and nothing is stored', async (name) => {
    refusedWith(await upload(fixture(name), name), 400)
  })

  it.each(readdirSync(FIXTURES).filter((name) => /trailer|comment|text-chunk|ztxt/.test(name)))(
    '%s loses everything except its pixels',
    async (name) => {
      const { data } = (await upload(fixture(name), name)).json()
      const { rawPayload } = await test.call('GET', data.url)
      expect(rawPayload.toString('latin1')).not.toMatch(/<|script|zip/)
      expect(rawPayload.length).toBeLessThan(2_000)
    },
  )

  it.each([
    ['a.jpg', 'image/jpeg'],
    ['a.png', 'image/jpeg'],
    ['a.png', 'text/html'],
    ['a.png', 'application/octet-stream'],
    ['a.png.html', 'image/png'],
    ['a', 'image/png'],
    ['.png\u202e', 'image/png'],
  ])('that is a PNG but is declared as %s, %s is refused', async (name, type) => {
    refusedWith(await upload(fixture('1x1.png'), name, type), 400)
  })

  it('that is animated is refused', async () => {
    const still = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const other = await sharp(still).negate().toBuffer()
    const frames = await sharp([still, other], { join: { animated: true } })
      .webp()
      .toBuffer()
    expect((await sharp(frames).metadata()).pages).toBe(2)
    refusedWith(await upload(frames, 'a.webp'), 400)
  })

  it('that is nested too deeply is refused', async () => {
    const deep = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${'<g>'.repeat(20_000)}`
    refusedWith(await upload(Buffer.from(deep), 'a.svg'), 400)
  })

  it('of more than 10 MB is refused, and so are twenty files in one form', async () => {
    refusedWith(await upload(Buffer.alloc(12 * 1024 * 1024), 'a.png'), 413)
    const form = new FormData()
    for (let index = 0; index < 20; index += 1) form.append('file', new File(['x'], 'a.png'))
    refusedWith(await send(form), 413)
  })

  it('that is missing is refused with a message', async () => {
    const answer = await send(new FormData())
    expect(answer.statusCode).toBe(400)
    refusedWith(await upload(new Uint8Array(), ''), 400)
  })
})

it.each([
  ['multipart/form-data', 'x'],
  ['multipart/form-data; boundary=b', ''],
  [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n',
  ],
  [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG',
  ],
  [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nx\r\n--b--\r\n',
  ],
  ['application/json', '{}'],
  ['text/plain', 'x'],
])('a form of the type %s with the body %j is refused', async (type, payload) => {
  const answer = await test.call('POST', '/api/uploads', {
    headers: { ...bearer, 'content-type': type },
    payload: Buffer.from(payload, 'latin1'),
  })
  expect([400, 415]).toContain(answer.statusCode)
  expect(answer.json().message).toMatch(/^[A-Z]/)
})

it('only an admin may upload', async () => {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(fixture('1x1.png'))], 'a.png', { type: 'image/png' }))
  expect((await send(form, {})).statusCode).toBe(401)
  expect((await send(form, { authorization: 'Bearer nonsense' })).statusCode).toBe(403)
})

it.each([
  '..%2f..%2fjwt-secret',
  '..%5c..%5cjwt-secret',
  '%2e%2e%2fchat.sqlite',
  '....//chat.sqlite',
  `${'a'.repeat(40)}.png%00.html`,
  `${'a'.repeat(40)}.png`,
  `${'A'.repeat(40)}.png`,
  'CON',
  '__proto__',
  'notes.txt',
])('only uploads are served: %s', async (name) => {
  writeFileSync(join(folder(), 'notes.txt'), 'private')
  const answer = await test.call('GET', `/uploads/${name}`)
  expect(answer.statusCode).toBe(404)
  expect(answer.body).not.toContain('private')
})
