import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type { PasskeyAnswer, PasskeyOptions } from '@proctorpass/shared/schemas/factors'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { challengeCookies, ofAnotherBrowser } from '../../test/challenge-cookies.ts'
import { PasskeyDevice } from '../../test/passkey-device.ts'
import { FACTOR_SETUP_ROUTES, ROUTE_ACCESS } from './access.ts'
import { totpCode } from './totp.ts'

let now = 0
let test: TestApp
beforeEach(async () => {
  now = Date.now()
  test = await buildTestApp({ now: () => now, variables: { RATE_LIMITS: 'off' } })
})
afterEach(() => test.close())

type Headers = { authorization: string }
type Cookies = Record<string, string>
const post = (url: string, payload: object | undefined, headers: Headers) =>
  test.call('POST', `/api${url}`, { headers, ...(payload && { payload }) })

/** Adds a passkey of the device, and answers the recovery codes. */
async function add(headers: Headers, device: PasskeyDevice, name = 'Laptop'): Promise<string[]> {
  const options = (await post('/account/passkeys/options', undefined, headers)).json()
  const answer = await post('/account/passkeys', device.create(options, name), headers)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().recovery
}

async function ask(
  payload: object = {},
  cookies: Cookies = {},
): Promise<PasskeyOptions & { cookies: Cookies }> {
  const answer = await test.call('POST', '/api/auth/passkey/options', { payload, cookies })
  expect(answer.statusCode, answer.body).toBe(200)
  return { ...answer.json(), cookies: challengeCookies(answer) }
}

const signIn = (response: PasskeyAnswer, cookies: Cookies) =>
  test.call('POST', '/api/auth/passkey', { payload: { response }, cookies })

const factorsOf = async (headers: Headers) =>
  (await test.call('GET', '/api/account/factors', { headers })).json()

describe('a passkey', () => {
  it('is added with recovery codes as the first factor, and signs in alone', async () => {
    const { bearer } = await test.signIn()
    const other = await test.signIn()
    const device = new PasskeyDevice()
    expect(await add(bearer, device)).toHaveLength(10)
    expect((await test.call('GET', '/api/account', { headers: other.bearer })).statusCode).toBe(403)
    expect(await factorsOf(bearer)).toEqual({
      passkeys: [
        { _id: expect.any(String), name: 'Laptop', createdAt: new Date(now).toISOString(), lastUsedAt: null },
      ],
      ...{ passkeyOrigin: 'http://localhost:3000', totp: false, recovery: 10 },
    })
    now += 60_000
    const question = await ask()
    expect(question).toMatchObject({ origin: 'http://localhost:3000', options: { rpId: 'localhost' } })
    const signedIn = await signIn(device.sign(question), question.cookies)
    expect(signedIn.json()).toMatchObject({ userName: ADMIN.userName, accessToken: expect.any(String) })
    const headers = { authorization: `Bearer ${signedIn.json().accessToken}` }
    expect((await factorsOf(headers)).passkeys).toMatchObject([{ lastUsedAt: new Date(now).toISOString() }])
    // A second factor brings no codes.
    expect(await add(headers, new PasskeyDevice(), 'Phone')).toEqual([])
  })

  it('is the second step after the password', async () => {
    const { bearer } = await test.signIn()
    const device = new PasskeyDevice()
    const [recovery] = await add(bearer, device)
    const first = await test.postSignIn(ADMIN.userName, ADMIN.password)
    const { challenge, factors } = first.json()
    expect(factors).toEqual(['passkey', 'recovery'])
    const cookies = challengeCookies(first)
    const question = await ask({ challenge }, cookies)
    expect(question.options).toMatchObject({ challenge, allowCredentials: [{ id: device.id }] })
    // The password is the first factor, so the device need not verify its user.
    const passkey = device.sign(question, { isVerified: false })
    const answer = (payload: object) => test.call('POST', '/api/auth/factor', { payload, cookies })
    expect((await answer({ challenge, passkey })).json()).toHaveProperty('accessToken')
    expect((await answer({ challenge, passkey })).statusCode).toBe(401)

    const again = await test.postSignIn(ADMIN.userName, ADMIN.password)
    const byRecovery = await test.call('POST', '/api/auth/factor', {
      payload: { challenge: again.json().challenge, recovery },
      cookies: challengeCookies(again),
    })
    expect(byRecovery.json(), 'without an app').toHaveProperty('accessToken')
  })

  it('does not answer the second step in another browser', async () => {
    await add((await test.signIn()).bearer, new PasskeyDevice())
    const first = await test.postSignIn(ADMIN.userName, ADMIN.password)
    const { challenge } = first.json()
    const optionsFor = async (cookies: Cookies) =>
      (await test.call('POST', '/api/auth/passkey/options', { payload: { challenge }, cookies })).statusCode
    expect(await optionsFor(ofAnotherBrowser(challengeCookies(first)))).toBe(401)
    expect(await optionsFor(challengeCookies(first))).toBe(200)
  })

  it('answers its question also when answers of the server cross, and spends the cookie with it', async () => {
    const device = new PasskeyDevice()
    await add((await test.signIn()).bearer, device)
    const [alone, first, other] = [
      await ask(),
      await test.postSignIn(ADMIN.userName, ADMIN.password),
      await ask(),
    ]
    const jar = { ...alone.cookies, ...challengeCookies(first), ...other.cookies }
    const { challenge } = first.json()
    const passkey = device.sign(await ask({ challenge }, jar))
    const second = await test.call('POST', '/api/auth/factor', {
      payload: { challenge, passkey },
      cookies: jar,
    })
    expect(second.statusCode).toBe(200)
    const signedIn = await signIn(device.sign(alone), jar)
    expect(signedIn.statusCode).toBe(200)
    const [removed] = signedIn.cookies.filter(({ name }) => name in alone.cookies)
    expect(removed).toMatchObject({ value: '', expires: new Date(0) })
  })

  it('is refused alike when it was made for another origin, is replayed, has an older counter or belongs to no account', async () => {
    const device = new PasskeyDevice()
    await add((await test.signIn()).bearer, device)
    const good = await ask()
    const signed = device.sign(good)
    expect((await signIn(signed, good.cookies)).statusCode).toBe(200)

    const refusals = [await signIn(signed, good.cookies)]
    const refuse = async (differently: Parameters<PasskeyDevice['sign']>[1], from = device) => {
      const question = await ask()
      refusals.push(await signIn(from.sign(question, differently), question.cookies))
    }
    await refuse({ origin: 'https://example.com' })
    await refuse({ origin: 'http://127.0.0.1:3000' })
    await refuse({ rpId: 'example.com' })
    await refuse({ challenge: 'x'.repeat(43) })
    await refuse({ counter: 2 })
    await refuse({ isVerified: false })
    await refuse({ userHandle: Buffer.from('f'.repeat(24)).toString('base64url') })
    await refuse({ userHandle: device.userHandle }, new PasskeyDevice())
    const foreign = await ask()
    refusals.push(await signIn(device.sign(foreign), ofAnotherBrowser(foreign.cookies)))
    const old = await ask()
    now += 5 * 60_000 + 1
    refusals.push(await signIn(device.sign(old), old.cookies))
    const question = await ask()
    const changed = device.sign(question)
    changed.response.signature = device.sign(question).response.signature
    changed.response.authenticatorData = Buffer.alloc(37).toString('base64url')
    refusals.push(await signIn(changed, question.cookies))
    const broken = await ask()
    const noJson = { ...device.sign(broken).response, clientDataJSON: 'AAAA' }
    refusals.push(await signIn({ ...device.sign(broken), response: noJson }, broken.cookies))

    const bodies = refusals.map((answer) => ({ ...answer.json(), requestId: '' }))
    expect(refusals.map(({ statusCode }) => statusCode)).toEqual(refusals.map(() => 401))
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
    const fine = await ask()
    expect((await signIn(device.sign(fine), fine.cookies)).statusCode).toBe(200)
  })

  it('that does not count, as those that a provider syncs, answers a challenge once', async () => {
    const { bearer } = await test.signIn()
    const device = new PasskeyDevice()
    const options = (await post('/account/passkeys/options', undefined, bearer)).json()
    const made = device.create(options, 'Synced', { counter: 0 })
    expect((await post('/account/passkeys', made, bearer)).statusCode).toBe(201)
    const again = new PasskeyDevice().create(options, 'Other', { counter: 0 })
    expect((await post('/account/passkeys', again, bearer)).statusCode, 'the same question').toBe(400)

    const question = await ask()
    const signed = device.sign(question, { counter: 0 })
    const all = await Promise.all([1, 2].map(() => signIn(signed, question.cookies)))
    expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401])
    expect((await signIn(signed, question.cookies)).statusCode).toBe(401)

    const first = await test.postSignIn(ADMIN.userName, ADMIN.password)
    const { challenge } = first.json()
    const cookies = challengeCookies(first)
    const passkey = device.sign(await ask({ challenge }, cookies), { counter: 0 })
    const answer = () => test.call('POST', '/api/auth/factor', { payload: { challenge, passkey }, cookies })
    expect([(await answer()).statusCode, (await answer()).statusCode]).toEqual([200, 401])
    // A challenge of one kind is no question of the other.
    const second = (await test.postSignIn(ADMIN.userName, ADMIN.password)).json().challenge
    const other = await ask()
    const crossed = device.sign(
      { ...other, options: { ...other.options, challenge: second } },
      { counter: 0 },
    )
    expect((await signIn(crossed, other.cookies)).statusCode).toBe(401)
  })

  it('lets one of several uses of an answer in, and loses no count of uses at once', async () => {
    const [device, other] = [new PasskeyDevice(), new PasskeyDevice()]
    const { bearer } = await test.signIn()
    await add(bearer, device)
    await add(bearer, other, 'Phone')
    const question = await ask()
    const signed = device.sign(question)
    const all = await Promise.all([1, 2, 3].map(() => signIn(signed, question.cookies)))
    expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401])

    const [first, second] = [await ask(), await ask()]
    const both = await Promise.all([
      signIn(device.sign(first), first.cookies),
      signIn(other.sign(second), second.cookies),
    ])
    expect(both.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    const [user] = await test.storage.users.list()
    expect(user?.factors.passkeys.map(({ counter }) => counter)).toEqual([device.counter, other.counter])
  })

  it('answers at one node what another one asked, at one of them', async () => {
    const device = new PasskeyDevice()
    await add((await test.signIn()).bearer, device)
    const stores = { storage: test.storage, attachmentFiles: test.attachmentFiles, uploadFiles: {} as never }
    const other = await buildTestApp({ now: () => now, env: test.env, stores })
    try {
      const answerAt = (node: TestApp, response: PasskeyAnswer, cookies: Cookies) =>
        node.call('POST', '/api/auth/passkey', { payload: { response }, cookies })
      const question = await ask()
      expect((await answerAt(other, device.sign(question), question.cookies)).statusCode).toBe(200)

      const first = await test.postSignIn(ADMIN.userName, ADMIN.password)
      const { challenge } = first.json()
      const cookies = challengeCookies(first)
      const options = await other.call('POST', '/api/auth/passkey/options', {
        payload: { challenge },
        cookies,
      })
      const payload = { challenge, passkey: device.sign(options.json()) }
      const both = [test, other].map((node) => node.call('POST', '/api/auth/factor', { payload, cookies }))
      expect((await Promise.all(both)).map(({ statusCode }) => statusCode).sort()).toEqual([200, 401])

      const again = await ask()
      const signed = device.sign(again)
      const all = await Promise.all([test, other].map((node) => answerAt(node, signed, again.cookies)))
      expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401])
      const late = await ask()
      // Signed before the two above counted: its counter is behind at each node.
      expect((await answerAt(other, device.sign(late, { counter: 2 }), late.cookies)).statusCode).toBe(401)
    } finally {
      await other.close()
    }
  })

  it('asks for a passkey without a body too', async () => {
    const answer = await test.call('POST', '/api/auth/passkey/options', {})
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { origin: expect.any(String) }])
  })

  it('ends with its account', async () => {
    const device = new PasskeyDevice()
    const { bearer, user_Id } = await test.signIn()
    await add(bearer, device)
    const question = await ask()
    await test.storage.users.changeCredentials(user_Id, { disabled: true })
    expect((await signIn(device.sign(question), question.cookies)).statusCode).toBe(401)
  })

  it('is renamed and removed, and with the last factor the recovery codes go', async () => {
    const { bearer, sid } = await test.signIn()
    const device = new PasskeyDevice()
    await add(bearer, device)
    const { secret } = (await post('/account/totp', undefined, bearer)).json()
    const code = totpCode(secret, Math.floor(now / 30_000))
    expect((await post('/account/totp/confirm', { code }, bearer)).json()).toEqual({ recovery: [] })
    const [{ _id: id }] = (await factorsOf(bearer)).passkeys
    const at = (path: string) => `/api/account/passkeys/${path}`
    const rename = (name: string, path = id) =>
      test.call('PATCH', at(path), { headers: bearer, payload: { name } })
    expect((await rename(' Work phone ')).statusCode).toBe(204)
    expect((await factorsOf(bearer)).passkeys).toMatchObject([{ name: 'Work phone' }])
    expect((await rename(' ')).json()).toMatchObject({ details: [{ field: 'name' }] })
    expect((await rename('x'.repeat(81))).statusCode).toBe(400)
    expect((await rename('Phone', 'missing')).statusCode).toBe(404)
    const remove = (path: string) => test.call('DELETE', at(path), { headers: bearer })
    expect((await remove('missing')).statusCode).toBe(404)
    expect((await remove(id)).statusCode).toBe(204)
    expect(await factorsOf(bearer)).toMatchObject({ passkeys: [], totp: true, recovery: 10 })
    expect((await test.call('DELETE', '/api/account/totp', { headers: bearer })).statusCode).toBe(200)
    expect(await factorsOf(bearer)).toMatchObject({ totp: false, recovery: 0 })

    const { entries } = (await test.call('GET', '/api/audit', { headers: bearer })).json()
    const noted = entries.filter(({ action }: { action: string }) => action.startsWith('factor.'))
    expect(noted.map(({ details }: { details: object }) => details).reverse()).toEqual([
      { kind: 'passkey', name: 'Laptop' },
      { kind: 'totp' },
      { kind: 'passkey', name: 'Work phone' },
      { kind: 'totp' },
    ])
    expect(sid).not.toBe('')
  })

  it('is not added when it was made at another origin, twice, by another session, or as the eleventh', async () => {
    const { bearer } = await test.signIn()
    const device = new PasskeyDevice()
    const begin = async () => (await post('/account/passkeys/options', undefined, bearer)).json()
    const refused = async (body: object) => {
      const answer = await post('/account/passkeys', body, bearer)
      expect([answer.statusCode, answer.json().details?.[0]?.field], answer.body).toEqual([400, 'response'])
    }
    await refused(device.create(await begin(), 'Laptop', { origin: 'https://example.com' }))
    await refused(device.create(await begin(), 'Laptop', { rpId: 'example.com' }))
    await refused(device.create(await begin(), 'Laptop', { challenge: 'x'.repeat(43) }))
    const second = await test.signIn()
    const foreign = (await post('/account/passkeys/options', undefined, second.bearer)).json()
    await refused(device.create(foreign, 'Laptop'))
    const options = await begin()
    const made = device.create(options, 'Laptop')
    expect((await post('/account/passkeys', made, bearer)).statusCode).toBe(201)
    await refused(made)
    await refused(device.create(await begin(), 'Laptop'))
    for (let count = 1; count < 10; count += 1) await add(bearer, new PasskeyDevice())
    const full = await post('/account/passkeys/options', undefined, bearer)
    expect([full.statusCode, full.json().code]).toEqual([409, 'conflict'])
  })
})

describe('where passkeys work', () => {
  const optionsAt = async (publicUrl: string) => {
    const at = await buildTestApp({ variables: { PUBLIC_URL: publicUrl } })
    const headers = { host: new URL(publicUrl).host }
    const answer = await at.call('POST', '/api/auth/passkey/options', { payload: {}, headers })
    await at.close()
    const { origin, options, code } = answer.json()
    return origin === undefined ? code : [options.rpId, origin]
  }

  it.each([
    ['https://chat.example.com', ['chat.example.com', 'https://chat.example.com']],
    ['http://127.0.0.1:8080', ['localhost', 'http://localhost:8080']],
    ['http://[::1]', ['localhost', 'http://localhost']],
    ['http://chat.example.com', 'conflict'],
    ['https://192.0.2.7', 'conflict'],
    ['https://[2001:db8::7]', 'conflict'],
  ])('%s', async (publicUrl, expected) => {
    expect(await optionsAt(publicUrl)).toEqual(expected)
  })

  it('leaves the other factors where it does not', async () => {
    const device = new PasskeyDevice()
    await add((await test.signIn()).bearer, device)
    const stores = { storage: test.storage, attachmentFiles: test.attachmentFiles, uploadFiles: {} as never }
    const other = await buildTestApp({ env: { publicUrl: 'http://chat.example.com' }, stores })
    const { factors } = (await other.postSignIn(ADMIN.userName, ADMIN.password)).json()
    await other.close()
    expect(factors).toEqual(['recovery'])
  })
})

describe('when every admin needs a second factor', () => {
  const put = async (headers: Headers, secondFactor: string) => {
    const { version } = (await test.call('GET', '/api/settings', { headers })).json()
    const payload = { ...DEFAULT_SETTINGS, version, secondFactor }
    return test.call('PUT', '/api/settings', { headers, payload })
  }

  it('asks for an own one before it is switched on, and keeps the last one', async () => {
    const { bearer } = await test.signIn()
    const early = await put(bearer, 'required')
    expect([early.statusCode, early.json().details[0].field]).toEqual([400, 'secondFactor'])
    await add(bearer, new PasskeyDevice())
    expect((await put(bearer, 'required')).statusCode).toBe(200)
    const [{ _id: id }] = (await factorsOf(bearer)).passkeys
    const remove = () => test.call('DELETE', `/api/account/passkeys/${id}`, { headers: bearer })
    expect((await remove()).statusCode).toBe(409)
    expect((await put(bearer, 'optional')).statusCode).toBe(200)
    expect((await remove()).statusCode).toBe(204)
  })

  it('leads an admin without one to its setup, and to nothing else', async () => {
    const { bearer } = await test.signIn()
    await add(bearer, new PasskeyDevice())
    expect((await put(bearer, 'required')).statusCode).toBe(200)
    const { userId, sid } = await test.addSession('maria', [ADMIN_ROLE])
    const token = test.app.signAccess({ _id: userId }, sid)
    const maria = { authorization: `Bearer ${token}` }
    for (const [route, row] of Object.entries(ROUTE_ACCESS)) {
      if (!/^admin/.test(row)) continue
      const [method, path = ''] = route.split(' ')
      const answer = await test.call(method as 'GET', path.replace('{api}', '/api'), { headers: maria })
      const isRefused = answer.body.includes('"factor-required"')
      expect([route, isRefused]).toEqual([route, !FACTOR_SETUP_ROUTES.has(route)])
      if (isRefused) expect(answer.statusCode).toBe(403)
    }
    await expect(test.app.verifyAccess(token)).rejects.toMatchObject({ code: 'factor-required' })
    expect(await test.app.useCases.auth.sessions.isAdminSession(sid, userId)).toBe(false)
  })
})
