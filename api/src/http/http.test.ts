import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { ANY_CALL, CALL_HEADER } from '@proctorpass/shared/call-name'
import { AppError } from '@proctorpass/shared/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { VERSION } from '../installation.ts'

let test: TestApp
let port: number
beforeAll(async () => {
  test = await buildTestApp()
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  port = (test.app.server.address() as AddressInfo).port
})
afterAll(() => test.close())

const postRaw = (payload: string | Buffer, contentType?: string) =>
  test.call('POST', '/api/chat', {
    payload,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })
const body = (message = 'hi') => JSON.stringify({ clientId: newClientId(), message })

/** The raw answer to raw bytes, until the server disconnects. */
async function speak(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (data) => {
    received += data
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return received
}

describe('a content type', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json ;charset=utf-8',
    'application/json; charset="UTF-8"',
  ])('%j is JSON, and its schema holds', async (contentType) => {
    expect((await postRaw(body(), contentType)).statusCode).toBe(201)
    expect((await postRaw('{"clientId":1}', contentType)).statusCode).toBe(400)
  })

  it.each([
    'application/json\ta',
    'application/json garbage',
    'application/json; charset=utf-7',
    'text/plain',
    '',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'application/json, text/plain',
    'application/x; multipart/form-data',
    'application/jsonx',
    `application/json;${'a'.repeat(4_000)}`,
  ])('%.60j is not taken', async (contentType) => {
    const answer = await postRaw(body(), contentType)
    expect(answer.statusCode).toBe(415)
    expect(answer.json()).toMatchObject({
      code: 'unsupported-media-type',
      message: 'Send JSON in UTF-8.',
    })
  })
})

describe('JSON', () => {
  it.each([
    '{',
    '',
    'null',
    '[]',
    '"text"',
    '7',
    'NaN',
    "{'a':1}",
    '{"clientId":1,}',
    '[{"__proto__":[]}]',
    '{"then":"x"}',
    '{"toJSON":"x"}',
    '{"toString":"x","valueOf":"y","hasOwnProperty":1}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"__proto__":{"clientId":"xxxxxxxxxxxxxxxxxxxx","message":"hi"}}',
    '{"a":'.repeat(10_000).concat('1', '}'.repeat(10_000)),
    `[${'1,'.repeat(20_000)}1]`,
    `{"clientId":${'9'.repeat(400)}}`,
  ])('%.40s is refused', async (payload) => {
    const answer = await postRaw(payload, 'application/json')
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
  })

  it('may be announced and empty where no body is read', async () => {
    const clientId = newClientId()
    await test.call('POST', '/api/chat', { payload: { clientId, message: 'hi' } })
    const headers = { 'content-type': 'application/json' }
    expect((await test.call('DELETE', `/api/chat/${clientId}`, { headers })).statusCode).toBe(204)
  })

  it('pollutes nothing', async () => {
    for (const payload of ['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}']) {
      await postRaw(payload, 'application/json')
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('accepts a message with additional such keys, and drops them', async () => {
    const clientId = newClientId()
    const payload = `{"clientId":"${clientId}","message":"hi","__proto__":{"senderId":"x"},"constructor":{"prototype":{}}}`
    const answer = await postRaw(payload, 'application/json')
    expect([answer.statusCode, answer.json().data.senderId]).toEqual([201, clientId])
  })

  it('takes the last of a duplicate key', async () => {
    const answer = await postRaw(
      `{"message":"first","clientId":"${newClientId()}","message":"last"}`,
      'application/json',
    )
    expect(answer.json().data.message).toBe('last')
  })

  it('refuses bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`{"clientId":"${newClientId()}","message":"`),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}'),
    ])
    expect((await postRaw(bytes, 'application/json')).statusCode).toBe(400)
  })

  it('may nest twenty levels deep', async () => {
    const nested = (depth: number) =>
      `{"clientId":"${newClientId()}","message":"hi","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    expect((await postRaw(nested(20), 'application/json')).statusCode).toBe(201)
    expect((await postRaw(nested(21), 'application/json')).statusCode).toBe(400)
  })

  it('ignores brackets inside strings for the depth', async () => {
    expect((await postRaw(body('[{"'.repeat(100)), 'application/json')).statusCode).toBe(201)
  })

  it('is refused when it is larger than 64 KB', async () => {
    const answer = await postRaw(body('x'.repeat(65_600)), 'application/json')
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'too-large'])
  })
})

describe('an address', () => {
  it.each([
    '/nowhere',
    '/api/nowhere',
    '/api',
    '/api/',
    '/API/chat',
    '/api//chat',
    '/api/chat/a/b/c/d',
    '/chat',
  ])('%s answers 404 in the error shape', async (url) => {
    const answer = await test.call('GET', url)
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toEqual({
      message: 'There is nothing at this address.',
      code: 'not-found',
      retryable: false,
      requestId: expect.any(String),
    })
  })

  it.each([
    ['GET', '/api/auth', 'POST'],
    ['DELETE', '/api/chat', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/chat', 'GET, HEAD, POST'],
    ['PUT', `/api/chat/${'x'.repeat(20)}`, 'DELETE, GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('answers %s %s with what it can do', async (method, url, allow) => {
    const answer = await test.call(method as 'GET', url)
    expect([answer.statusCode, answer.json().code]).toEqual([405, 'method-not-allowed'])
    expect(String(answer.headers.allow).split(', ').sort().join(', ')).toBe(allow)
  })

  it('may be 2 KB long', async () => {
    expect((await test.call('GET', `/api/config?${'a'.repeat(2_000)}`)).statusCode).toBe(200)
    const answer = await test.call('GET', `/api/config?${'a'.repeat(2_100)}`)
    expect([answer.statusCode, answer.json().code]).toEqual([414, 'uri-too-long'])
  })

  it('may have 20 parameters', async () => {
    const query = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=1`).join('&')
    expect((await test.call('GET', `/api/config?${query(20)}`)).statusCode).toBe(200)
    expect((await test.call('GET', `/api/config?${query(21)}`)).statusCode).toBe(400)
  })

  it.each(['/api/chat/%', '/api/chat/%ZZ', '/%E0%A4%A', '/api/%c0%ae%c0%ae/'])(
    '%s is refused without a server error',
    async (url) => {
      const answer = await test.call('GET', url)
      expect([400, 404]).toContain(answer.statusCode)
      expect(answer.json().requestId).toEqual(expect.any(String))
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
    },
  )

  it('answers GET and HEAD with a body', async () => {
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await test.call(method, '/api/config', {
        payload: '{"a":',
        headers: { 'content-type': 'application/json' },
      })
      expect(answer.statusCode).toBe(200)
    }
  })
})

describe('an unexpected error', () => {
  it('is logged with its stack, and answered without', async () => {
    const broken = await buildTestApp()
    broken.storage.messages.page = async () => {
      throw new Error('SELECT * FROM secrets at /home/someone/db.ts')
    }
    const answer = await broken.call('GET', `/api/chat/${newClientId()}`)
    expect([answer.statusCode, answer.json()]).toEqual([
      500,
      {
        message: 'Something went wrong on our end. Try again in a moment.',
        code: 'internal',
        retryable: true,
        requestId: expect.any(String),
      },
    ])
    const line = broken.log.find((each) => each.includes('secrets')) ?? ''
    expect(JSON.parse(line).requestId).toBe(answer.json().requestId)
    await broken.close()
  })

  it('of the store is 503, also at /readyz', async () => {
    const broken = await buildTestApp()
    broken.storage.messages.page = async () => {
      throw new AppError('unavailable', "The store doesn't respond.", { retryAfterMs: 1_500 })
    }
    broken.storage.ping = async () => {
      throw new Error('closed')
    }
    const answer = await broken.call('GET', `/api/chat/${newClientId()}`)
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
    expect((await broken.call('GET', '/readyz')).statusCode).toBe(503)
    const alive = await broken.call('GET', '/healthz')
    expect([alive.statusCode, alive.json()]).toEqual([200, { status: 'ok', version: VERSION }])
    await broken.close()
  })
})

describe('on the wire', () => {
  it.each([
    ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431', 'too-large'],
    ['nonsense', 'HELLO\r\n\r\n', '400', 'invalid-input'],
    [
      'two lengths',
      'POST /api/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na',
      '400',
      'invalid-input',
    ],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', '400', ''],
    [
      'two hosts',
      'GET /api/config HTTP/1.1\r\nHost: a\r\nhOST: b\r\nConnection: close\r\n\r\n',
      '400',
      'invalid-input',
    ],
    [
      'two hosts of a socket',
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: Upgrade\r\n' +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      '400',
      '',
    ],
  ])('%s is answered and the connection closed', async (_name, text, status, code) => {
    const received = await speak(text)
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (code !== '') expect(received).toContain(`\r\n${CALL_HEADER}: ${ANY_CALL}\r\n`)
    if (code !== '')
      expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toMatchObject({
        code,
        requestId: expect.any(String),
      })
  })

  it('an unknown expectation is ignored: the answer has its headers and counts', async () => {
    const received = await speak('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: x\r\nConnection: close\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 200 /)
    expect(received.toLowerCase()).toContain('x-content-type-options: nosniff')
  })

  it('bounds how long a request may take to arrive', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout } = test.app.server
    expect({ headersTimeout, requestTimeout, keepAliveTimeout }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 120_000,
      keepAliveTimeout: 30_000,
    })
  })

  it('no answer names the server software', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/config`)
    expect(answer.headers.get('server')).toBeNull()
    expect(answer.headers.get('x-powered-by')).toBeNull()
  })
})

describe('TRUST_PROXY', () => {
  it('decides whose X-Forwarded-For counts', async () => {
    const addressFor = async (trust: string, remoteAddress: string, forwarded: string) => {
      const proxied = await buildTestApp({ variables: { TRUST_PROXY: trust, RATE_LIMITS: 'off' } })
      let seen = ''
      proxied.app.useCases.limits.take = async (_kind, key) => {
        seen = key
        return null
      }
      await proxied.call('GET', '/api/config', { remoteAddress, headers: { 'x-forwarded-for': forwarded } })
      await proxied.close()
      return seen
    }
    expect(await addressFor('false', '10.0.0.1', '1.1.1.1')).toBe('10.0.0.1')
    expect(await addressFor('true', '10.0.0.1', '1.1.1.1, 2.2.2.2')).toBe('1.1.1.1')
    expect(await addressFor('1', '10.0.0.1', '1.1.1.1, 2.2.2.2')).toBe('2.2.2.2')
    expect(await addressFor('10.0.0.0/8', '10.0.0.1', '1.1.1.1, 10.9.9.9')).toBe('1.1.1.1')
    expect(await addressFor('10.0.0.0/8', '192.0.2.1', '1.1.1.1')).toBe('192.0.2.1')
    expect(await addressFor('10.0.0.0/8,::1', '::ffff:10.0.0.1', 'nonsense, 2001:db8::1')).toBe('2001:db8::1')
  })
})
