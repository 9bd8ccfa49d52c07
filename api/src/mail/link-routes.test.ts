import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { hashOfKey } from '../auth/visitor-key.ts'
import { createKeyedHash, type KeyedHash } from '../credentials/store-secret.ts'
import { createLinks, type Links } from './links.ts'

const DAY = 24 * 60 * 60 * 1_000
const KEY = 'k'.repeat(43)

let test: TestApp
let now = Date.UTC(2026, 0, 1)
let links: Links
let hash: KeyedHash
/** Of sam@example.org. */
let addressId: string
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1)
  test = await buildTestApp({ now: () => now, variables: { PUBLIC_URL: 'https://acme.example' } })
  hash = createKeyedHash(test.storage.documents)
  addressId = await hash('mail', 'sam@example.org')
  const limits = { take: async () => null, charge: async () => null }
  links = createLinks({ storage: test.storage, hash, limits, answersByMail: true, now: () => now })
})
afterEach(() => test.close())

const headers = { host: 'acme.example' }
const post = (url: string, payload?: object) =>
  test.call('POST', url, { headers, ...(payload === undefined ? {} : { payload }) })
const resume = (token: unknown) => post('/api/chat/resume', { token })
const read = (clientId: string, key: string) =>
  test.call('GET', `/api/chat/${clientId}`, { headers: { ...headers, authorization: `Visitor ${key}` } })

async function conversation(options: { key?: string } = { key: KEY }) {
  const clientId = newClientId()
  await test.storage.messages.append({
    ...{ clientId, senderId: clientId, message: 'hello', nonce: 'the-first-nonce', at: now },
    keyHash: options.key === undefined ? null : hashOfKey(options.key),
  })
  await test.storage.visitors.update(clientId, { email: 'sam@example.org' }, { by: null, at: now })
  const { epoch = '' } = (await test.storage.conversations.find(clientId)) ?? {}
  return { clientId, epoch }
}

it('continues a conversation on any number of devices, with a key for each', async () => {
  const { clientId, epoch } = await conversation()
  const { resume: token } = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  const keys = new Set<string>()
  for (let n = 0; n < 25; n += 1) {
    const answer = await resume(token)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    const { key, ...rest } = answer.json()
    expect(rest).toEqual({ clientId })
    expect(key).toMatch(/^[\w-]{43}$/)
    keys.add(key)
  }
  expect(keys.size).toBe(25)
  // The newest ones open it, and the first device's.
  for (const key of [KEY, ...[...keys].slice(-19)]) expect((await read(clientId, key)).statusCode).toBe(200)
  for (const key of [...keys].slice(0, 6)) expect((await read(clientId, key)).statusCode).toBe(403)
})

it('keeps the key of a browser that opens its own conversation again', async () => {
  const { clientId, epoch } = await conversation()
  const { resume: token } = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  const phone = (await resume(token)).json().key
  for (let n = 0; n < 25; n += 1) {
    const answer = await post('/api/chat/resume', { token, key: KEY })
    expect(answer.json()).toEqual({ clientId, key: KEY })
  }
  expect((await read(clientId, phone)).statusCode).toBe(200)
  const foreign = await post('/api/chat/resume', { token, key: 'z'.repeat(43) })
  expect(foreign.json().key).not.toBe('z'.repeat(43))
  expect((await post('/api/chat/resume', { token, key: 'short' })).statusCode).toBe(400)
})

it('gives no key to a conversation without one: its first message does', async () => {
  const { clientId, epoch } = await conversation({})
  const { resume: token } = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  const { key } = (await resume(token)).json()
  expect((await test.storage.conversations.find(clientId))?.keyHashes).toEqual([])
  expect((await read(clientId, key)).statusCode).toBe(200)
})

it('refuses links that are unknown, of another kind, old, or of an erased conversation', async () => {
  const { clientId, epoch } = await conversation()
  const made = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  for (const token of ['', 'x', 'x'.repeat(43), made.unsubscribe, `${made.resume}x`]) {
    const answer = await resume(token)
    expect([answer.statusCode, answer.json().message]).toEqual([404, 'This link is unknown or too old.'])
  }
  for (const token of [1, null, {}, 'x'.repeat(3_000)]) expect((await resume(token)).statusCode).toBe(400)
  expect((await post(`/api/chat/unsubscribe/${made.resume}`)).statusCode).toBe(404)
  now += 7 * DAY - 1
  expect((await resume(made.resume)).statusCode).toBe(200)
  now += 1
  expect((await resume(made.resume)).statusCode).toBe(404)
  const again = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  await test.storage.conversations.erase(clientId)
  expect((await resume(again.resume)).statusCode).toBe(404)
  // One that was made while it was erased.
  const late = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  expect((await resume(late.resume)).statusCode).toBe(404)
})

it('is rate limited', async () => {
  for (let n = 0; n < 60; n += 1) expect((await resume('x')).statusCode).toBe(404)
  expect((await resume('x')).statusCode).toBe(429)
})

it('charges unknown links to the address', async () => {
  const charged: unknown[] = []
  const limits = {
    take: async () => null,
    charge: async (...charge: unknown[]) => {
      charged.push(charge)
      return null
    },
  }
  const asked = createLinks({ storage: test.storage, hash, limits, answersByMail: true, now: () => now })
  await expect(asked.resume({ token: 'x' }, '203.0.113.1')).rejects.toMatchObject({ code: 'not-found' })
  await expect(asked.unsubscribe('x', '203.0.113.2')).rejects.toMatchObject({ code: 'not-found' })
  expect(charged).toEqual([
    ['address', '203.0.113.1', 20],
    ['address', '203.0.113.2', 20],
  ])
})

it.each([
  ['no body', {}],
  [
    'one click of a mail program',
    {
      payload: 'List-Unsubscribe=One-Click',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    },
  ],
  [
    'a multipart form',
    {
      payload: '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
    },
  ],
  [
    'a form of a mail app in another site',
    {
      payload: 'List-Unsubscribe=One-Click',
      headers: {
        ...headers,
        ...{ origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' },
        'content-type': 'application/x-www-form-urlencoded',
      },
    },
  ],
  [
    'an empty form',
    { payload: '', headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } },
  ],
])('unsubscribes with %s, also twice', async (_, options) => {
  const { clientId, epoch } = await conversation()
  const { unsubscribe: token } = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  now += 60 * DAY
  for (let n = 0; n < 2; n += 1) {
    const answer = await test.call('POST', `/api/chat/unsubscribe/${token}`, { headers, ...options })
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Unsubscribed' }])
  }
  expect(await test.storage.visitors.find(clientId)).toMatchObject({ unsubscribed: true })
  expect(await test.storage.addresses.isUnsubscribed(addressId)).toBe(true)
})

it('unsubscribes after the visitor has erased the conversation or given another address', async () => {
  const unsubscribed = () => test.storage.addresses.isUnsubscribed(addressId)
  const { clientId, epoch } = await conversation()
  const link = { clientId, epoch, addressId, mailId: 'a reply' }
  const { unsubscribe: token } = await links.create(link)
  await test.storage.visitors.update(clientId, { email: 'eve@example.org' }, { by: null, at: now })
  expect((await post(`/api/chat/unsubscribe/${token}`)).statusCode).toBe(200)
  expect(await unsubscribed()).toBe(true)
  expect(await test.storage.visitors.find(clientId)).toMatchObject({ unsubscribed: false })
  await test.storage.addresses.setUnsubscribed(addressId, null)
  await test.storage.conversations.erase(clientId)
  expect((await post(`/api/chat/unsubscribe/${token}`)).statusCode).toBe(200)
  expect(await unsubscribed()).toBe(true)
})

it('subscribes again only with the token of an unsubscribe link', async () => {
  const { clientId, epoch } = await conversation()
  const made = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  await post(`/api/chat/unsubscribe/${made.unsubscribe}`)
  for (const token of [made.resume, 'x'])
    expect((await post('/api/chat/subscribe', { token })).statusCode).toBe(404)
  expect(await test.storage.addresses.isUnsubscribed(addressId)).toBe(true)
  for (let n = 0; n < 2; n += 1) {
    const answer = await post('/api/chat/subscribe', { token: made.unsubscribe })
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Subscribed' }])
  }
  expect(await test.storage.addresses.isUnsubscribed(addressId)).toBe(false)
  expect(await test.storage.visitors.find(clientId)).toMatchObject({ unsubscribed: false })
})

it('unsubscribes the present address by a link of an older release', async () => {
  const { clientId, epoch } = await conversation()
  const { unsubscribe: token } = await links.create({ clientId, epoch, addressId: null, mailId: 'a reply' })
  await links.unsubscribe(token, '203.0.113.1')
  expect(await test.storage.addresses.isUnsubscribed(addressId)).toBe(true)
})

it('changes nothing when an unsubscribe link is only opened, and leads to its page', async () => {
  const { clientId, epoch } = await conversation()
  const { unsubscribe: token } = await links.create({ clientId, epoch, addressId, mailId: 'a reply' })
  const answer = await test.call('GET', `/api/chat/unsubscribe/${token}`, { headers })
  expect(answer.statusCode).toBe(303)
  expect(answer.headers).toMatchObject({
    location: `https://acme.example/c/unsubscribe#${token}`,
    'cache-control': 'no-store',
  })
  expect(await test.storage.visitors.find(clientId)).toMatchObject({ unsubscribed: false })
  const evil = await test.call('GET', `/api/chat/unsubscribe/${encodeURIComponent('//x.example#')}`, {
    headers,
  })
  expect(evil.headers.location).toBe('https://acme.example/c/unsubscribe#%2F%2Fx.example%23')
})

it('does not reveal which tokens exist when a body is too large', async () => {
  const answer = await test.call('POST', '/api/chat/unsubscribe/x', {
    payload: 'x'.repeat(20_000),
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(answer.statusCode).toBe(413)
})
