import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { AppError } from '@proctorpass/shared/errors'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import '../../test/test-timeouts.ts'
import type { ChatListener } from './listeners.ts'

const DAY = 24 * 60 * 60 * 1_000
const PICTURES = new URL('../../test/pictures/', import.meta.url)
const picture = (name: string) => readFileSync(new URL(name, PICTURES))
const PDF = Buffer.from(
  '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n',
)
const KEY = 'k'.repeat(43)
const OTHER_KEY = 'o'.repeat(43)
const keyed = (key = KEY) => ({ authorization: `Visitor ${key}` })

let test: TestApp
let bearer: { authorization: string }
let ahead = 0
beforeAll(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' }, now: () => Date.now() + ahead })
  bearer = (await test.signIn()).bearer
  await allowFiles(true)
})
afterEach(() => {
  ahead = 0
})
afterAll(() => test.close())

async function allowFiles(files: boolean, of = test, headers = bearer): Promise<void> {
  const { version } = (await of.call('GET', '/api/settings', { headers })).json()
  const payload = { ...DEFAULT_SETTINGS, files, version }
  const saved = await of.call('PUT', '/api/settings', { headers, payload })
  expect(saved.statusCode).toBe(200)
}

let nonces = 0
const newNonce = () => {
  nonces += 1
  return `nonce-of-file-${nonces}`
}

interface Upload {
  bytes?: Uint8Array
  name?: string
  type?: string
  nonce?: string | null
  headers?: Record<string, string>
  admin?: boolean
}

async function upload(
  clientId: string,
  { bytes = PDF, name = 'a.pdf', nonce, admin, ...rest }: Upload = {},
  to = test,
  remoteAddress = '127.0.0.1',
) {
  const form = new FormData()
  if (nonce !== null) form.append('nonce', nonce ?? newNonce())
  form.append('file', new File([new Uint8Array(bytes)], name, { type: rest.type ?? 'text/plain' }))
  const body = new Response(form)
  const headers = rest.headers ?? (admin ? bearer : keyed())
  return to.call('POST', `/api/chat/${admin ? 'admin/' : ''}${clientId}/files`, {
    remoteAddress,
    headers: { ...headers, 'content-type': body.headers.get('content-type') ?? '' },
    payload: Buffer.from(await body.arrayBuffer()),
  })
}

const idOf = (answer: Awaited<ReturnType<typeof upload>>): string => answer.json().data._id
const uploadId = async (...parameters: Parameters<typeof upload>) => idOf(await upload(...parameters))

function send(clientId: string, attachments: unknown, options: Record<string, unknown> = {}) {
  const { headers = keyed(), message = '', nonce = newNonce(), ...rest } = options
  const payload = { clientId, message, nonce, attachments, ...rest }
  return test.call('POST', '/api/chat', { headers: headers as Record<string, string>, payload })
}

const read = (clientId: string, id: string, headers: Record<string, string> = keyed()) =>
  test.call('GET', `/api/chat/${clientId}/files/${id}`, { headers })

const readAsAdmin = (clientId: string, id: string, headers: Record<string, string> = bearer) =>
  test.call('GET', `/api/chat/admin/${clientId}/files/${id}`, { headers })

const stored = async () => (await test.attachmentFiles.list()).map(({ name }) => name).sort()
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#274' } })

describe('an uploaded file', () => {
  it('is answered with what its message will show, and read back', async () => {
    const clientId = newClientId()
    const answer = await upload(clientId, { name: '../合同 “1”.pdf' })
    expect(answer.statusCode).toBe(201)
    const { message, data } = answer.json()
    expect(message).toBe('File uploaded')
    expect(data).toEqual({
      ...{ _id: expect.stringMatching(/^[0-9a-f]{24}$/), name: '合同 “1”.pdf' },
      ...{ type: 'application/pdf', bytes: PDF.length },
    })
    const served = await read(clientId, data._id)
    expect([served.statusCode, served.rawPayload.equals(PDF)]).toEqual([200, true])
    expect(served.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(PDF.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition':
        `attachment; filename="__ _1_.pdf"; filename*=UTF-8''` +
        '%E5%90%88%E5%90%8C%20%E2%80%9C1%E2%80%9D.pdf',
    })
    const again = await read(clientId, data._id, { ...keyed(), 'if-none-match': String(served.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it.each([
    ['می\u200cخواهم.pdf', 'می\u200cخواهم.pdf'],
    [`it's "quoted".pdf`, `it's "quoted".pdf`],
    ['two\r\nlines \u202e100%.pdf', 'twolines 100%.pdf'],
  ])('of a browser named %j is shown as %j, also when it is saved', async (name, shown) => {
    const clientId = newClientId()
    const { data } = (await upload(clientId, { name })).json()
    expect(data.name).toBe(shown)
    const header = (await read(clientId, data._id)).headers['content-disposition']
    expect(decodeURIComponent(String(header).split("UTF-8''")[1] ?? '')).toBe(shown)
  })

  it.each(['png', 'jpeg', 'webp'] as const)(
    'in %s keeps its type, and loses its metadata',
    async (format) => {
      const sent = await plain(60, 40)
        .withExif({
          IFD0: { Copyright: 'a secret' },
          IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
        })
        .toFormat(format)
        .toBuffer()
      const before = await sharp(sent).metadata()
      expect([before.exif?.includes('a secret'), sent.includes('a secret')]).toEqual([true, true])
      const clientId = newClientId()
      const answer = await upload(clientId, { bytes: sent, name: 'photo.exe' })
      const { data } = answer.json()
      const { rawPayload, headers } = await read(clientId, data._id)
      expect(data).toMatchObject({ type: `image/${format}`, width: 60, height: 40, bytes: rawPayload.length })
      const after = await sharp(rawPayload).metadata()
      expect([after.format, after.exif, rawPayload.includes('secret')]).toEqual([format, undefined, false])
      expect(headers['content-type']).toBe(`image/${format}`)
      expect(headers['content-disposition']).toMatch(/^inline; filename="photo\.exe\.(png|jpg|webp)"/)
    },
  )

  it('is turned upright, and no wider than 3,200 pixels', async () => {
    const lying = await plain(40, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    expect((await upload(newClientId(), { bytes: lying })).json().data).toMatchObject({
      width: 20,
      height: 40,
    })
    const wide = await plain(4_000, 1_000).png().toBuffer()
    expect((await upload(newClientId(), { bytes: wide })).json().data).toMatchObject({
      width: 3_200,
      height: 800,
    })
  })

  it('is stored once for a nonce, and refused with other bytes or another key', async () => {
    const clientId = newClientId()
    const nonce = newNonce()
    const first = await upload(clientId, { nonce })
    const again = await upload(clientId, { nonce, name: 'another-name.pdf' })
    expect([first.statusCode, again.statusCode, again.json().data]).toEqual([201, 200, first.json().data])
    const other = Buffer.concat([PDF, Buffer.from('\n')])
    expect((await upload(clientId, { nonce, bytes: other })).statusCode).toBe(409)
    expect((await upload(clientId, { nonce, headers: keyed(OTHER_KEY) })).statusCode).toBe(409)
    // Nonces are of one sender in one conversation.
    expect((await upload(clientId, { nonce, bytes: other, admin: true })).statusCode).toBe(201)
    expect((await upload(newClientId(), { nonce, bytes: other })).statusCode).toBe(201)
  })

  it('is stored once when it is sent twice at the same time', async () => {
    const clientId = newClientId()
    const nonce = newNonce()
    const bytes = await plain(300, 300).png().toBuffer()
    const before = (await stored()).length
    const answers = await Promise.all([1, 2, 3].map(() => upload(clientId, { nonce, bytes })))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 201])
    expect(new Set(answers.map(idOf)).size).toBe(1)
    expect((await stored()).length).toBe(before + 1)
  })

  it('whose bytes were lost before the answer is stored with the next attempt', async () => {
    const clientId = newClientId()
    const nonce = newNonce()
    const sentHash = createHash('sha256').update(PDF).digest('base64url')
    const { hash } = await import('node:crypto')
    await test.storage.attachments.add(
      {
        ...{ _id: 'f'.repeat(24), clientId, senderId: clientId, nonce, sentHash },
        ...{ keyHash: hash('sha256', KEY, 'base64url'), name: 'a.pdf', type: 'application/pdf' },
        ...{ bytes: PDF.length, width: null, height: null, createdAt: Date.now() },
      },
      { files: 50, bytes: 1e9, unsentBytes: null },
    )
    expect((await read(clientId, 'f'.repeat(24))).statusCode).toBe(404)
    expect((await upload(clientId, { nonce })).statusCode).toBe(200)
    expect((await read(clientId, 'f'.repeat(24))).rawPayload.equals(PDF)).toBe(true)
  })

  it.each([
    ['nonce', { nonce: null }],
    ['nonce', { nonce: 'short' }],
    ['nonce', { nonce: '../../../etc' }],
  ])('needs a %s (%j)', async (field, options) => {
    const answer = await upload(newClientId(), options)
    expect([answer.statusCode, answer.json().details[0].field]).toEqual([400, field])
  })

  it('needs a form with a file, and a good clientId', async () => {
    const clientId = newClientId()
    const json = await test.call('POST', `/api/chat/${clientId}/files`, { payload: { nonce: newNonce() } })
    expect(json.statusCode).toBe(415)
    const form = new FormData()
    form.append('nonce', newNonce())
    const body = new Response(form)
    const headers = { 'content-type': body.headers.get('content-type') ?? '' }
    const payload = Buffer.from(await body.arrayBuffer())
    const empty = await test.call('POST', `/api/chat/${clientId}/files`, { headers, payload })
    expect([empty.statusCode, empty.json().details[0].field]).toEqual([400, 'file'])
    expect((await upload('short')).statusCode).toBe(400)
  })
})

describe('a PDF as programs write it', () => {
  const body = '1 0 obj\n<< /Type /Catalog >>\nendobj\n'
  const ending = 'trailer\n<< /Root 1 0 R >>\nstartxref\n9\n'
  it.each([
    ['without its end marker', `%PDF-1.3\n${body}${ending}`],
    ['that ends with its trailer', `%PDF-1.3\n${body}trailer\n<< /Root 1 0 R >>`],
    ['that ends with an object', `%PDF-1.3\n${body}`],
    ['with the bytes of a scanner behind it', `%PDF-1.4\n${body}${ending}%%EOF\n\f\x01scanner\xff\xff`],
    ['with zeros behind it', `%PDF-1.4\n${body}${ending}%%EOF${'\0'.repeat(50_000)}`],
    [
      'with the line of a printer before it',
      `\x1b%-12345X@PJL ENTER LANGUAGE=PDF\r\n%PDF-1.4\n${body}%%EOF\n`,
    ],
    ['with the header of an old Mac before it', `${'\0'.repeat(128)}%PDF-1.4\n${body}%%EOF`],
    [
      'with an archive inside',
      `%PDF-1.7\n${body}2 0 obj stream PK\x03\x04 PK\x05\x06 endstream\n${ending}%%EOF`,
    ],
  ])('%s is stored as it is, and only downloaded', async (_title, text) => {
    const clientId = newClientId()
    const bytes = Buffer.from(text, 'latin1')
    const served = await read(clientId, await uploadId(clientId, { bytes }))
    expect(served.rawPayload.equals(bytes)).toBe(true)
    expect(served.headers).toMatchObject({
      'content-type': 'application/pdf',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': expect.stringMatching(/^attachment; /),
    })
  })
})

describe('a file that is refused', () => {
  const refused = async (bytes: Uint8Array, status: number, name?: string) => {
    const before = await stored()
    const answer = await upload(newClientId(), { bytes, ...(name === undefined ? {} : { name }) })
    expect([answer.statusCode, answer.json().details?.[0].field]).toEqual([status, 'file'])
    expect(answer.json().message).toMatch(/^[A-Z].*[.!]$/)
    expect(await stored()).toEqual(before)
  }

  const hostile = readdirSync(PICTURES).filter(
    (name) => !/^1x1\.(png|webp)|arith|trailer|comment|text-chunk|ztxt|pdf|png-\d/.test(name),
  )
  it.each(hostile)('%s has another type than its name says', async (name) => {
    await refused(picture(name), 415, name)
  })

  it.each(readdirSync(PICTURES).filter((name) => /png-\d/.test(name)))('%s is too large', async (name) => {
    await refused(picture(name), 413, name)
  })

  it.each([
    ['', 'empty'],
    ['%PDF-1.7\nwithout an end', 'a PDF that was cut off'],
    ['%PDF-', 'a PDF without a version'],
    ['<script>alert(1)</script>\n%PDF-1.4\n%%EOF', 'a page that is also a PDF'],
    ['GIF89a%PDF-1.4\n1 0 obj\n%%EOF', 'a GIF that is also a PDF'],
    ['PK\u0003\u0004%PDF-1.4\n1 0 obj\n%%EOF', 'an archive that is also a PDF'],
    ['/*<html>*/%PDF-1.4\n1 0 obj\n%%EOF', 'a page that begins like a script'],
    ['%PDF-1.4\n1 0 obj\n%%EOF\n<script>alert(1)</script>', 'a PDF that is also a page'],
    ['%PDF-1.4\n1 0 obj\ntrailer<</Size 1>>\n<script>alert(1)</script>', 'such a PDF without an end'],
    ['%PDF-1.4\n1 0 obj\n%%EOF\nPK\u0003\u0004', 'a PDF that is also an archive'],
    [`%PDF-1.4\n1 0 obj PK\u0005\u0006${'\0'.repeat(16)}\u0006\0\n%%EOF`, 'a PDF inside of an archive'],
    [`%PDF-1.4\n1 0 obj\n%%EOF\n${'x'.repeat(1_100)}`, 'a PDF with much behind its end'],
    ['PK\u0003\u0004', 'an archive'],
  ])('%j is %s', async (text) => {
    await refused(Buffer.from(text, 'latin1'), 415)
  })

  it.each([
    ['', /^This file is empty/],
    ['\0\0\0\x18ftypheic\0\0\0\0', /^This image is HEIC\. Save it as JPEG .* iPhone/],
    ['\0\0\0\x1cftypavif\0\0\0\0', /^This image is AVIF\. Save it as JPEG/],
    ['II*\0\x08\0\0\0', /^This image is TIFF\. Save it as JPEG/],
    ['GIF89a\x01\0\x01\0', /^This image is GIF\. Save it as JPEG/],
    ['\0\0\0\x18ftypmp42\0\0\0\0', /^Send an image \(PNG, JPEG, or WebP\) or a PDF\.$/],
    ['%PDF-1.7\n1 0 obj\n<< /Length 9 >> stream\n', /^This PDF is cut off/],
    ['%PDF-1.4\n1 0 obj\n%%EOF\n<script>', /^This PDF has another file/],
  ])('is told why: %j', async (text, message) => {
    const answer = await upload(newClientId(), { bytes: Buffer.from(text, 'latin1') })
    expect(answer.json().message).toMatch(message)
  })

  it('is animated', async () => {
    const shades = ['red', 'blue'].map((background) =>
      sharp({ create: { width: 8, height: 8, channels: 3, background } })
        .png()
        .toBuffer(),
    )
    const frames = await Promise.all(shades)
    const animation = await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer()
    await refused(animation, 415)
  })

  it('is truncated', async () => {
    const whole = await plain(200, 200).png().toBuffer()
    await refused(whole.subarray(0, whole.length - 40), 415)
  })

  it('has more than 10 MB', async () => {
    await refused(Buffer.concat([PDF, Buffer.alloc(10 * 1024 * 1024), PDF]), 413)
  })

  it.each(readdirSync(PICTURES).filter((name) => /trailer|comment|text-chunk|ztxt/.test(name)))(
    'unlike %s, which loses everything except its pixels',
    async (name) => {
      const clientId = newClientId()
      const { rawPayload } = await read(clientId, await uploadId(clientId, { bytes: picture(name) }))
      expect(rawPayload.toString('latin1')).not.toMatch(/<|script|zip/)
      expect(rawPayload.length).toBeLessThan(2_000)
    },
  )
})

describe('a message with files', () => {
  it('has them in its answer, in pages and in the list, also without a text', async () => {
    const clientId = newClientId()
    const ids = [
      await uploadId(clientId),
      await uploadId(clientId, { bytes: picture('1x1.png'), name: 'b.png' }),
    ]
    const sent = await send(clientId, ids)
    expect(sent.statusCode).toBe(201)
    const { data } = sent.json()
    expect(data).toMatchObject({
      message: '',
      attachments: [
        { _id: ids[0], name: 'a.pdf', type: 'application/pdf', bytes: PDF.length },
        { _id: ids[1], name: 'b.png', type: 'image/png', width: 1, height: 1 },
      ],
    })
    const page = await test.call('GET', `/api/chat/${clientId}`, { headers: keyed() })
    expect(page.json().messages).toEqual([data])
    const forAdmin = await test.call('GET', `/api/chat/admin/${clientId}`, { headers: bearer })
    expect(forAdmin.json().messages).toEqual([data])
    const list = await test.call('GET', '/api/chat', { headers: bearer })
    const summary = list.json().find((each: { clientId: string }) => each.clientId === clientId)
    expect(summary.lastMessage).toEqual(data)
    for (const id of ids) {
      expect((await read(clientId, id)).statusCode).toBe(200)
      expect((await readAsAdmin(clientId, id)).statusCode).toBe(200)
    }
  })

  it('is pushed with them', async () => {
    const created = vi.fn()
    const get = (_: ChatListener, name: string) => (name === 'messageCreated' ? created : () => {})
    test.app.useCases.chat.listen(new Proxy({} as ChatListener, { get: get as never }))
    const clientId = newClientId()
    const { data } = (await send(clientId, [await uploadId(clientId)], { message: 'Look' })).json()
    expect(created.mock.calls.map(([message]) => message)).toContainEqual(data)
  })

  it('of an admin is read by the visitor', async () => {
    const clientId = newClientId()
    await send(clientId, [], { message: 'Hello' })
    const id = await uploadId(clientId, { admin: true })
    expect((await read(clientId, id)).statusCode).toBe(404)
    const sent = await send(clientId, [id], { headers: bearer })
    expect(sent.json().data.attachments).toMatchObject([{ _id: id }])
    expect((await read(clientId, id)).statusCode).toBe(200)
  })

  it('is repeated by its nonce with the same files only', async () => {
    const clientId = newClientId()
    const ids = [await uploadId(clientId), await uploadId(clientId)]
    const nonce = newNonce()
    const look = { nonce, message: 'Look' }
    const first = await send(clientId, ids, look)
    const again = await send(clientId, ids, look)
    expect([first.statusCode, again.statusCode, again.json().data]).toEqual([201, 200, first.json().data])
    for (const other of [[], [ids[0]], [...ids].reverse(), [await uploadId(clientId)], ['0'.repeat(24)]]) {
      expect((await send(clientId, other, look)).statusCode).toBe(409)
    }
  })

  it.each([
    ['no file of that id', async () => '0'.repeat(24), 400],
    ['a file of another conversation', async () => uploadId(newClientId()), 400],
    ['an id of another form', async () => '../../etc/passwd', 400],
    ['an admin’s file', (clientId: string) => uploadId(clientId, { admin: true }), 400],
    [
      'a file that another key uploaded',
      (clientId: string) => uploadId(clientId, { headers: keyed(OTHER_KEY) }),
      400,
    ],
  ])('is refused with %s', async (_, idFor, status) => {
    const clientId = newClientId()
    const answer = await send(clientId, [await idFor(clientId)], { message: 'Look' })
    expect(answer.statusCode).toBe(status)
    const page = await test.call('GET', `/api/chat/${clientId}`, { headers: keyed() })
    expect(page.json().messages).toEqual([])
  })

  it('is refused with a used file, one twice, and more than five', async () => {
    const clientId = newClientId()
    const id = await uploadId(clientId)
    await send(clientId, [id])
    const used = await send(clientId, [id])
    expect([used.statusCode, used.json().details[0].field]).toEqual([409, 'attachments'])
    const fresh = await uploadId(clientId)
    expect((await send(clientId, [fresh, fresh])).statusCode).toBe(400)
    expect((await send(clientId, [fresh, id])).statusCode).toBe(409)
    expect((await send(clientId, Array(6).fill(fresh))).statusCode).toBe(400)
    // None of the refusals used it.
    expect((await send(clientId, [fresh])).statusCode).toBe(201)
  })

  it('may be empty only with a file', async () => {
    const clientId = newClientId()
    expect((await send(clientId, [])).statusCode).toBe(400)
    expect((await send(clientId, undefined, { message: ' ' })).statusCode).toBe(400)
    expect((await send(clientId, undefined, { message: '\u200b' })).statusCode).toBe(400)
    expect((await send(clientId, [await uploadId(clientId)], { message: ' \n' })).json().data.message).toBe(
      '',
    )
  })
})

describe('reading a file', () => {
  it('answers 404 to other visitors, other keys and for unknown ids', async () => {
    const clientId = newClientId()
    const id = await uploadId(clientId)
    await send(clientId, [id])
    const other = newClientId()
    await send(other, [], { message: 'Hello', headers: keyed(OTHER_KEY) })
    for (const answer of [
      await read(other, id, keyed(OTHER_KEY)),
      await read(clientId, id, keyed(OTHER_KEY)),
      await read(clientId, id, {}),
      await read(clientId, '0'.repeat(24)),
      await read(clientId, '..%2f..%2fchat.sqlite'),
      await readAsAdmin(other, id),
    ]) {
      expect(answer.statusCode).toBe(404)
    }
    expect((await readAsAdmin(clientId, id, {})).statusCode).toBe(401)
    expect((await readAsAdmin(clientId, id, keyed())).statusCode).toBe(403)
    expect((await read(clientId, id, bearer)).statusCode).toBe(200)
  })

  it('that was not sent is possible only to its uploader', async () => {
    const clientId = newClientId()
    await send(clientId, [], { message: 'Hello' })
    const id = await uploadId(clientId)
    expect((await read(clientId, id)).statusCode).toBe(200)
    expect((await readAsAdmin(clientId, id)).statusCode).toBe(404)
    const early = newClientId()
    const unbound = await uploadId(early)
    expect((await read(early, unbound, keyed(OTHER_KEY))).statusCode).toBe(404)
    expect((await read(early, unbound, {})).statusCode).toBe(404)
  })
})

describe('a visitor', () => {
  it('may not upload to a conversation of another key', async () => {
    const clientId = newClientId()
    await send(clientId, [], { message: 'Hello' })
    expect((await upload(clientId, { headers: keyed(OTHER_KEY) })).statusCode).toBe(403)
    expect((await upload(clientId, { headers: {} })).statusCode).toBe(403)
    expect((await upload(clientId, { headers: { authorization: 'Visitor short' } })).statusCode).toBe(403)
  })

  it('may not upload while the settings have no files; admins may', async () => {
    const clientId = newClientId()
    await allowFiles(false)
    expect((await upload(clientId)).statusCode).toBe(403)
    expect((await upload(clientId, { admin: true })).statusCode).toBe(201)
    await allowFiles(true)
    expect((await upload(clientId)).statusCode).toBe(201)
  })
})

describe('a blocked visitor', () => {
  it('may not upload, but read', async () => {
    const clientId = newClientId()
    const id = await uploadId(clientId)
    await send(clientId, [id])
    const block = { headers: bearer, payload: { hours: 1 } }
    expect((await test.call('POST', `/api/chat/admin/${clientId}/block`, block)).statusCode).toBe(200)
    const refused = await upload(clientId)
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'blocked'])
    expect((await read(clientId, id)).statusCode).toBe(200)
  })
})

describe('the files of a conversation', () => {
  it('are at most 50, also at the same time', async () => {
    const clientId = newClientId()
    for (let count = 0; count < 44; count++) await upload(clientId)
    const answers = await Promise.all(Array.from({ length: 12 }, () => upload(clientId)))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([
      ...Array(6).fill(201),
      ...Array(6).fill(429),
    ])
    const refused = answers.find(({ statusCode }) => statusCode === 429)?.json()
    expect(refused).toMatchObject({ code: 'too-many-files', retryable: false })
    expect((await upload(clientId, { admin: true })).statusCode).toBe(429)
    expect((await upload(newClientId())).statusCode).toBe(201)
  })

  it('have at most 100 MB', async () => {
    const clientId = newClientId()
    const large = Buffer.concat([PDF, Buffer.alloc(10 * 1024 * 1024 - 2 * PDF.length), PDF])
    for (let count = 0; count < 10; count++)
      expect((await upload(clientId, { bytes: large })).statusCode).toBe(201)
    expect((await upload(clientId)).statusCode).toBe(429)
  })

  it('that were not sent are gone after a day', async () => {
    const clientId = newClientId()
    const sent = await uploadId(clientId)
    await send(clientId, [sent])
    const nonce = newNonce()
    const unsent = await uploadId(clientId, { nonce })
    ahead = DAY + 1_000
    expect((await read(clientId, unsent)).statusCode).toBe(404)
    expect((await send(clientId, [unsent])).statusCode).toBe(400)
    ahead = 2 * DAY
    await test.app.useCases.attachments.sweep()
    expect([(await stored()).includes(unsent), (await stored()).includes(sent)]).toEqual([false, true])
    expect(await test.storage.attachments.find(clientId, unsent)).toBeNull()
    expect((await read(clientId, sent)).statusCode).toBe(200)
  })

  it('can be uploaded again under the nonce of an expired one', async () => {
    const clientId = newClientId()
    const nonce = newNonce()
    const expired = await uploadId(clientId, { nonce })
    ahead = DAY + 1_000
    const again = await upload(clientId, { nonce })
    expect([again.statusCode, idOf(again) === expired]).toEqual([201, false])
    expect((await stored()).includes(expired)).toBe(false)
  })

  it('are removed when it is erased', async () => {
    const clientId = newClientId()
    const ids = [
      await uploadId(clientId),
      await uploadId(clientId),
      await uploadId(clientId, { admin: true }),
    ]
    await send(clientId, [ids[0]])
    const erased = await test.call('DELETE', `/api/chat/${clientId}`, { headers: keyed() })
    expect(erased.statusCode).toBeLessThan(300)
    await vi.waitFor(async () => expect((await stored()).filter((name) => ids.includes(name))).toEqual([]))
    for (const id of ids) {
      expect((await read(clientId, id)).statusCode).toBe(404)
      expect((await send(clientId, [id])).statusCode).toBe(400)
    }
    expect((await upload(clientId)).statusCode).toBe(201)
  })

  it('are removed when it is erased before their bytes are stored', async () => {
    const clientId = newClientId()
    await send(clientId, [], { message: 'Hello' })
    const before = await stored()
    const { put } = test.attachmentFiles
    const late = vi.spyOn(test.attachmentFiles, 'put').mockImplementationOnce(async (...file) => {
      const erased = await test.call('DELETE', `/api/chat/${clientId}`, { headers: keyed() })
      expect(erased.statusCode).toBe(204)
      return put(...file)
    })
    const nonce = newNonce()
    expect((await upload(clientId, { nonce })).statusCode).toBe(503)
    expect(late).toHaveBeenCalledOnce()
    late.mockRestore()
    expect(await stored()).toEqual(before)
    expect((await upload(clientId, { nonce })).statusCode).toBe(201)
  })

  it('are removed by the sweep when the process died while they were erased', async () => {
    const clientId = newClientId()
    const id = await uploadId(clientId)
    await send(clientId, [id])
    expect(await test.storage.conversations.erase(clientId)).toBe(true)
    expect((await stored()).includes(id)).toBe(true)
    expect((await read(clientId, id)).statusCode).toBe(404)
    await test.app.useCases.attachments.sweep()
    expect((await stored()).includes(id)).toBe(false)
    expect(await test.storage.attachments.find(clientId, id)).toBeNull()
  })

  it('are removed when it is erased, although one of them cannot be', async () => {
    const clientId = newClientId()
    const ids = [await uploadId(clientId), await uploadId(clientId), await uploadId(clientId)]
    const { remove } = test.storage.attachments
    const refusing = vi.spyOn(test.storage.attachments, 'remove').mockImplementation((id) => {
      if (id === ids[0]) throw new AppError('unavailable', 'The disk is full.')
      return remove(id)
    })
    await send(clientId, ids)
    const erased = await test.call('DELETE', `/api/chat/${clientId}`, { headers: keyed() })
    expect(erased.statusCode).toBe(204)
    const left = () => Promise.all(ids.map((id) => test.storage.attachments.find(clientId, id)))
    expect((await left()).map((found) => found?._id)).toEqual([ids[0], undefined, undefined])
    refusing.mockRestore()
    await test.app.useCases.attachments.sweep()
    expect(await left()).toEqual([null, null, null])
  })

  it('are removed by the next request to erase it when the process died during the first', async () => {
    const clientId = newClientId()
    const id = await uploadId(clientId)
    await send(clientId, [id])
    expect(await test.storage.conversations.erase(clientId)).toBe(true)
    const erased = await test.call('DELETE', `/api/chat/${clientId}`, { headers: keyed() })
    expect(erased.statusCode).toBe(404)
    expect((await stored()).includes(id)).toBe(false)
    expect(await test.storage.attachments.find(clientId, id)).toBeNull()
  })
})

describe('without room for its bytes, a file', () => {
  let small: TestApp
  let headers: { authorization: string }
  beforeAll(async () => {
    const variables = { RATE_LIMITS: 'off', UPLOADS_MAX: '1MB' }
    small = await buildTestApp({ variables, now: () => Date.now() + ahead })
    headers = (await small.signIn()).bearer
    await allowFiles(true, small, headers)
  })
  afterAll(() => small.close())

  const pdfOf = (size: number) => Buffer.concat([PDF, Buffer.alloc(size - 2 * PDF.length), PDF])
  const attempt = (clientId: string, size: number, options: Upload = {}) =>
    upload(clientId, { bytes: pdfOf(size), headers: options.admin ? headers : keyed(), ...options }, small)

  it('is refused for good, and leaves nothing', async () => {
    const clientId = newClientId()
    const nonce = newNonce()
    // Visitors fill a fifth of the room with files that they do not send.
    expect((await attempt(clientId, 150_000)).statusCode).toBe(201)
    const refused = await attempt(newClientId(), 150_000, { nonce })
    expect([refused.statusCode, refused.json()]).toMatchObject([
      507,
      { code: 'storage-full', retryable: false },
    ])
    for (let count = 0; count < 6; count++) {
      const answer = await attempt(clientId, 150_000, { admin: true })
      expect(answer.statusCode).toBe(count < 5 ? 201 : 507)
    }
    ahead = 2 * DAY
    await small.app.useCases.attachments.sweep()
    ahead = 0
    expect(await small.attachmentFiles.list()).toEqual([])
  })

  it('of a visitor is refused where one of an admin is not', async () => {
    const clientId = newClientId()
    for (let count = 0; count < 9; count++)
      expect((await attempt(clientId, 100_000, { admin: true })).statusCode).toBe(201)
    const nonce = newNonce()
    const refused = await attempt(clientId, 100_000, { nonce })
    expect([refused.statusCode, refused.json().code]).toEqual([507, 'storage-full'])
    const upload = { clientId, senderId: clientId, nonce }
    expect(await small.storage.attachments.findByNonce(upload)).toBeNull()
    expect((await attempt(clientId, 100_000, { admin: true })).statusCode).toBe(201)
  })
})

describe('one address', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await buildTestApp({ variables: { RATE_LIMITS: 'on' } })
    await allowFiles(true, limited, (await limited.signIn()).bearer)
  })
  afterAll(() => limited.close())

  it('has few pixels decoded in half a minute, and another one has its own', async () => {
    // The checks before the decoder find that its data are missing.
    const giant = Buffer.from(picture('1x1.png'))
    giant.writeUInt32BE(7_000, 16)
    giant.writeUInt32BE(5_000, 20)
    giant.writeUInt32BE(crc32(giant.subarray(12, 29)), 29)
    const attempt = (remoteAddress: string) =>
      upload(newClientId(), { bytes: giant, headers: {} }, limited, remoteAddress)
    for (let count = 0; count < 2; count++) expect((await attempt('10.0.0.1')).statusCode).toBe(415)
    const refused = await attempt('10.0.0.1')
    expect([refused.statusCode, refused.json()]).toMatchObject([429, { code: 'rate-limited' }])
    // Browsers wait as long as this by themselves.
    expect(refused.json().retryAfterMs).toBeLessThanOrEqual(30_000)
    expect((await attempt('10.0.0.2')).statusCode).toBe(415)
    const plainPdf = await upload(newClientId(), { headers: {} }, limited, '10.0.0.1')
    expect(plainPdf.statusCode).toBe(201)
  })

  it('has few bytes of unsent files, and gets them back for what it sends', async () => {
    const address = '10.0.0.3'
    const attempt = (clientId: string) => upload(clientId, { headers: {} }, limited, address)
    const clientId = newClientId()
    const first = await attempt(clientId)
    expect(first.statusCode).toBe(201)
    // All but the points of one more small file.
    await limited.app.useCases.limits.take('unsent', address, 131_072 - 3 * 257)
    expect((await attempt(newClientId())).statusCode).toBe(201)
    expect((await attempt(newClientId())).statusCode).toBe(201)
    const refused = await attempt(newClientId())
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate-limited'])
    const payload = { clientId, message: '', nonce: newNonce(), attachments: [idOf(first)] }
    const sent = await limited.call('POST', '/api/chat', { payload, remoteAddress: address })
    expect(sent.statusCode).toBe(201)
    expect((await attempt(newClientId())).statusCode).toBe(201)
    expect((await attempt(newClientId())).statusCode).toBe(429)
  })

  it('sends some files in a day, whether they stay or not', async () => {
    const address = '10.0.0.4'
    await limited.app.useCases.limits.take('file-day', address, 524_288 - 257)
    const attempt = () => upload(newClientId(), { headers: {} }, limited, address)
    expect((await attempt()).statusCode).toBe(201)
    const refused = await attempt()
    expect([refused.statusCode, refused.json()]).toMatchObject([429, { code: 'rate-limited' }])
    expect((await upload(newClientId(), { headers: {} }, limited, '10.0.0.5')).statusCode).toBe(201)
  })
})
