import { createHmac, randomBytes } from 'node:crypto'
import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import type { Activity, Visitor } from '@proctorpass/shared/schemas/inbox'
import type { Opened, Site } from '@proctorpass/shared/schemas/site'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const OWN = 'https://chat.example'
const OWN_HEADERS = { origin: OWN, 'sec-fetch-site': 'same-origin' }
const HOUR = 60 * 60

let test: TestApp
let bearer: { authorization: string }
let site: Site
let other: Site
let secret: string
let secretId: string
let otherSecret: string
let time = Date.now()

beforeAll(async () => {
  test = await buildTestApp({ variables: { PUBLIC_URL: OWN, RATE_LIMITS: 'off' }, now: () => time })
  bearer = (await test.signIn()).bearer
  const add = async (name: string): Promise<[Site, { secret: string; _id: string }]> => {
    const payload = { name, origins: [`https://${name.toLowerCase()}.example`] }
    const added: Site = (await test.call('POST', '/api/sites', { headers: bearer, payload })).json().data
    return [added, (await test.call('POST', `/api/sites/${added._id}/secrets`, { headers: bearer })).json()]
  }
  const [shop, blog] = [await add('Shop'), await add('Blog')]
  ;[site, { secret, _id: secretId }] = shop
  ;[other, { secret: otherSecret }] = blog
})
afterAll(() => test.close())

let count = 0
const newClientId = () => `Browser${String(++count).padStart(13, '0')}`
const newKey = () => randomBytes(32).toString('base64url')
const newSub = () => `user-${++count}`
const now = () => Math.floor(time / 1_000)

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
function token(
  claims: object,
  { key = secret, header = { alg: 'HS256', typ: 'JWT' } as object, hash = 'sha256' } = {},
) {
  const text = `${base64(header)}.${base64({ exp: now() + HOUR, ...claims })}`
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}

const post = (path: string, payload: object = {}, headers: object = OWN_HEADERS, id = site._id) =>
  test.call('POST', `/embed/${id}/${path}`, { headers: headers as Record<string, string>, payload })
const identify = (payload: object, headers?: object, id?: string) => post('identify', payload, headers, id)
async function identified(payload: object): Promise<Opened> {
  const answer = await identify(payload)
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { clientId: expect.stringMatching(/^[A-Za-z0-9]{20}$/), key: expect.stringMatching(/^[\w-]{43}$/) },
  ])
  return answer.json()
}
const as = (key: string) => ({ authorization: `Visitor ${key}` })
async function write({ clientId, key }: Opened, siteId: string | undefined = site._id, message = 'hello') {
  const payload = { clientId, message, ...(siteId && { site: siteId }) }
  return (await test.call('POST', '/api/chat', { headers: as(key), payload })).statusCode
}
async function browser(siteId: string | undefined = site._id): Promise<Opened> {
  const opened = { clientId: newClientId(), key: newKey() }
  expect(await write(opened, siteId)).toBe(201)
  return opened
}
const texts = async ({ clientId, key }: Opened) => {
  const answer = await test.call('GET', `/api/chat/${clientId}`, { headers: as(key) })
  return answer.statusCode === 200
    ? answer.json().messages.map((each: { message: string }) => each.message)
    : answer.statusCode
}
const visitorOf = async ({ clientId }: Opened) =>
  (await test.call('GET', `/api/chat/admin/${clientId}/visitor`, { headers: bearer })).json() as Visitor
const logOf = async ({ clientId }: Opened) =>
  (
    (await test.call('GET', `/api/chat/admin/${clientId}/activity`, { headers: bearer })).json()
      .activity as Activity[]
  )
    .filter(({ kind }) => kind === 'identity')
    .map(({ data }) => data)

describe('POST /embed/:site/identify', () => {
  it('gives a new person the conversation of the browser, and another browser the same one', async () => {
    const sub = newSub()
    const phone = await browser()
    const first = await identified({ token: token({ sub, name: 'Sam', email: 'sam@example.com' }), ...phone })
    expect(first.clientId).toBe(phone.clientId)
    expect(await logOf(phone)).toEqual([{ sub, clientId: phone.clientId }])
    const laptop = await browser()
    const second = await identified({ token: token({ sub }), ...laptop })
    expect(second.clientId).toBe(phone.clientId)
    expect(second.key).not.toBe(first.key)
    expect(await texts(second)).toEqual(['hello'])
    expect(await texts(laptop)).toEqual(['hello'])
    expect(await logOf(laptop)).toEqual([{ sub, clientId: phone.clientId }])
    expect(await logOf(phone)).toContainEqual({ sub, clientId: laptop.clientId })
    // Again, as each page of the site does: no other key, and no other entry.
    expect(await identified({ token: token({ sub }), ...second })).toEqual(second)
    expect((await logOf(phone)).length).toBe(2)
  })

  it('gives a new person without a conversation a new one, before any message', async () => {
    const sub = newSub()
    const [phone, laptop] = await Promise.all([
      identified({ token: token({ sub }) }),
      identified({ token: token({ sub }) }),
    ])
    expect(laptop.clientId).toBe(phone.clientId)
    expect(await write({ ...phone, key: newKey() }, undefined)).toBe(403)
    expect([await write(phone), await write(laptop)]).toEqual([201, 201])
    expect((await visitorOf(phone)).signed).toEqual({
      ...{
        sub,
        name: null,
        email: null,
        site: { _id: site._id, name: 'Shop' },
        at: new Date(time).toISOString(),
      },
    })
    expect((await visitorOf(phone)).site).toEqual({ _id: site._id, name: 'Shop' })
  })

  it('adopts for one of two persons at once', async () => {
    const given = await browser()
    const opened = await Promise.all([
      identified({ token: token({ sub: newSub() }), ...given }),
      identified({ token: token({ sub: newSub() }), ...given }),
    ])
    expect(new Set(opened.map(({ clientId }) => clientId)).size).toBe(2)
    expect(opened.filter(({ clientId }) => clientId === given.clientId)).toHaveLength(1)
  })

  it('adopts nothing of another person, another site, our own pages, or behind another key', async () => {
    const signed = await identified({ token: token({ sub: newSub() }), ...(await browser()) })
    for (const given of [
      signed,
      await browser(other._id),
      await browser(''),
      { ...(await browser()), key: newKey() },
    ]) {
      const opened = await identified({ token: token({ sub: newSub() }), ...given })
      expect(opened.clientId).not.toBe(given.clientId)
      expect(await logOf(given)).not.toContainEqual(expect.objectContaining({ clientId: opened.clientId }))
    }
  })

  it('takes the same sub on another site for another person', async () => {
    const sub = newSub()
    const here = await identified({ token: token({ sub }) })
    const there = await identify({ token: token({ sub }, { key: otherSecret }) }, OWN_HEADERS, other._id)
    expect(there.statusCode).toBe(200)
    expect(there.json().clientId).not.toBe(here.clientId)
  })

  it('keeps signed data apart from claims', async () => {
    const opened = await identified({ token: token({ sub: 'sam', name: 'Sam' }), ...(await browser()) })
    const payload = { name: 'Mallory', email: 'mallory@example.com', signed: { sub: 'root' } }
    await test.call('PATCH', `/api/chat/${opened.clientId}/profile`, { headers: as(opened.key), payload })
    expect(await visitorOf(opened)).toMatchObject({
      ...{ name: 'Mallory', email: 'mallory@example.com' },
      signed: { sub: 'sam', name: 'Sam', email: null },
    })
    await identified({ token: token({ sub: 'sam', name: 'Samuel' }), ...opened })
    expect((await visitorOf(opened)).signed).toMatchObject({ name: 'Samuel' })
    const list = await test.call('GET', `/api/chat?site=${site._id}&limit=500`, { headers: bearer })
    expect(list.json()).toContainEqual(
      expect.objectContaining({
        visitor: expect.objectContaining({ signed: expect.objectContaining({ sub: 'sam' }) }),
      }),
    )
  })

  it('ends with the history', async () => {
    const sub = newSub()
    const opened = await identified({ token: token({ sub, name: 'Sam' }), ...(await browser()) })
    await test.call('DELETE', `/api/chat/admin/${opened.clientId}`, { headers: bearer })
    const again = await identified({ token: token({ sub }) })
    expect(again.clientId).not.toBe(opened.clientId)
    expect(await test.app.useCases.storage.visitors.find(opened.clientId)).toBeNull()
  })

  it('refuses every wrong token with the same words', async () => {
    const sub = newSub()
    const good = token({ sub })
    const [head = '', body = '', signature = ''] = good.split('.')
    const wrong: Record<string, string> = {
      'no token': '',
      'some text': 'abc',
      'changed claims': `${head}.${base64({ sub: 'root', exp: now() + HOUR })}.${signature}`,
      'no signature': `${head}.${body}.`,
      'alg none': `${base64({ alg: 'none' })}.${body}.`,
      'alg none, signed': token({ sub }, { header: { alg: 'none' } }),
      HS512: token({ sub }, { header: { alg: 'HS512' }, hash: 'sha512' }),
      HS384: token({ sub }, { header: { alg: 'HS384' }, hash: 'sha384' }),
      'RS256 by the secret': token({ sub }, { header: { alg: 'RS256' } }),
      'a critical extension': token({ sub }, { header: { alg: 'HS256', crit: ['b64'], b64: false } }),
      "another site's secret": token({ sub }, { key: otherSecret }),
      'the secret without its prefix': token({ sub }, { key: secret.slice(4) }),
      'an empty secret': token({ sub }, { key: '' }),
      expired: token({ sub, exp: now() - 61 }),
      'too far ahead': token({ sub, exp: now() + 24 * HOUR + 120 }),
      'no exp': token({ sub, exp: undefined }),
      'exp as a text': token({ sub, exp: String(now() + HOUR) }),
      'not yet': token({ sub, nbf: now() + 120 }),
      'from the future': token({ sub, iat: now() + 120 }),
      'no sub': token({}),
      'an empty sub': token({ sub: '' }),
      'a number as sub': token({ sub: 7 }),
      'a long sub': token({ sub: 'x'.repeat(201) }),
      'a NUL in sub': token({ sub: 'a\0b' }),
      'an object as name': token({ sub, name: { $gt: '' } }),
      'a wrong email': token({ sub, email: 'nobody' }),
      'a long token': token({ sub, more: 'x'.repeat(9_000) }),
    }
    const answers = new Set<string>()
    for (const [title, each] of Object.entries(wrong)) {
      const answer = await identify({ token: each })
      expect([title, answer.statusCode, answer.json().code]).toEqual([title, 401, 'bad-identity'])
      const { requestId: _, ...rest } = answer.json()
      answers.add(JSON.stringify(rest))
    }
    expect(answers.size).toBe(1)
  })

  it('gives clocks a minute', async () => {
    for (const claims of [
      { exp: now() - 59 },
      { nbf: now() + 59 },
      { iat: now() + 59 },
      { exp: now() + 24 * HOUR },
    ]) {
      await identified({ token: token({ sub: newSub(), ...claims }) })
    }
  })

  it('refuses wrong types with 400, and unknown sites with 404', async () => {
    for (const body of [{}, { token: 7 }, { token: 'x', clientId: 'short' }, { token: 'x', key: 1 }]) {
      expect((await identify(body)).statusCode).toBe(400)
    }
    expect(
      (await identify({ token: token({ sub: 'x' }) }, OWN_HEADERS, 'Unknown'.padEnd(20, '0'))).statusCode,
    ).toBe(404)
  })

  it('knows two secrets, notes their use, and forgets a deleted one', async () => {
    const added = (await test.call('POST', `/api/sites/${other._id}/secrets`, { headers: bearer })).json()
    const send = (key: string) =>
      identify({ token: token({ sub: newSub() }, { key }) }, OWN_HEADERS, other._id)
    expect([(await send(otherSecret)).statusCode, (await send(added.secret)).statusCode]).toEqual([200, 200])
    const list = (await test.call('GET', '/api/sites', { headers: bearer })).json().sites as Site[]
    const used = list.find(({ _id }) => _id === other._id)?.secrets.map(({ lastUsedAt }) => lastUsedAt)
    expect(used).toEqual([new Date(time).toISOString(), new Date(time).toISOString()])
    await test.call('DELETE', `/api/sites/${other._id}/secrets/${added._id}`, { headers: bearer })
    expect((await send(added.secret)).statusCode).toBe(401)
    expect(secretId).not.toBe(added._id)
  })

  it('knows a sealed secret only in its own row, not in that of another site, nor of the same', async () => {
    const { sites } = test.storage
    const rowsOf = async (of: Site) => (await sites.find(of._id))?.secrets ?? []
    const status = async (key: string) => {
      // From then on the server knows rows that the test stored directly.
      await test.call('GET', '/api/sites', { headers: bearer })
      return (await identify({ token: token({ sub: newSub() }, { key }) })).statusCode
    }
    const [ofOther] = await rowsOf(other)
    const [own] = await rowsOf(site)
    if (!ofOther || !own) throw new Error('A site has no secret.')
    expect(await sites.addSecret(site._id, ofOther, 2)).toBe('stored')
    expect([await status(otherSecret), await status(secret)]).toEqual([401, 200])
    await sites.removeSecret(site._id, ofOther._id)

    const { sealed } = own
    expect(await sites.addSecret(site._id, { ...ofOther, sealed }, 2)).toBe('stored')
    await sites.removeSecret(site._id, own._id)
    expect(await status(secret)).toBe(401)
    await sites.removeSecret(site._id, ofOther._id)
    await sites.addSecret(site._id, own, 2)
    expect(await status(secret)).toBe(200)
  })
})

describe('the cookie of a frame', () => {
  const cookieOf = (answer: { headers: Record<string, unknown> }) =>
    String(answer.headers['set-cookie'] ?? '')
  const sent = (cookie: string) => ({ ...OWN_HEADERS, cookie: cookie.split(';')[0] ?? '' })
  async function remembered(opened: Opened, headers: object = OWN_HEADERS) {
    const answer = await post('remember', opened, headers)
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    return cookieOf(answer)
  }

  it('restores the conversation with a further key, and is nothing else', async () => {
    const opened = await browser()
    const cookie = await remembered(opened)
    expect(cookie).toMatch(
      new RegExp(
        `^__Host-chat-${site._id}=[\\w-]{43}; Max-Age=34560000; Path=/; HttpOnly; Secure; SameSite=None; Partitioned$|^__Host-chat-${site._id}=[\\w-]{43}; Max-Age=34560000; Path=/; HttpOnly; Secure; Partitioned; SameSite=None$`,
      ),
    )
    const answer = await post('restore', {}, sent(cookie))
    expect(answer.statusCode).toBe(200)
    const restored = answer.json() as Opened
    expect(restored.clientId).toBe(opened.clientId)
    expect(restored.key).not.toBe(opened.key)
    expect(await texts(restored)).toEqual(['hello'])
    const other = await remembered(restored)
    const device = (await post('restore', {}, sent(other))).json()
    expect(device.key).not.toBe(restored.key)
    for (let times = 0; times < VISITOR_KEYS_MAX; times += 1)
      expect((await post('restore', {}, sent(cookie))).json().key).toBe(restored.key)
    for (const each of [opened, restored, device]) expect(await texts(each)).toEqual(['hello'])
    expect(JSON.stringify(await test.app.useCases.storage.remembered.find('x', site._id, 0))).toBe('null')
  })

  it('says whose conversation it restores, if that is signed', async () => {
    const anonymous = await browser()
    const restored = await post('restore', {}, sent(await remembered(anonymous)))
    expect(restored.json()).toMatchObject({ clientId: anonymous.clientId, sub: null })
    const sub = `user-${newSub()}-é`
    const signed = await identified({ token: token({ sub }), ...anonymous })
    const again = await post('restore', {}, sent(await remembered(signed)))
    expect(again.json()).toMatchObject({ clientId: anonymous.clientId, sub })
  })

  it('opens nothing while its site is disabled, nor after it is deleted, and the conversation stays', async () => {
    const payload = { name: 'Passing', origins: ['https://passing.example'] }
    const { _id, version }: Site = (
      await test.call('POST', '/api/sites', { headers: bearer, payload })
    ).json().data
    const { secret: key } = (await test.call('POST', `/api/sites/${_id}/secrets`, { headers: bearer })).json()
    const opened = await browser(_id)
    const cookie = cookieOf(await post('remember', opened, OWN_HEADERS, _id))
    const codes = async () => [
      (await post('restore', {}, sent(cookie), _id)).statusCode,
      (await post('remember', opened, OWN_HEADERS, _id)).statusCode,
      (await identify({ token: token({ sub: newSub() }, { key }), ...opened }, OWN_HEADERS, _id)).statusCode,
    ]
    const change = { enabled: false, version }
    await test.call('PATCH', `/api/sites/${_id}`, { headers: bearer, payload: change })
    expect(await codes()).toEqual([404, 404, 404])
    expect(await write(opened, _id, 'still here')).toBe(201)
    await test.call('DELETE', `/api/sites/${_id}`, { headers: bearer })
    expect(await codes()).toEqual([404, 404, 404])
    expect(await write(opened, _id, 'and now')).toBe(201)
    expect(await texts(opened)).toEqual(['hello', 'still here', 'and now'])
    expect((await visitorOf(opened)).site).toEqual({ _id, name: 'Passing' })
    // Logging out works without the site.
    const headers = sent(cookie)
    expect((await test.call('DELETE', `/embed/${_id}/remember`, { headers })).statusCode).toBe(204)
  })

  it('answers 204 without one, and for an unknown one', async () => {
    expect((await post('restore')).statusCode).toBe(204)
    const cookie = `__Host-chat-${site._id}=${newKey()}`
    expect((await post('restore', {}, { ...OWN_HEADERS, cookie })).statusCode).toBe(204)
  })

  it('of one site opens nothing of another', async () => {
    const cookie = await remembered(await browser())
    const moved = cookie.replace(site._id, other._id)
    for (const each of [cookie, moved]) {
      expect((await post('restore', {}, sent(each), other._id)).statusCode).toBe(204)
    }
  })

  it('ends with logout and with the history', async () => {
    const opened = await browser()
    const cookie = await remembered(opened)
    const answer = await test.call('DELETE', `/embed/${site._id}/remember`, { headers: sent(cookie) })
    expect(answer.statusCode).toBe(204)
    expect(cookieOf(answer)).toMatch(/Max-Age=0|Expires=Thu, 01 Jan 1970/)
    expect((await post('restore', {}, sent(cookie))).statusCode).toBe(204)
    const again = await remembered(opened)
    await test.call('DELETE', `/api/chat/${opened.clientId}`, { headers: as(opened.key) })
    expect((await post('restore', {}, sent(again))).statusCode).toBe(204)
  })

  it('lives for 400 days from its newest answer, also where that answer never arrived', async () => {
    const opened = await browser()
    const cookie = await remembered(opened)
    time += 399 * 24 * HOUR * 1_000
    expect(await remembered(opened, sent(cookie))).toBe(cookie)
    time += 399 * 24 * HOUR * 1_000
    expect((await post('restore', {}, sent(cookie))).statusCode).toBe(200)
    time += 2 * 24 * HOUR * 1_000
    expect((await post('restore', {}, sent(cookie))).statusCode).toBe(204)
    bearer = (await test.signIn()).bearer
  })

  it('is replaced when the browser begins another conversation, or another history of it', async () => {
    const opened = await browser()
    const first = await remembered(opened)
    const second = await remembered(await browser(), sent(first))
    expect(second).not.toBe(first)
    expect((await post('restore', {}, sent(first))).statusCode).toBe(204)
    await test.call('DELETE', `/api/chat/${opened.clientId}`, { headers: as(opened.key) })
    expect(await write(opened, site._id, 'again')).toBe(201)
    const third = await remembered(opened, sent(first))
    expect(third).not.toBe(first)
    expect((await post('restore', {}, sent(third))).json()).toMatchObject({ clientId: opened.clientId })
  })

  it('is set only for who holds a key of a conversation of the site', async () => {
    const opened = await browser()
    for (const wrong of [
      { ...opened, key: newKey() },
      { clientId: newClientId(), key: newKey() },
      await browser(other._id),
      await browser(''),
    ]) {
      expect((await post('remember', wrong)).statusCode).toBe(403)
    }
    expect((await post('remember', { clientId: opened.clientId })).statusCode).toBe(400)
  })

  it('is not set over plain http, but on this machine', async () => {
    const set = async (publicUrl: string) => {
      await using app = Object.assign(await buildTestApp({ variables: { PUBLIC_URL: publicUrl } }), {
        async [Symbol.asyncDispose]() {
          await app.close()
        },
      })
      const admin = (await app.signIn()).bearer
      const payload = { name: 'Shop', origins: ['http://localhost'] }
      const { _id }: Site = (await app.call('POST', '/api/sites', { headers: admin, payload })).json().data
      const opened = { clientId: newClientId(), key: newKey() }
      const message = { clientId: opened.clientId, message: 'hello', site: _id }
      await app.call('POST', '/api/chat', { headers: as(opened.key), payload: message })
      const headers = { origin: publicUrl, 'sec-fetch-site': 'same-origin' }
      const answer = await app.call('POST', `/embed/${_id}/remember`, { headers, payload: opened })
      return [answer.statusCode, cookieOf(answer) !== '']
    }
    expect(await set('http://chat.example')).toEqual([204, false])
    expect(await set('http://127.0.0.1:3000')).toEqual([204, true])
  })
})

it.each([
  ['a foreign origin', { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }],
  ['a foreign origin that lies', { origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' }],
  ['our own origin on another site', { origin: OWN, 'sec-fetch-site': 'cross-site' }],
  ['a subdomain', { origin: 'https://x.chat.example', 'sec-fetch-site': 'same-site' }],
  ['no origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ['a navigation', { 'sec-fetch-site': 'none' }],
  ['nothing', {}],
  ['a bearer', { authorization: 'Bearer x' }],
])('calls of frames are refused from %s', async (_, headers) => {
  const opened = await browser()
  for (const [path, body] of [
    ['remember', opened],
    ['restore', {}],
    ['identify', { token: token({ sub: newSub() }) }],
  ] as const) {
    expect([path, (await post(path, body, headers)).statusCode]).toEqual([path, 403])
  }
  const answer = await test.call('DELETE', `/embed/${site._id}/remember`, { headers })
  expect(answer.statusCode).toBe(403)
})

it('our own origin without Sec-Fetch-Site, or Sec-Fetch-Site alone, is enough', async () => {
  expect((await post('restore', {}, { origin: OWN })).statusCode).toBe(204)
  expect((await post('restore', {}, { 'sec-fetch-site': 'same-origin' })).statusCode).toBe(204)
})

it('wrong tokens are limited as sign-ins are', async () => {
  const limited = await buildTestApp({ variables: { PUBLIC_URL: OWN } })
  const payload = { name: 'Shop', origins: ['https://shop.example'] }
  const headers = (await limited.signIn()).bearer
  const { _id }: Site = (await limited.call('POST', '/api/sites', { headers, payload })).json().data
  const codes = []
  for (let index = 0; index < 21; index += 1) {
    const answer = await limited.call('POST', `/embed/${_id}/identify`, {
      headers: OWN_HEADERS,
      payload: { token: 'x' },
    })
    codes.push(answer.statusCode)
  }
  expect(codes).toEqual([...Array.from({ length: 20 }, () => 401), 429])
  await limited.close()
})
