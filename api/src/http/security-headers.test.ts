import { ANY_CALL, CALL_HEADER } from '@proctorpass/shared/call-name'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

let test: TestApp
beforeAll(async () => {
  test = await buildTestApp({ variables: { PUBLIC_URL: 'https://chat.example.com' } })
})
afterAll(() => test.close())

describe('every answer', () => {
  it.each(['/healthz', '/api/config', '/api/chat', '/nowhere', '/api/chat/%', '/api/chat/short'])(
    'of %s has the security headers',
    async (url) => {
      const { headers } = await test.call('GET', url)
      const policy = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
      )
      expect(Object.fromEntries(policy)).toMatchObject({
        'default-src': "'self'",
        'script-src': "'self'",
        'style-src': "'self'",
        'object-src': "'none'",
        'base-uri': "'none'",
        'form-action': "'self'",
        'frame-ancestors': "'none'",
        'connect-src': "'self' wss://chat.example.com",
        'require-trusted-types-for': "'script'",
        'trusted-types': 'checked-html',
        'report-uri': '/api/csp-report',
      })
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'strict-transport-security': expect.stringContaining('max-age='),
        'permissions-policy': expect.stringContaining('camera=()'),
      })
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  it('allows full screen to video players only', async () => {
    const { headers } = await test.call('GET', '/healthz')
    expect(headers['permissions-policy']).toContain(
      'fullscreen=(self "https://www.youtube-nocookie.com" "https://player.vimeo.com" "https://www.youtube.com"), ',
    )
  })

  it('of auth and chat is not cacheable, including refusals', async () => {
    const urls = [
      '/api/chat',
      `/api/chat/${newClientId()}`,
      '/api/chat/unread/count',
      '/api/auth',
      '/api/auth/refresh/x',
    ]
    for (const url of urls)
      expect((await test.call('GET', url)).headers['cache-control'], url).toBe('no-store')
  })

  it('of the dashboard sends no referrer', async () => {
    for (const url of ['/dashboard', '/dashboard/messages/x', '/DashBoard/x?y']) {
      expect((await test.call('GET', url)).headers['referrer-policy'], url).toBe('no-referrer')
    }
  })

  it('has no HSTS without https', async () => {
    const plain = await buildTestApp()
    expect((await plain.call('GET', '/healthz')).headers['strict-transport-security']).toBeUndefined()
    await plain.close()
  })
})

describe('the name of a call', () => {
  const name = '123-456-789-4'
  const named = { [CALL_HEADER]: name }
  const answered = async (...[method, url, options]: Parameters<TestApp['call']>) => {
    const answer = await test.call(method, url, { ...options, headers: { ...options?.headers, ...named } })
    return [answer.statusCode, answer.headers[CALL_HEADER]]
  }
  const json = { 'content-type': 'application/json' }

  it.each<[number, ...Parameters<TestApp['call']>]>([
    [201, 'POST', '/api/chat', { payload: { clientId: newClientId(), message: 'hi' } }],
    [400, 'POST', '/api/chat', { payload: '{', headers: json }],
    [413, 'POST', '/api/chat', { payload: `"${'x'.repeat(70_000)}"`, headers: json }],
    [415, 'POST', '/api/chat', { payload: 'x', headers: { 'content-type': 'text/plain' } }],
    [200, 'GET', `/api/chat/${newClientId()}`],
    [400, 'GET', '/api/auth/refresh/x'],
    [404, 'GET', '/api/nothing'],
    [405, 'PUT', '/api/chat'],
    [400, 'GET', '/api/chat/%'],
    [403, 'POST', '/api/contacts', { headers: { origin: 'https://evil.example' } }],
  ])('is repeated by an answer of %d to %s %s', async (status, ...call) => {
    expect(await answered(...call)).toEqual([status, name])
  })

  it('is repeated while the server stops', async () => {
    test.app.accepting = false
    expect(await answered('POST', '/api/chat', { payload: {} })).toEqual([503, name])
    test.app.accepting = true
  })

  it('does not stand in what a cache may give to other clients', async () => {
    for (const url of ['/api/config', '/api/blogs', '/healthz'])
      expect(await answered('GET', url), url).toEqual([200, ANY_CALL])
  })

  it.each([{}, { [CALL_HEADER]: 'a name' }, { [CALL_HEADER]: '1'.repeat(65) }])(
    'is none of ours: %j',
    async (headers) => {
      const answer = await test.call('GET', `/api/chat/${newClientId()}`, { headers })
      expect(answer.headers[CALL_HEADER]).toBe(ANY_CALL)
    },
  )
})

describe('a foreign page', () => {
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'https://chat.example.com.evil.example' },
    { origin: 'http://chat.example.com' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ]
  it.each(foreign)('with %j changes nothing', async (headers) => {
    const clientId = newClientId()
    const calls = [
      await test.call('POST', '/api/chat', { payload: { clientId, message: 'hi' }, headers }),
      await test.call('POST', `/api/chat/${clientId}/read`, { payload: { seq: 1 }, headers }),
      await test.call('POST', '/api/auth', { payload: ADMIN, headers }),
      await test.call('POST', '/api/auth/logout', { headers }),
      await test.call('GET', `/api/auth/refresh/${'a'.repeat(24)}`, { headers }),
    ]
    for (const answer of calls) expect([answer.statusCode, answer.json().code]).toEqual([403, 'forbidden'])
    expect(await test.storage.conversations.find(clientId)).toBeNull()
  })

  const own: Record<string, string>[] = [
    {},
    { origin: 'https://chat.example.com', 'sec-fetch-site': 'same-origin' },
    { origin: 'http://localhost:3000', host: 'localhost:3000' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ]
  it.each(own)('is not one with %j', async (headers) => {
    const answer = await test.call('POST', '/api/chat', {
      payload: { clientId: newClientId(), message: 'hi' },
      headers,
    })
    expect(answer.statusCode).toBe(201)
  })

  it('excludes the host of the request when PUBLIC_URL is not set', async () => {
    const plain = await buildTestApp()
    const answer = await plain.call('POST', '/api/chat', {
      payload: { clientId: newClientId(), message: 'hi' },
      headers: { origin: 'https://behind-a-proxy.example', host: 'behind-a-proxy.example' },
    })
    expect(answer.statusCode).toBe(201)
    await plain.close()
  })

  it('gets the same answer for an Origin that is not a URL', async () => {
    for (const origin of ['', 'x', 'javascript:alert(1)', 'file://', 'https://', 'https://a b']) {
      const answer = await test.call('POST', '/api/auth/logout', { headers: { origin } })
      expect(answer.statusCode, origin).toBe(403)
    }
  })

  it('is every Origin in a form that browsers do not send', async () => {
    const host = '127.0.0.1:3000'
    for (const origin of [
      'HTTP://127.0.0.1:3000',
      'http://127.0.0.1:3000/',
      'http://127.0.0.1:3000#',
      'http://127.0.0.1:3000\\.evil.example',
      'http://evil@127.0.0.1:3000',
      'http://127.0.0.1.:3000',
      'http://127.1:3000',
      'http://2130706433:3000',
      'http://127.0.0.1:03000',
    ]) {
      const answer = await test.call('POST', '/api/auth/logout', { headers: { origin, host } })
      expect(answer.statusCode, origin).toBe(403)
    }
    const own = { origin: `http://${host}`, host }
    expect((await test.call('POST', '/api/auth/logout', { headers: own })).statusCode).toBe(200)
  })
})

describe('a report of the Content-Security-Policy', () => {
  const report = (payload: string, contentType = 'application/csp-report') =>
    test.call('POST', '/api/csp-report', { payload, headers: { 'content-type': contentType } })

  it('reaches the log without the addresses it names', async () => {
    const clientId = newClientId()
    const answer = await report(
      JSON.stringify({
        'csp-report': {
          'document-uri': `https://chat.example.com/dashboard/messages/${clientId}`,
          'effective-directive': 'script-src-elem',
          'blocked-uri': `https://evil.example/${clientId}?x`,
        },
      }),
    )
    expect(answer.statusCode).toBe(204)
    const log = test.log.join('')
    expect(log).toContain('"directive":"script-src-elem","blocked":"https://evil.example"')
    expect(log).not.toContain(clientId)
  })

  it('names a sink that received a plain string', async () => {
    const violation = {
      'effective-directive': 'require-trusted-types-for',
      'blocked-uri': 'trusted-types-sink',
    }
    expect((await report(JSON.stringify({ 'csp-report': violation }))).statusCode).toBe(204)
    expect(test.log.join('')).toContain(
      '"directive":"require-trusted-types-for","blocked":"trusted-types-sink"',
    )
  })

  it('that is malformed is ignored', async () => {
    const before = test.log.filter((line) => line.includes('stopped something')).length
    for (const payload of [
      '',
      '{',
      '[]',
      'null',
      '{"csp-report":null}',
      '{"csp-report":{"effective-directive":"a\\nb"}}',
    ]) {
      expect([204, 400]).toContain((await report(payload)).statusCode)
    }
    expect((await report('{}', 'text/html')).statusCode).toBe(415)
    expect(test.log.filter((line) => line.includes('stopped something')).length).toBe(before)
  })
})
