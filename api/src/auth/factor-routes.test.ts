import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { challengeCookies, ofAnotherBrowser } from '../../test/challenge-cookies.ts'
import { createPasswords } from '../credentials/passwords.ts'
import { createAccounts } from './accounts.ts'
import { totpCode } from './totp.ts'

const STEP = 30_000
let now = 0
let test: TestApp
beforeEach(async () => {
  now = Math.floor(Date.now() / STEP) * STEP
  test = await buildTestApp({ now: () => now, variables: { RATE_LIMITS: 'off' } })
})
afterEach(() => test.close())

type Headers = { authorization: string }
const post = (url: string, payload: object | undefined, headers: Headers) =>
  test.call('POST', `/api${url}`, { headers, ...(payload && { payload }) })
const codeAt = (secret: string, steps = 0) => totpCode(secret, Math.floor(now / STEP) + steps)

async function setUp(headers: Headers): Promise<{ secret: string; recovery: string[] }> {
  const { secret } = (await post('/account/totp', undefined, headers)).json()
  const answer = await post('/account/totp/confirm', { code: codeAt(secret) }, headers)
  expect(answer.statusCode, answer.body).toBe(200)
  // The code that confirmed the app is used.
  now += STEP
  return { secret, recovery: answer.json().recovery }
}

async function begin(): Promise<{ challenge: string; cookies: Record<string, string>; factors: string[] }> {
  const answer = await test.postSignIn(ADMIN.userName, ADMIN.password)
  expect(answer.statusCode, answer.body).toBe(200)
  return { ...answer.json(), cookies: challengeCookies(answer) }
}

const answer = (payload: object, cookies: Record<string, string>) =>
  test.call('POST', '/api/auth/factor', { payload, cookies })

describe('an authenticator app', () => {
  it('is asked for after the password, with a code good once', async () => {
    const { bearer, sid } = await test.signIn()
    const other = await test.signIn()
    const { secret, recovery } = await setUp(bearer)
    expect(new Set(recovery).size).toBe(10)
    // The other sessions ended, this one did not.
    expect((await test.call('GET', '/api/account', { headers: other.bearer })).statusCode).toBe(403)
    const listed = await test.call('GET', '/api/account/factors', { headers: bearer })
    expect(listed.json()).toMatchObject({ passkeys: [], totp: true, recovery: 10 })

    const step = await begin()
    expect(step).toMatchObject({ message: expect.any(String), factors: ['totp', 'recovery'] })
    expect(step).not.toHaveProperty('accessToken')
    const code = codeAt(secret)
    const signedIn = await answer({ challenge: step.challenge, code }, step.cookies)
    expect(signedIn.json()).toMatchObject({ userName: ADMIN.userName, accessToken: expect.any(String) })
    const again = await begin()
    const replayed = await answer({ challenge: again.challenge, code }, again.cookies)
    expect([replayed.statusCode, replayed.json().code]).toEqual([401, 'unauthorized'])
    expect(sid).not.toBe('')
    expect(JSON.stringify(await test.storage.users.list())).not.toContain(secret)
  })

  it('lets one of two sign-ins at once use a code, and one use a recovery code', async () => {
    const { secret, recovery } = await setUp((await test.signIn()).bearer)
    for (const factor of [{ code: codeAt(secret) }, { recovery: recovery[0] }]) {
      const steps = await Promise.all([begin(), begin(), begin()])
      const all = await Promise.all(
        steps.map(({ challenge, cookies }) => answer({ challenge, ...factor }, cookies)),
      )
      expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401])
    }
    const [user] = await test.storage.users.list()
    expect(user?.factors.recovery).toHaveLength(9)
  })

  it('spends a challenge with any answer, binds it to the browser, and lets it expire', async () => {
    const { secret } = await setUp((await test.signIn()).bearer)
    const wrong = await begin()
    expect((await answer({ challenge: wrong.challenge, code: '000000' }, wrong.cookies)).statusCode).toBe(401)
    expect(
      (await answer({ challenge: wrong.challenge, code: codeAt(secret) }, wrong.cookies)).statusCode,
    ).toBe(401)
    const foreign = await begin()
    const cookies = ofAnotherBrowser(foreign.cookies)
    expect((await answer({ challenge: foreign.challenge, code: codeAt(secret) }, cookies)).statusCode).toBe(
      401,
    )
    const old = await begin()
    now += 5 * 60_000 + 1
    expect((await answer({ challenge: old.challenge, code: codeAt(secret) }, old.cookies)).statusCode).toBe(
      401,
    )
    const empty = await begin()
    expect((await answer({ challenge: empty.challenge }, empty.cookies)).statusCode).toBe(401)
    const good = await begin()
    const spaced = ` ${codeAt(secret).slice(0, 3)} ${codeAt(secret).slice(3)} `
    expect((await answer({ challenge: good.challenge, code: spaced }, good.cookies)).statusCode).toBe(200)
  })

  it('refuses the answer when the credentials changed after the password was given', async () => {
    const { bearer } = await test.signIn()
    const { secret } = await setUp(bearer)
    const step = await begin()
    const payload = { oldPassword: ADMIN.password, newPassword: 'another good phrase' }
    expect((await post('/account/password', payload, bearer)).statusCode).toBe(200)
    expect((await answer({ challenge: step.challenge, code: codeAt(secret) }, step.cookies)).statusCode).toBe(
      401,
    )
  })

  it('takes a mistyped code again while it is set up, and removes with its recovery codes', async () => {
    const { bearer } = await test.signIn()
    const none = await post('/account/totp/confirm', { code: '123456' }, bearer)
    expect(none.statusCode).toBe(404)
    const { secret, uri } = (await post('/account/totp', undefined, bearer)).json()
    expect(uri).toContain(secret)
    const refused = await post('/account/totp/confirm', { code: codeAt(secret, 9) }, bearer)
    expect(refused.json()).toMatchObject({ code: 'invalid-input', details: [{ field: 'code' }] })
    expect((await post('/account/totp/confirm', { code: codeAt(secret) }, bearer)).statusCode).toBe(200)
    expect((await post('/account/recovery', undefined, bearer)).json().recovery).toHaveLength(10)
    expect((await test.call('DELETE', '/api/account/totp', { headers: bearer })).statusCode).toBe(200)
    expect((await test.postSignIn(ADMIN.userName, ADMIN.password)).json()).toHaveProperty('accessToken')
    const [user] = await test.storage.users.list()
    expect(user?.factors).toMatchObject({ totp: null, recovery: [] })
  })

  it('is removed by the operator, who resets the account', async () => {
    await setUp((await test.signIn()).bearer)
    const accounts = createAccounts({ storage: test.storage, passwords: createPasswords() })
    const { password, hadFactor } = await accounts.reset(ADMIN.userName)
    expect(hadFactor).toBe(true)
    expect((await test.postSignIn(ADMIN.userName, password)).json()).toHaveProperty('accessToken')
  })

  it('is not told of before the password is right', async () => {
    const before = await test.postSignIn(ADMIN.userName, 'wrong')
    await setUp((await test.signIn()).bearer)
    const after = await test.postSignIn(ADMIN.userName, 'wrong')
    expect({ ...after.json(), requestId: '' }).toEqual({ ...before.json(), requestId: '' })
    expect(after.cookies).toEqual([])
  })
})

it('works with the previous JWT_SECRET, is sealed again by a start, and is lost without it', async () => {
  const { secret, recovery } = await setUp((await test.signIn()).bearer)
  const jwtSecret = 'Zx8qLw3nVb7RtY2kMd9sHf4gPc6eJa1uXo5iQrTy'
  const stores = { storage: test.storage, attachmentFiles: test.attachmentFiles, uploadFiles: {} as never }
  const signInAt = async (env: object, factor: object) => {
    const node = await buildTestApp({ now: () => now, variables: { RATE_LIMITS: 'off' }, env, stores })
    const first = await node.postSignIn(ADMIN.userName, ADMIN.password)
    const { challenge, factors } = first.json()
    const cookies = challengeCookies(first)
    const answered = await node.call('POST', '/api/auth/factor', {
      payload: { challenge, ...factor },
      cookies,
    })
    await node.close()
    return { status: answered.statusCode, factors }
  }
  expect(await signInAt({ jwtSecret }, { code: codeAt(secret) })).toEqual({
    status: 401,
    factors: ['recovery'],
  })
  expect(await signInAt({ jwtSecret }, { recovery: recovery[1] })).toMatchObject({ status: 200 })
  const rotated = { jwtSecret, jwtSecretPrevious: test.env.jwtSecret }
  // Its start is enough.
  await (await buildTestApp({ env: rotated, stores })).close()
  expect((await signInAt({ jwtSecret }, { code: codeAt(secret) })).status).toBe(200)
})
