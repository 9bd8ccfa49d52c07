import type { Now, Report, ReportConversations } from '@proctorpass/shared/schemas/report'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let bearer: { authorization: string }
const today = new Date().toISOString().slice(0, 10)
const DAY_MS = 24 * 60 * 60 * 1_000
// Also when midnight comes in between.
const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)
const RANGE = { from: today, to: tomorrow, zone: 'UTC' }

beforeEach(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  bearer = (await test.signIn()).bearer
})
afterEach(() => test.close())

async function ask(clientId = newClientId()): Promise<string> {
  const answer = await test.call('POST', '/api/chat', { payload: { clientId, message: 'Hello' } })
  expect(answer.statusCode).toBe(201)
  return clientId
}

async function giveName(clientId: string, name: string): Promise<void> {
  const options = { headers: bearer, payload: { name } }
  const answer = await test.call('PATCH', `/api/chat/admin/${clientId}/visitor`, options)
  expect(answer.statusCode, answer.body).toBe(200)
}

async function resolve(clientId: string, labels: string[] = []): Promise<void> {
  const options = { headers: bearer, payload: { status: 'resolved', labels } }
  const answer = await test.call('PATCH', `/api/chat/admin/${clientId}`, options)
  expect(answer.statusCode, answer.body).toBe(200)
}

async function get(path: string, query: Record<string, string> = {}) {
  return test.call('GET', `/api/${path}?${new URLSearchParams({ ...RANGE, ...query })}`, { headers: bearer })
}

async function report(query: Record<string, string> = {}): Promise<Report> {
  let answer = await get('reports', query)
  // True until the conversations of the store were compared once.
  while (answer.json().indexing === true) answer = await get('reports', query)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

describe('GET /reports', () => {
  it('counts messages that were just stored', async () => {
    const clientId = await ask()
    const payload = { clientId, message: 'An answer' }
    expect((await test.call('POST', '/api/chat', { headers: bearer, payload })).statusCode).toBe(201)
    await ask(clientId)
    await resolve(clientId, ['Refund'])
    const { totals, days, admins, labels, sites, heat } = await report()
    const counts = { conversations: 1, episodes: 1, resolved: 1, missed: 0, messagesIn: 2, messagesOut: 1 }
    expect(totals).toMatchObject({ ...counts, wait: { n: 1 }, firstWait: { n: 1 }, resolution: { n: 1 } })
    expect(days.map(({ date }) => date)).toEqual([today, tomorrow])
    expect(admins).toMatchObject([{ messagesOut: 1, wait: { n: 1 } }])
    expect(labels).toMatchObject([{ label: 'Refund', ...counts }])
    expect(sites).toMatchObject([{ site: 'own', ...counts }])
    expect(heat.flat().reduce((sum, count) => sum + count)).toBe(2)
    expect((await report({ label: 'other' })).totals.messagesIn).toBe(0)
  })

  it('has the days before, one for each day', async () => {
    await ask()
    await resolve(await ask())
    const dayAfter = (days: number) => new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10)
    const { totals, days, previous } = await report({ from: dayAfter(2), to: dayAfter(3) })
    expect(totals.messagesIn).toBe(0)
    expect(days.map(({ date }) => date)).toEqual([dayAfter(2), dayAfter(3)])
    expect(previous.days.map(({ date }) => date)).toEqual([today, tomorrow])
    const sum = (name: 'messagesIn' | 'missed') => previous.days.reduce((total, day) => total + day[name], 0)
    expect([sum('messagesIn'), sum('missed')]).toEqual([2, 1])
    expect(previous).toMatchObject({ messagesIn: 2, missed: 1 })
  })

  it('keeps the figures of an erased conversation', async () => {
    const clientId = await ask()
    await resolve(clientId)
    expect((await report()).totals).toMatchObject({ conversations: 1, missed: 1 })
    const confirmed = await test.call('DELETE', `/api/chat/admin/${clientId}`, { headers: bearer })
    expect(confirmed.statusCode).toBe(204)
    expect((await report()).totals).toMatchObject({ conversations: 1, missed: 1 })
    const behind = await get('reports/conversations', { kind: 'missed' })
    expect(behind.json()).toEqual({ conversations: [], next: null })
  })

  it.each([
    ['from', { from: '2026-02-30' }],
    ['to', { from: '2026-03-02', to: '2026-03-01' }],
    ['to', { from: '2025-01-01', to: '2026-03-01' }],
    ['zone', { zone: 'Mars/Olympus' }],
  ])('refuses a wrong %s', async (field, query) => {
    const answer = await get('reports', query)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ details: [{ field }] })
  })

  it('is for admins, and keys that read', async () => {
    const query = new URLSearchParams(RANGE)
    expect((await test.call('GET', `/api/reports?${query}`)).statusCode).toBe(401)
  })
})

describe('GET /reports.csv', () => {
  it('has the same numbers, and no formulas', async () => {
    const clientId = await ask()
    await resolve(clientId, ['=cmd()'])
    await report()
    const answer = await get('reports.csv')
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    const lines = answer.body.split('\r\n')
    expect(lines.slice(0, 3)).toEqual([
      '"totals"',
      expect.stringMatching(/^"range","conversations",/),
      expect.any(String),
    ])
    expect(lines[2]).toMatch(new RegExp(`^"${today} to ${tomorrow}",1,1,1,1,1,0,`))
    expect(lines.filter((line) => line.startsWith(`"'=cmd()",`))).toHaveLength(1)
    const dates = lines.slice(lines.indexOf('"previous days"') + 2).map((line) => line.slice(1, 11))
    const before = [-2, -1].map((days) => new Date(Date.parse(today) + days * DAY_MS))
    expect(dates).toEqual([...before.map((date) => date.toISOString().slice(0, 10)), ''])
  })
})

describe('GET /reports/conversations', () => {
  it('leads from a figure to its conversations, page by page', async () => {
    const ids = [await ask(), await ask(), await ask()]
    for (const clientId of ids.slice(0, 2)) await resolve(clientId)
    await giveName(ids[0] ?? '', 'Ada')
    await report()
    const pageOf = async (query: Record<string, string>): Promise<ReportConversations> =>
      (await get('reports/conversations', query)).json()
    const missed = await pageOf({ kind: 'missed' })
    expect(missed.conversations.map(({ clientId }) => clientId).sort()).toEqual(ids.slice(0, 2).sort())
    expect(missed.conversations.map(({ name }) => name).sort()).toEqual(['Ada', null])
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await pageOf({ kind: 'episodes', limit: '1', ...(cursor !== '' && { cursor }) })
      found.push(...page.conversations.map(({ clientId }) => clientId))
      cursor = page.next
    }
    expect(found.sort()).toEqual(ids.sort())
    const at = (missed.conversations[0]?.at ?? '').slice(0, 13)
    expect((await pageOf({ kind: 'missed', at })).conversations.length).toBeGreaterThan(0)
    expect((await get('reports/conversations', { kind: 'missed', at: '2026-01-01T00' })).statusCode).toBe(400)
  })
})

describe('GET /reports/now', () => {
  const now = async (): Promise<Now> => {
    const answer = await test.call('GET', '/api/reports/now', { headers: bearer })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json()
  }
  const change = async (clientId: string, payload: object) => {
    const answer = await test.call('PATCH', `/api/chat/admin/${clientId}`, { headers: bearer, payload })
    expect(answer.statusCode, answer.body).toBe(200)
  }
  const reply = async (clientId: string) => {
    const payload = { clientId, message: 'An answer' }
    expect((await test.call('POST', '/api/chat', { headers: bearer, payload })).statusCode).toBe(201)
  }
  const waiting = async () => (await now()).waiting.conversations.map(({ clientId }) => clientId)

  it('tells of an empty store', async () => {
    expect(await now()).toEqual({
      waiting: { count: 0, longestSince: null, conversations: [] },
      ...{ open: 0, visitorsOnline: 0, adminsOnline: 0, onDuty: 1 },
      firstWait: {
        ...{ date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/), zone: 'UTC', n: 0, median: null, p90: null },
        weekday: { n: 0, median: null, p90: null },
      },
    })
  })

  it('tells who waits, the longest first, until a person answers', async () => {
    const [first, second] = [await ask(), await ask()]
    // Another message of the same visitor begins no new wait.
    await ask(first)
    await giveName(second, 'Ada')
    const before = await now()
    expect(before).toMatchObject({ open: 2, waiting: { count: 2 }, firstWait: { n: 0 } })
    expect(before.waiting.conversations).toMatchObject([
      { clientId: first, name: null },
      { clientId: second, name: 'Ada' },
    ])
    expect(before.waiting.longestSince).toBe(before.waiting.conversations[0]?.since)
    await reply(first)
    const after = await now()
    expect(after).toMatchObject({ open: 2, waiting: { count: 1, conversations: [{ clientId: second }] } })
    // By the day on which it began, also when midnight came in between.
    const began = before.waiting.longestSince?.slice(0, 10)
    expect(after.firstWait).toMatchObject({ n: after.firstWait.date === began ? 1 : 0, weekday: { n: 0 } })
  })

  it('goes on waiting while snoozed, and not once resolved', async () => {
    const clientId = await ask()
    const snoozedUntil = new Date(Date.now() + 60 * 60_000).toISOString()
    await change(clientId, { status: 'snoozed', snoozedUntil })
    expect(await now()).toMatchObject({ open: 0, waiting: { count: 1, conversations: [{ clientId }] } })
    await resolve(clientId)
    expect(await waiting()).toEqual([])
    // Reopened by the visitor: a new wait, since this message.
    await ask(clientId)
    expect(await waiting()).toEqual([clientId])
  })

  it('forgets an erased conversation', async () => {
    const clientId = await ask()
    const erased = await test.call('DELETE', `/api/chat/admin/${clientId}`, { headers: bearer })
    expect(erased.statusCode).toBe(204)
    expect(await now()).toMatchObject({ open: 0, waiting: { count: 0, longestSince: null } })
  })

  it('names fifty, and counts all', async () => {
    const ids: string[] = []
    for (let index = 0; index < 52; index++) ids.push(await ask())
    const { waiting, open } = await now()
    expect([waiting.count, open]).toEqual([52, 52])
    const named = waiting.conversations.map(({ clientId }) => clientId)
    expect(named).toHaveLength(50)
    const times = waiting.conversations.map(({ since }) => since)
    expect(times).toEqual(times.toSorted())
  })

  it('counts those on duty who can sign in', async () => {
    const off = await test.call('PATCH', '/api/account', { headers: bearer, payload: { onDuty: false } })
    expect(off.statusCode, off.body).toBe(200)
    const invited = await test.call('POST', '/api/team', { headers: bearer, payload: { userName: 'anna' } })
    expect(invited.statusCode, invited.body).toBe(201)
    expect((await now()).onDuty).toBe(0)
  })

  it('is not for strangers', async () => {
    expect((await test.call('GET', '/api/reports/now')).statusCode).toBe(401)
  })
})

describe('an API key', () => {
  const PATHS = ['reports', 'reports.csv', 'reports/conversations', 'reports/now']

  async function statusesWith(...scopes: string[]): Promise<number[]> {
    const payload = { name: 'Nightly report', scopes }
    const created = await test.call('POST', '/api/keys', { headers: bearer, payload })
    expect(created.statusCode, created.body).toBe(201)
    const headers = { authorization: `Bearer ${created.json().key}` }
    const query = new URLSearchParams({ ...RANGE, kind: 'episodes' })
    return Promise.all(
      PATHS.map(async (path) => (await test.call('GET', `/api/${path}?${query}`, { headers })).statusCode),
    )
  }

  it.each([
    ['read', 200],
    ['write', 200],
    ['content', 403],
  ])('with the scope %s is answered with %i', async (scope, status) => {
    expect(await statusesWith(scope)).toEqual(PATHS.map(() => status))
  })
})
