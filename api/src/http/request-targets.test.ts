import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const build = makeWebBuild()
afterAll(() => build.remove())

/** Bytes as a client may put them in the first line of a request. */
const TARGETS = [
  '//%09/',
  '/\\%09/',
  '//[',
  '//a:99999/',
  '//%00/',
  '//%zz',
  '*',
  'http://evil.example/',
  'http://evil.example/api/config',
  'http://[',
  'evil.example:80',
  '//evil.example/%2e%2e',
  '//EVIL.example/',
  '/A//evil.example/',
  '/A/..//evil.example/',
  '/.\\\\evil.example/A/',
  '/\\evil.example/',
  '/%5cevil.example/',
  '/%0d%0aX-Injected:1/A/',
  '/%',
  '/%zz',
  '/%E0%A4%A',
  '/;',
  '/??',
  '/blog/%ff',
  '/blogs?page=%zz',
  '/uploads/%2e%2e%2fx',
  '/assets/%zz',
  '/socket.io/?EIO=4&transport=polling',
  '/socket.io/?EIO=%zz',
  '/socket.io/',
  '/\u00ff\u00fe',
  `/${'%'.repeat(1_000)}`,
  '/'.repeat(3_000),
]
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

const UPGRADES = [
  ['h2c', '/'],
  ['h2c', '/api/config'],
  ['h2c', '/socket.io/?EIO=4&transport=websocket'],
  ['websocket', '/'],
  ['websocket', '/api/config'],
  ['websocket', '/socket.io'],
  ['WebSocket, h2c', '/socket.io/?EIO=4&transport=websocket'],
] as const

describe.each([
  { serveWeb: true, apiPrefix: '/api' },
  { serveWeb: false, apiPrefix: '/api' },
  { serveWeb: false, apiPrefix: '' },
])('with $serveWeb pages and the API at "$apiPrefix"', ({ serveWeb, apiPrefix }) => {
  let test: TestApp
  let port: number
  beforeAll(async () => {
    test = await buildTestApp({ env: { serveWeb, apiPrefix }, distDir: build.distDir })
    await test.app.listen({ host: '127.0.0.1', port: 0 })
    port = (test.app.server.address() as AddressInfo).port
  })
  afterAll(() => test.close())

  /** What the server sends until it closes. */
  async function ask(method: string, target: string, headers = ''): Promise<string> {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    let answer = ''
    socket.on('data', (data) => {
      answer += data
      // Not a HEAD whose answer has a body: such a connection is kept.
      if (headers !== '' && answer.includes('\r\n\r\n')) socket.end()
    })
    socket.on('error', () => {})
    const more = headers === '' ? 'Connection: close\r\n' : headers
    socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: a\r\n${more}\r\n`, 'latin1'))
    await once(socket, 'close')
    return answer
  }

  it.each(TARGETS)(
    'answers %j as the client’s mistake at most, and leads to no other site',
    async (target) => {
      for (const method of METHODS) {
        const answer = await ask(method, target)
        const [head = '', body = ''] = answer.split('\r\n\r\n')
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
        expect(status, method).toBeGreaterThanOrEqual(200)
        expect(status, method).toBeLessThan(500)
        expect(head.toLowerCase(), method).toContain('x-content-type-options: nosniff')
        expect(head).not.toMatch(/^x-injected/im)
        const location = /^location: (.*)$/im.exec(head)?.[1]
        if (location !== undefined) expect(location).toMatch(/^\/(?![/\\])/)
        if (status >= 400 && method !== 'HEAD' && head.includes('application/json')) {
          expect(JSON.parse(body)).toMatchObject({ code: expect.any(String), requestId: expect.any(String) })
        }
      }
    },
  )

  it('answers CONNECT before it closes', async () => {
    expect(await ask('CONNECT', 'evil.example:80')).toMatch(/^HTTP\/1\.1 405 .*"code":"method-not-allowed"/s)
  })

  it.each(UPGRADES)('answers an upgrade to %s at %s as an ordinary request', async (protocol, target) => {
    const upgraded = await ask('GET', target, `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`)
    const plain = await ask('GET', target)
    const status = (answer: string) => /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]
    expect(status(upgraded)).toBe(status(plain))
    expect(upgraded.toLowerCase()).toContain('x-content-type-options: nosniff')
  })
})
