import type { Message, Page } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
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

const call = (method: 'GET' | 'PATCH' | 'POST' | 'DELETE', url: string, payload?: object) =>
  test.call(method, `/api${url}`, { headers: admin.bearer, ...(payload && { payload }) })
const say = (clientId: string, message: string) =>
  test.call('POST', '/api/chat', { payload: { clientId, message } })
async function started() {
  const clientId = newClientId()
  await say(clientId, 'a question')
  return clientId
}
async function invited(userName: string) {
  const { invite } = (await call('POST', '/team', { userName })).json()
  const payload = { token: new URL(invite).hash.slice(1), password: 'marble-teapot-horizon' }
  const { user_Id, accessToken } = (await test.call('POST', '/api/invite', { payload })).json()
  return { user_Id: user_Id as string, bearer: { authorization: `Bearer ${accessToken}` } }
}
const inMs = (ms: number) => new Date(Date.now() + later + ms).toISOString()
let nonces = 0
const body = (options: object = {}) => {
  nonces += 1
  return { nonce: `later-nonce-${nonces}`, message: 'Good morning', sendAt: inMs(MINUTE), ...options }
}
const schedule = async (clientId: string, options: object = {}) => {
  const answer = await call('POST', `/chat/admin/${clientId}/scheduled`, body(options))
  expect(answer.statusCode).toBe(201)
  return answer.json().data as { _id: string; version: number; sendAt: string }
}
const waiting = async (clientId: string) =>
  (await call('GET', `/chat/admin/${clientId}/scheduled`)).json().scheduled
const messages = async (clientId: string) =>
  ((await test.call('GET', `/api/chat/${clientId}`)).json() as Page).messages
const texts = async (clientId: string) => (await messages(clientId)).map(({ message }) => message)
const log = async (clientId: string) =>
  ((await call('GET', `/chat/admin/${clientId}/activity`)).json().activity as Activity[]).flatMap((entry) =>
    entry.kind === 'scheduled' ? [{ by: entry.by, ...entry.data }] : [],
  )

it('stores a message for later, which the visitor does not see, and sends it in time', async () => {
  const clientId = await started()
  const wanted = body({ sendAt: inMs(1_500), anyway: true })
  const answer = await call('POST', `/chat/admin/${clientId}/scheduled`, wanted)
  expect(answer.statusCode).toBe(201)
  const { nonce: _id, ...fields } = wanted
  const data = { _id, clientId, by: admin.user_Id, ...fields, version: 1 }
  expect(answer.json()).toEqual({ message: 'Message scheduled', data })
  expect(await waiting(clientId)).toEqual([data])
  expect(await texts(clientId)).toEqual(['a question'])
  const sent = await vi.waitFor(
    async () => {
      const [, message] = await messages(clientId)
      expect(message).toMatchObject({ message: 'Good morning', nonce: _id, senderId: admin.user_Id })
      return message as Message
    },
    { timeout: 4_000, interval: 50 },
  )
  const lateMs = Date.parse(sent.createdAt) - Date.parse(wanted.sendAt)
  expect(lateMs).toBeGreaterThanOrEqual(0)
  expect(lateMs).toBeLessThan(2_000)
  expect(await waiting(clientId)).toEqual([])
  // The request is repeated after an answer that was lost.
  const repeated = await call('POST', `/chat/admin/${clientId}/scheduled`, wanted)
  expect([repeated.statusCode, repeated.json().data]).toEqual([200, data])
  expect(await texts(clientId)).toEqual(['a question', 'Good morning'])
  expect(await log(clientId)).toEqual([{ by: admin.user_Id, action: 'created', sendAt: wanted.sendAt }])
})

it('changes a message while its version waits, and the words belong to the admin who changed them', async () => {
  const clientId = await started()
  const other = await invited('maria')
  const { _id, sendAt } = await schedule(clientId)
  const url = `/chat/admin/${clientId}/scheduled/${_id}`
  expect((await call('PATCH', url, { message: 'Hi', version: 2 })).statusCode).toBe(409)
  const payload = { message: 'Hi  ', version: 1 }
  const changed = await test.call('PATCH', `/api${url}`, { headers: other.bearer, payload })
  expect(changed.json()).toMatchObject({
    message: 'Message changed',
    data: { _id, message: 'Hi', by: other.user_Id, sendAt, version: 2 },
  })
  expect((await call('PATCH', url, { message: ' ', version: 2 })).json().details[0].field).toBe('message')
  expect((await call('PATCH', url, { sendAt: inMs(-1), version: 2 })).json().details[0].field).toBe('sendAt')
  const moved = inMs(HOUR)
  expect((await call('PATCH', url, { sendAt: moved, anyway: true, version: 2 })).json().data).toMatchObject({
    ...{ by: other.user_Id, sendAt: moved, anyway: true, version: 3 },
  })
  expect(await log(clientId)).toMatchObject([
    { by: admin.user_Id, action: 'created' },
    { by: other.user_Id, action: 'changed', sendAt },
    { by: admin.user_Id, action: 'changed', sendAt: moved },
  ])
})

it('sends a message now, once', async () => {
  const clientId = await started()
  const { _id } = await schedule(clientId)
  const url = `/chat/admin/${clientId}/scheduled/${_id}/send`
  const first = await call('POST', url)
  expect([first.statusCode, first.json()]).toMatchObject([201, { data: { seq: 2, nonce: _id } }])
  const second = await call('POST', url)
  expect([second.statusCode, second.json().data]).toEqual([200, first.json().data])
  expect(await texts(clientId)).toEqual(['a question', 'Good morning'])
  for (const answer of [
    await call('PATCH', `/chat/admin/${clientId}/scheduled/${_id}`, { message: 'No', version: 1 }),
    await call('DELETE', `/chat/admin/${clientId}/scheduled/${_id}`),
  ]) {
    expect([answer.statusCode, answer.json().message]).toEqual([409, 'This message was already sent.'])
  }
})

it('cancels a message for an admin, with its words in the log', async () => {
  const clientId = await started()
  const { _id, sendAt } = await schedule(clientId)
  const url = `/chat/admin/${clientId}/scheduled/${_id}`
  expect((await call('DELETE', url)).statusCode).toBe(204)
  expect(await waiting(clientId)).toEqual([])
  expect((await log(clientId)).at(-1)).toEqual({
    ...{ by: admin.user_Id, action: 'canceled', sendAt, reason: 'admin', text: 'Good morning' },
  })
  expect((await call('DELETE', url)).statusCode).toBe(404)
  expect((await call('POST', `${url}/send`)).statusCode).toBe(404)
  expect((await call('PATCH', url, { version: 1 })).statusCode).toBe(404)
  later = 2 * MINUTE
  await test.app.useCases.chat.scheduled.sendDue()
  expect(await texts(clientId)).toEqual(['a question'])
})

it('cancels by itself when the visitor writes first', async () => {
  const clientId = await started()
  const { sendAt } = await schedule(clientId)
  const anyway = await schedule(clientId, { anyway: true })
  await say(clientId, 'never mind')
  expect((await waiting(clientId)).map(({ _id }: { _id: string }) => _id)).toEqual([anyway._id])
  expect((await log(clientId)).at(-1)).toEqual({
    ...{ by: null, action: 'canceled', sendAt, reason: 'visitor', text: 'Good morning' },
  })
})

it.each([
  ['late', async () => {}, HOUR + 2 * MINUTE],
  ['spam', (clientId: string) => call('PATCH', `/chat/admin/${clientId}`, { status: 'spam' }), 2 * MINUTE],
])('cancels with the reason %s when the message is due', async (reason, before, passed) => {
  const clientId = await started()
  await schedule(clientId)
  await before(clientId)
  later = passed
  await test.app.useCases.chat.scheduled.sendDue()
  expect(await waiting(clientId)).toEqual([])
  expect((await log(clientId)).at(-1)).toMatchObject({ by: null, action: 'canceled', reason })
  expect(await texts(clientId)).toEqual(['a question'])
})

it('cancels a message whose sender is disabled, unless another admin changes the words', async () => {
  const clientId = await started()
  const other = await invited('anna')
  const asOther = { headers: other.bearer }
  const url = `/api/chat/admin/${clientId}/scheduled`
  const [first, second] = [body(), body()]
  for (const payload of [first, second]) await test.call('POST', url, { ...asOther, payload })
  await call('PATCH', `/team/${other.user_Id}`, { disabled: true })
  expect((await call('POST', `/chat/admin/${clientId}/scheduled/${first.nonce}/send`)).statusCode).toBe(409)
  await call('PATCH', `/chat/admin/${clientId}/scheduled/${second.nonce}`, { message: 'Hello', version: 1 })
  later = 2 * MINUTE
  await test.app.useCases.chat.scheduled.sendDue()
  expect(await waiting(clientId)).toEqual([])
  expect(await texts(clientId)).toEqual(['a question', 'Hello'])
  expect((await log(clientId)).at(-1)).toMatchObject({ reason: 'sender' })
})

it.each([
  [{ sendAt: inMs(-1) }, 'sendAt'],
  [{ sendAt: inMs(91 * 24 * HOUR) }, 'sendAt'],
  [{ sendAt: 'tomorrow' }, 'sendAt'],
  [{ message: '' }, 'message'],
  [{ message: 'x'.repeat(4_001) }, 'message'],
  [{ attachments: ['1'.repeat(24)] }, 'attachments'],
  [{ attachments: ['1'.repeat(24), '1'.repeat(24)] }, 'attachments'],
])('answers 400 to %o', async (options, field) => {
  const clientId = await started()
  const answer = await call('POST', `/chat/admin/${clientId}/scheduled`, body(options))
  expect([answer.statusCode, answer.json().details?.[0]?.field]).toEqual([400, field])
  expect(await waiting(clientId)).toEqual([])
})

it('refuses an eleventh message, spam, an unknown conversation, and a message’s nonce', async () => {
  expect((await call('POST', `/chat/admin/${newClientId()}/scheduled`, body())).statusCode).toBe(404)
  const clientId = await started()
  const sent = await call('POST', '/chat', { clientId, message: 'Hi', nonce: 'sent-already-1' })
  expect(sent.statusCode).toBe(201)
  const url = `/chat/admin/${clientId}/scheduled`
  expect((await call('POST', url, body({ nonce: 'sent-already-1' }))).statusCode).toBe(409)
  for (let count = 0; count < 10; count += 1) await schedule(clientId)
  expect((await call('POST', url, body())).statusCode).toBe(409)
  const marked = await started()
  await call('PATCH', `/chat/admin/${marked}`, { status: 'spam' })
  expect((await call('POST', `/chat/admin/${marked}/scheduled`, body())).statusCode).toBe(409)
})

it('is for admins alone', async () => {
  const clientId = await started()
  const { _id } = await schedule(clientId)
  const url = `/api/chat/admin/${clientId}/scheduled`
  for (const [method, path] of [
    ['GET', url],
    ['POST', url],
    ['PATCH', `${url}/${_id}`],
    ['DELETE', `${url}/${_id}`],
    ['POST', `${url}/${_id}/send`],
  ] as const) {
    const payload = method === 'PATCH' ? { version: 1 } : body()
    expect((await test.call(method, path, { payload })).statusCode, `${method} ${path}`).toBe(401)
  }
  expect(await waiting(clientId)).toHaveLength(1)
})
