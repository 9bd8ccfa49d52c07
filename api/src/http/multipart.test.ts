import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { PNG } from '../../test/blog-form.ts'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import '../../test/test-timeouts.ts'

let test: TestApp
let bearer: { authorization: string }
let port: number
beforeAll(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  bearer = (await test.signIn()).bearer
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  port = (test.app.server.address() as AddressInfo).port
})
afterAll(() => test.close())

const files = () => readdirSync(join(test.env.dataDir, 'uploads'))
const count = async () => (await test.storage.blogs.list({ page: 1, perPage: 1 })).count

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

it('slow files of one address do not hold up those of another', async () => {
  const { version } = (await test.call('GET', '/api/settings', { headers: bearer })).json()
  const payload = { ...DEFAULT_SETTINGS, files: true, version }
  expect((await test.call('PUT', '/api/settings', { headers: bearer, payload })).statusCode).toBe(200)
  const form = new FormData()
  form.append('nonce', 'the-nonce-of-a-file')
  form.append('file', new File([new Uint8Array(PNG)], 'a.png'))
  const request = new Request('http://localhost', { method: 'POST', body: form })
  const body = Buffer.from(await request.arrayBuffer())
  const open = async (localAddress: string, clientId: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    await once(socket, 'connect')
    const head = [
      `POST /api/chat/${clientId}/files HTTP/1.1`,
      'host: localhost',
      'connection: close',
      `content-type: ${request.headers.get('content-type')}`,
      `content-length: ${body.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    return socket
  }
  const slow = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const socket = await open('127.0.0.2', newClientId())
      socket.write(body.subarray(0, 300))
      return socket
    }),
  )
  try {
    const quick = await open('127.0.0.3', newClientId())
    quick.write(body)
    expect(await text(quick)).toMatch(/^HTTP\/1\.1 201 /)
  } finally {
    for (const socket of slow) socket.destroy()
  }
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
