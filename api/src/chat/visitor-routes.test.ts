import { CLIENT_ID_LENGTH } from '@proctorpass/shared/limits'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { Activity, Visitor } from '@proctorpass/shared/schemas/inbox'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { IGNORE_FACTS } from './listeners.ts'

const NOW = Date.UTC(2026, 0, 1)
const DAY = 24 * 60 * 60 * 1_000
const KEY = 'k'.repeat(43)
const WRONG_KEY = 'w'.repeat(43)
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let time = NOW
let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
beforeAll(async () => {
  test = await buildTestApp({ now: () => time })
  admin = await test.signIn()
})
afterAll(() => test.close())

const withKey = (key: string) => ({ authorization: `Visitor ${key}` })
const write = (clientId: string, headers: Record<string, string> = {}) =>
  test.call('POST', '/api/chat', { payload: { clientId, message: 'Hello' }, headers })
const profile = (clientId: string, payload: object, headers: Record<string, string> = {}) =>
  test.call('PATCH', `/api/chat/${clientId}/profile`, { payload, headers })
const path = (clientId: string) => `/api/chat/admin/${clientId}/visitor`
const known = async (clientId: string) =>
  (await test.call('GET', path(clientId), { headers: admin.bearer })).json() as Visitor
const correct = (clientId: string, payload: object) =>
  test.call('PATCH', path(clientId), { payload, headers: admin.bearer })
const newConversation = async () => {
  const clientId = newClientId()
  await write(clientId)
  return clientId
}

const SAID = {
  name: 'Zoë 例',
  email: 'zoë@例子.example',
  examAt: '2026-02-01T09:30:00.000Z',
  locale: 'zh-Hant-TW',
  timeZone: 'America/Argentina/ComodRivadavia',
  page: '/faq',
  referrer: 'https://www.example.com',
}
const NOTHING = {
  ...{ name: null, email: null, examAt: null, locale: null, timeZone: null },
  ...{ device: null, page: null, referrer: null, card: null, pages: [] },
}
const VIEW = { path: '/faq', title: 'FAQ', at: '2026-01-01T00:00:00.000Z', seconds: 12 }

/** Bodies that are refused, naming the field. */
const REFUSED: { [F in keyof typeof SAID]: unknown[] } = {
  name: [
    '',
    ' ',
    '\u200b\u2060',
    'x'.repeat(81),
    'a\nb',
    'a\0b',
    '\ud800',
    '\u202egnp.exe',
    7,
    ['Sam'],
    { $gt: '' },
  ],
  email: ['sam', 'sam@example', 'a@b.c\nBcc: x@y.z', `${'a'.repeat(65)}@b.c`, '<x@y.z>', '', false],
  examAt: [
    'tomorrow',
    '2026-02-01',
    '2026-02-01T09:30',
    '2026-02-30T09:30Z',
    '2026-02-01T25:00Z',
    '',
    0,
    '2028-06-01T00:00Z',
    '2023-06-01T00:00Z',
    '+275760-09-13T00:00:00Z',
    '2026-02-01T09:30+99:00',
  ],
  locale: ['en_US', 'x', '', 'en-', `en-x-${'a'.repeat(40)}`, '<b>', 'en\0', 1],
  timeZone: ['Mars/Olympus', '+02:00', '', 'Europe/Zürich', '../../etc/passwd', 'x'.repeat(100), {}],
  page: [
    'faq',
    '',
    '//evil.example/x',
    '/\\evil.example',
    'https://x.example/',
    'javascript:alert(1)',
    '/a\nb',
    '/\u202eb',
    '/\ud800',
    `/${'x'.repeat(300)}`,
    `/${'x'.repeat(5_000)}`,
  ],
  referrer: [
    'https://x.example/path',
    'https://x.example/?q',
    'https://a:b@x.example',
    'x.example',
    '',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://x.example',
    'file:///etc',
    'null',
    false,
    `https://${'x.'.repeat(200)}example`,
  ],
}

describe('PATCH /chat/:clientId/profile', () => {
  it('stores what a visitor says, and answers only a message', async () => {
    const clientId = await newConversation()
    time = NOW + 60_000
    const answer = await profile(clientId, SAID, { 'user-agent': FIREFOX })
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Details saved' }])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(await known(clientId)).toEqual({
      clientId,
      ...SAID,
      ...{ signed: null, site: null, card: null, pages: [] },
      device: 'Firefox on Linux',
      firstSeenAt: new Date(NOW).toISOString(),
      lastSeenAt: new Date(NOW + 60_000).toISOString(),
      online: false,
      blockedUntil: null,
      ratings: [],
    })
    time = NOW
  })

  it('answers 404 before the first message and after the conversation was erased', async () => {
    const clientId = newClientId()
    const before = await profile(clientId, { name: 'Sam' })
    expect([before.statusCode, before.json().code]).toEqual([404, 'not-found'])
    await write(clientId)
    expect((await profile(clientId, { name: 'Sam' })).statusCode).toBe(200)
    await test.call('DELETE', `/api/chat/${clientId}`)
    expect((await profile(clientId, { name: 'Sam' })).statusCode).toBe(404)
    await write(clientId)
    expect(await known(clientId)).toMatchObject(NOTHING)
  })

  it('needs the key of the conversation', async () => {
    const clientId = newClientId()
    await write(clientId, withKey(KEY))
    for (const headers of [{}, withKey(WRONG_KEY)]) {
      const answer = await profile(clientId, { name: 'Eve' }, headers as Record<string, string>)
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'forbidden'])
    }
    expect(await known(clientId)).toMatchObject(NOTHING)
    expect((await profile(clientId, { name: 'Sam' }, withKey(KEY))).statusCode).toBe(200)
    expect(await known(clientId)).toMatchObject({ name: 'Sam' })
  })

  it('says whether a mail of the conversation was unsubscribed from, which no visitor can undo', async () => {
    const clientId = await newConversation()
    const saved = { message: 'Details saved' }
    const said = async (payload: object) => (await profile(clientId, payload)).json()
    expect(await said({ email: SAID.email })).toEqual(saved)
    await test.storage.visitors.setUnsubscribed(clientId, true)
    for (const payload of [{}, { email: SAID.email }, { page: '/faq' }, { subscribe: true }])
      expect(await said(payload)).toEqual({ ...saved, unsubscribed: true })
    await correct(clientId, { name: 'Sam', subscribe: true })
    expect(await said({})).toEqual({ ...saved, unsubscribed: true })
    // The answer tells nothing about an address that others gave.
    expect(await said({ email: 'other@example.com' })).toEqual(saved)
    expect(await said({ email: SAID.email })).toEqual(saved)
  })

  it('is for visitors: an admin corrects instead', async () => {
    const clientId = await newConversation()
    const answer = await profile(clientId, { name: 'Sam' }, admin.bearer)
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'forbidden'])
  })

  it('changes only what it is given, and clears with null', async () => {
    const clientId = await newConversation()
    await profile(clientId, SAID)
    await profile(clientId, { email: null, examAt: null, referrer: null, page: '/reviews', device: 'x' })
    const { name, locale, timeZone } = SAID
    expect(await known(clientId)).toMatchObject({ ...NOTHING, name, locale, timeZone, page: '/reviews' })
    expect((await profile(clientId, {})).statusCode).toBe(200)
  })

  it.each<[keyof typeof SAID, string, string]>([
    ['name', ' Sam\n', 'Sam'],
    ['name', '𝒳'.repeat(80), '𝒳'.repeat(80)],
    ['name', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['email', ' sam@example.com ', 'sam@example.com'],
    ['examAt', '2026-02-01T09:30+05:30', '2026-02-01T04:00:00.000Z'],
    ['examAt', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['locale', 'EN-us', 'en-US'],
    ['timeZone', 'UTC', 'UTC'],
    ['timeZone', 'Asia/Kolkata', 'Asia/Kolkata'],
    ['page', '/faq?token=secret#part', '/faq'],
    ['page', `/blog/preview/${'0a'.repeat(32)}`, '/blog/preview/'],
    ['page', `/${'x'.repeat(299)}?${'y'.repeat(3_000)}`, `/${'x'.repeat(299)}`],
    ['page', '/', '/'],
    ['referrer', 'HTTP://Example.com:8080/', 'http://example.com:8080'],
    ['referrer', 'https://例子.example', 'https://xn--fsqu00a.example'],
  ])('takes %s %j', async (field, value, stored) => {
    const clientId = await newConversation()
    expect((await profile(clientId, { [field]: value })).statusCode).toBe(200)
    expect((await known(clientId))[field]).toBe(stored)
  })

  it.each(
    Object.entries(REFUSED).flatMap(([field, values]) =>
      values.map((value) => ({ field, value, shown: String(JSON.stringify(value)).slice(0, 40) })),
    ),
  )('refuses $field $shown and stores nothing', async ({ field, value }) => {
    const clientId = await newConversation()
    const answer = await profile(clientId, { ...SAID, [field]: value })
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
    expect(answer.json().details).toMatchObject([{ field, message: expect.any(String) }])
    expect(await known(clientId)).toMatchObject(NOTHING)
  })

  it.each([
    ['a null body', 'null'],
    ['a list', '[]'],
    ['text', '"x"'],
    ['nothing', ''],
  ])('refuses %s', async (_, payload) => {
    const answer = await test.call('PATCH', `/api/chat/${await newConversation()}/profile`, {
      payload,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.statusCode).toBe(400)
  })

  it('takes nothing from a prototype', async () => {
    const clientId = await newConversation()
    const answer = await test.call('PATCH', `/api/chat/${clientId}/profile`, {
      payload: '{"__proto__":{"name":"Eve"},"constructor":{"prototype":{"name":"Eve"}}}',
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.statusCode).toBeLessThan(500)
    expect(await known(clientId)).toMatchObject(NOTHING)
  })

  it.each([
    [undefined, null],
    ['curl/8.5', null],
    [FIREFOX, 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    [`Chrome/1 <script>${'x'.repeat(4_000)} on Mac`, 'Chrome'],
  ])('derives the device from a User-Agent (%#)', async (userAgent, device) => {
    const clientId = await newConversation()
    // `inject` has one of its own.
    await profile(clientId, {}, { 'user-agent': userAgent ?? '' })
    expect(await known(clientId)).toMatchObject({ device })
  })

  it('keeps the pages a visitor saw: without queries, and none later than now', async () => {
    const clientId = await newConversation()
    const later = '2026-01-01T01:00:00+01:00'
    const pages = [
      { ...VIEW, path: '/faq?secret=1#part', title: ' FAQ  <b> ', at: '2025-12-31T23:59:00Z' },
      { ...VIEW, path: '/blog', title: '', at: '2026-01-02T00:00:00Z', seconds: 0 },
    ]
    expect((await profile(clientId, { pages })).statusCode).toBe(200)
    expect((await profile(clientId, { pages: [{ ...VIEW, path: '/a', at: later }] })).statusCode).toBe(200)
    expect((await known(clientId)).pages).toEqual([
      { ...VIEW, title: 'FAQ  <b>', at: '2025-12-31T23:59:00.000Z' },
      { ...VIEW, path: '/a' },
      { ...VIEW, path: '/blog', title: '', seconds: 0 },
    ])
    const file = await test.call('GET', `/api/chat/${clientId}/export`)
    expect(file.json().profile.pages).toEqual((await known(clientId)).pages)
  })

  it('keeps the card that was shown, if the settings have it, and the first one', async () => {
    const card = { path: '*', afterSeconds: 5, language: null, onlineOnly: false }
    const texts = { text: { en: 'Questions?', zh: '' }, greeting: { en: '', zh: '' } }
    const cards = ['first', 'second'].map((id) => ({ id, ...card, ...texts }))
    const payload = { ...DEFAULT_SETTINGS, cards }
    const saved = await test.call('PUT', '/api/settings', { headers: admin.bearer, payload })
    expect(saved.statusCode, saved.body).toBe(200)
    const clientId = await newConversation()
    for (const unknown of ['third', '', '__proto__', '<b>']) {
      expect((await profile(clientId, { card: unknown })).statusCode).toBe(200)
    }
    expect(await known(clientId)).toMatchObject({ card: null })
    expect((await profile(clientId, { card: 'first', name: 'Sam' })).statusCode).toBe(200)
    expect((await profile(clientId, { card: 'second', name: 'Samuel' })).statusCode).toBe(200)
    expect(await known(clientId)).toMatchObject({ card: 'first', name: 'Samuel' })
    const file = await test.call('GET', `/api/chat/${clientId}/export`)
    expect(file.json().profile.card).toBe('first')
    for (const wrong of [1, null, ['first'], 'x'.repeat(65)]) {
      const answer = await profile(clientId, { card: wrong })
      expect([wrong, answer.statusCode, answer.json().details?.[0]?.field]).toEqual([wrong, 400, 'card'])
    }
    await test.call('DELETE', `/api/chat/${clientId}`)
    await write(clientId)
    expect(await known(clientId)).toMatchObject({ card: null })
  })

  it('refuses wrong pages and stores nothing', async () => {
    const clientId = await newConversation()
    const tooMany = Array.from({ length: 21 }, (_, each) => ({ ...VIEW, path: `/${each}` }))
    const wrong = [
      ...['faq', '//evil.example/x', 'javascript:alert(1)', '/a\nb', `/${'x'.repeat(300)}`].map((path) => ({
        path,
      })),
      ...['x'.repeat(81), 'a\0b', '\u202egnp.exe', '\ud800'].map((title) => ({ title })),
      ...['tomorrow', '2026-02-30T09:30Z', ''].map((at) => ({ at })),
      ...[-1, 1.5, 86_401, '1', null].map((seconds) => ({ seconds })),
      { path: 'https://evil.example/faq' },
    ].map((field) => [VIEW, { ...VIEW, ...field }])
    for (const pages of [...wrong, tooMany, VIEW, 'x', [null]]) {
      const answer = await profile(clientId, { name: 'Sam', pages })
      expect([pages, answer.statusCode, answer.json().code]).toEqual([pages, 400, 'invalid-input'])
      expect(answer.json().details).toMatchObject([{ field: expect.stringMatching(/^pages/) }])
    }
    expect(await known(clientId)).toMatchObject(NOTHING)
    expect((await profile(clientId, { pages: tooMany.slice(1) })).statusCode).toBe(200)
    expect((await known(clientId)).pages).toHaveLength(20)
  })

  it('is limited', async () => {
    const clientId = await newConversation()
    const answers = []
    for (let each = 0; each <= 60; each += 1) answers.push(await profile(clientId, { name: `Sam ${each}` }))
    expect(new Set(answers.slice(0, 60).map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(answers[60]?.statusCode).toBe(429)
    expect(answers[60]?.json()).toMatchObject({ code: 'rate-limited', retryable: true })
  })
})

describe('GET /chat/admin/:clientId/visitor', () => {
  it('answers 404 for an unknown conversation', async () => {
    const answer = await test.call('GET', path(newClientId()), { headers: admin.bearer })
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'not-found'])
  })

  it('knows when a visitor wrote who said nothing', async () => {
    time = NOW + DAY
    const clientId = await newConversation()
    time = NOW + 2 * DAY
    await write(clientId)
    time = NOW
    expect(await known(clientId)).toEqual({
      clientId,
      ...NOTHING,
      ...{ signed: null, site: null },
      firstSeenAt: new Date(NOW + DAY).toISOString(),
      lastSeenAt: new Date(NOW + 2 * DAY).toISOString(),
      online: false,
      blockedUntil: null,
      ratings: [],
    })
  })
})

describe('PATCH /chat/admin/:clientId/visitor', () => {
  it('corrects and clears what the visitor said, and is not seen as the visitor', async () => {
    const clientId = await newConversation()
    await profile(clientId, SAID)
    const before = await known(clientId)
    time = NOW + DAY
    const answer = await correct(clientId, { name: 'Zoe', email: null, page: '/x', locale: 'de' })
    time = NOW
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...before, name: 'Zoe', email: null }])
    expect(await known(clientId)).toEqual(answer.json())
  })

  it('answers 404 for an unknown conversation, and 400 naming wrong fields', async () => {
    expect((await correct(newClientId(), { name: 'Sam' })).statusCode).toBe(404)
    const clientId = await newConversation()
    const answer = await correct(clientId, { name: '', email: 'x', examAt: 'soon' })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().details).toEqual([
      { field: 'name', message: 'Name is required' },
      { field: 'email', message: 'Enter a valid email address' },
      { field: 'examAt', message: 'Enter a date and time' },
    ])
  })
})

describe('what a visitor said', () => {
  it('is told to admins once it changed, and logged when it is more than what the browser says', async () => {
    const clientId = await newConversation()
    const changed: ConversationSummary[] = []
    const created: Activity[] = []
    test.app.useCases.chat.listen({
      ...IGNORE_FACTS,
      conversationChanged: (summary) => changed.push(summary),
      activityCreated: (entry) => created.push(entry),
    })
    await profile(clientId, { locale: 'de', page: '/faq' })
    await profile(clientId, SAID)
    await profile(clientId, SAID)
    await correct(clientId, { name: SAID.name, email: null })
    await correct(clientId, { email: null })
    expect(changed.map(({ visitor, version }) => [visitor.locale, visitor.email, version])).toEqual([
      ['de', null, 0],
      [SAID.locale, SAID.email, 0],
      [SAID.locale, null, 0],
    ])
    const log = await test.call('GET', `/api/chat/admin/${clientId}/activity`, { headers: admin.bearer })
    expect(log.json().activity).toEqual(created)
    expect(created).toMatchObject([
      { n: 1, kind: 'profile', by: null, afterSeq: 1, data: { fields: ['name', 'email', 'examAt'] } },
      { n: 2, kind: 'profile', by: admin.user_Id, afterSeq: 1, data: { fields: ['email'] } },
    ])
  })

  it('stands in the list of conversations', async () => {
    const clientId = await newConversation()
    await profile(clientId, SAID)
    const list = await test.call('GET', '/api/chat?limit=500', { headers: admin.bearer })
    const summary = (list.json() as ConversationSummary[]).find((each) => each.clientId === clientId)
    const { name, email, locale, timeZone, examAt } = SAID
    expect(summary?.visitor).toEqual({ name, email, locale, timeZone, examAt, signed: null })
  })

  it('is in no answer to visitors', async () => {
    const clientId = newClientId()
    expect(clientId).toHaveLength(CLIENT_ID_LENGTH)
    await write(clientId, withKey(KEY))
    await profile(clientId, { ...SAID, name: 'Secret Name' }, withKey(KEY))
    await correct(clientId, { email: 'secret@example.com' })
    const headers = withKey(KEY)
    const answers = [
      await test.call('GET', `/api/chat/${clientId}`, { headers }),
      await test.call('GET', path(clientId), { headers }),
      await correctAs(headers, clientId),
      await profile(clientId, {}, headers),
      await write(clientId, headers),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 403, 403, 200, 201])
    for (const { body } of answers) expect(body).not.toMatch(/secret|Kolkata|Rivadavia/i)
  })
})

const correctAs = (headers: Record<string, string>, clientId: string) =>
  test.call('PATCH', path(clientId), { payload: { name: 'Eve' }, headers })
