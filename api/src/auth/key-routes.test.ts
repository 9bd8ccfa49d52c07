import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
let now = Date.now()
beforeEach(async () => {
  now = Date.now()
  test = await buildTestApp({ now: () => now, variables: { BRAND: 'Example Help', RATE_LIMITS: 'on' } })
  admin = await test.signIn()
})
afterEach(() => test.close())

type Payload = Record<string, unknown>
const create = (payload: Payload) => test.call('POST', '/api/keys', { headers: admin.bearer, payload })
const list = async () => (await test.call('GET', '/api/keys', { headers: admin.bearer })).json()
/** A key, and its calls. */
async function keyWith(...scopes: string[]) {
  const { key, data } = (await create({ name: 'Nightly report', scopes })).json()
  const headers = { authorization: `Bearer ${key}` }
  const call = (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: Payload) =>
    test.call(method, url, { headers, ...(payload && { payload }) })
  return { key: key as string, id: data._id as string, author: `key:${data._id}`, call }
}
/** A conversation that a visitor began. */
async function conversation() {
  const clientId = newClientId()
  await test.call('POST', '/api/chat', { payload: { clientId, message: 'Hello' } })
  return clientId
}

describe('API keys', () => {
  it('are shown once, and listed without their secret', async () => {
    const expiresAt = new Date(now + 60_000).toISOString()
    const answer = await create({ name: ' Nightly report ', scopes: ['read', 'read'], expiresAt })
    expect(answer.statusCode).toBe(201)
    const { key, data } = answer.json()
    expect(key).toMatch(/^ppk_[A-Za-z0-9_-]{43}$/)
    expect(data).toEqual({
      ...{ _id: expect.any(String), name: 'Nightly report', prefix: key.slice(0, 8), scopes: ['read'] },
      ...{ createdAt: new Date(now).toISOString(), expiresAt, lastUsedAt: null, createdBy: admin.user_Id },
    })
    expect(await list()).toEqual({ keys: [data], count: 1 })
    expect(test.log.join('')).not.toContain(key)
  })

  it.each([
    [{ name: '', scopes: ['read'] }, 'name'],
    [{ name: 'x'.repeat(81), scopes: ['read'] }, 'name'],
    [{ name: 'x', scopes: ['read'], expiresAt: 'soon' }, 'expiresAt'],
    [{ name: 'x', scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['everything'] }, 'scopes/0'],
  ])('refuse %j', async (payload, field) => {
    const answer = await create(payload)
    expect([answer.statusCode, answer.json().details?.[0]?.field]).toEqual([400, field])
  })

  it('are at most fifty', async () => {
    for (let count = 0; count < 50; count += 1) await create({ name: `key ${count}`, scopes: ['read'] })
    const answer = await create({ name: 'one more', scopes: ['read'] })
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'conflict'])
  })

  it('end when they expire or are deleted, with the answer of an unknown key', async () => {
    const expiring = (
      await create({ name: 'a', scopes: ['read'], expiresAt: new Date(now + 1_000).toISOString() })
    ).json()
    const deleted = await keyWith('read')
    expect((await deleted.call('GET', '/api/chat')).statusCode).toBe(200)
    await test.call('DELETE', `/api/keys/${deleted.id}`, { headers: admin.bearer })
    now += 1_000
    const answers = await Promise.all(
      [expiring.key, deleted.key, `ppk_${'a'.repeat(43)}`, 'ppk_short'].map(async (key) => {
        const answer = await test.call('GET', '/api/chat', { headers: { authorization: `Bearer ${key}` } })
        const { requestId: _, ...body } = answer.json()
        return { status: answer.statusCode, body }
      }),
    )
    expect(answers[0]).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect((await test.call('DELETE', `/api/keys/${deleted.id}`, { headers: admin.bearer })).statusCode).toBe(
      404,
    )
  })

  it('write under their own name: admins see it, also after deletion, visitors see the brand', async () => {
    const { call, author, id } = await keyWith('write')
    const clientId = await conversation()
    expect(
      (await call('POST', '/api/chat', { clientId, message: 'From a program' })).json().data,
    ).toMatchObject({
      senderId: author,
    })
    await call('POST', `/api/chat/admin/${clientId}/notes`, { nonce: 'nonce-of-note', text: 'A note' })
    await call('PATCH', `/api/chat/admin/${clientId}`, { labels: ['vip'] })
    await test.call('DELETE', `/api/keys/${id}`, { headers: admin.bearer })

    const read = async (url: string, headers = {}) => (await test.call('GET', url, { headers })).json()
    const forAdmins = await read(`/api/chat/admin/${clientId}`, admin.bearer)
    expect(forAdmins.people).toEqual({ [author]: { name: 'Nightly report' } })
    const log = await read(`/api/chat/admin/${clientId}/activity`, admin.bearer)
    expect(log.activity.map(({ kind, by }: Payload) => [kind, by])).toEqual([
      ['note', author],
      ['labels', author],
    ])
    expect(log.people).toEqual({ [author]: { name: 'Nightly report' } })
    const forVisitors = await read(`/api/chat/${clientId}`)
    expect(forVisitors.people).toEqual({ [author]: { name: 'Example Help' } })
  })

  it('read without marking as read, and answer without being assigned', async () => {
    const { call } = await keyWith('write')
    const clientId = await conversation()
    expect((await call('GET', `/api/chat/admin/${clientId}`)).json().read.admin).toBe(0)
    expect((await call('GET', '/api/chat/unread/count')).json()).toEqual({ totalAdminUnread: 1 })
    await call('POST', '/api/chat', { clientId, message: 'From a program' })
    expect((await call('GET', `/api/chat/admin/${clientId}/summary`)).json()).toMatchObject({
      assigneeId: null,
      waitingSince: null,
    })
    await test.call('POST', '/api/chat', { headers: admin.bearer, payload: { clientId, message: 'Mine' } })
    expect((await call('GET', `/api/chat/admin/${clientId}/summary`)).json().assigneeId).toBe(admin.user_Id)
  })

  it('say when they were last used', async () => {
    const { call } = await keyWith('read')
    await call('GET', '/api/team')
    await expect.poll(async () => (await list()).keys[0].lastUsedAt).toBe(new Date(now).toISOString())
  })

  it('may call 600 times a minute', async () => {
    const { call } = await keyWith('read')
    const first = await call('GET', '/api/chat/counts')
    expect(first.headers['ratelimit-policy']).toBe('"key";q=600;w=60')
    let last = first
    for (let count = 1; count <= 600; count += 1) last = await call('GET', '/api/chat/counts')
    expect([last.statusCode, last.json().code]).toEqual([429, 'rate-limited'])
  })

  it.each(['/api/chat?key=', '/api/blogs?page=1&x=', '/healthz?a=1&a=', '/api/nowhere?%61=%70'])(
    'are refused in the query of %s, and not logged',
    async (url) => {
      const { key } = await keyWith('read')
      const sent = url.endsWith('%70') ? key.slice(1) : key
      const answer = await test.call('GET', url + sent, { headers: admin.bearer })
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
      expect(answer.body + test.log.join('')).not.toContain(key.slice(4))
    },
  )
})
