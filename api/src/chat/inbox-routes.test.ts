import { AppError } from '@proctorpass/shared/errors'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { temporaryDir } from '../../test/server-process.ts'
import { readEnv } from '../env/env.ts'
import { openStores } from '../storage/open-storage.ts'

const HOUR = 3_600_000
let test: TestApp
const dir = temporaryDir('inbox')
let admin: Awaited<ReturnType<TestApp['signIn']>>
let other: { userId: string }
/** Added to the clock of the server. */
let later = 0
beforeAll(async () => {
  test = await buildTestApp({ now: () => Date.now() + later, variables: { RATE_LIMITS: 'off' } })
  admin = await test.signIn()
  other = await test.addSession('Maria Schmidt', ['Admin'])
})
afterEach(() => {
  later = 0
})
afterAll(async () => {
  await test.close()
  dir.remove()
})

const call = (method: 'GET' | 'PATCH' | 'POST', url: string, payload?: object) =>
  test.call(method, `/api${url}`, { headers: admin.bearer, ...(payload && { payload }) })
const patch = (clientId: string, change: object) => call('PATCH', `/chat/admin/${clientId}`, change)
const note = (clientId: string, text: string, nonce = 'nonce-of-a-note') =>
  call('POST', `/chat/admin/${clientId}/notes`, { nonce, text })
const log = async (clientId: string) =>
  (await call('GET', `/chat/admin/${clientId}/activity`)).json().activity as Activity[]
const inHours = (hours: number) => new Date(Date.now() + later + hours * HOUR).toISOString()
async function started(text = 'Hello') {
  const clientId = newClientId()
  await test.call('POST', '/api/chat', { payload: { clientId, message: text } })
  return clientId
}
const field = (answer: Awaited<ReturnType<typeof call>>) => answer.json().details?.[0]?.field

describe('POST /chat/admin/:clientId/notes with assigneeId', () => {
  const handOver = (clientId: string, body: object) =>
    call('POST', `/chat/admin/${clientId}/notes`, { nonce: 'nonce-of-handover', text: 'Yours', ...body })
  const summary = async (clientId: string) => (await call('GET', `/chat/admin/${clientId}/summary`)).json()

  it('assigns with the note, once', async () => {
    const clientId = await started()
    const answer = await handOver(clientId, { assigneeId: other.userId })
    expect([answer.statusCode, answer.json().data.kind]).toEqual([201, 'note'])
    expect(answer.json().data.data.mentions).toEqual([other.userId])
    expect(await log(clientId)).toMatchObject([
      { n: 1, kind: 'note' },
      { n: 2, kind: 'assignee', data: { from: null, to: other.userId } },
    ])
    await patch(clientId, { assigneeId: null })
    const again = await handOver(clientId, { assigneeId: other.userId })
    expect(again.statusCode).toBe(200)
    expect(await summary(clientId)).toMatchObject({ assigneeId: null, version: 2 })
  })

  it('answers 400 for an admin who is not active, and stores no note', async () => {
    const clientId = await started()
    const answer = await handOver(clientId, { assigneeId: 'f'.repeat(24) })
    expect([answer.statusCode, field(answer)]).toEqual([400, 'assigneeId'])
    expect((await handOver(clientId, { assigneeId: 'me' })).statusCode).toBe(400)
    expect(await log(clientId)).toEqual([])
  })
})

describe('POST /chat with then', () => {
  const send = (clientId: string, body: object, headers: Record<string, string> = admin.bearer) =>
    test.call('POST', '/api/chat', { headers, payload: { clientId, message: 'An answer', ...body } })
  const summary = async (clientId: string) => (await call('GET', `/chat/admin/${clientId}/summary`)).json()
  const page = async (clientId: string) =>
    (await call('GET', `/chat/admin/${clientId}?after=0`)).json().messages as Message[]

  it('resolves behind the message', async () => {
    const clientId = await started()
    const sent = await send(clientId, { then: { status: 'resolved' } })
    expect([sent.statusCode, sent.json().data.then]).toEqual([201, undefined])
    expect(await summary(clientId)).toMatchObject({
      ...{ status: 'resolved', assigneeId: admin.user_Id, version: 2, waitingSince: null },
      lastMessage: { message: 'An answer' },
    })
    expect(await log(clientId)).toMatchObject([
      { kind: 'assignee', by: admin.user_Id, afterSeq: 2 },
      { kind: 'status', by: admin.user_Id, afterSeq: 2, data: { from: 'open', to: 'resolved' } },
    ])
    expect((await page(clientId)).map((message) => Object.keys(message))).not.toContainEqual(
      expect.arrayContaining(['then']),
    )
  })

  it('snoozes until then', async () => {
    const clientId = await started()
    const snoozedUntil = inHours(2)
    const sent = await send(clientId, { then: { status: 'snoozed', snoozedUntil } })
    expect(sent.statusCode).toBe(201)
    expect(await summary(clientId)).toMatchObject({ status: 'snoozed', snoozedUntil })
  })

  it('answers a repeated nonce, and gives the status no second time', async () => {
    const clientId = await started()
    const body = {
      nonce: 'nonce-of-an-answer',
      then: { status: 'snoozed', snoozedUntil: inHours(1) },
    }
    expect((await send(clientId, body)).statusCode).toBe(201)
    await test.call('POST', '/api/chat', { payload: { clientId, message: 'And this?' } })
    later = 2 * HOUR
    for (const again of [body, { ...body, then: { status: 'resolved' } }]) {
      expect((await send(clientId, again)).statusCode).toBe(200)
    }
    expect(await summary(clientId)).toMatchObject({ status: 'open', version: 3 })
  })

  it.each([
    ['snoozedUntil', { status: 'snoozed' }],
    ['snoozedUntil', { status: 'resolved', snoozedUntil: inHours(1) }],
    ['snoozedUntil', { status: 'snoozed', snoozedUntil: inHours(-1) }],
    ['snoozedUntil', { status: 'snoozed', snoozedUntil: inHours(90 * 24 + 1) }],
    ['snoozedUntil', { status: 'snoozed', snoozedUntil: 'tomorrow' }],
    ['then', { status: 'open' }],
    ['then', { status: 'closed' }],
    ['then', {}],
    ['then', 'resolved'],
    ['then', null],
  ])('answers 400 naming %s for %j, and stores nothing', async (name, then) => {
    const clientId = await started()
    const answer = await send(clientId, { then })
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
    expect(field(answer)).toMatch(new RegExp(`^${name}`))
    expect(await page(clientId)).toHaveLength(1)
    expect(await log(clientId)).toEqual([])
  })

  it("gives no status with a refused message, and ignores a visitor's", async () => {
    const clientId = await started()
    const then = { status: 'resolved' }
    expect((await send(clientId, { then, message: ' ' })).statusCode).toBe(400)
    expect((await send(clientId, { then, epoch: 'another' })).statusCode).toBe(409)
    expect((await send(clientId, { then }, {})).statusCode).toBe(201)
    const over = { status: 'snoozed', snoozedUntil: inHours(-1) }
    expect((await send(clientId, { then: over, message: 'More' }, {})).statusCode).toBe(201)
    expect(await summary(clientId)).toMatchObject({ status: 'open', version: 0 })
  })
})

describe('PATCH /chat/admin/:clientId', () => {
  it('answers the summary, and each change counts once', async () => {
    const clientId = await started()
    const until = inHours(2)
    const answer = await patch(clientId, {
      status: 'snoozed',
      snoozedUntil: until,
      assigneeId: other.userId,
      labels: ['  Refund ', 'VIP'],
      version: 0,
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      clientId,
      status: 'snoozed',
      snoozedUntil: until,
      assigneeId: other.userId,
      labels: ['Refund', 'VIP'],
      version: 1,
      visitor: { name: null, email: null, locale: null, timeZone: null, examAt: null },
      lastMessage: { message: 'Hello' },
    })
    const again = await patch(clientId, { labels: ['refund', 'vip'], version: 1 })
    expect([again.statusCode, again.json().version]).toEqual([200, 1])
    const entries = await log(clientId)
    expect(entries.map(({ n, kind, by, afterSeq }) => ({ n, kind, by, afterSeq }))).toEqual([
      { n: 1, kind: 'status', by: admin.user_Id, afterSeq: 1 },
      { n: 2, kind: 'assignee', by: admin.user_Id, afterSeq: 1 },
      { n: 3, kind: 'labels', by: admin.user_Id, afterSeq: 1 },
    ])
    expect(entries[0]?.data).toEqual({ from: 'open', to: 'snoozed', until })
  })

  it('answers the summary without a change for an empty one', async () => {
    const clientId = await started()
    expect((await patch(clientId, {})).json()).toMatchObject({ clientId, version: 0, status: 'open' })
    expect((await call('GET', `/chat/admin/${clientId}/summary`)).json()).toMatchObject({ clientId })
  })

  it('answers 409 for a stale version, and says who took the conversation', async () => {
    const clientId = await started()
    await patch(clientId, { assigneeId: other.userId, version: 0 })
    const taken = await patch(clientId, { assigneeId: admin.user_Id, version: 0 })
    expect([taken.statusCode, taken.json().code]).toEqual([409, 'conflict'])
    expect(taken.json().message).toBe('Maria Schmidt took this conversation.')
    const stale = await patch(clientId, { status: 'resolved', version: 0 })
    expect([stale.statusCode, stale.json().retryable]).toEqual([409, false])
    expect(await log(clientId)).toHaveLength(1)
  })

  it.each([
    ['snoozedUntil', { status: 'snoozed' }],
    ['snoozedUntil', { snoozedUntil: inHours(1) }],
    ['snoozedUntil', { status: 'resolved', snoozedUntil: inHours(1) }],
    ['snoozedUntil', { status: 'snoozed', snoozedUntil: inHours(-1) }],
    ['snoozedUntil', { status: 'snoozed', snoozedUntil: inHours(90 * 24 + 1) }],
    ['snoozedUntil', { status: 'snoozed', snoozedUntil: '2027-02-30T10:00:00Z' }],
    ['snoozedUntil', { status: 'snoozed', snoozedUntil: 'tomorrow' }],
    ['assigneeId', { assigneeId: 'f'.repeat(24) }],
    ['assigneeId', { assigneeId: 'me' }],
    ['labels', { labels: ['x'.repeat(41)] }],
    ['labels', { labels: [' '] }],
    ['labels', { labels: ['\u3164'] }],
    ['labels', { labels: ['two\nlines'] }],
    ['labels', { labels: Array.from({ length: 21 }, (_, index) => `label ${index}`) }],
    ['status', { status: 'closed' }],
    ['version', { version: -1 }],
  ])('answers 400 naming %s for %j, and changes nothing', async (name, change) => {
    const clientId = await started()
    const answer = await patch(clientId, change)
    expect(answer.statusCode).toBe(400)
    expect(field(answer)).toMatch(new RegExp(`^${name}`))
    expect(await log(clientId)).toEqual([])
  })

  it('takes labels of 40 characters in any script', async () => {
    const clientId = await started()
    const label = `${'退'.repeat(39)}👩`
    expect((await patch(clientId, { labels: [label] })).json().labels).toEqual([label])
  })

  it('answers 400 for a disabled admin, and 404 for an unknown conversation', async () => {
    const gone = { userName: 'gone', passwordHash: 'none', roles: ['Admin'], createdAt: 1 }
    const assigneeId = (await test.storage.users.create(gone))?._id ?? ''
    expect((await patch(await started(), { assigneeId })).statusCode).toBe(200)
    await test.storage.users.changeCredentials(assigneeId, { disabled: true })
    expect((await patch(await started(), { assigneeId })).statusCode).toBe(400)
    expect((await patch(newClientId(), { status: 'resolved' })).statusCode).toBe(404)
  })

  it('refuses visitors and strangers', async () => {
    const clientId = await started()
    for (const [method, url] of [
      ['PATCH', `/chat/admin/${clientId}`],
      ['GET', `/chat/admin/${clientId}/summary`],
      ['GET', `/chat/admin/${clientId}/activity`],
      ['POST', `/chat/admin/${clientId}/notes`],
      ['POST', '/chat/admin/bulk'],
      ['GET', '/chat/counts'],
      ['GET', '/chat/labels'],
    ] as const) {
      const payload = method === 'GET' ? undefined : { nonce: 'nonce-of-stranger', text: 'hi', clientIds: [] }
      const without = await test.call(method, `/api${url}`, { payload })
      const visitor = { authorization: `Visitor ${'k'.repeat(43)}` }
      const asVisitor = await test.call(method, `/api${url}`, { payload, headers: visitor })
      expect([url, without.statusCode]).toEqual([url, 401])
      expect([401, 403]).toContain(asVisitor.statusCode)
    }
  })
})

describe('messages that need no answer', () => {
  const say = async (clientId: string, message: string) =>
    ((await test.call('POST', '/api/chat', { payload: { clientId, message } })).json().data as Message)
      .createdAt

  it('no longer wait, and one that the admin did not see does', async () => {
    const clientId = await started('thank you')
    const question = await say(clientId, 'but how?')
    const seen = await patch(clientId, { settled: true, upTo: 1, version: 0 })
    expect([seen.statusCode, seen.json()]).toMatchObject([
      200,
      { status: 'open', assigneeId: null, waitingSince: question, version: 1 },
    ])
    const all = await patch(clientId, { settled: true })
    expect(all.json()).toMatchObject({ waitingSince: null, version: 2 })
    expect((await call('GET', `/chat/admin/${clientId}/summary`)).json().waitingSince).toBeNull()
    const { waiting } = (await call('GET', '/reports/now')).json()
    expect(JSON.stringify(waiting)).not.toContain(clientId)
    const next = await say(clientId, 'and then?')
    expect((await patch(clientId, {})).json()).toMatchObject({ waitingSince: next, version: 2 })
    const back = await patch(clientId, { settled: false, version: 2 })
    expect(back.json()).toMatchObject({ waitingSince: question, version: 3 })
    expect((await patch(clientId, { settled: false, version: 2 })).statusCode).toBe(409)
    expect(await log(clientId)).toMatchObject([
      { n: 1, kind: 'settled', by: admin.user_Id, afterSeq: 2, data: { upTo: 1 } },
      { n: 2, kind: 'settled', by: admin.user_Id, afterSeq: 2, data: { upTo: 2 } },
      { n: 3, kind: 'settled', by: admin.user_Id, afterSeq: 3, data: { upTo: null } },
    ])
  })

  it('are in several conversations, none of which changes if one of them is shorter', async () => {
    const [short, long] = [await started('thanks'), await started('thanks')]
    await say(long, 'really')
    const bulk = (change: object) =>
      call('POST', '/chat/admin/bulk', { clientIds: [long, short, newClientId()], change })
    const wrong = await bulk({ settled: true, upTo: 2 })
    expect([wrong.statusCode, field(wrong)]).toEqual([400, 'upTo'])
    expect(await log(long)).toEqual([])
    expect((await bulk({ settled: true })).json()).toMatchObject({ changed: 2, missing: 1 })
    expect((await bulk({ settled: true })).json()).toMatchObject({ changed: 0 })
    expect((await bulk({ settled: false })).json()).toMatchObject({ changed: 2 })
  })

  it('are refused beyond the newest, and without a decision', async () => {
    const clientId = await started()
    for (const change of [
      { settled: true, upTo: 2 },
      { settled: true, upTo: -1 },
      { settled: true, upTo: 1.5 },
      { settled: true, upTo: '1' },
      { settled: false, upTo: 1 },
      { upTo: 1 },
      { upTo: 2, version: 9 },
    ]) {
      const answer = await patch(clientId, change)
      expect([answer.statusCode, field(answer)], JSON.stringify(change)).toEqual([400, 'upTo'])
    }
    expect(field(await patch(clientId, { settled: 'yes' }))).toBe('settled')
    expect((await patch(newClientId(), { settled: true })).statusCode).toBe(404)
    expect(await log(clientId)).toEqual([])
  })
})

describe('messages', () => {
  it('of a visitor reopen, of an admin assign, and visitors learn nothing of it', async () => {
    const clientId = await started('first')
    await patch(clientId, { status: 'resolved', labels: ['Secret label'] })
    const send = (payload: object, headers = {}) =>
      test.call('POST', '/api/chat', { payload: { clientId, ...payload }, headers })
    const sent = await send({ message: 'second' })
    expect(sent.body).not.toContain('Secret')
    const summary = await call('GET', `/chat/admin/${clientId}/summary`)
    expect(summary.json()).toMatchObject({ status: 'open', version: 2, assigneeId: null })
    await send({ message: 'answer' }, admin.bearer)
    await note(clientId, 'words of a note')
    expect((await log(clientId)).map(({ kind, by, afterSeq }) => [kind, by, afterSeq])).toEqual([
      ['status', admin.user_Id, 1],
      ['labels', admin.user_Id, 1],
      ['status', null, 2],
      ['assignee', admin.user_Id, 3],
      ['note', admin.user_Id, 3],
    ])
    const page = await test.call('GET', `/api/chat/${clientId}`)
    expect(page.json().messages.map(({ message }: Message) => message)).toEqual(['first', 'second', 'answer'])
    expect(page.body).not.toMatch(/words of a note|Secret|assignee|labels|version/)
  })
})

describe('notes', () => {
  it('are stored once, and notify the admins they mention', async () => {
    const clientId = await started()
    const text = 'Ask @maria schmidt, not @mariana or a@admin.example'
    const first = await note(clientId, `\n${text}  `)
    expect(first.statusCode).toBe(201)
    expect(first.json()).toMatchObject({
      message: 'Note saved',
      data: { n: 1, kind: 'note', by: admin.user_Id, data: { text, mentions: [other.userId] } },
    })
    const again = await note(clientId, text)
    expect([again.statusCode, again.json().data]).toEqual([200, first.json().data])
    expect((await note(clientId, 'other words')).statusCode).toBe(409)
    expect(await log(clientId)).toHaveLength(1)
  })

  it.each(['', '   ', 'x'.repeat(4_001), 'a\0b', '\ud800'])('refuse %j', async (text) => {
    const answer = await note(await started(), text)
    expect([answer.statusCode, field(answer)]).toEqual([400, 'text'])
  })

  it('may have 4,000 characters, and need a conversation', async () => {
    const long = '👩'.repeat(4_000)
    expect((await note(await started(), long)).json().data.data.text).toBe(long)
    expect((await note(newClientId(), 'hello')).statusCode).toBe(404)
    const empty = await call('GET', `/chat/admin/${newClientId()}/activity`)
    expect(empty.json()).toEqual({ activity: [], n: 0, more: false })
  })
})

describe('POST /chat/admin/bulk', () => {
  it('changes each once, and counts the missing ones', async () => {
    const ids = [await started(), await started(), await started()]
    await patch(ids[0] ?? '', { status: 'resolved' })
    const answer = await call('POST', '/chat/admin/bulk', {
      clientIds: [...ids, ids[1], newClientId()],
      change: { status: 'resolved' },
    })
    expect(answer.statusCode).toBe(200)
    const stored = ids.slice(1).map((clientId) => ({ clientId, version: 1 }))
    expect(answer.json()).toEqual({ changed: 2, missing: 1, stored })
    for (const id of ids) expect(await log(id)).toHaveLength(1)
  })

  it('says what was stored when the store is not there for the rest, and fails when nothing was', async () => {
    const { storage, ...files } = await openStores(readEnv({ DATA_DIR: dir.path, SERVE_WEB: 'false' }))
    const failing = new Set<string>()
    const inbox: typeof storage.inbox = {
      ...storage.inbox,
      change: async (clientId, ...rest) => {
        if (failing.has(clientId)) throw new AppError('unavailable', 'The store is away.')
        return storage.inbox.change(clientId, ...rest)
      },
    }
    const app = await buildTestApp({
      dataDir: dir.path,
      stores: { ...files, storage: { ...storage, inbox } },
    })
    const { bearer } = await app.signIn()
    const ids = [newClientId(), newClientId(), newClientId()]
    for (const clientId of ids)
      await app.call('POST', '/api/chat', { payload: { clientId, message: 'Hello' } })
    const resolveAll = async () => {
      const payload = { clientIds: ids, change: { status: 'resolved' } }
      return app.call('POST', '/api/chat/admin/bulk', { headers: bearer, payload })
    }
    const [first = '', ...others] = ids
    for (const clientId of others) failing.add(clientId)
    const part = await resolveAll()
    expect([part.statusCode, part.json()]).toEqual([
      200,
      { changed: 1, missing: 0, stored: [{ clientId: first, version: 1 }], failed: others },
    ])
    failing.add(first)
    expect((await resolveAll()).statusCode).toBe(503)
    await app.close()
    await storage.close()
  })

  it('refuses a wrong change as a whole, and more than 100 conversations', async () => {
    const clientId = await started()
    const wrong = { clientIds: [clientId], change: { status: 'snoozed' } }
    expect((await call('POST', '/chat/admin/bulk', wrong)).statusCode).toBe(400)
    const many = { clientIds: Array.from({ length: 101 }, newClientId), change: { status: 'resolved' } }
    expect((await call('POST', '/chat/admin/bulk', many)).statusCode).toBe(400)
    expect((await call('POST', '/chat/admin/bulk', { clientIds: [], change: {} })).statusCode).toBe(400)
    expect(await log(clientId)).toEqual([])
  })
})

describe('snoozes', () => {
  it('end by themselves, once', async () => {
    const clientId = await started()
    await patch(clientId, { status: 'snoozed', snoozedUntil: inHours(1) })
    const { inbox } = test.app.useCases.chat
    await inbox.endDueSnoozes()
    expect(await log(clientId)).toHaveLength(1)
    later = 2 * HOUR
    await Promise.all([inbox.endDueSnoozes(), inbox.endDueSnoozes()])
    expect((await log(clientId)).slice(1)).toMatchObject([
      { n: 2, by: null, kind: 'status', data: { from: 'snoozed', to: 'open' } },
    ])
    expect((await call('GET', `/chat/admin/${clientId}/summary`)).json()).toMatchObject({
      status: 'open',
      snoozedUntil: null,
      version: 2,
    })
  })
})

describe('GET /chat', () => {
  it('filters, and keeps the filter in the Link header', async () => {
    const mine = [await started(), await started(), await started()]
    for (const id of mine) await patch(id, { assigneeId: admin.user_Id, labels: ['Filter test'] })
    await patch(mine[2] ?? '', { status: 'resolved' })
    const seen: string[] = []
    let url: string | undefined =
      '/api/chat?status=open,snoozed&assignee=me&label=filter%20TEST&unread=1&limit=1'
    while (url !== undefined) {
      const answer = await test.call('GET', url, { headers: admin.bearer })
      for (const { clientId } of answer.json()) seen.push(clientId)
      url = /^<(.*)>; rel="next"$/.exec(String(answer.headers.link))?.[1]
    }
    expect(seen).toEqual(mine.slice(0, 2))
    expect((await call('GET', '/chat?label=unknown')).json()).toEqual({ message: 'No messages found!' })
    const free = await started()
    await patch(free, { labels: ['Filter test'] })
    const listed = async (query: string) =>
      (await call('GET', `/chat?label=filter%20test&${query}`)).json().map((each: Message) => each.clientId)
    expect(await listed('assignee=none')).toEqual([free])
    expect(await listed(`assignee=${admin.user_Id}&status=resolved`)).toEqual([mine[2]])
    const labels = (await call('GET', '/chat/labels')).json().labels
    expect(labels).toContain('Filter test')
  })

  it.each(['status=closed', 'status=', 'assignee=someone', 'exam=later', 'unread=0', 'label='])(
    'answers 400 for %s',
    async (query) => {
      expect((await call('GET', `/chat?${query}`)).statusCode).toBe(400)
    },
  )

  it('lists exams of the next 24 hours, the soonest first, and counts them', async () => {
    const [late, soon, past, far, done] = await Promise.all([1, 2, 3, 4, 5].map(() => started()))
    const exams = { [late as string]: 20, [soon as string]: 2, [past as string]: -1, [far as string]: 25 }
    for (const [id, hours] of Object.entries({ ...exams, [done as string]: 3 })) {
      const answer = await call('PATCH', `/chat/admin/${id}/visitor`, { examAt: inHours(hours) })
      expect(answer.statusCode).toBe(200)
    }
    await patch(done as string, { status: 'resolved' })
    const first = await call('GET', '/chat?exam=soon&limit=1')
    expect(first.json().map(({ clientId }: Message) => clientId)).toEqual([soon])
    const next = /^<(.*)>; rel="next"$/.exec(String(first.headers.link))?.[1] ?? ''
    const second = await test.call('GET', next, { headers: admin.bearer })
    expect(second.json().map(({ clientId }: Message) => clientId)).toEqual([late])
    expect(second.headers.link).toBeUndefined()
    expect((await call('GET', '/chat/counts')).json().examSoon).toBe(2)
  })
})
