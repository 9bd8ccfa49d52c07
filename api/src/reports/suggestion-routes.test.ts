import type { Answered } from '@proctorpass/shared/schemas/suggestion'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

/** It finds by the words in the titles of posts, and finds refunds. */
const build = makeWebBuild()
afterAll(() => build.remove())

const REFUNDS = '/faq#how-do-refunds-work'
const NOON = Date.UTC(2026, 10, 24, 12)
let clock = NOON
let test: TestApp
let bearer: { authorization: string }

async function start(variables: Record<string, string> = {}) {
  clock = NOON
  test = await buildTestApp({
    variables: { SERVE_WEB: 'true', RATE_LIMITS: 'off', ...variables },
    distDir: build.distDir,
    now: () => clock,
  })
  bearer = (await test.signIn()).bearer
}
beforeEach(() => start())
afterEach(() => test.close())

const OWN = { 'sec-fetch-site': 'same-origin' }
const post = (what: string, payload: unknown, headers: Record<string, string> = OWN, address = '192.0.2.1') =>
  test.call('POST', `/api/suggestions/${what}`, {
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    remoteAddress: address,
  })

async function answered(from = '2026-11-01', to = '2026-11-30'): Promise<Answered> {
  for (;;) {
    const answer = await test.call('GET', `/api/suggestions/answered?from=${from}&to=${to}`, {
      headers: bearer,
    })
    expect(answer.statusCode, answer.body).toBe(200)
    // True until the conversations of the store were compared once.
    if (!answer.json<Answered>().questions.indexing) return answer.json()
  }
}

async function publish(slug: string, title: string) {
  const img = '/images/posts/desk.svg'
  const texts = { slug, title, summary: 'A summary', img, imgAlt: 'A desk', content: '<p>Text</p>' }
  return test.storage.blogs.create({ ...texts, createdAt: NOON })
}

async function ask(message: string, clientId = newClientId()): Promise<string> {
  const answer = await test.call('POST', '/api/chat', { payload: { clientId, message } })
  expect(answer.statusCode).toBe(201)
  return clientId
}

describe('what visitors opened', () => {
  it('is counted for each page and day, and answered unless a message followed', async () => {
    await publish('webcams', 'Your webcam')
    for (const what of ['opened', 'opened', 'opened', 'asked']) {
      expect((await post(what, { path: REFUNDS })).statusCode).toBe(204)
    }
    await post('opened', { path: '/blog/webcams' })
    await post('asked', { path: '/blog/webcams' })
    clock += 24 * 60 * 60 * 1_000
    await post('opened', { path: REFUNDS })
    const refunds = { path: REFUNDS, title: 'How do refunds work?' }
    expect((await answered()).pages).toEqual([
      { ...refunds, opened: 4, answered: 3 },
      { path: '/blog/webcams', title: 'Your webcam', opened: 1, answered: 0 },
    ])
    expect((await answered('2026-11-25', '2026-11-25')).pages).toEqual([
      { ...refunds, opened: 1, answered: 1 },
    ])
    expect((await answered('2026-11-26', '2026-11-27')).pages).toEqual([])
    const stored = await test.storage.suggestions.list('2026', '2027', { offset: 0, limit: 9 })
    expect(stored).toContainEqual({ _id: `${REFUNDS} 2026-11-24`, day: '2026-11-24', opened: 3, asked: 1 })
    expect(test.log.join()).not.toContain('refunds')
  })

  it('is never less than nothing, and has no title once its post is deleted', async () => {
    const blog = await publish('webcams', 'Your webcam')
    await post('opened', { path: '/blog/webcams' })
    for (let n = 0; n < 5; n++) await post('asked', { path: '/blog/webcams' })
    await test.call('DELETE', `/api/blogs/${blog?._id}`, { headers: bearer })
    expect((await answered()).pages).toEqual([{ path: '/blog/webcams', title: null, opened: 1, answered: 0 }])
    expect((await post('opened', { path: '/blog/webcams' })).statusCode).toBe(404)
  })

  it('belongs to the day of the opening hours', async () => {
    const settings = await test.call('GET', '/api/settings', { headers: bearer })
    const hours = { timeZone: 'Pacific/Kiritimati', spans: [], closed: [] }
    const changed = await test.call('PUT', '/api/settings', {
      headers: bearer,
      payload: { ...settings.json<object>(), hours },
    })
    expect(changed.statusCode, changed.body).toBe(200)
    await post('opened', { path: REFUNDS })
    expect((await answered('2026-11-25', '2026-11-25')).pages).toHaveLength(1)
  })

  it('is kept for 400 days', async () => {
    await test.storage.suggestions.add(REFUNDS, '2025-10-19', { opened: 1, asked: 0 })
    await test.storage.suggestions.add(REFUNDS, '2025-10-20', { opened: 1, asked: 0 })
    await post('opened', { path: REFUNDS })
    const kept = await test.storage.suggestions.list('2025', '2027', { offset: 0, limit: 9 })
    expect(kept.map(({ day }) => day)).toEqual(['2025-10-20', '2026-11-24'])
  })

  it('is counted for pages that are suggested, and for nothing else', async () => {
    const hostile: [string, unknown, number][] = [
      ['an unknown question', { path: '/faq#unknown' }, 404],
      ['an unknown post', { path: '/blog/unknown' }, 404],
      ['another page', { path: '/contact' }, 400],
      ['another website', { path: 'https://evil.example/faq#refunds' }, 400],
      ['a prototype', { path: '/faq#__proto__' }, 400],
      ['an upper case', { path: '/faq#Refunds' }, 400],
      ['a line break', { path: '/faq#refunds\n' }, 400],
      ['a NUL', { path: '/faq#refunds\u0000' }, 400],
      ['a day', { path: '/faq#refunds 2026-11-24' }, 400],
      ['a long path', { path: `/faq#${'a'.repeat(200)}` }, 400],
      ['an operator of a database', { path: { $gt: '' } }, 400],
      ['a list', { path: [REFUNDS] }, 400],
      ['something else of the visitor', { path: REFUNDS, clientId: 'Visitor0000000000001' }, 400],
      ['nothing', {}, 400],
      ['null', null, 400],
      ['no JSON', '{"path":', 400],
      ['a long body', JSON.stringify({ path: REFUNDS, x: 'x'.repeat(2_000) }), 413],
    ]
    for (const [name, payload, status] of hostile) {
      for (const what of ['opened', 'asked']) {
        const answer = await post(what, payload)
        expect(answer.statusCode, `${what} ${name}`).toBe(status)
        expect(answer.json()).toMatchObject({ code: expect.any(String), message: expect.any(String) })
      }
    }
    expect(await test.storage.suggestions.list('2000', '2099', { offset: 0, limit: 9 })).toEqual([])
  })

  it('is counted only from our own pages', async () => {
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'https://evil.example', ...OWN },
      { origin: 'null' },
    ]
    for (const headers of foreign) {
      expect((await post('opened', { path: REFUNDS }, headers)).statusCode).toBe(403)
      expect((await post('asked', { path: REFUNDS }, headers)).statusCode).toBe(403)
    }
    expect((await answered()).pages).toEqual([])
  })

  it('is counted for 120 calls of a network in ten minutes', async () => {
    await test.close()
    await start({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
    for (let n = 0; n < 60; n++) {
      expect((await post('opened', { path: REFUNDS }, OWN, '203.0.113.9')).statusCode).toBe(204)
      await post('asked', { path: '/faq#unknown' }, OWN, '203.0.113.9')
    }
    const refused = await post('opened', { path: REFUNDS }, OWN, '203.0.113.9')
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate-limited'])
    expect((await post('opened', { path: REFUNDS }, OWN, '203.0.113.10')).statusCode).toBe(204)
    expect((await answered()).pages).toMatchObject([{ opened: 61, answered: 61 }])
  })
})

describe('"write about these"', () => {
  const words = async () => (await answered()).questions

  it('has words of at least five first messages for which no page is found', async () => {
    await publish('webcams', 'Your webcam')
    for (let n = 0; n < 5; n++) await ask(`Do giraffes giraffes like rain${n % 2 ? ' today' : ''}`)
    for (let n = 0; n < 9; n++) await ask('My refunds and giraffes')
    for (let n = 0; n < 4; n++) await ask('Zebras?')
    expect(await words()).toEqual({
      ...{ indexing: false, searched: 18, unanswered: 9 },
      words: [
        { word: 'giraffes', messages: 5 },
        { word: 'like', messages: 5 },
        { word: 'rain', messages: 5 },
      ],
    })
    await publish('animals', 'Giraffes and zebras')
    expect(await words()).toMatchObject({ unanswered: 0, words: [] })
  })

  it('looks at the first message of a visitor only, inside the range', async () => {
    for (let n = 0; n < 5; n++) {
      const clientId = await ask('Zebras?')
      await ask('Giraffes', clientId)
      await test.call('POST', '/api/chat', {
        headers: bearer,
        payload: { clientId: newClientId(), message: 'Giraffes from us' },
      })
    }
    expect(await words()).toMatchObject({ searched: 5, words: [{ word: 'zebras', messages: 5 }] })
    expect((await answered('2026-11-01', '2026-11-23')).questions).toMatchObject({ searched: 0, words: [] })
  })

  it('forgets erased conversations', async () => {
    const ids = []
    for (let n = 0; n < 5; n++) ids.push(await ask('Zebras?'))
    expect((await words()).words).toHaveLength(1)
    await test.call('DELETE', `/api/chat/admin/${ids[0]}`, { headers: bearer })
    expect(await words()).toMatchObject({ searched: 4, words: [] })
  })
})

describe('GET /suggestions/answered', () => {
  it.each([
    ['from', 'from=2026-02-30&to=2026-03-01'],
    ['to', 'from=2026-03-02&to=2026-03-01'],
    ['to', 'from=2025-01-01&to=2026-03-01'],
  ])('refuses a wrong %s', async (field, query) => {
    const answer = await test.call('GET', `/api/suggestions/answered?${query}`, { headers: bearer })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ details: [{ field }] })
  })
})
