import { readdirSync, readFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const FIXTURES = new URL('../../test/pictures/', import.meta.url)
const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  gif: 'image/gif',
}

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
let now = Date.now()
beforeEach(async () => {
  now = Date.now()
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' }, now: () => now })
  admin = await test.signIn()
})
afterEach(() => test.close())

const stored = async () => (await test.uploadFiles.list()).map(({ name }) => name)
const fixture = (name: string) => readFileSync(new URL(name, FIXTURES))
const plain = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } })

async function send(form: FormData, headers: Record<string, string> = admin.bearer) {
  const body = new Response(form)
  return test.call('PUT', '/api/account/face', {
    headers: { ...headers, 'content-type': body.headers.get('content-type') ?? '' },
    payload: Buffer.from(await body.arrayBuffer()),
  })
}

async function put(bytes: Uint8Array, name: string, type = TYPES[name.split('.').at(-1) ?? ''] ?? '') {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(bytes)], name, { type }))
  return send(form)
}

async function putPlain(image: Sharp): Promise<string> {
  const answer = await put(await image.png().toBuffer(), 'me.png')
  expect(answer.statusCode).toBe(200)
  return answer.json().face
}

const remove = () => test.call('DELETE', '/api/account/face', { headers: admin.bearer })
const account = async () => (await test.call('GET', '/api/account', { headers: admin.bearer })).json()

describe('a picture', () => {
  it.each([
    ['jpg', 1_200, 500],
    ['png', 300, 900],
    ['webp', 3, 2],
    ['jpg', 40_000, 2],
  ])('in %s of %d x %d becomes a square WebP of 256 pixels', async (kind, width, height) => {
    const sent = await plain(width, height, '#345')
      .withExif({ IFD0: { Copyright: 'a secret of the owner' }, IFD3: { GPSLatitudeRef: 'N' } })
      .toFormat(kind as 'png')
      .toBuffer()
    const answer = await put(sent, `Me at the sea.${kind}`)
    expect(answer.statusCode).toBe(200)
    const { face } = answer.json()
    expect(answer.json()).toEqual({ face: expect.stringMatching(/^\/uploads\/[0-9a-f]{40}\.webp$/) })
    expect(await stored()).toHaveLength(1)
    const served = await test.call('GET', face)
    expect(served.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    const found = await sharp(served.rawPayload).metadata()
    expect(found).toMatchObject({ format: 'webp', width: 256, height: 256, hasAlpha: false })
    expect([found.exif, found.xmp]).toEqual([undefined, undefined])
    expect(served.rawPayload.includes('a secret')).toBe(false)
  })

  it('shows its center, upright', async () => {
    // The image lies on its side: upright, blue is above red, and red is above white.
    const side = await plain(40, 40, 'blue').png().toBuffer()
    const lying = await plain(120, 40, 'white')
      .composite([
        { input: side, left: 0, top: 0 },
        { input: await plain(40, 40, 'red').png().toBuffer(), left: 40, top: 0 },
      ])
      .withMetadata({ orientation: 6 })
      .webp({ lossless: true })
      .toBuffer()
    const { face } = (await put(lying, 'me.webp')).json()
    const { rawPayload } = await test.call('GET', face)
    const { dominant } = await sharp(rawPayload).stats()
    expect(dominant).toMatchObject({ r: expect.any(Number), g: expect.any(Number) })
    expect(dominant.r).toBeGreaterThan(200)
    expect(dominant.b).toBeLessThan(40)
  })

  it('is told in the account and in the team, and removed', async () => {
    expect(await account()).toMatchObject({ face: null })
    const face = await putPlain(plain(9, 9, 'red'))
    expect(await account()).toMatchObject({ face })
    const { admins } = (await test.call('GET', '/api/team', { headers: admin.bearer })).json()
    expect(admins).toMatchObject([{ userId: admin.user_Id, face }])
    const removed = await remove()
    expect([removed.statusCode, removed.json()]).toEqual([200, { face: null }])
    expect(await account()).toMatchObject({ face: null })
    expect((await test.call('GET', face)).statusCode).toBe(404)
    expect((await remove()).json()).toEqual({ face: null })
    const entries = await test.storage.audit.list({ limit: 9 })
    expect(entries.map(({ action }) => action).filter((action) => action.startsWith('face'))).toEqual([
      'face.removed',
      'face.changed',
    ])
  })

  it('is removed when another one replaces it, unless another admin or a post shows it', async () => {
    const other = await test.addSession('other', ['Admin'])
    const [red, blue] = [await putPlain(plain(9, 9, 'red')), await putPlain(plain(9, 9, 'blue'))]
    expect(await stored()).toEqual([blue.slice('/uploads/'.length)])
    await test.storage.users.changeProfile(other.userId, { face: blue })
    await putPlain(plain(9, 9, 'red'))
    expect((await test.call('GET', blue)).statusCode).toBe(200)
    expect((await test.call('GET', red)).statusCode).toBe(200)
    now += 2 * 24 * 60 * 60 * 1_000
    await test.app.useCases.uploads.sweep()
    expect(await stored()).toHaveLength(2)
    await test.storage.users.changeProfile(other.userId, { face: null })
    await test.app.useCases.uploads.sweep()
    expect(await stored()).toEqual([red.slice('/uploads/'.length)])
  })
})

describe('a hostile picture', () => {
  const hostile = readdirSync(FIXTURES).filter(
    (name) => !/^1x1\.(png|webp)|arith|trailer|comment|text-chunk|ztxt/.test(name),
  )

  it.each([...hostile, 'BENIGN-logo.svg'])('%s is refused, and nothing is stored', async (name) => {
    const answer = await put(fixture(name), name)
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('"field":"file"')])
    expect(answer.json().message).toMatch(/^[A-Z].*[.!]$/)
    expect([await stored(), (await account()).face]).toEqual([[], null])
  })

  it.each(readdirSync(FIXTURES).filter((name) => /trailer|comment|text-chunk|ztxt/.test(name)))(
    '%s loses everything except its pixels',
    async (name) => {
      const { face } = (await put(fixture(name), name)).json()
      const { rawPayload } = await test.call('GET', face)
      expect(rawPayload.toString('latin1')).not.toMatch(/<html|script|zip/)
    },
  )

  it('is refused when it is missing, too large, animated, or one of several', async () => {
    const frames = await sharp(
      await Promise.all(['red', 'blue'].map((color) => plain(8, 8, color).png().toBuffer())),
      { join: { animated: true } },
    )
      .webp()
      .toBuffer()
    expect((await put(frames, 'a.webp')).statusCode).toBe(400)
    expect((await put(Buffer.alloc(12 * 1024 * 1024), 'a.png')).statusCode).toBe(413)
    expect((await send(new FormData())).statusCode).toBe(400)
    expect((await put(new Uint8Array(), '')).statusCode).toBe(400)
    const several = new FormData()
    for (let index = 0; index < 20; index += 1) several.append('file', new File(['x'], 'a.png'))
    expect((await send(several)).statusCode).toBe(413)
    for (const [type, payload] of [
      ['application/json', '{"face":"javascript:alert(1)"}'],
      ['text/plain', 'x'],
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="file"'],
    ]) {
      const headers = { ...admin.bearer, 'content-type': type }
      const answer = await test.call('PUT', '/api/account/face', { headers, payload })
      expect([400, 415]).toContain(answer.statusCode)
    }
    expect([await stored(), (await account()).face]).toEqual([[], null])
  })

  it('comes from no one but an admin, and not by PATCH', async () => {
    const form = new FormData()
    form.append('file', new File([new Uint8Array(fixture('1x1.png'))], 'a.png', { type: 'image/png' }))
    expect((await send(form, {})).statusCode).toBe(401)
    expect((await test.call('DELETE', '/api/account/face')).statusCode).toBe(401)
    const payload = { face: 'https://example.com/x.webp' }
    await test.call('PATCH', '/api/account', { headers: admin.bearer, payload })
    expect(await account()).toMatchObject({ face: null })
  })
})
