import type { Blocked, ConversationSummary, Page } from '@proctorpass/shared/schemas/chat'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import type { Activity, Visitor } from '@proctorpass/shared/schemas/inbox'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

const NOW = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const KEY = 'k'.repeat(43)
const withKey = (key: string) => ({ authorization: `Visitor ${key}` })

let time = NOW
let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
beforeAll(async () => {
  test = await buildTestApp({ now: () => time })
  admin = await test.signIn()
  await turnRatings(true)
})
afterAll(() => test.close())
beforeEach(() => {
  time = NOW
})

async function turnRatings(rating: boolean): Promise<void> {
  const settings = (await test.call('GET', '/api/settings', { headers: admin.bearer })).json() as Settings
  const payload = { ...settings, rating }
  const answer = await test.call('PUT', '/api/settings', { headers: admin.bearer, payload })
  expect(answer.statusCode).toBe(200)
}

type Headers = Record<string, string>
const post = (clientId: string, message: string, more: object = {}, headers: Headers = {}) =>
  test.call('POST', '/api/chat', { payload: { clientId, message, ...more }, headers })
const page = async (clientId: string, headers: Headers = {}) =>
  (await test.call('GET', `/api/chat/${clientId}`, { headers })).json() as Page
const asAdmin = (
  method: 'GET' | 'POST' | 'DELETE' | 'PATCH',
  clientId: string,
  path = '',
  payload?: object,
) =>
  test.call(method, `/api/chat/admin/${clientId}${path}`, {
    headers: admin.bearer,
    ...(payload === undefined ? {} : { payload }),
  })
const known = async (clientId: string) => (await asAdmin('GET', clientId, '/visitor')).json() as Visitor
const activity = async (clientId: string) =>
  (await asAdmin('GET', clientId, '/activity')).json().activity as Activity[]
const newConversation = async () => {
  const clientId = newClientId()
  expect((await post(clientId, 'hello', { nonce: 'nonce-hello' })).statusCode).toBe(201)
  return clientId
}

describe('POST /chat/admin/:clientId/block', () => {
  const block = (clientId: string, hours: unknown) => asAdmin('POST', clientId, '/block', { hours })

  it('refuses what the visitor sends, and says where to write to', async () => {
    const clientId = await newConversation()
    const until = new Date(NOW + HOUR).toISOString()
    const answer = await block(clientId, 1)
    expect([answer.statusCode, answer.json()]).toMatchObject([
      200,
      {
        ...{ message: 'Visitor blocked', blockedUntil: until },
        data: { clientId, status: 'resolved', version: 1, waitingSince: null, blockedUntil: until },
      },
    ])
    const refused = await post(clientId, 'more')
    expect([refused.statusCode, refused.json()]).toMatchObject([
      403,
      { code: 'blocked', retryable: false, message: expect.stringContaining(test.env.supportEmail) },
    ])
    expect(await known(clientId)).toMatchObject({ blockedUntil: until })
    expect(await activity(clientId)).toMatchObject([
      { kind: 'block', by: admin.user_Id, data: { until } },
      { kind: 'status', by: admin.user_Id, data: { from: 'open', to: 'resolved' } },
    ])
    // Reading stays, and so do answers to what was stored before.
    expect((await page(clientId)).messages).toHaveLength(1)
    expect((await post(clientId, 'hello', { nonce: 'nonce-hello' })).statusCode).toBe(200)
    time = NOW + HOUR
    expect((await post(clientId, 'more')).statusCode).toBe(201)
    expect((await known(clientId)).blockedUntil).toBeNull()
  })

  it('refuses what the visitor and their browser say about themselves', async () => {
    const clientId = newClientId()
    await post(clientId, 'hello', {}, withKey(KEY))
    const say = (payload: object, headers: Headers = withKey(KEY)) =>
      test.call('PATCH', `/api/chat/${clientId}/profile`, { payload, headers })
    expect((await say({ name: 'Sam' })).statusCode).toBe(200)
    await block(clientId, 1)
    for (const payload of [{ name: 'Eve' }, { email: null }, { page: '/faq' }, {}]) {
      const refused = await say(payload)
      expect([refused.statusCode, refused.json()]).toMatchObject([
        403,
        { code: 'blocked', retryable: false, message: expect.stringContaining(test.env.supportEmail) },
      ])
    }
    // A stranger is not told of the block.
    expect((await say({ name: 'Eve' }, {})).json().code).toBe('forbidden')
    expect(await known(clientId)).toMatchObject({ name: 'Sam', page: null })
    time = NOW + HOUR
    expect((await say({ name: 'Sam B.' })).statusCode).toBe(200)
  })

  it('blocks for good, and is lifted', async () => {
    const clientId = await newConversation()
    expect((await block(clientId, null)).json().blockedUntil).toBe('forever')
    expect((await known(clientId)).blockedUntil).toBe('forever')
    const lifted = await asAdmin('DELETE', clientId, '/block')
    expect([lifted.statusCode, lifted.json()]).toMatchObject([
      200,
      {
        ...{ message: 'Visitor unblocked', blockedUntil: null },
        data: { clientId, status: 'resolved', version: 1, waitingSince: null, blockedUntil: null },
      },
    ])
    expect((await asAdmin('DELETE', clientId, '/block')).statusCode).toBe(200)
    expect((await post(clientId, 'more')).statusCode).toBe(201)
    expect((await activity(clientId)).map(({ data }) => data)).toEqual([
      { until: 'forever' },
      { from: 'open', to: 'resolved' },
      { until: null },
      { from: 'resolved', to: 'open' },
    ])
  })

  it('says in the list, in the summary, and to admins who listen until when, and ends by itself', async () => {
    const clientId = await newConversation()
    const listed = async () => {
      const list = await test.call('GET', '/api/chat?status=resolved', { headers: admin.bearer })
      return (list.json() as ConversationSummary[]).find((row) => row.clientId === clientId)?.blockedUntil
    }
    const summary = async () => (await asAdmin('GET', clientId, '/summary')).json().blockedUntil
    await asAdmin('PATCH', clientId, '', { status: 'resolved' })
    expect([await listed(), await summary()]).toEqual([null, null])
    await block(clientId, 1)
    const until = new Date(NOW + HOUR).toISOString()
    expect([await listed(), await summary()]).toEqual([until, until])
    const changed = await asAdmin('PATCH', clientId, '', { labels: ['x'] })
    expect(changed.json().blockedUntil).toBe(until)
    time = NOW + HOUR
    expect([await listed(), await summary()]).toEqual([null, null])
    time = NOW
    await block(clientId, null)
    expect([await listed(), await summary()]).toEqual(['forever', 'forever'])
  })

  it('is undone by lifting it and restoring the status', async () => {
    const clientId = await newConversation()
    const before = (await asAdmin('GET', clientId, '/summary')).json() as ConversationSummary
    const { data } = (await block(clientId, null)).json() as Blocked
    await asAdmin('DELETE', clientId, '/block')
    const restored = await asAdmin('PATCH', clientId, '', { status: 'open', version: data?.version })
    const { status, waitingSince } = restored.json()
    expect({ status, waitingSince }).toEqual({ status: 'open', waitingSince: before.waitingSince })
  })

  it('keeps its visitor out of who waits, also when an admin reopens the conversation', async () => {
    const clientId = await newConversation()
    const waits = async () => {
      const now = (await test.call('GET', '/api/reports/now', { headers: admin.bearer })).json()
      return (now.waiting.conversations as { clientId: string }[]).some((each) => each.clientId === clientId)
    }
    expect(await waits()).toBe(true)
    await block(clientId, null)
    expect(await waits()).toBe(false)
    const reopened = await asAdmin('PATCH', clientId, '', { status: 'open' })
    expect(reopened.json()).toMatchObject({ status: 'open', waitingSince: null })
    expect(await waits()).toBe(false)
    const lifted = (await asAdmin('DELETE', clientId, '/block')).json() as Blocked
    expect(lifted.data?.waitingSince).toBe(new Date(NOW).toISOString())
    expect(await waits()).toBe(true)
  })

  it('answers without a summary when the history was erased', async () => {
    const clientId = await newConversation()
    await test.call('DELETE', `/api/chat/${clientId}`)
    expect((await block(clientId, null)).json()).toMatchObject({ blockedUntil: 'forever', data: null })
    expect((await block(clientId, null)).json()).toMatchObject({ blockedUntil: 'forever', data: null })
  })

  it('survives erasing', async () => {
    const clientId = await newConversation()
    await block(clientId, null)
    expect((await test.call('DELETE', `/api/chat/${clientId}`)).statusCode).toBe(204)
    expect((await post(clientId, 'again')).json().code).toBe('blocked')
  })

  it('refuses other hours, unknown conversations and visitors', async () => {
    const clientId = await newConversation()
    for (const hours of [0, 8_761, 1.5, '1', -1, undefined, {}]) {
      const answer = await block(clientId, hours)
      expect([answer.statusCode, answer.json().details?.[0]?.field]).toEqual([400, 'hours'])
    }
    expect((await known(clientId)).blockedUntil).toBeNull()
    expect((await block(newClientId(), 1)).statusCode).toBe(404)
    expect((await asAdmin('DELETE', newClientId(), '/block')).statusCode).toBe(404)
    const path = `/api/chat/admin/${clientId}/block`
    const byVisitor = await test.call('POST', path, { payload: { hours: 1 }, headers: withKey(KEY) })
    expect(byVisitor.statusCode).toBeGreaterThanOrEqual(401)
    expect((await test.call('DELETE', path)).statusCode).toBe(401)
  })
})

describe('POST /chat/:clientId/rating', () => {
  const rate = (clientId: string, payload: object, headers: Headers = {}) =>
    test.call('POST', `/api/chat/${clientId}/rating`, { payload, headers })
  const resolve = (clientId: string) => asAdmin('PATCH', clientId, '', { status: 'resolved' })

  it('is stored once while the conversation is resolved, and the page asks for it', async () => {
    const clientId = await newConversation()
    expect(await page(clientId)).not.toHaveProperty('ask')
    expect((await rate(clientId, { score: 5 })).statusCode).toBe(409)
    await resolve(clientId)
    expect((await page(clientId)).ask).toBe('rating')
    expect((await asAdmin('GET', clientId)).json()).not.toHaveProperty('ask')
    const answer = await rate(clientId, { score: 4, words: '  fine\r\n<b>  ' })
    expect([answer.statusCode, answer.json()]).toEqual([201, { message: 'Rating saved' }])
    expect(await page(clientId)).not.toHaveProperty('ask')
    // Its first answer may have been lost.
    expect((await rate(clientId, { score: 4, words: 'fine\n<b>' })).statusCode).toBe(200)
    const other = await rate(clientId, { score: 1 })
    expect([other.statusCode, other.json().code]).toEqual([409, 'conflict'])
    const rating = { score: 4, words: 'fine\n<b>' }
    expect((await activity(clientId)).slice(1)).toMatchObject([{ kind: 'rating', by: null, data: rating }])
    expect((await known(clientId)).ratings).toEqual([{ at: new Date(NOW).toISOString(), ...rating }])
  })

  it('is asked for again with the next resolve, newest first', async () => {
    const clientId = await newConversation()
    await resolve(clientId)
    await rate(clientId, { score: 1 })
    await post(clientId, 'not solved')
    expect(await page(clientId)).not.toHaveProperty('ask')
    await resolve(clientId)
    expect((await page(clientId)).ask).toBe('rating')
    time = NOW + HOUR
    expect((await rate(clientId, { score: 5, words: '' })).statusCode).toBe(201)
    expect((await known(clientId)).ratings).toEqual([
      { at: new Date(time).toISOString(), score: 5, words: null },
      { at: new Date(NOW).toISOString(), score: 1, words: null },
    ])
  })

  it('is refused while ratings are off', async () => {
    const clientId = await newConversation()
    await resolve(clientId)
    await turnRatings(false)
    expect((await rate(clientId, { score: 5 })).json().code).toBe('forbidden')
    expect(await page(clientId)).not.toHaveProperty('ask')
    await turnRatings(true)
    expect((await page(clientId)).ask).toBe('rating')
  })

  it('is refused to a blocked visitor, who is not asked either', async () => {
    const clientId = await newConversation()
    await resolve(clientId)
    await asAdmin('POST', clientId, '/block', { hours: 1 })
    expect(await page(clientId)).not.toHaveProperty('ask')
    expect((await rate(clientId, { score: 5 })).json().code).toBe('blocked')
  })

  it('refuses other values, other visitors and admins', async () => {
    const clientId = newClientId()
    await post(clientId, 'hello', {}, withKey(KEY))
    await resolve(clientId)
    for (const score of [0, 6, 2.5, '5', null, undefined]) {
      const answer = await rate(clientId, { score }, withKey(KEY))
      expect([answer.statusCode, answer.json().details?.[0]?.field]).toEqual([400, 'score'])
    }
    for (const words of ['x'.repeat(1_001), 'a\0b', '\ud800', 7, null]) {
      const answer = await rate(clientId, { score: 5, words }, withKey(KEY))
      expect([answer.statusCode, answer.json().details?.[0]?.field]).toEqual([400, 'words'])
    }
    expect((await rate(clientId, { score: 5 })).statusCode).toBe(403)
    expect((await rate(clientId, { score: 5 }, withKey('w'.repeat(43)))).statusCode).toBe(403)
    expect((await rate(clientId, { score: 5 }, admin.bearer)).statusCode).toBe(403)
    expect((await rate(newClientId(), { score: 5 })).statusCode).toBe(404)
    expect((await rate(clientId, { score: 5, words: '😀'.repeat(1_000) }, withKey(KEY))).statusCode).toBe(201)
  })
})

describe('GET /chat/:clientId/export', () => {
  const download = (clientId: string, headers: Headers = {}) =>
    test.call('GET', `/api/chat/${clientId}/export`, { headers })

  it('is a file with everything of the visitor, and nothing of the admins', async () => {
    const clientId = newClientId()
    await post(clientId, 'my words “” \u2028 😀', {}, withKey(KEY))
    const profile = { name: 'Zoë', email: 'zoe@example.com', timeZone: 'Europe/Zurich' }
    await test.call('PATCH', `/api/chat/${clientId}/profile`, { payload: profile, headers: withKey(KEY) })
    await post(clientId, 'an answer', {}, admin.bearer)
    const text = 'a secret note @admin'
    await asAdmin('POST', clientId, '/notes', { nonce: 'nonce-of-a-note', text })
    await asAdmin('PATCH', clientId, '', { status: 'resolved', labels: ['Secret label'] })
    const rating = { score: 2, words: 'slow' }
    await test.call('POST', `/api/chat/${clientId}/rating`, { payload: rating, headers: withKey(KEY) })
    await asAdmin('POST', clientId, '/block', { hours: 1 })

    const answer = await download(clientId, withKey(KEY))
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="conversation.json"',
      'cache-control': 'private, no-store',
    })
    const at = new Date(NOW).toISOString()
    expect(answer.json() as ConversationExport).toEqual({
      exportedAt: at,
      site: test.env.brand,
      profile: {
        ...{ ...profile, examAt: null, locale: null, device: null, page: null, referrer: null, card: null },
        pages: [],
        lastSeenAt: at,
      },
      ratings: [{ at, ...rating }],
      messages: [
        { at, from: 'you', text: 'my words “” \u2028 😀' },
        { at, from: test.env.brand, text: 'an answer' },
      ],
    })
    for (const secret of ['secret', 'Secret', admin.user_Id, '"admin"', clientId, 'resolved', 'nonce']) {
      expect(answer.body).not.toContain(secret)
    }
    expect((await download(clientId, admin.bearer)).statusCode).toBe(200)
    expect((await download(clientId)).statusCode).toBe(403)
    expect((await download(clientId, withKey('w'.repeat(43)))).statusCode).toBe(403)
  })

  it('has every message of a long conversation', async () => {
    const clientId = newClientId()
    const texts = Array.from({ length: 450 }, (_, n) => `message ${n} ${'x'.repeat((n % 7) * 400)}`)
    for (const [n, message] of texts.entries()) {
      const sender = { clientId, senderId: clientId, nonce: `nonce-of-${n}`, at: NOW }
      await test.storage.messages.append({ ...sender, message })
    }
    const { messages } = (await download(clientId)).json() as ConversationExport
    expect(messages.map(({ text }) => text)).toEqual(texts)
  })

  it('answers 404 without a conversation, and limits how often', async () => {
    expect((await download(newClientId())).statusCode).toBe(404)
    const clientId = await newConversation()
    const statuses = []
    for (let n = 0; n < 11; n++) statuses.push((await download(clientId)).statusCode)
    expect(statuses).toEqual([...Array(10).fill(200), 429])
    await test.call('DELETE', `/api/chat/${clientId}`)
    const other = await newConversation()
    await test.call('DELETE', `/api/chat/${other}`)
    expect((await download(other)).statusCode).toBe(404)
  })
})

describe('DELETE /chat/admin/:clientId', () => {
  it('erases for admins only, and answers 404 without a conversation', async () => {
    const clientId = await newConversation()
    expect((await test.call('DELETE', `/api/chat/admin/${clientId}`)).statusCode).toBe(401)
    const answer = await asAdmin('DELETE', clientId)
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect((await page(clientId)).messages).toEqual([])
    expect((await asAdmin('DELETE', clientId)).statusCode).toBe(404)
    expect((await test.call('DELETE', `/api/chat/${clientId}`)).statusCode).toBe(404)
    expect((await asAdmin('DELETE', newClientId())).statusCode).toBe(404)
  })

  it('refuses a message with the erased epoch, also to a conversation that never was', async () => {
    const clientId = await newConversation()
    const { epoch } = await page(clientId)
    await asAdmin('DELETE', clientId)
    const late = await post(clientId, 'late', { epoch })
    expect([late.statusCode, late.json().code]).toEqual([409, 'stale-epoch'])
    const nowhere = await post(newClientId(), 'late', { epoch })
    expect([nowhere.statusCode, nowhere.json().code]).toEqual([409, 'stale-epoch'])
  })
})
