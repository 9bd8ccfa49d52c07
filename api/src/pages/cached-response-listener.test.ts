import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { ANY_CALL, CALL_HEADER } from '@proctorpass/shared/call-name'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { blogForm } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'
import type { AdminCaller } from '../auth/caller.ts'

const admin: AdminCaller = {
  side: 'admin',
  address: '127.0.0.1',
  userId: 'a'.repeat(24),
  userName: 'admin',
  sid: 's',
}
const LIST = '/api/blogs?page=1&perPage=15'
const build = makeWebBuild()
let test: TestApp
/** Requests that passed the router. */
let routed = 0
const count = () => {
  routed += 1
}

beforeAll(async () => {
  test = await listen({})
  subscribe('tracing:fastify.request.handler:start', count)
})
afterAll(async () => {
  unsubscribe('tracing:fastify.request.handler:start', count)
  await test.close()
  build.remove()
})

async function listen(variables: Record<string, string>): Promise<TestApp> {
  const listening = await buildTestApp({
    variables: { SERVE_WEB: 'true', PUBLIC_URL: 'https://chat.example.com', TRUST_PROXY: '1', ...variables },
    distDir: build.distDir,
  })
  await listening.app.listen({ host: '127.0.0.1', port: 0 })
  return listening
}

let posts = 0
/** Changes content by a post with the returned slug. Slugs have no digits. */
async function publish(): Promise<string> {
  posts += 1
  const slug = `post-${[...String(posts)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
  await test.app.useCases.blogs.create(admin, blogForm(slug))
  return slug
}

/** Over a connection: app.inject starts at the router. */
async function ask(path: string, headers: Record<string, string> = {}, { method = 'GET', of = test } = {}) {
  const { port } = of.app.server.address() as AddressInfo
  const before = routed
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = (await buffer(response)).toString('latin1')
  return { status: response.statusCode, headers: response.headers, body, wasRouted: routed > before }
}

/** All headers except those of the moment and of the client. */
function rules(headers: IncomingMessage['headers']) {
  const { date, ratelimit, ...rest } = headers
  expect(headers[CALL_HEADER]).toBe(ANY_CALL)
  expect([date, ratelimit]).toEqual([expect.any(String), expect.stringMatching(/^"address";r=\d+;t=\d+$/)])
  return rest
}

describe('a cached response', () => {
  for (const [path, encoding] of [
    ['/faq', 'identity'],
    ['/faq', 'gzip'],
    ['/faq', 'gzip, deflate, br, zstd'],
    ['/dashboard', 'br'],
    ['/assets/app-1a2b.js', 'br'],
    [LIST, 'br'],
  ] as const) {
    it(`is sent ahead of the router with every header of the first answer: ${path} in ${encoding}`, async () => {
      await publish()
      const first = await ask(path, { 'accept-encoding': encoding })
      const again = await ask(path, { 'accept-encoding': encoding })
      expect([first.status, first.wasRouted, again.status, again.wasRouted]).toEqual([200, true, 200, false])
      expect(again.body).toBe(first.body)
      expect(rules(again.headers)).toEqual(rules(first.headers))
      expect(rules(again.headers)).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'self'"),
        'x-content-type-options': 'nosniff',
        'referrer-policy': path === '/dashboard' ? 'no-referrer' : 'strict-origin-when-cross-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
        'strict-transport-security': expect.stringContaining('max-age='),
        'cache-control': path.startsWith('/assets/') ? expect.stringContaining('immutable') : 'no-cache',
        'ratelimit-policy': '"address";q=12000;w=60',
      })
    })
  }

  it('is the same for every client and every own host', async () => {
    const first = await ask('/faq')
    const other = await ask('/faq', {
      host: 'localhost:8443',
      origin: 'https://evil.example',
      cookie: 'refresh=x',
      'x-forwarded-host': 'evil.example',
      authorization: 'Bearer x',
    })
    expect(other).toMatchObject({ status: 200, body: first.body, wasRouted: false })
    expect(rules(other.headers)).toEqual(rules(first.headers))
  })

  it('is refused to a request that names two hosts', async () => {
    await ask('/faq')
    const { port } = test.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /faq HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n')
    expect((await buffer(socket)).toString('latin1')).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('shares headers with no other address', async () => {
    await publish()
    const other = await ask('/dashboard/messages')
    expect((await ask('/dashboard')).wasRouted).toBe(true)
    expect((await ask('/dashboard')).wasRouted).toBe(false)
    expect(await ask('/dashboard/messages')).toMatchObject({ wasRouted: true, body: other.body })
    for (const path of ['/faq?x=1', '/api/blogs', '/api/blogs?perPage=15&page=1']) {
      await ask(path)
      expect((await ask(path)).wasRouted, path).toBe(true)
    }
  })

  it('counts for the network of the client, and is refused over the limit', async () => {
    await ask('/faq')
    const left = async (address: string) => {
      const { headers, wasRouted } = await ask('/faq', { 'x-forwarded-for': address })
      expect(wasRouted).toBe(false)
      return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1])
    }
    expect([await left('203.0.113.7'), await left('203.0.113.7')]).toEqual([11_999, 11_998])
    expect(await left('203.0.113.8')).toBe(11_999)

    const exhaustLimit = async () => {
      for (;;) await test.app.useCases.limits.take('address', '203.0.113.7')
    }
    await expect(exhaustLimit()).rejects.toThrow('Too many requests')
    const refused = await ask('/faq', { 'x-forwarded-for': '203.0.113.7' })
    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'rate-limited' })
    expect((await ask('/faq', { 'x-forwarded-for': '203.0.113.8' })).status).toBe(200)
  })

  it('leaves If-None-Match, HEAD and POST to the router', async () => {
    const { headers } = await ask('/faq')
    const again = await ask('/faq', { 'if-none-match': String(headers.etag) })
    expect(again).toMatchObject({ status: 304, body: '' })
    expect(await ask('/faq', {}, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect(await ask('/faq', {}, { method: 'POST' })).toMatchObject({ status: 404 })
  })

  it('ends with a change of content, for pages and lists alike', async () => {
    for (const path of ['/blogs', LIST]) {
      await ask(path)
      const before = await ask(path)
      const slug = await publish()
      const after = await ask(path)
      expect([before.wasRouted, after.wasRouted]).toEqual([false, true])
      expect(after.body).toContain(slug)
      expect((await ask(path)).body).toBe(after.body)
    }
  })

  it('is not restored by an answer in flight when content changed', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = round % 2 ? LIST : '/blogs'
      await publish()
      const reading = Array.from({ length: 8 }, () => ask(path))
      const slug = await publish()
      await Promise.all(reading)
      for (let i = 0; i < 2; i += 1) expect((await ask(path)).body).toContain(slug)
    }
  })

  it('survives clients that disconnect', async () => {
    await ask('/faq')
    const { port } = test.app.server.address() as AddressInfo
    const routedBefore = routed
    for (let i = 0; i < 20; i += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.write('GET /faq HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(5), () => socket.resetAndDestroy())
      await once(socket, 'close')
    }
    expect(await ask('/faq')).toMatchObject({ status: 200 })
    expect(routed).toBe(routedBefore)
  })

  it('closes its connection while the server drains', async () => {
    await ask('/faq')
    test.app.leaving = true
    try {
      const { port } = test.app.server.address() as AddressInfo
      const answer = await fetch(`http://127.0.0.1:${port}/faq`)
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    } finally {
      test.app.leaving = false
    }
  })

  it('is refused while the server stops', async () => {
    await ask('/faq')
    test.app.accepting = false
    try {
      expect((await ask('/faq')).status).toBe(503)
    } finally {
      test.app.accepting = true
    }
    expect((await ask('/faq')).status).toBe(200)
  })
})

describe('observed requests', () => {
  let observed: TestApp
  afterEach(() => observed.close())

  it('all pass the router at log level debug', async () => {
    observed = await listen({ LOG_LEVEL: 'debug' })
    for (let i = 0; i < 3; i += 1) expect((await ask('/faq', {}, { of: observed })).wasRouted).toBe(true)
    await vi.waitFor(() =>
      expect(observed.log.filter((line) => line.includes('"route":"/*"'))).toHaveLength(3),
    )
  })

  it('are counted by the metrics ahead of the router too', async () => {
    const token = 'a-token-for-the-metrics'
    observed = await listen({ METRICS_TOKEN: token })
    for (let i = 0; i < 3; i += 1) await ask('/faq', {}, { of: observed })
    const scraped = async () =>
      (await ask('/metrics', { authorization: `Bearer ${token}` }, { of: observed })).body
    await vi.waitFor(async () => {
      const text = await scraped()
      expect(text).toContain('http_request_seconds_count{method="GET",route="/*",status="2xx"} 3')
      expect(text).toContain('cached_reads_total{kind="page",outcome="hit"} 2')
    })
  })
})
