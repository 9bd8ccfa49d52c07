import type { SearchPage } from '@proctorpass/shared/schemas/search'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const DAY = 86_400_000
const NOON = Date.UTC(2026, 10, 20, 12)
const VISITOR = 'c'.repeat(20)
const PDF = '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n'
const OTHER = 'd'.repeat(20)

let test: TestApp
let bearer: { authorization: string }
let me: string
let site: string
let now = NOON - 6 * DAY

async function call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, payload?: object) {
  const answer = await test.call(method, `/api${path}`, { headers: bearer, ...(payload && { payload }) })
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  return answer.json()
}

/** Lets a day pass, after which the session has ended. */
async function nextDay(): Promise<void> {
  now += DAY
  bearer = (await test.signIn()).bearer
}

const get = (query: Record<string, string>) =>
  test.call('GET', `/api/search?${new URLSearchParams(query)}`, { headers: bearer })

async function found(query: Record<string, string>): Promise<string[]> {
  const answer = await get(query)
  expect(answer.statusCode, answer.body).toBe(200)
  const { hits } = answer.json<SearchPage>()
  return hits.map(({ snippet, type }) =>
    type === 'visitor' ? type : snippet.map(({ text }) => text).join(''),
  )
}

/** Two conversations: words from a visitor, an admin, a note, a mail, a file, and the contact form, a day apart each. */
beforeAll(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' }, now: () => now })
  const signedIn = await test.signIn()
  bearer = signedIn.bearer
  me = signedIn.user_Id
  site = (await call('POST', '/sites', { name: 'Shop', origins: ['https://shop.example'] })).data._id
  const { version } = await call('GET', '/settings')
  await call('PUT', '/settings', { ...DEFAULT_SETTINGS, files: true, version })
  const say = async (payload: object) => {
    const answer = await test.call('POST', '/api/chat', { payload })
    expect(answer.statusCode, answer.body).toBe(201)
  }
  await say({ clientId: VISITOR, message: 'refund one' })
  await nextDay()
  await call('POST', '/chat', { clientId: VISITOR, message: 'refund two', senderId: me })
  await nextDay()
  await call('POST', `/chat/admin/${VISITOR}/notes`, { nonce: 'nonce-of-a-note-6', text: 'refund three' })
  await nextDay()
  await test.storage.messages.append({
    ...{ clientId: VISITOR, senderId: VISITOR, message: 'refund four', nonce: 'nonce-of-a-mail-6' },
    ...{ mail: { quoted: '' }, at: now },
  })
  await nextDay()
  const form = new FormData()
  form.append('nonce', 'nonce-of-a-file-6')
  form.append('file', new File([PDF], 'a.pdf', { type: 'application/pdf' }))
  const body = new Response(form)
  const uploaded = await test.call('POST', `/api/chat/${OTHER}/files`, {
    headers: { 'content-type': body.headers.get('content-type') ?? '' },
    payload: Buffer.from(await body.arrayBuffer()),
  })
  expect(uploaded.statusCode, uploaded.body).toBe(201)
  await say({ clientId: OTHER, message: '', attachments: [uploaded.json().data._id], site })
  await say({ clientId: OTHER, message: 'refund six' })
  await nextDay()
  const contact = { email: 'sam@example.com', title: 'refund', message: 'seven' }
  expect((await test.call('POST', '/api/contacts', { payload: contact })).statusCode).toBe(201)
  await call('PATCH', `/chat/admin/${VISITOR}`, { labels: ['Refunds'] })
  await call('PATCH', `/chat/admin/${OTHER}`, { status: 'resolved' })
  await nextDay()
})
afterAll(() => test.close())

const ONE = 'refund one'
const TWO = 'refund two'
const THREE = 'refund three'
const FOUR = 'refund four'
const SIX = 'refund six'
const SEVEN = 'sam@example.com · refund · seven'

describe('GET /search with filters', () => {
  it.each<[Record<string, string>, string[]]>([
    [{}, [SEVEN, SIX, FOUR, THREE, TWO, ONE]],
    [{ from: 'visitor' }, [SIX, FOUR, ONE]],
    [{ from: 'me' }, [THREE, TWO]],
    [{ from: 'a'.repeat(24) }, []],
    [{ channel: 'mail' }, [FOUR]],
    [{ channel: 'chat' }, [SIX, TWO, ONE]],
    [{ channel: 'chat', from: 'me' }, [TWO]],
    [{ has: 'file' }, []],
    [{ label: ' refunds ' }, [FOUR, THREE, TWO, ONE]],
    [{ label: 'refund' }, []],
    [{ status: 'resolved' }, [SIX]],
    [{ status: 'open,resolved' }, [SIX, FOUR, THREE, TWO, ONE]],
    [{ site: 'own' }, [FOUR, THREE, TWO, ONE]],
    [{ after: '4d' }, [SEVEN, SIX, FOUR, THREE]],
    [{ after: '2026-11-16', before: '2026-11-17' }, [THREE]],
    [{ after: '2026-11-15T12:00:00Z', before: '2026-11-16T12:00:00.000Z' }, [TWO]],
    [{ before: '2026-11-15T13:00:00+01:00' }, [ONE]],
    [{ before: '5d', after: '2d' }, []],
    [{ before: '2026-11-19', from: 'visitor', label: 'REFUNDS', channel: 'chat', status: 'open' }, [ONE]],
  ])('with words, %j', async (query, texts) => {
    expect(await found({ q: 'refund', ...query })).toEqual(texts)
  })

  it('needs no words beside a filter', async () => {
    expect(await found({ has: 'file' })).toEqual([''])
    expect((await found({ site })).sort()).toEqual(['', SIX, 'visitor'])
    expect(await found({ from: 'visitor', label: 'Refunds' })).toEqual([FOUR, ONE])
    expect(await found({ from: me })).toEqual([THREE, TWO])
    expect(await found({ before: '2026-11-15' })).toContain(ONE)
    expect(await found({ after: '1d' })).toEqual([SEVEN])
    expect(await found({ q: '!!!', after: '9d' })).toEqual([])
  })

  it('continues with the same filters', async () => {
    const all: string[] = []
    let cursor: string | null = null
    do {
      const query = { from: 'visitor', limit: '1', ...(cursor !== null && { cursor }) }
      const page: SearchPage = (await get(query)).json()
      all.push(...page.hits.map(({ snippet }) => snippet[0]?.text ?? ''))
      cursor = page.next
    } while (cursor !== null)
    expect(all).toEqual([SIX, '', FOUR, ONE])
  })

  it.each([
    { from: 'unknown' },
    { from: 'A'.repeat(24) },
    { after: '' },
    { after: 'yesterday' },
    { after: '2026-02-30' },
    { after: '2026-13-01' },
    { before: '7' },
    { before: '-7d' },
    { before: '1234567d' },
    { before: '2026-11-01T10:00' },
    { label: '' },
    { label: '  ' },
    { label: 'x'.repeat(200) },
    { label: 'a\nb' },
    { status: 'gone' },
    { channel: 'sms' },
    { site: 'other' },
    { has: 'image' },
    { q: '', from: 'me' },
  ])('refuses %j', async (query) => {
    const answer = await get(query as unknown as Record<string, string>)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().details[0].field).toBe(Object.keys(query)[0])
  })

  it('refuses a search without words and filters', async () => {
    expect((await get({})).json().details).toEqual([{ field: 'q', message: 'Give words or a filter' }])
    expect((await get({ limit: '5' })).statusCode).toBe(400)
  })

  it('finds by the state that the conversation has now', async () => {
    await call('PATCH', `/chat/admin/${OTHER}`, { status: 'spam' })
    expect(await found({ q: 'six' })).toEqual([])
    expect(await found({ has: 'file' })).toEqual([])
    expect(await found({ q: 'six', status: 'spam' })).toEqual([SIX])
    await call('PATCH', `/chat/admin/${OTHER}`, { spam: false })
    expect(await found({ q: 'six' })).toEqual([SIX])
  })
})
