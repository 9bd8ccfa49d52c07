// @vitest-environment jsdom

import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createSignal } from '../../../chat/engine/signal.ts'
import { SIGNED_OUT, useAuth } from '../../../lib/auth-store.ts'
import { http } from '../../../testing/our-http.ts'
import { API, givePageState } from '../../../testing/page-state.ts'
import { type ActivityLog, createActivityLog } from './activity-log.ts'

const VISITOR = 'visitor0000000000001'
/** Of the server's pages, so that few entries make many. */
const PAGE = 3

let stored: Activity[] = []
let asked: string[] = []
let failing = false

const server = setupServer(
  http.get(`${API}/chat/admin/:clientId/activity`, ({ params, request }) => {
    const query = new URL(request.url).searchParams
    asked.push(String(params.clientId))
    if (failing)
      return HttpResponse.json({ message: 'Later.', code: 'unavailable', requestId: 'r1' }, { status: 503 })
    const [after, before] = [query.get('after'), query.get('before')]
    const n = stored.at(-1)?.n ?? 0
    const wanted = stored.filter((entry) =>
      after === null ? before === null || entry.n < Number(before) : entry.n > Number(after),
    )
    const activity = after === null ? wanted.slice(-PAGE) : wanted.slice(0, PAGE)
    return HttpResponse.json({ activity, n, more: wanted.length > activity.length })
  }),
)

function write(afterSeq: number): Activity {
  const n = (stored.at(-1)?.n ?? 0) + 1
  const entry: Activity = {
    ...{ _id: `${n}`, clientId: VISITOR, n, by: null, at: new Date(n).toISOString(), afterSeq },
    ...{ kind: 'note', data: { text: `note ${n}`, mentions: [] } },
  }
  stored.push(entry)
  return entry
}

const count = (clientId: string) => asked.filter((each) => each === clientId).length

const facts = createSignal<Activity>()
const resync = createSignal()
let via: 'push' | 'polling' = 'push'
const chat = {
  link: {
    getState: () => ({ connection: 'connected' as const, trouble: null, via }),
    subscribe: () => () => {},
  },
  onActivity: facts.on,
  onResync: resync.on,
}
let log: ActivityLog
const shown = () => log.getState().entries.map(({ n }) => n)

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
beforeEach(() => {
  givePageState({})
  stored = []
  asked = []
  failing = false
  via = 'push'
  useAuth.setState({ roles: ['Admin'], accessToken: 'token', user_Id: 'a'.repeat(24), userName: 'Grace' })
  log = createActivityLog(VISITOR, chat, 20)
})
afterEach(() => {
  log.stop()
  useAuth.setState(SIGNED_OUT)
})
afterAll(() => server.close())

test('reads the newest page, and back as far as messages are shown', async () => {
  for (let seq = 1; seq <= 10; seq++) write(seq)
  log.start()
  await vi.waitFor(() => expect(shown()).toEqual([8, 9, 10]))
  log.reachBack(6)
  await vi.waitFor(() => expect(shown()).toEqual([5, 6, 7, 8, 9, 10]))
  log.reachBack(0)
  await vi.waitFor(() => expect(shown()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))
  expect(log.getState().hasOlder).toBe(false)
})

test('shows each entry once and in order, with facts in any order', async () => {
  write(1)
  log.start()
  await vi.waitFor(() => expect(shown()).toEqual([1]))
  const [second, third, fourth] = [write(1), write(1), write(2)]
  facts.emit(second)
  expect(shown()).toEqual([1, 2])
  // The third is missing: the server is asked.
  facts.emit(fourth)
  await vi.waitFor(() => expect(shown()).toEqual([1, 2, 3, 4]))
  facts.emit(third)
  facts.emit(fourth)
  facts.emit({ ...write(2), clientId: 'another0000000000001' })
  expect(shown()).toEqual([1, 2, 3, 4])
})

test('a lost fact is found when facts may have been missed', async () => {
  log.start()
  await vi.waitFor(() => expect(log.getState().loaded).toBe(true))
  for (let seq = 1; seq <= 7; seq++) write(seq)
  resync.emit()
  await vi.waitFor(() => expect(shown()).toEqual([1, 2, 3, 4, 5, 6, 7]))
})

test('a fact that comes while the first page is read is not lost', async () => {
  write(1)
  log.start()
  const missed = write(1)
  facts.emit(missed)
  await vi.waitFor(() => expect(shown()).toEqual([1, 2]))
})

test('polls while polling, and no longer after it is stopped', async () => {
  via = 'polling'
  log.start()
  await vi.waitFor(() => expect(count(VISITOR)).toBeGreaterThan(2))
  write(1)
  await vi.waitFor(() => expect(shown()).toEqual([1]))
  log.stop()
  const before = count(VISITOR)
  const other = createActivityLog('another0000000000001', chat, 20)
  other.start()
  await vi.waitFor(() => expect(count('another0000000000001')).toBeGreaterThan(4))
  other.stop()
  // One may have been under way.
  expect(count(VISITOR)).toBeLessThanOrEqual(before + 1)
})

test('tries again after a failure', async () => {
  failing = true
  write(1)
  log.start()
  await vi.waitFor(() => expect(count(VISITOR)).toBe(1))
  failing = false
  await vi.waitFor(() => expect(shown()).toEqual([1]), { timeout: 10_000 })
})

test('forgets the entries of an erased conversation', async () => {
  for (let seq = 1; seq <= 3; seq++) write(seq)
  log.start()
  await vi.waitFor(() => expect(shown()).toEqual([1, 2, 3]))
  stored = []
  resync.emit()
  await vi.waitFor(() => expect(shown()).toEqual([]))
  stored = []
  write(1)
  log.reset()
  await vi.waitFor(() => expect(shown()).toEqual([1]))
})
