import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const build = makeWebBuild()
let test: TestApp
let port: number

beforeAll(async () => {
  test = await buildTestApp({
    variables: {
      PUBLIC_URL: 'https://chat.example.com',
      SERVE_WEB: 'true',
      HOST: '10.1.2.3',
      METRICS_TOKEN: 'a-token-for-the-metrics',
    },
    distDir: build.distDir,
  })
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  port = (test.app.server.address() as AddressInfo).port
})
afterAll(async () => {
  await test.close()
  build.remove()
})

/** The raw answer to raw bytes, until the server closes the connection. */
async function speak(text: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (data) => {
    received += data
    // Not before: Node drops an answer that is not there yet when its client ends.
    socket.end()
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  const [head = '', ...body] = received.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') }
}

const get = (host: string, path = '/api/config') =>
  speak(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

const upgrade = (host: string) =>
  speak(
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )

const OWN = [
  'chat.example.com',
  'chat.example.com:443',
  'chat.example.com:3000',
  'CHAT.Example.com',
  'chat.example.com.',
  'localhost',
  'localhost:3000',
  '127.0.0.1',
  '127.0.0.1:8080',
  '[::1]',
  '[::1]:3000',
  '[0:0:0:0:0:0:0:1]',
  '10.1.2.3',
  '10.1.2.3:3000',
]

const FOREIGN = [
  'evil.example',
  'evil.example:443',
  '',
  ':443',
  'chat.example.com.evil.example',
  'evilchat.example.com',
  'example.com',
  'sub.chat.example.com',
  'localhost.evil.example',
  'chat.example.com..',
  'chat.example.com@evil.example',
  'evil.example@chat.example.com',
  'evil.example:x@chat.example.com',
  'chat.example.com/evil.example',
  'chat.example.com#evil.example',
  'chat.example.com?evil.example',
  'chat.example.com\\evil.example',
  'chat.example.com, evil.example',
  'chat.example.com:443:80',
  'chat.example.com:99999',
  'chat.ex%61mple.com',
  '[::1',
  '::1',
  '[::2]',
  '[::ffff:192.0.2.1]',
  '127.0.0.2',
  '10.1.2.4',
  'http://chat.example.com',
]

describe('with PUBLIC_URL', () => {
  it.each(OWN)('Host %j is answered', async (host) => {
    expect((await get(host)).status).toBe(200)
  })

  it.each(FOREIGN)('Host %j is refused', async (host) => {
    const { status, head, body } = await get(host)
    expect(status).toBe(421)
    expect(head).toMatch(/\r\ncontent-security-policy: /i)
    expect(JSON.parse(body)).toEqual({
      message: "This server doesn't serve that host.",
      code: 'misdirected',
      retryable: false,
      requestId: expect.any(String),
    })
  })

  it.each([
    '/',
    '/faq',
    '/assets/nothing.js',
    '/api/blogs?page=1&perPage=15',
    '/nowhere',
    '/docs',
    '/api/chat',
  ])('no answer of %s goes to a foreign host, kept or not', async (path) => {
    await get('chat.example.com', path)
    const own = await get('chat.example.com', path)
    expect(own.status).not.toBe(421)
    expect((await get('evil.example', path)).status).toBe(421)
  })

  it.each(['www.chat.example.com', '192.0.2.7', 'old.example', 'chat.example.com"><script>', 'a<b>.example'])(
    'Host %j gets a page with the address of the website in a browser',
    async (host) => {
      for (const path of ['/', '/faq?next=//evil.example/', '/api/config', '/%22%3E%3Cscript%3E']) {
        const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
        const { status, head, body } = await speak(
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`,
        )
        expect(status).toBe(421)
        expect(head).toMatch(/\r\ncontent-type: text\/html; charset=utf-8\r\n/i)
        expect(head).toMatch(/\r\ncontent-security-policy: /i)
        expect(head).not.toMatch(/\r\nlocation:/i)
        expect(body).toContain('<a href="https://chat.example.com/">https://chat.example.com</a>')
        expect(body.replaceAll('https://chat.example.com', '')).not.toMatch(/www|192|old|evil|script|a<b/)
      }
    },
  )

  it('a program gets no page', async () => {
    const headers = { host: 'www.chat.example.com', accept: 'text/html' }
    const answer = await test.call('POST', '/api/contact', { headers, payload: {} })
    expect([answer.statusCode, answer.json().code]).toEqual([421, 'misdirected'])
    const own = await test.call('GET', '/api/config', { headers: { ...headers, host: 'localhost' } })
    expect(own.statusCode).toBe(200)
  })

  it('a foreign host changes nothing, even with a valid token', async () => {
    const { bearer } = await test.signIn()
    const headers = { ...bearer, host: 'evil.example', 'x-forwarded-host': 'chat.example.com' }
    const payload = { clientId: newClientId(), message: 'hi' }
    expect((await test.call('POST', '/api/chat', { payload, headers })).statusCode).toBe(421)
    expect((await test.call('GET', '/api/contacts', { headers })).statusCode).toBe(421)
    expect(await test.storage.conversations.find(payload.clientId)).toBeNull()
  })

  it('X-Forwarded-Host is ignored', async () => {
    const headers = { host: 'chat.example.com', 'x-forwarded-host': 'evil.example' }
    expect((await test.call('GET', '/api/config', { headers })).statusCode).toBe(200)
  })

  it('monitors reach it by any name', async () => {
    for (const path of ['/healthz', '/readyz', '/readyz?x']) {
      expect((await get('node-1:3000', path)).status, path).toBe(200)
    }
    expect((await get('node-1:3000', '/metrics')).status).toBe(401)
    expect((await speak('GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200)
    expect((await get('node-1:3000', '/healthz/x')).status).toBe(421)
  })

  it('a request without a host is refused', async () => {
    expect((await speak('GET /api/config HTTP/1.0\r\n\r\n')).status).toBe(421)
  })

  it('a request line with a host is refused, for any Host', async () => {
    for (const path of [
      'http://evil.example/api/config',
      'HTTP://chat.example.com@evil.example/api/config',
    ]) {
      expect((await get('chat.example.com', path)).status, path).toBe(400)
    }
  })

  it('an upgrade with a foreign host is refused with the same error', async () => {
    const { status, body } = await upgrade('evil.example')
    expect([status, JSON.parse(body).code]).toEqual([421, 'misdirected'])
  })
})

describe('without PUBLIC_URL', () => {
  it('any host is answered', async () => {
    const plain = await buildTestApp()
    for (const host of ['evil.example', 'localhost:3000', '192.0.2.7']) {
      expect((await plain.call('GET', '/api/config', { headers: { host } })).statusCode, host).toBe(200)
    }
    await plain.close()
  })
})
