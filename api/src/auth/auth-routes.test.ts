import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, refreshTokenOf, type TestApp } from '../../test/build-app.ts'

let now = Date.now()
let test: TestApp
beforeAll(async () => {
  // Many sign-ins here; the limits are tested with an app of their own below.
  test = await buildTestApp({ now: () => now, variables: { RATE_LIMITS: 'off' } })
})
afterAll(() => test.close())
beforeEach(() => {
  now = Date.now()
})

const signInAs = (userName: unknown, password: unknown) => test.postSignIn(userName, password)
const refresh = (userId: string, cookie: string | undefined) => test.refresh(userId, cookie)

describe('POST /auth', () => {
  it('answers the user, with an access token in the body and the refresh token in a cookie', async () => {
    const answer = await signInAs(ADMIN.userName, ADMIN.password)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    const user = await test.storage.users.findByName(ADMIN.userName)
    expect(answer.json()).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      roles: ['Admin'],
      user_Id: user?._id,
      userName: 'admin',
    })
    expect(answer.cookies.find(({ name }) => name === 'refresh')).toEqual({
      name: 'refresh',
      value: expect.stringMatching(/^[0-9a-f]{24}\.[\w-]{43}$/),
      path: '/api/auth',
      httpOnly: true,
      sameSite: 'Strict',
      maxAge: 30 * 24 * 60 * 60,
    })
    expect(answer.cookies.find(({ name }) => name === 'known')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
    })
  })

  it('puts only ids and times into the token', async () => {
    const { accessToken, user_Id, sid } = await test.signIn()
    const [header, claims] = accessToken
      .split('.', 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(claims).toEqual({
      iss: 'proctorpass',
      aud: 'proctorpass-api',
      sub: user_Id,
      sid,
      iat: expect.any(Number),
      exp: claims.iat + 15 * 60,
    })
  })

  it('marks its cookies Secure when the site is https', async () => {
    const secure = await buildTestApp({ variables: { PUBLIC_URL: 'https://example.com' } })
    const answer = await secure.call('POST', '/api/auth', { payload: ADMIN })
    expect(answer.cookies.map(({ secure }) => secure)).toEqual([true, true])
    await secure.close()
  })

  it('accepts the name in any case', async () => {
    expect((await signInAs('ADMIN', ADMIN.password)).statusCode).toBe(200)
  })

  it('answers an unknown name like a wrong password', async () => {
    const [unknown, wrong] = await Promise.all([signInAs('nobody', 'x'), signInAs(ADMIN.userName, 'x')])
    const [a, b] = [unknown.json(), wrong.json()]
    expect(a).toEqual({
      message: 'Wrong username or password.',
      code: 'unauthorized',
      retryable: false,
      requestId: expect.any(String),
    })
    expect({ ...b, requestId: a.requestId }).toEqual(a)
    expect([unknown.statusCode, wrong.statusCode]).toEqual([401, 401])
    expect(unknown.cookies).toEqual([])
  })

  it.each([
    [{ $ne: null }, { $ne: null }],
    [{ $gt: '' }, { $gt: '' }],
    ['admin', { $ne: 'x' }],
    [['admin'], ['x']],
    [{ $where: 'sleep(3000)||1' }, 'x'],
    [true, 1],
    [null, null],
    ['', ''],
    ['a'.repeat(65), 'x'],
    ['admin', 'x'.repeat(129)],
  ])('refuses %j with %j by their types', async (userName, password) => {
    const answer = await signInAs(userName, password)
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
  })

  it('names each missing field', async () => {
    const answer = await test.call('POST', '/api/auth', { payload: {} })
    expect(answer.json()).toMatchObject({
      message: 'userName is required.',
      details: [
        { field: 'userName', message: 'is required' },
        { field: 'password', message: 'is required' },
      ],
    })
  })

  it('starts a new session each time, also with a planted cookie', async () => {
    const planted = `${'a'.repeat(24)}.${'b'.repeat(43)}`
    const first = await test.call('POST', '/api/auth', { payload: ADMIN, cookies: { refresh: planted } })
    const second = await test.call('POST', '/api/auth', { payload: ADMIN, cookies: { refresh: planted } })
    expect(new Set([planted, refreshTokenOf(first), refreshTokenOf(second)]).size).toBe(3)
  })

  it('rehashes the password when the parameters were raised', async () => {
    const user = await test.storage.users.findByName(ADMIN.userName)
    const weak = await hash(ADMIN.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    await test.storage.users.replacePasswordHash(user?._id ?? '', user?.passwordHash ?? '', weak)
    expect((await signInAs(ADMIN.userName, ADMIN.password)).statusCode).toBe(200)
    expect((await test.storage.users.findByName(ADMIN.userName))?.passwordHash).toContain('m=19456,t=2,p=1')
    expect((await signInAs(ADMIN.userName, ADMIN.password)).statusCode).toBe(200)
  })

  it('logs failures without the name, and no secrets', async () => {
    await signInAs('my-secret-in-the-wrong-field', 'x')
    const { cookie, accessToken, known } = await test.signIn()
    await refresh((await test.storage.users.findByName('admin'))?._id ?? '', cookie)
    const log = test.log.join('')
    expect(log).toContain('sign-in failed')
    expect(log).toContain('signed in')
    for (const secret of [
      'wrong-field',
      ADMIN.password,
      cookie.split('.')[1],
      accessToken,
      known,
      '127.0.0.1',
    ]) {
      expect(log).not.toContain(secret)
    }
  })
})

describe('slowing down', () => {
  it('refuses an address after many failures, also with forged headers, but not the known browser', async () => {
    const limited = await buildTestApp()
    const { known } = await limited.signIn()
    const attempt = limited.postSignIn

    for (let count = 0; count < 20; count += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${count}` }
      expect((await attempt(`name${count}`, 'a wrong password', { headers })).statusCode).toBe(401)
    }
    const refused = await attempt(ADMIN.userName, ADMIN.password)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate-limited'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(200)
    expect(refused.json().message).toMatch(/Try again in \d+ minutes\.$/)

    expect((await attempt(ADMIN.userName, ADMIN.password, { cookies: { known } })).statusCode).toBe(200)
    const forged = `${known.split('.')[0]}.${'a'.repeat(43)}`
    expect((await attempt(ADMIN.userName, ADMIN.password, { cookies: { known: forged } })).statusCode).toBe(
      429,
    )
    const otherAddress = await attempt(ADMIN.userName, ADMIN.password, { remoteAddress: '192.0.2.1' })
    expect(otherAddress.statusCode).toBe(200)
    await limited.close()
  })
})

describe('GET /auth/refresh/:userId', () => {
  it('answers a new access token of the same session, and the next refresh token', async () => {
    const { user_Id, cookie, sid } = await test.signIn()
    const answer = await refresh(user_Id, cookie)
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({ roles: ['Admin'], user_Id, userName: 'admin' })
    expect(refreshTokenOf(answer)).not.toBe(cookie)
    expect(refreshTokenOf(answer).split('.')[0]).toBe(sid)
    const headers = { authorization: `Bearer ${answer.json().accessToken}` }
    expect((await test.call('GET', '/api/chat/unread/count', { headers })).statusCode).toBe(200)
  })

  it('stores only hashes', async () => {
    const { cookie, sid } = await test.signIn()
    const session = await test.storage.sessions.find(sid, now)
    expect(JSON.stringify(session)).not.toContain(cookie.split('.')[1])
  })

  it('answers the same successor again when the first answer was lost', async () => {
    const { user_Id, cookie } = await test.signIn()
    const lost = await refresh(user_Id, cookie)
    const again = await refresh(user_Id, cookie)
    expect(again.statusCode).toBe(200)
    expect(refreshTokenOf(again)).toBe(refreshTokenOf(lost))
    expect((await refresh(user_Id, refreshTokenOf(again))).statusCode).toBe(200)
  })

  it('answers one successor to twenty parallel calls', async () => {
    const { user_Id, cookie } = await test.signIn()
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(user_Id, cookie)))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(new Set(answers.map(refreshTokenOf)).size).toBe(1)
  })

  it('ends the session when a token older than the predecessor is used', async () => {
    const ended: string[][] = []
    test.app.useCases.auth.sessions.onEnded((sids) => ended.push(sids))
    const { user_Id, cookie, sid, bearer } = await test.signIn()
    const second = refreshTokenOf(await refresh(user_Id, cookie))
    const third = refreshTokenOf(await refresh(user_Id, second))
    const stolen = await refresh(user_Id, cookie)
    expect([stolen.statusCode, stolen.json().code]).toEqual([401, 'unauthorized'])
    expect(ended).toEqual([[sid]])
    expect((await refresh(user_Id, third)).statusCode).toBe(401)
    expect((await test.call('GET', '/api/chat/unread/count', { headers: bearer })).statusCode).toBe(403)
  })

  it('does not end other sessions', async () => {
    const [one, other] = [await test.signIn(), await test.signIn()]
    await refresh(one.user_Id, `${one.sid}.${'x'.repeat(43)}`)
    expect((await refresh(one.user_Id, one.cookie)).statusCode).toBe(401)
    expect((await refresh(other.user_Id, other.cookie)).statusCode).toBe(200)
  })

  it("refuses another user's id without ending a session", async () => {
    const { user_Id, cookie } = await test.signIn()
    expect((await refresh('f'.repeat(24), cookie)).statusCode).toBe(401)
    expect((await refresh(user_Id, cookie)).statusCode).toBe(200)
  })

  it.each([undefined, '', 'x', 'a.b.c', `${'a'.repeat(24)}.${'b'.repeat(43)}`, '%00', '{"a":1}'])(
    'refuses the cookie %j',
    async (cookie) => {
      const { user_Id } = await test.signIn()
      expect((await refresh(user_Id, cookie)).statusCode).toBe(401)
    },
  )

  it.each(['me', 'F'.repeat(24), '%00', '..%2F..', `${'a'.repeat(24)}%0d%0aset-cookie:x`])(
    'refuses the user id %j',
    async (userId) => {
      expect((await refresh(userId, 'x')).statusCode).toBe(400)
    },
  )

  it('extends a session; one that is not used ends after 30 days', async () => {
    const day = 24 * 60 * 60 * 1_000
    const { user_Id, cookie } = await test.signIn()
    now += 20 * day
    const second = refreshTokenOf(await refresh(user_Id, cookie))
    now += 20 * day
    const third = await refresh(user_Id, second)
    expect(third.statusCode).toBe(200)
    now += 31 * day
    expect((await refresh(user_Id, refreshTokenOf(third))).statusCode).toBe(401)
  })

  it('refuses foreign pages', async () => {
    const { user_Id, cookie } = await test.signIn()
    const answer = await test.call('GET', `/api/auth/refresh/${user_Id}`, {
      cookies: { refresh: cookie },
      headers: { 'sec-fetch-site': 'same-site' },
    })
    expect(answer.statusCode).toBe(403)
  })
})

describe('a change of JWT_SECRET', () => {
  const OLD = 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW'
  const NEW = 'Yp3KdR8vBzXq6WnJ2mTgL9cHs5FaUe7oCi4NxQbZ'

  it('ends no session while the previous secret is set', async () => {
    const before = await buildTestApp({ variables: { JWT_SECRET: OLD }, dataDir: test.env.dataDir })
    const { user_Id, cookie, bearer, known } = await before.signIn()
    const lost = await before.refresh(user_Id, cookie)
    await before.close()

    const after = await buildTestApp({
      variables: { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD },
      dataDir: test.env.dataDir,
    })
    expect((await after.call('GET', '/api/chat/unread/count', { headers: bearer })).statusCode).toBe(200)
    const again = await after.refresh(user_Id, cookie)
    expect(refreshTokenOf(again)).toBe(refreshTokenOf(lost))
    const next = await after.refresh(user_Id, refreshTokenOf(again))
    expect(next.statusCode).toBe(200)
    expect(known).not.toBe(after.app.useCases.auth.knownToken(user_Id))
    // The previous secret verifies, but never signs.
    const token = next.json().accessToken as string
    await after.close()

    const alone = await buildTestApp({ variables: { JWT_SECRET: NEW }, dataDir: test.env.dataDir })
    const read = (authorization: string) =>
      alone.call('GET', '/api/chat/unread/count', { headers: { authorization } })
    expect((await read(`Bearer ${token}`)).statusCode).toBe(200)
    expect((await read(bearer.authorization)).statusCode).toBe(403)
    await alone.close()
  })

  it('does not treat a lost answer as theft when the previous secret is not set', async () => {
    const before = await buildTestApp({ variables: { JWT_SECRET: OLD }, dataDir: test.env.dataDir })
    const { user_Id, cookie } = await before.signIn()
    const current = refreshTokenOf(await before.refresh(user_Id, cookie))
    await before.close()

    const after = await buildTestApp({ variables: { JWT_SECRET: NEW }, dataDir: test.env.dataDir })
    expect((await after.refresh(user_Id, cookie)).statusCode).toBe(401)
    expect((await after.refresh(user_Id, current)).statusCode).toBe(200)
    await after.close()
  })
})

describe('POST /auth/logout', () => {
  it('ends the session at once and clears the cookie', async () => {
    const ended: string[][] = []
    test.app.useCases.auth.sessions.onEnded((sids) => ended.push(sids))
    const { user_Id, cookie, sid, bearer } = await test.signIn()
    const answer = await test.call('POST', '/api/auth/logout', { cookies: { refresh: cookie } })
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: "You're signed out." }])
    expect(answer.cookies[0]).toMatchObject({ name: 'refresh', value: '', path: '/api/auth', httpOnly: true })
    expect(ended).toEqual([[sid]])
    expect((await refresh(user_Id, cookie)).statusCode).toBe(401)
    expect((await test.call('GET', '/api/chat', { headers: bearer })).statusCode).toBe(403)
  })

  it('succeeds without a session, with or without a body', async () => {
    expect((await test.call('POST', '/api/auth/logout')).statusCode).toBe(200)
    expect((await test.call('POST', '/api/auth/logout', { payload: {} })).statusCode).toBe(200)
  })

  it('ends the session with an older token too, as a refresh does', async () => {
    const { user_Id, cookie, sid, bearer } = await test.signIn()
    const second = refreshTokenOf(await refresh(user_Id, cookie))
    const third = refreshTokenOf(await refresh(user_Id, second))
    const ended: string[][] = []
    test.app.useCases.auth.sessions.onEnded((sids) => ended.push(sids))
    expect((await test.call('POST', '/api/auth/logout', { cookies: { refresh: cookie } })).statusCode).toBe(
      200,
    )
    expect(ended).toEqual([[sid]])
    expect((await refresh(user_Id, third)).statusCode).toBe(401)
    expect((await test.call('GET', '/api/chat', { headers: bearer })).statusCode).toBe(403)
  })

  it('ends no session for a malformed or unknown token', async () => {
    const { user_Id, cookie, sid } = await test.signIn()
    for (const bad of [sid, `${sid}.`, `${'f'.repeat(24)}.${'x'.repeat(43)}`, `${cookie}.x`]) {
      await test.call('POST', '/api/auth/logout', { cookies: { refresh: bad } })
    }
    expect((await refresh(user_Id, cookie)).statusCode).toBe(200)
  })
})

describe('the first admin', () => {
  it('is created once, and the password is answered only by the call that generated it', async () => {
    const again = await test.app.useCases.auth.createFirstAdmin('second', undefined)
    expect(again).toEqual({ generatedPassword: null, ignored: false })
    const withPassword = (password: string) =>
      test.app.useCases.auth.createFirstAdmin(ADMIN.userName, password)
    expect(await withPassword(ADMIN.password)).toMatchObject({ ignored: false })
    expect(await withPassword('another good password')).toMatchObject({ ignored: true })
    expect(await test.storage.users.findByName('second')).toBeNull()
  })
})
