// @vitest-environment jsdom

import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { BulkChange } from '@proctorpass/shared/schemas/inbox'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { useAuth } from '../../../lib/auth-store.ts'
import { http } from '../../../testing/our-http.ts'
import { API, givePageState } from '../../../testing/page-state.ts'
import { changedLabels } from './inbox-changes.ts'
import { sendChanges, takeBack } from './send-changes.ts'

const ADMIN = 'a'.repeat(24)
let received: { path: string; body: Record<string, unknown> }[] = []

const server = setupServer()

function summary(n: number, change: Partial<ConversationSummary> = {}): ConversationSummary {
  const clientId = `v${n}`.padEnd(20, '0')
  return {
    ...{
      clientId,
      adminUnread: 1,
      waitingSince: null,
      visitor: UNKNOWN_VISITOR,
      site: null,
      blockedUntil: null,
      ...NEW_INBOX_STATE,
    },
    lastMessage: {
      ...{ _id: '1', clientId, senderId: clientId, message: 'hello', seq: 1, epoch: 'e', nonce: 'nonce-01' },
      createdAt: new Date(0).toISOString(),
    },
    ...change,
  }
}
const changedOf = (clientIds: string[]) =>
  HttpResponse.json({
    ...{ changed: clientIds.length, missing: 0 },
    stored: clientIds.map((clientId) => ({ clientId, version: 1 })),
  })
const many = (count: number) => Array.from({ length: count }, (_, n) => summary(n))
const resolved = (before: ConversationSummary) => ({ before, change: { status: 'resolved' as const } })

function answer(method: 'post' | 'patch', path: string, reply: (body: never, path: string) => Response) {
  server.use(
    http[method](API + path, async ({ request }) => {
      const { pathname } = new URL(request.url)
      const body = (await request.json()) as never
      received.push({ path: pathname.replace('/api', ''), body })
      return reply(body, pathname)
    }),
  )
}

beforeAll(() => {
  givePageState({ apiPrefix: API })
  server.listen({ onUnhandledFrame: 'error' })
})
beforeEach(() => {
  received = []
  useAuth.setState({ roles: ['Admin'], accessToken: 'token', user_Id: ADMIN, userName: 'Grace' })
})
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

test('one conversation is changed only while its version is stored', async () => {
  const stored = summary(1, { status: 'resolved', version: 8 })
  answer('patch', '/chat/admin/:clientId', () => HttpResponse.json(stored))
  const before = summary(1, { version: 7 })
  const { done, stored: got } = await sendChanges([resolved(before)])
  expect(received).toEqual([
    { path: `/chat/admin/${before.clientId}`, body: { status: 'resolved', version: 7 } },
  ])
  expect(got).toEqual([stored])
  expect(done).toEqual([{ ...resolved(before), version: 8 }])
})

test('many are changed 100 at a time, and a limit of the server is waited for', async () => {
  let refusals = 1
  answer('post', '/chat/admin/bulk', (body: { clientIds: string[] }) =>
    refusals-- > 0
      ? HttpResponse.json(
          { code: 'rate-limited', requestId: 'r1', message: 'Later.', retryable: true, retryAfterMs: 1 },
          { status: 429 },
        )
      : changedOf(body.clientIds),
  )
  const { done, error } = await sendChanges(many(250).map(resolved))
  expect(error).toBeNull()
  expect(done).toHaveLength(250)
  expect(received.map(({ body }) => (body.clientIds as string[]).length)).toEqual([100, 100, 100, 50])
})

test('labels that differ are sent apart, and an unchanged conversation has nothing to undo', async () => {
  answer('post', '/chat/admin/bulk', (body: BulkChange) =>
    changedOf(body.change.labels?.includes('VIP') ? [] : body.clientIds),
  )
  const [plain, vip, refund] = [
    summary(1),
    summary(2, { labels: ['VIP'] }),
    summary(3, { labels: ['refund'] }),
  ]
  const { done } = await sendChanges(
    [plain, vip, refund].map((before) => ({
      before,
      change: { labels: changedLabels(before.labels, { added: ['vip'], removed: [] }) },
    })),
  )
  expect(received.map(({ body }) => body.change)).toEqual([
    { labels: ['vip'] },
    { labels: ['VIP'] },
    { labels: ['refund', 'vip'] },
  ])
  expect(done.map(({ before }) => before)).toEqual([plain, refund])
})

test('a part that fails leaves the parts before it done', async () => {
  let parts = 0
  answer('post', '/chat/admin/bulk', ({ clientIds }: BulkChange) => {
    parts += 1
    return parts === 1
      ? changedOf(clientIds)
      : HttpResponse.json({ code: 'invalid-input', requestId: 'r1', message: 'No.' }, { status: 400 })
  })
  const { done, error } = await sendChanges(many(150).map(resolved))
  expect(done).toHaveLength(100)
  expect(error).toMatchObject({ message: 'No.' })
})

test('of a request that fails in part, the stored changes are applied with their version', async () => {
  answer('post', '/chat/admin/bulk', ({ clientIds: [first = '', ...failed] }: BulkChange) =>
    HttpResponse.json({ changed: 1, missing: 0, stored: [{ clientId: first, version: 7 }], failed }),
  )
  const [first, ...others] = many(3)
  const { done, error } = await sendChanges([first as ConversationSummary, ...others].map(resolved))
  expect(done).toEqual([{ ...resolved(first as ConversationSummary), version: 7 }])
  expect(error).toMatchObject({ message: "Couldn't change 2 conversations. Try again." })
})

test('undo names the version that the change made, and counts what has changed since', async () => {
  answer('patch', '/chat/admin/:clientId', (_, path) =>
    path.endsWith(summary(2).clientId)
      ? HttpResponse.json({ code: 'conflict', requestId: 'r1', message: 'Stale.' }, { status: 409 })
      : HttpResponse.json(summary(1, { version: 2 })),
  )
  const done = [summary(1), summary(2)].map((before) => ({ ...resolved(before), version: 1 }))
  const { restored, changedSince, error } = await takeBack(done)
  expect(received.map(({ body }) => body)).toEqual([
    { status: 'open', version: 1 },
    { status: 'open', version: 1 },
  ])
  expect(restored.map(({ version }) => version)).toEqual([2])
  expect({ changedSince, error }).toEqual({ changedSince: 1, error: null })
})
