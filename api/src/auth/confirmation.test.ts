import { createECDH, randomBytes } from 'node:crypto'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { challengeCookies } from '../../test/challenge-cookies.ts'
import { PasskeyDevice } from '../../test/passkey-device.ts'
import { CONFIRMED_ROUTES, ROUTE_ACCESS } from './access.ts'
import { totpCode } from './totp.ts'

const QUARTER_MS = 15 * 60_000
const STEP_MS = 30_000

let now = 0
let test: TestApp
let bearer: { authorization: string }
beforeEach(async () => {
  now = Math.floor(Date.now() / STEP_MS) * STEP_MS
  test = await buildTestApp({ now: () => now, variables: { API_PREFIX: '/api' } })
  bearer = (await test.signIn()).bearer
})
afterEach(() => test.close())

const confirm = (proof: object, headers = bearer) =>
  test.call('POST', '/api/auth/confirm', { headers, payload: proof })
/** A route that asks. Nothing has this id. */
const ask = async (headers = bearer) => {
  const answer = await test.call('DELETE', `/api/keys/${'a'.repeat(24)}`, { headers })
  return answer.json().code
}

describe('a session that was not confirmed for more than 15 minutes', () => {
  it('is refused by the routes of the table, and by no other', async () => {
    now += QUARTER_MS + 1
    for (const route of Object.keys(ROUTE_ACCESS)) {
      const [method = '', path = ''] = route.split(' ')
      if (!/^(admin|visitor)/.test(ROUTE_ACCESS[route] ?? '')) continue
      const url = path.replace('{api}', '/api').replace(':clientId', newClientId())
      const payload = method === 'POST' ? { payload: { seq: 1 } } : {}
      const answer = await test.call(method as 'GET', url, { headers: bearer, ...payload })
      const isRefused = answer.body.includes('"confirm-required"')
      expect([route, isRefused]).toEqual([route, CONFIRMED_ROUTES[route] === 'always'])
      if (isRefused) expect(answer.statusCode).toBe(403)
    }
  })

  it('is asked by every route that erases, exports, or changes keys, secrets, the team or factors', () => {
    const asked = Object.keys(CONFIRMED_ROUTES)
    const admins = Object.entries(ROUTE_ACCESS).flatMap(([route, row]) =>
      /^(admin|visitor)/.test(row) ? [route] : [],
    )
    expect(admins).toEqual(expect.arrayContaining(asked))
    const must =
      /\.csv$|\/demo$|\/export$|^DELETE \S+:clientId$|^(POST|PUT|PATCH|DELETE) {api}(\/keys|\/team|\/endpoints(?!.*\/test)|\/account\/(totp|recovery|passkeys)|.*\/secrets|\/settings)|^(POST|PATCH) {api}\/(sites(\/:id)?|account\/push)$|^PATCH {api}\/account$/
    expect(asked).toEqual(expect.arrayContaining(admins.filter((route) => must.test(route))))
  })

  it('does not ask a key, which has its scope', async () => {
    const payload = { name: 'Importer', scopes: ['read', 'content'] }
    const made = await test.call('POST', '/api/keys', { headers: bearer, payload })
    const headers = { authorization: `Bearer ${made.json().key}` }
    now += QUARTER_MS + 1
    expect((await test.call('DELETE', '/api/demo', { headers })).statusCode).toBe(200)
    expect(
      (await test.call('GET', '/api/reports.csv?from=2026-11-01&to=2026-11-02', { headers })).statusCode,
    ).toBe(200)
  })

  it('changes its account but for the email address', async () => {
    const patch = (payload: object) => test.call('PATCH', '/api/account', { headers: bearer, payload })
    expect((await patch({ email: 'sam@admin.example' })).statusCode).toBe(200)
    now += QUARTER_MS + 1
    expect((await patch({ displayName: 'Sam', email: ' sam@admin.example' })).statusCode).toBe(200)
    for (const email of ['thief@evil.example', null]) {
      const answer = await patch({ displayName: 'Sam', email })
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'confirm-required'])
    }
    expect((await confirm({ password: ADMIN.password })).statusCode).toBe(204)
    expect((await patch({ email: null })).statusCode).toBe(200)
    expect(await test.storage.audit.list({ action: 'email.changed', limit: 9 })).toHaveLength(2)
  })

  it('changes a website but for its addresses', async () => {
    const origins = ['https://shop.example']
    const added = await test.call('POST', '/api/sites', {
      headers: bearer,
      payload: { name: 'Shop', origins },
    })
    const { _id, version } = added.json().data
    now += QUARTER_MS + 1
    const patch = (payload: object) => test.call('PATCH', `/api/sites/${_id}`, { headers: bearer, payload })
    expect((await patch({ name: 'Our shop', origins, version })).statusCode).toBe(200)
    const more = { origins: [...origins, 'https://evil.example'], version: version + 1 }
    const answer = await patch(more)
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'confirm-required'])
    expect((await confirm({ password: ADMIN.password })).statusCode).toBe(204)
    expect((await patch(more)).statusCode).toBe(200)
  })

  it('has no new device that shows what visitors write', async () => {
    const ecdh = createECDH('prime256v1')
    const keys = { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
    const subscribe = async (name: string, previews: boolean) => {
      const subscription = { endpoint: `https://fcm.googleapis.com/${name}`, keys }
      const payload = { subscription, label: 'Laptop', previews }
      const answer = await test.call('POST', '/api/account/push', { headers: bearer, payload })
      return answer.statusCode
    }
    expect(await subscribe('own', true)).toBe(201)
    now += QUARTER_MS + 1
    expect(await subscribe('own', true)).toBe(200)
    expect(await subscribe('evil', false)).toBe(201)
    expect(await subscribe('evil', true)).toBe(403)
    expect((await confirm({ password: ADMIN.password })).statusCode).toBe(204)
    expect(await subscribe('evil', true)).toBe(200)
  })

  it('changes all settings but the days of retention', async () => {
    const put = (body: object) => test.call('PUT', '/api/settings', { headers: bearer, payload: body })
    expect((await put({ ...DEFAULT_SETTINGS, retentionDays: 90 })).statusCode).toBe(200)
    now += QUARTER_MS + 1
    const stored = { ...DEFAULT_SETTINGS, retentionDays: 90, version: 1 }
    for (const retentionDays of [30, null]) {
      const answer = await put({ ...stored, retentionDays })
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'confirm-required'])
    }
    expect((await put({ ...stored, rating: true })).statusCode).toBe(200)
    expect((await confirm({ password: ADMIN.password })).statusCode).toBe(204)
    expect((await put({ ...stored, version: 2, retentionDays: null })).statusCode).toBe(200)
  })
})

describe('POST /auth/confirm', () => {
  it('confirms one session with the password, for 15 minutes', async () => {
    const signedIn = await test.signIn()
    now += QUARTER_MS
    expect(await ask()).toBe('not-found')
    now += 1
    expect(await ask()).toBe('confirm-required')
    expect((await test.refresh(signedIn.user_Id, signedIn.cookie)).statusCode).toBe(200)
    expect(await ask(signedIn.bearer)).toBe('confirm-required')

    const answer = await confirm({ password: ADMIN.password })
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect(await ask()).toBe('not-found')
    expect(await ask(signedIn.bearer)).toBe('confirm-required')
    now += QUARTER_MS + 1
    expect(await ask()).toBe('confirm-required')
  })

  it('refuses a wrong password, and counts and notes it as a failed sign-in', async () => {
    now += QUARTER_MS + 1
    for (const password of ['wrong', '', ADMIN.password.toUpperCase()]) {
      const answer = await confirm({ password })
      expect([answer.statusCode, answer.json().code]).toEqual([401, 'unauthorized'])
    }
    expect(await ask()).toBe('confirm-required')
    const left = await test.app.useCases.limits.take('sign-in', '127.0.0.1')
    expect(left).toMatchObject({ limit: 20, remaining: 16 })
    // Of one minute and network: one.
    expect(await test.storage.audit.list({ action: 'confirmation.refused', limit: 9 })).toHaveLength(1)
    expect((await confirm({})).statusCode).toBe(400)
    expect((await confirm({ password: { $ne: '' } })).statusCode).toBe(400)
    expect((await test.call('POST', '/api/auth/confirm', { payload: {} })).statusCode).toBe(401)
  })

  it('confirms with a code of the app, good once', async () => {
    const { secret } = (await test.call('POST', '/api/account/totp', { headers: bearer })).json()
    const codeAt = (step: number) => totpCode(secret, step)
    const set = await test.call('POST', '/api/account/totp/confirm', {
      ...{ headers: bearer, payload: { code: codeAt(now / STEP_MS) } },
    })
    expect(set.statusCode).toBe(200)
    now += QUARTER_MS + STEP_MS
    expect((await confirm({ code: codeAt(now / STEP_MS - 5) })).statusCode).toBe(401)
    const at = now / STEP_MS
    const both = await Promise.all([confirm({ code: codeAt(at) }), confirm({ code: codeAt(at) })])
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([204, 401])
    expect(await ask()).toBe('not-found')
    now += QUARTER_MS + STEP_MS
    expect((await confirm({ code: codeAt(at) })).statusCode).toBe(401)
    expect((await confirm({ password: ADMIN.password })).statusCode).toBe(204)
  })

  it('confirms with a passkey of the same admin, good once', async () => {
    const device = new PasskeyDevice()
    const made = await test.call('POST', '/api/account/passkeys/options', { headers: bearer })
    const added = await test.call('POST', '/api/account/passkeys', {
      ...{ headers: bearer, payload: device.create(made.json(), 'Laptop') },
    })
    expect(added.statusCode, added.body).toBe(201)
    now += QUARTER_MS + 1
    const question = await test.call('POST', '/api/auth/passkey/options', { payload: {} })
    const cookies = challengeCookies(question)
    const passkey = device.sign(question.json())
    const other = await test.addSession('other', ['Admin'])
    const use = { expiresAt: now + QUARTER_MS * 2, usedAt: now, device: null, network: null }
    await test.storage.sessions.rotate(other.sid, 'none', 'next', use)
    const foreign = { authorization: `Bearer ${test.app.signAccess({ _id: other.userId }, other.sid)}` }
    const answer = (headers = bearer) =>
      test.call('POST', '/api/auth/confirm', { headers, cookies, payload: { passkey } })
    expect((await answer()).statusCode).toBe(204)
    expect(await ask()).toBe('not-found')
    now += QUARTER_MS + 1
    const replayed = await answer()
    expect([replayed.statusCode, replayed.json().code]).toEqual([401, 'unauthorized'])
    expect(await ask()).toBe('confirm-required')

    const again = await test.call('POST', '/api/auth/passkey/options', { payload: {}, cookies })
    const payload = { passkey: device.sign(again.json()) }
    const stolen = await test.call('POST', '/api/auth/confirm', { headers: foreign, cookies, payload })
    expect([stolen.statusCode, stolen.json().code]).toEqual([401, 'unauthorized'])
  })

  it('refuses a code where there is no app, and a session that has ended', async () => {
    expect((await confirm({ code: '123456' })).statusCode).toBe(401)
    const other = await test.signIn()
    const { confirm: store } = test.storage.sessions
    test.storage.sessions.confirm = async (sid, at) => {
      await test.storage.sessions.end(sid)
      return store(sid, at)
    }
    const answer = await confirm({ password: ADMIN.password }, other.bearer)
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'forbidden'])
  })
})

it('asks no visitor', async () => {
  const clientId = newClientId()
  const headers = { authorization: `Visitor ${'k'.repeat(43)}` }
  await test.call('POST', '/api/chat', { headers, payload: { clientId, message: 'Hello' } })
  now += QUARTER_MS + 1
  expect((await test.call('GET', `/api/chat/${clientId}/export`, { headers })).statusCode).toBe(200)
  expect((await test.call('DELETE', `/api/chat/${clientId}`, { headers })).statusCode).toBe(204)
})
