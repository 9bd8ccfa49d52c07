import { createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const SECRET = 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW'

let test: TestApp
let token: string
let claims: Record<string, unknown>
let cookie: string
beforeAll(async () => {
  test = await buildTestApp({ variables: { JWT_SECRET: SECRET } })
  const signedIn = await test.signIn()
  token = signedIn.accessToken
  cookie = signedIn.cookie
  claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
})
afterAll(() => test.close())

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const hmac = (input: string, secret = SECRET, hash = 'sha256') =>
  createHmac(hash, secret).update(input).digest('base64url')

/** A token with this header and these claims, correctly signed by default. */
function make(header: unknown, body: unknown = claims, signature?: (input: string) => string): string {
  const input = `${encode(header)}.${encode(body)}`
  return `${input}.${(signature ?? hmac)(input)}`
}
const HS256 = { alg: 'HS256', typ: 'JWT' }
const nowSeconds = () => Math.floor(Date.now() / 1_000)

const read = (authorization: string) =>
  test.call('GET', '/api/chat/unread/count', { headers: { authorization } })

describe('an access token', () => {
  it('is accepted when this server signed it, with the scheme in any case', async () => {
    for (const authorization of [
      `Bearer ${token}`,
      `bearer ${token}`,
      `BEARER  ${token}`,
      `Bearer ${make(HS256)}`,
    ]) {
      expect((await read(authorization)).statusCode, authorization).toBe(200)
    }
  })

  it('is required', async () => {
    const answer = await test.call('GET', '/api/chat/unread/count')
    expect([answer.statusCode, answer.json()]).toEqual([
      401,
      {
        message: 'Sign in to continue.',
        code: 'unauthorized',
        retryable: false,
        requestId: expect.any(String),
      },
    ])
  })

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const rs256 = (input: string) => signWith('sha256', Buffer.from(input), privateKey).toString('base64url')
  const parts = () => token.split('.') as [string, string, string]

  it.each<[string, () => string]>([
    ['without an algorithm', () => make({ alg: 'none', typ: 'JWT' }, claims, () => '')],
    ['with the algorithm NONE in capitals', () => make({ alg: 'NONE' }, claims, () => '')],
    ['without an algorithm, with the old signature', () => make({ alg: 'none' }, claims, () => parts()[2])],
    ['with a null algorithm', () => make({ alg: null }, claims, () => '')],
    ['without its signature', () => `${parts()[0]}.${parts()[1]}.`],
    ['with half its signature', () => `${parts()[0]}.${parts()[1]}.${parts()[2].slice(0, 21)}`],
    ['signed with an empty key', () => make(HS256, claims, (input) => hmac(input, ''))],
    ['signed with HS384', () => make({ alg: 'HS384' }, claims, (input) => hmac(input, SECRET, 'sha384'))],
    ['signed with HS512', () => make({ alg: 'HS512' }, claims, (input) => hmac(input, SECRET, 'sha512'))],
    ['signed by another key', () => make({ alg: 'RS256', kid: 'x' }, claims, rs256)],
    ['that names a certificate', () => make({ alg: 'RS256', x5c: ['MIIB'] }, claims, rs256)],
    [
      'with SQL for a key',
      () => make({ ...HS256, kid: "x' UNION SELECT 'k'-- " }, claims, (input) => hmac(input, 'k')),
    ],
    [
      'with a prototype for a key',
      () => make({ ...HS256, kid: '__proto__' }, claims, (input) => hmac(input, '[object Object]')),
    ],
    ['with an unknown critical extension', () => make({ ...HS256, crit: ['x'], x: 1 })],
    ['with another key id', () => make({ ...HS256, kid: 'x' })],
    ['with an embedded key', () => make({ ...HS256, jwk: { kty: 'oct', k: 'x' } })],
    ['of another type', () => make({ alg: 'HS256', typ: 'refresh+jwt' })],
    ['that is compressed', () => make({ ...HS256, zip: 'DEF' })],
    ['that has expired', () => make(HS256, { ...claims, exp: nowSeconds() - 1 })],
    ['that never expires', () => make(HS256, { ...claims, exp: 'never' })],
    ['without an expiry', () => make(HS256, { ...claims, exp: undefined })],
    ['that is not valid yet', () => make(HS256, { ...claims, nbf: nowSeconds() + 60 })],
    ['of another issuer', () => make(HS256, { ...claims, iss: 'someone' })],
    ['for another audience', () => make(HS256, { ...claims, aud: 'someone' })],
    ['of another session', () => make(HS256, { ...claims, sid: 'f'.repeat(24) })],
    ['of another user', () => make(HS256, { ...claims, sub: 'f'.repeat(24) })],
    ['with a list for a user', () => make(HS256, { ...claims, sub: ['a'] })],
    ['with an object for a session', () => make(HS256, { ...claims, sid: { $gt: '' } })],
    ['that is a list', () => make(HS256, [claims])],
    ['that is a number', () => make(HS256, 7)],
    ['tampered with', () => `${parts()[0]}.${encode({ ...claims, sub: 'a'.repeat(24) })}.${parts()[2]}`],
    [
      'as a JSON object',
      () =>
        JSON.stringify({
          payload: parts()[1],
          signatures: [{ protected: parts()[0], signature: parts()[2] }],
        }),
    ],
    ['with padding', () => `${token}=`],
    ['with a plus', () => `${token.slice(0, -1)}+`],
    ['with a space inside', () => `${parts()[0]}.${parts()[1]}. ${parts()[2]}`],
    ['with a list header', () => make([HS256])],
    [
      'with ten thousand nesting levels',
      () => `${encode(HS256)}.${Buffer.from('['.repeat(10_000)).toString('base64url')}.x`,
    ],
    ['of 8 KB', () => make(HS256, { ...claims, pad: 'x'.repeat(8_000) })],
    ['of dots', () => '.'.repeat(1_000)],
    ['that is the refresh token', () => cookie],
  ])('is refused when %s', async (_name, bad) => {
    const answer = await read(`Bearer ${bad()}`)
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      {
        message: 'Your session has expired. Sign in again.',
        code: 'forbidden',
        retryable: false,
        requestId: expect.any(String),
      },
    ])
  })

  it('never makes the server fetch a key', async () => {
    let calls = 0
    const attacker = createServer((_request, response) => {
      calls += 1
      response.end('{}')
    }).listen(0)
    const { port } = attacker.address() as { port: number }
    const jku = `http://127.0.0.1:${port}/jwks.json`
    expect((await read(`Bearer ${make({ alg: 'RS256', jku, kid: 'x' }, claims, rs256)}`)).statusCode).toBe(
      403,
    )
    expect(calls).toBe(0)
    attacker.close()
  })

  it('is ignored in a cookie and a query', async () => {
    for (const options of [
      { cookies: { token, refresh: token, authorization: token } },
      { query: { token } },
    ]) {
      expect((await test.call('GET', '/api/chat', options)).statusCode).toBe(401)
    }
  })

  it('is not logged when it is bad', async () => {
    await read('Bearer very-secret-nonsense')
    expect(test.log.join('')).not.toContain('very-secret')
    expect(test.log.join('')).not.toContain('stack')
  })
})

describe('a role', () => {
  it('is taken from the store, not from the token', async () => {
    const { userId, sid } = await test.addSession('editor', ['Editor'])
    const answer = await read(`Bearer ${make(HS256, { ...claims, sub: userId, sid, roles: ['Admin'] })}`)
    expect([answer.statusCode, answer.json().message]).toEqual([
      403,
      "Your account isn't allowed to do this.",
    ])
    expect(await test.app.useCases.auth.sessions.isAdminSession(sid, userId)).toBe(false)
  })
})

describe('verifyAccess', () => {
  it('answers the user, the session and the expiry', async () => {
    expect(await test.app.verifyAccess(token)).toEqual({
      userId: claims.sub,
      userName: 'admin',
      sid: claims.sid,
      roles: ['Admin'],
      isConfirmed: true,
      expiresAt: Number(claims.exp) * 1_000,
    })
    await expect(test.app.verifyAccess('')).rejects.toMatchObject({ code: 'forbidden' })
  })
})
