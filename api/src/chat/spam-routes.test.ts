import type { Page } from '@proctorpass/shared/schemas/chat'
import type { Activity, Counts } from '@proctorpass/shared/schemas/inbox'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

const HOUR = 3_600_000
let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
/** Added to the server's clock. */
let later = 0
beforeAll(async () => {
  test = await buildTestApp({ now: () => Date.now() + later, variables: { RATE_LIMITS: 'off' } })
  admin = await test.signIn()
})
afterEach(() => {
  later = 0
})
afterAll(() => test.close())

const call = (method: 'GET' | 'PATCH' | 'POST' | 'PUT', url: string, payload?: object) =>
  test.call(method, `/api${url}`, { headers: admin.bearer, ...(payload && { payload }) })
const patch = (clientId: string, change: object) => call('PATCH', `/chat/admin/${clientId}`, change)
const say = (clientId: string, message: string) =>
  test.call('POST', '/api/chat', { payload: { clientId, message } })
async function started(message = 'buy now') {
  const clientId = newClientId()
  await say(clientId, message)
  return clientId
}
const listed = async (query: string) => {
  const answer = (await call('GET', `/chat${query}`)).json()
  return Array.isArray(answer) ? answer.map(({ clientId }) => clientId as string) : []
}
const counts = async () => (await call('GET', '/chat/counts')).json() as Counts
const atVisitor = async (clientId: string) => (await test.call('GET', `/api/chat/${clientId}`)).json() as Page

it('is listed and counted only as spam', async () => {
  const before = await counts()
  const clientId = await started()
  const answer = await patch(clientId, { status: 'spam', version: 0 })
  expect(answer.json()).toMatchObject({ status: 'spam', waitingSince: null, version: 1 })
  for (const query of ['?limit=100', '?limit=100&status=open,snoozed,resolved', '?limit=100&unread=1']) {
    expect(await listed(query)).not.toContain(clientId)
  }
  expect(await listed('?status=spam')).toEqual([clientId])
  expect(await listed('?status=open,snoozed,resolved,spam')).toContain(clientId)
  expect(await counts()).toEqual({ ...before, spam: before.spam + 1 })
  const log = (await call('GET', `/chat/admin/${clientId}/activity`)).json().activity as Activity[]
  expect(log).toMatchObject([{ kind: 'status', by: admin.user_Id, data: { from: 'open', to: 'spam' } }])
  await patch(clientId, { spam: false })
  expect(await counts()).toEqual({
    ...before,
    open: before.open + 1,
    all: before.all + 1,
    unassigned: before.unassigned + 1,
  })
})

it('goes back to a snooze until its end, and then to open', async () => {
  const clientId = await started()
  const snoozedUntil = new Date(Date.now() + HOUR).toISOString()
  const { waitingSince } = (await patch(clientId, { status: 'snoozed', snoozedUntil })).json()
  await patch(clientId, { status: 'spam' })
  expect((await patch(clientId, { spam: false, version: 2 })).json()).toMatchObject({
    ...{ status: 'snoozed', snoozedUntil, waitingSince, version: 3 },
  })
  await patch(clientId, { status: 'spam' })
  later = 2 * HOUR
  expect((await patch(clientId, { spam: false })).json()).toMatchObject({
    ...{ status: 'open', snoozedUntil: null, waitingSince },
  })
})

it('is marked and taken back in bulk', async () => {
  const ids = [await started(), await started()]
  const bulk = async (change: object) =>
    (await call('POST', '/chat/admin/bulk', { clientIds: ids, change })).json()
  expect(await bulk({ status: 'spam' })).toMatchObject({
    changed: 2,
    stored: [{ version: 1 }, { version: 1 }],
  })
  expect(await bulk({ spam: false })).toMatchObject({ changed: 2, stored: [{ version: 2 }, { version: 2 }] })
  expect(await bulk({ spam: false })).toMatchObject({ changed: 0, stored: [] })
})

it.each([
  [{ spam: true }, 'spam'],
  [{ spam: false, status: 'open' }, 'spam'],
  [{ status: 'spam', snoozedUntil: '2030-01-01T00:00:00Z' }, 'snoozedUntil'],
])('answers 400 to %o', async (change, field) => {
  const clientId = await started()
  const answer = await patch(clientId, change)
  expect([answer.statusCode, answer.json().details?.[0]?.field]).toEqual([400, field])
  expect((await call('GET', `/chat/admin/${clientId}/activity`)).json().activity).toEqual([])
})

it('changes nothing that the visitor reads, also a question for a rating', async () => {
  const settings = (await call('GET', '/settings')).json() as Settings
  await call('PUT', '/settings', { ...settings, rating: true })
  const clientId = await started()
  await patch(clientId, { status: 'resolved' })
  const before = await atVisitor(clientId)
  expect(before).toMatchObject({ ask: 'rating' })
  await patch(clientId, { status: 'spam' })
  expect(await atVisitor(clientId)).toEqual(before)
  await patch(clientId, { spam: false })
  expect(await atVisitor(clientId)).toEqual(before)
  await patch(clientId, { status: 'spam' })
  expect((await say(clientId, 'more')).statusCode).toBe(201)
  expect(await atVisitor(clientId)).not.toHaveProperty('ask')
})
