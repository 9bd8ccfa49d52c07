import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PNG } from '../../test/blog-form.ts'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import '../../test/test-timeouts.ts'
import { listPosts } from '../../test/storage-contract/store-under-test.ts'

let test: TestApp
let bearer: { authorization: string }
let port: number
beforeAll(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off', TRUST_PROXY: '127.0.0.1' } })
  bearer = (await test.signIn()).bearer
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  port = (test.app.server.address() as AddressInfo).port
})
afterAll(() => test.close())

const files = () => readdirSync(join(test.env.dataDir, 'uploads'))
const count = async () => (await listPosts(test.storage, { page: 1, perPage: 1 })).count

function postForm(bytes: Uint8Array, slug = 'a-post'): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries({ title: 'T', summary: 'S', slug, content: '<p>x</p>' })) {
    form.append(name, value)
  }
  form.append('file', new File([new Uint8Array(bytes)], 'a.jpg', { type: 'image/jpeg' }))
  return form
}

const upload = (bytes: Uint8Array, path = 'uploads') => {
  const form = postForm(bytes)
  const headers = { ...bearer, connection: 'close' }
  return fetch(`http://127.0.0.1:${port}/api/${path}`, { method: 'POST', headers, body: form })
}

const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
const photo = (width: number, shade: number) =>
  sharp({ create: { width, height: width, channels: 3, background: { r: shade, g: 0, b: 0 }, noise } })
    .jpeg({ quality: 95 })
    .toBuffer()

it.each([
  ['closed', 0.5],
  ['reset', 0.5],
  ['closed', 0.999],
])('uploads whose connections are %s after %d of their bytes leave nothing', async (how, share) => {
  const before = files()
  const request = new Request('http://localhost', { method: 'POST', body: postForm(await photo(1_000, 1)) })
  const body = Buffer.from(await request.arrayBuffer())
  const head = [
    'POST /api/blogs HTTP/1.1',
    'host: localhost',
    `authorization: ${bearer.authorization}`,
    `content-type: ${request.headers.get('content-type')}`,
    `content-length: ${body.length}`,
  ]
  // More than are read at a time: some are cut while they wait.
  const cut = Array.from({ length: 8 }, async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(body.subarray(0, Math.floor(body.length * share)))
    return socket
  })
  await vi.waitFor(async () => expect(await openConnections()).toBeGreaterThanOrEqual(8))
  for (const socket of await Promise.all(cut)) {
    if (how === 'reset') socket.resetAndDestroy()
    else socket.destroy()
  }
  await vi.waitFor(async () => expect(await openConnections()).toBe(0))
  expect([await count(), files()]).toEqual([0, before])

  // None of them holds a place: the whole one is read and stored at once.
  const whole = await upload(await photo(300, 2), 'blogs')
  expect([whole.status, await count()]).toEqual([201, 1])
  const { data } = (await whole.json()) as { data: { _id: string } }
  await test.call('DELETE', `/api/blogs/${data._id}`, { headers: bearer })
  expect(files()).toEqual(before)
})

it('twenty pictures at once are taken one after the other, and none is refused', async () => {
  const before = files().length
  const pictures = await Promise.all(Array.from({ length: 20 }, (_, index) => photo(24, index)))
  const answers = await Promise.all(pictures.map((bytes) => upload(bytes)))
  expect(answers.map(({ status }) => status)).toEqual(pictures.map(() => 201))
  expect(new Set(files().map((name) => name.slice(0, 40))).size).toBeGreaterThan(before)
})

describe('forms of visitors', () => {
  beforeAll(async () => {
    const { version } = (await test.call('GET', '/api/settings', { headers: bearer })).json()
    const payload = { ...DEFAULT_SETTINGS, files: true, version }
    expect((await test.call('PUT', '/api/settings', { headers: bearer, payload })).statusCode).toBe(200)
  })

  const sent: Socket[] = []
  const answered = new WeakSet<Socket>()
  afterEach(() => {
    for (const socket of sent.splice(0)) socket.destroy()
  })
  /** The forms of this test whose connections were closed without an answer. */
  const cutOff = () => sent.filter((socket) => socket.closed && !answered.has(socket)).length

  /** Sends some of a form. */
  async function send(address: string, file: Uint8Array, share = 1): Promise<Socket> {
    const form = new FormData()
    form.append('nonce', 'the-nonce-of-a-file')
    form.append('file', new File([new Uint8Array(file)], 'a.png'))
    const request = new Request('http://localhost', { method: 'POST', body: form })
    const body = Buffer.from(await request.arrayBuffer())
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    await once(socket, 'connect')
    socket.on('data', () => answered.add(socket))
    const head = [
      `POST /api/chat/${newClientId()}/files HTTP/1.1`,
      'host: localhost',
      `x-forwarded-for: ${address}`,
      'connection: close',
      `content-type: ${request.headers.get('content-type')}`,
      `content-length: ${body.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(body.subarray(0, Math.floor(body.length * share)))
    sent.push(socket)
    return socket
  }

  it.each([
    ['of one address', 12, () => '10.0.0.1'],
    ['of many addresses', 40, (index: number) => `10.0.0.${index % 20}`],
    // The first eight are read, forty wait, and the others are refused.
    ['of many networks of one IPv6 host', 80, (index: number) => `2001:db8:1:${index}::1`],
  ])('that are slow and %s do not hold up those of another', async (_, count, addressOf) => {
    const admit = vi.spyOn(test.app.useCases.attachments, 'admit')
    await Promise.all(Array.from({ length: count }, (_, index) => send(addressOf(index), PNG, 0.8)))
    await vi.waitFor(() => expect(admit.mock.settledResults).toHaveLength(count))
    admit.mockRestore()
    expect(await text(await send('192.0.2.1', PNG))).toMatch(/^HTTP\/1\.1 201 /)
    // It did not wait until slow ones were cut off.
    expect(cutOff()).toBe(0)
  })

  it('that hold too many bytes together are cut off, and small ones arrive', async () => {
    const large = new Uint8Array(10 * 1024 * 1024)
    for (let index = 0; index < 9; index += 1) await send(`10.0.1.${index}`, large, 0.95)
    await vi.waitFor(() => expect(cutOff()).toBeGreaterThan(0))
    expect(await text(await send('192.0.2.1', PNG))).toMatch(/^HTTP\/1\.1 201 /)
  })
})

it('a form whose file field has another name is refused, and releases the semaphore', async () => {
  for (let index = 0; index < 5; index += 1) expect((await upload(PNG)).status).toBe(400)
  expect((await upload(await photo(24, 99))).status).toBe(201)
})

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) => {
    test.app.server.getConnections((error, open) => (error ? reject(error) : resolve(open)))
  })
}
