import type { AuditEntry, AuditPage } from '@proctorpass/shared/schemas/audit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { noteRefusal } from './refused-sign-ins.ts'

const ADDRESS = '203.0.113.77'
const NETWORK = '203.0.113.0/24'
const VISITOR = 'AuditVisitor00000001'
const DAY_MS = 24 * 60 * 60 * 1_000

let test: TestApp
let later = 0
let headers: { authorization: string }
let userId = ''
beforeAll(async () => {
  test = await buildTestApp({
    now: () => Date.now() + later,
    lookEveryMs: 20,
    variables: { AUDIT_DAYS: '30' },
  })
  ;({ bearer: headers, user_Id: userId } = await test.signIn())
})
afterAll(() => test.close())

const as = (remoteAddress: string) => ({ headers, remoteAddress })
const page = async (query = '') =>
  (await test.call('GET', `/api/audit${query}`, { headers })).json() as AuditPage
const newest = async (count = 1) => (await page(`?limit=${count}`)).entries.reverse()
const about = ({ action, by, target, details, address }: AuditEntry) => ({
  action,
  by,
  target,
  details,
  address,
})
const admin = () => ({ by: userId, address: NETWORK })

it('begins with the first admin and the first sign-in', async () => {
  expect((await page()).entries.map(({ n, action, by }) => [n, action, by])).toEqual([
    [2, 'session.started', userId],
    [1, 'admin.created', null],
  ])
})

it('has the fields of the settings that were changed, and nothing of a refused change', async () => {
  const { version, ...settings } = (await test.call('GET', '/api/settings', { headers })).json()
  const changed = { ...settings, rating: !settings.rating, away: { en: 'a'.repeat(600), zh: '' } }
  const put = (payload: object) => test.call('PUT', '/api/settings', { ...as(ADDRESS), payload })
  expect((await put({ ...changed, version: version + 3 })).statusCode).toBe(409)
  expect((await put({ ...changed, version })).statusCode).toBe(200)
  const rating = { from: settings.rating, to: !settings.rating }
  expect((await newest(1)).map(about)).toEqual([
    { ...admin(), action: 'settings.changed', target: null, details: { rating, away: {} } },
  ])
  expect((await page()).entries).toHaveLength(3)
})

it('has what admins do to the team, once each', async () => {
  const call = (method: 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) =>
    test.call(method, `/api/team${path}`, { ...as(ADDRESS), ...(payload && { payload }) })
  const invited = (await call('POST', '', { userName: 'maria' })).json()
  const target = invited.admin.userId
  await call('PATCH', `/${target}`, { disabled: true })
  await call('PATCH', `/${target}`, { disabled: true, displayName: 'Maria' })
  await call('PATCH', `/${target}`, { disabled: false, displayName: 'Maria' })
  await call('DELETE', `/${target}`)
  await call('DELETE', `/${target}`)
  const details = { name: 'maria' }
  const entries = (await newest(5)).map(about)
  expect(entries).toEqual([
    { ...admin(), action: 'admin.invited', target: null, details },
    ...['admin.disabled', 'admin.renamed', 'admin.enabled', 'admin.removed'].map((action) => ({
      ...{ ...admin(), action, target, details },
    })),
  ])
})

it('has the changes of a conversation, without its words', async () => {
  const message = 'The secret words'
  await test.call('POST', '/api/chat', { payload: { clientId: VISITOR, senderId: VISITOR, message } })
  const path = `/api/chat/admin/${VISITOR}`
  await test.call('POST', `${path}/block`, { ...as(ADDRESS), payload: { hours: 24 } })
  await test.call('DELETE', `${path}/block`, as(ADDRESS))
  await test.call('GET', `/api/chat/${VISITOR}/export`, as(ADDRESS))
  await test.call('DELETE', path, as(ADDRESS))
  expect((await newest(4)).map(about)).toEqual([
    { ...admin(), action: 'visitor.blocked', target: VISITOR, details: { hours: 24 } },
    { ...admin(), action: 'visitor.unblocked', target: VISITOR, details: {} },
    { ...admin(), action: 'conversation.exported', target: VISITOR, details: {} },
    { ...admin(), action: 'conversation.erased', target: VISITOR, details: {} },
  ])
  await test.call('POST', '/api/chat', { payload: { clientId: VISITOR, senderId: VISITOR, message } })
  await test.call('DELETE', `/api/chat/${VISITOR}`, { remoteAddress: ADDRESS })
  expect((await newest(1)).map(about)).toEqual([
    { by: null, address: null, action: 'conversation.erased', target: VISITOR, details: {} },
  ])
  expect(JSON.stringify(await page('?limit=200'))).not.toContain('secret')
})

it('has no entry of an erase that changes nothing, right after a message', async () => {
  const headers = { authorization: `Visitor ${'k'.repeat(43)}` }
  const message = { clientId: VISITOR, senderId: VISITOR, message: 'Hello' }
  expect((await test.call('POST', '/api/chat', { headers, payload: message })).statusCode).toBe(201)
  const before = await newest(1)
  const refused = await test.call('DELETE', `/api/chat/${VISITOR}`, { remoteAddress: ADDRESS })
  expect(refused.statusCode).toBe(403)
  expect(await newest(1)).toEqual(before)
})

it('has sign-outs, ended sessions, and refused sign-ins once a minute', async () => {
  const refuse = (remoteAddress: string, userName = ADMIN.userName) =>
    test.postSignIn(userName, 'not the password', { remoteAddress })
  for (const address of [ADDRESS, ADDRESS, '203.0.113.9', '198.51.100.1']) await refuse(address)
  await refuse(ADDRESS, 'unknown-name')
  expect((await newest(2)).map(about)).toEqual(
    [NETWORK, '198.51.100.0/24'].map((address) => ({
      ...{ by: userId, address, action: 'session.refused', target: null, details: {} },
    })),
  )
  const other = await test.signIn()
  await test.call('DELETE', `/api/account/sessions/${other.sid}`, as(ADDRESS))
  const third = await test.signIn()
  await test.call('POST', '/api/auth/logout', { headers: { cookie: `refresh=${third.cookie}` } })
  expect((await newest(4)).map(({ action }) => action)).toEqual([
    'session.started',
    'session.ended',
    'session.started',
    'session.left',
  ])
})

it('has one entry of wrong sign-ins at once, and of wrong old passwords', async () => {
  const before = (await page('?action=session.refused&limit=200')).entries.length
  const atOnce = (times: number, work: () => Promise<unknown>) =>
    Promise.all(Array.from({ length: times }, work))
  // Later ones would wait in a line.
  await atOnce(5, () => test.postSignIn(ADMIN.userName, 'wrong', { remoteAddress: '192.0.2.9' }))
  // As passwords that are judged in the same moment.
  for (const address of ['192.0.2.9', '100.64.1.1'])
    await atOnce(18, () => noteRefusal(test.storage.audit, { userId, address }))
  expect((await page('?action=session.refused&limit=200')).entries).toHaveLength(before + 2)
  const payload = { oldPassword: 'wrong', newPassword: 'a new and long password' }
  for (let times = 0; times < 2; times += 1)
    expect((await test.call('POST', '/api/account/password', { ...as(ADDRESS), payload })).statusCode).toBe(
      400,
    )
  expect((await page('?action=password.refused')).entries.map(about)).toEqual([
    { ...admin(), action: 'password.refused', target: null, details: {} },
  ])
})

it('does not wait for refusals in another store', async () => {
  const { audit } = test.storage
  const hanging = { ...audit, list: () => new Promise<never>(() => {}) }
  void noteRefusal(hanging, { userId, address: '198.51.100.4' })
  await noteRefusal(audit, { userId, address: '198.51.100.4' })
  const { entries } = await page('?action=session.refused&limit=200')
  expect(entries.map(({ address }) => address)).toContain('198.51.100.0/24')
})

it('has exports of the reports', async () => {
  expect(
    (await test.call('GET', '/api/reports.csv?from=2026-11-01&to=2026-11-02', as(ADDRESS))).statusCode,
  ).toBe(200)
  expect((await newest(1)).map(about)).toEqual([
    {
      ...admin(),
      action: 'reports.exported',
      target: null,
      details: { from: '2026-11-01', to: '2026-11-02' },
    },
  ])
})

it('is filtered and paged', async () => {
  const all = (await page('?limit=200')).entries
  const actions = (await page('?action=session.started')).entries
  expect(actions).toEqual(all.filter(({ action }) => action === 'session.started'))
  const first = await page('?limit=2')
  const second = await page(`?limit=2&cursor=${first.next}`)
  expect([...first.entries, ...second.entries]).toEqual(all.slice(0, 4))
  expect((await page(`?limit=200&by=${userId}`)).entries).toEqual(all.filter(({ by }) => by === userId))
  expect((await page('?limit=200')).next).toBeNull()
})

it.each([
  'limit=0',
  'limit=201',
  'from=yesterday',
  'from=2026-13-45T00:00:00Z',
  'action=nothing.done',
  'cursor=x',
  'by=',
])('refuses %s', async (query) => {
  const refused = await test.call('GET', `/api/audit?${query}`, { headers })
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid-input'])
})

it('is only for admins', async () => {
  for (const path of ['/api/audit', '/api/audit.csv']) {
    expect((await test.call('GET', path)).statusCode).toBe(401)
  }
})

it('is exported as CSV, which is an entry itself', async () => {
  const all = (await page('?limit=200')).entries
  const csv = await test.call('GET', `/api/audit.csv?from=${all.at(-1)?.at}`, as(ADDRESS))
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
  const [head, exported, ...rows] = csv.body.trimEnd().split('\r\n')
  expect(head).toBe('"n","at","by","action","target","details","address","hash"')
  expect(exported).toContain('audit.exported')
  expect(rows).toHaveLength(all.length)
  expect(rows.at(-1)).toContain('admin.created')
})

it('is cut after AUDIT_DAYS, with an entry that carries its hash on', async () => {
  const [last] = await newest(1)
  later = 31 * DAY_MS
  // The job looks once an hour. The session has expired meanwhile.
  const left = async () =>
    (await test.storage.audit.page(null, 9)).map(({ action, details }) => [action, details])
  const cut = ['audit.cut', JSON.stringify({ upTo: last?.n, hash: last?.hash })]
  await expect.poll(left).toEqual([cut])
})
