import type { Message, Page } from '@proctorpass/shared/schemas/chat'
import type { EventPage } from '@proctorpass/shared/schemas/event'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import type { AdminCaller } from '../auth/caller.ts'

const MINUTE = 60_000
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
const ask = (clientId: string, message = 'a question') =>
  test.call('POST', '/api/chat', { payload: { clientId, message } })
const answer = async (clientId: string, message: string, rest = {}) =>
  (await call('POST', '/chat', { clientId, message, nonce: 'answer-xxxx', ...rest })).json().data as Message
async function answered(message = 'an anser') {
  const clientId = newClientId()
  await ask(clientId)
  return await answer(clientId, message)
}
let count = 0
const edit = (clientId: string, message: string, options: object = {}, seq = 2) =>
  call('PATCH', `/chat/admin/${clientId}/messages/${seq}`, {
    nonce: `edit-${++count}-xxxx`,
    message,
    ...options,
  })
const atVisitor = async (clientId: string, query = '') =>
  (await test.call('GET', `/api/chat/${clientId}${query}`)).json() as Page

it('shows the new words to both sides, and the earlier ones in the activity', async () => {
  const { clientId, epoch } = await answered()
  const listed = (await call('GET', `/chat/admin/${clientId}/summary`)).json()
  const unedited = await atVisitor(clientId)
  expect(unedited).not.toHaveProperty('edit')
  expect(unedited.messages[1]).not.toHaveProperty('edit')
  const edited = await edit(clientId, '\n an answer \n', { epoch })
  expect(edited.statusCode).toBe(200)
  expect(edited.json()).toMatchObject({
    message: 'Message changed',
    data: { seq: 2, message: 'an answer', edit: 1, senderId: admin.user_Id, nonce: 'answer-xxxx' },
  })
  const { data } = edited.json() as { data: Message }
  expect(await atVisitor(clientId)).toMatchObject({ edit: 1, messages: [{ seq: 1 }, data] })
  expect(await atVisitor(clientId, '?after=2&edits=0')).toMatchObject({
    ...{ messages: [], edit: 1, edits: [data], more: false },
    people: { [admin.user_Id]: {} },
  })
  expect((await atVisitor(clientId, '?after=2&edits=1')).edits).toEqual([])
  expect(await atVisitor(newClientId(), '?edits=0')).toMatchObject({ seq: 0, edits: [] })
  const log = (await call('GET', `/chat/admin/${clientId}/activity`)).json().activity as Activity[]
  expect(log.at(-1)).toMatchObject({
    ...{ kind: 'edit', by: admin.user_Id, afterSeq: 2 },
    data: { seq: 2, edit: 1, text: 'an anser' },
  })
  // No count, version, or wait moves.
  const after = (await call('GET', `/chat/admin/${clientId}/summary`)).json()
  expect(after).toEqual({ ...listed, lastMessage: data })
})

it('changes nothing when it is repeated, and refuses other words under its nonce', async () => {
  const { clientId } = await answered()
  const first = await edit(clientId, 'an answer', { nonce: 'edit-first' })
  later = 16 * MINUTE
  const again = await edit(clientId, 'an answer', { nonce: 'edit-first' })
  expect(again.json()).toEqual(first.json())
  const unchanged = await edit(clientId, 'an answer')
  expect(unchanged.json()).toEqual(first.json())
  expect((await edit(clientId, 'another', { nonce: 'edit-first' })).statusCode).toBe(409)
  expect((await call('GET', `/chat/admin/${clientId}/activity`)).json().activity).toHaveLength(2)
})

it('is refused with 400, 403, 404, and 409', async () => {
  const { clientId } = await answered()
  const expectRefused = async (call: ReturnType<typeof edit>, statusCode: number, code?: string) => {
    const refused = await call
    expect(refused.statusCode).toBe(statusCode)
    if (code) expect(refused.json()).toMatchObject({ code })
  }
  await expectRefused(edit(clientId, '  '), 400)
  await expectRefused(edit(clientId, 'x'.repeat(50_000)), 400)
  await expectRefused(edit(clientId, 'x', { nonce: '!' }), 400)
  await expectRefused(edit(clientId, 'x', {}, 1), 403)
  await expectRefused(edit(clientId, 'x', {}, 3), 404)
  await expectRefused(edit(newClientId(), 'x'), 404)
  await expectRefused(edit(clientId, 'x', { epoch: 'other' }), 409, 'stale-epoch')
  const other: AdminCaller = { side: 'admin', userId: 'b'.repeat(24) } as AdminCaller
  const byOther = test.app.useCases.chat.edit(other, clientId, 2, { nonce: 'edit-other', message: 'x' })
  await expect(byOther).rejects.toMatchObject({ status: 403 })
  const payload = { nonce: 'edit-visitor', message: 'x' }
  const path = `/api/chat/admin/${clientId}/messages/1`
  expect((await test.call('PATCH', path, { payload })).statusCode).toBe(401)
  later = 15 * MINUTE + 1_000
  await expectRefused(edit(clientId, 'x'), 409, 'conflict')
  later = 0
  await ask(clientId, 'thanks')
  await expectRefused(edit(clientId, 'x'), 409, 'conflict')
  expect((await atVisitor(clientId)).messages.map(({ message }) => message)).toEqual([
    ...['a question', 'an anser', 'thanks'],
  ])
})

it('is found by its newest words alone, also after several corrections', async () => {
  const { clientId } = await answered('zebracrossing first')
  const found = async (q: string) =>
    (await call('GET', `/search?q=${q}`)).json().hits.map((hit: object) => ({ ...hit, at: '' }))
  const hit = { type: 'message', clientId, seq: 2 }
  await vi.waitFor(async () => expect(await found('zebracrossing')).toMatchObject([hit]))
  await edit(clientId, 'yakbutter second')
  await edit(clientId, 'yakbutter third')
  await vi.waitFor(async () => expect(await found('yakbutter')).toMatchObject([hit]))
  expect(await found('zebracrossing')).toEqual([])
  expect(await found('second')).toEqual([])
  expect(await found('third')).toMatchObject([hit])
  // Its other terms stay: what it is found by besides words.
  expect(await found('yakbutter&from=me&channel=chat')).toMatchObject([hit])
})

it('is in the download with its time', async () => {
  const { clientId } = await answered()
  await edit(clientId, 'an answer')
  const { messages } = (await test.call('GET', `/api/chat/${clientId}/export`)).json()
  expect(messages).toMatchObject([
    { text: 'a question' },
    { text: 'an answer', editedAt: expect.any(String) },
  ])
  expect(messages[0]).not.toHaveProperty('editedAt')
})

it('is an event with the newest words', async () => {
  await test.storage.events.begin()
  const { last } = (await call('GET', '/events')).json() as EventPage
  const { clientId } = await answered()
  await edit(clientId, 'an answer')
  await edit(clientId, 'a better answer')
  const events = async () => {
    const page = (await call('GET', `/events?after=${last}&types=message.edited`)).json() as EventPage
    return page.events
  }
  await vi.waitFor(async () => expect(await events()).toHaveLength(2))
  const data = { clientId, by: admin.user_Id, seq: 2, text: 'a better answer' }
  expect(await events()).toMatchObject([{ data }, { data }])
  await call('DELETE', `/chat/admin/${clientId}`)
  expect((await events()).map((event) => event.data)).toEqual([{ clientId }, { clientId }])
})

it('counts from 1 again after an erase, which takes all words', async () => {
  const { clientId, epoch } = await answered()
  await edit(clientId, 'an answer')
  await call('DELETE', `/chat/admin/${clientId}`)
  expect((await edit(clientId, 'x', { epoch })).json()).toMatchObject({ code: 'stale-epoch' })
  expect((await edit(clientId, 'x')).statusCode).toBe(404)
  await ask(clientId)
  await answer(clientId, 'an anser')
  expect(await atVisitor(clientId)).not.toHaveProperty('edit')
  expect((await edit(clientId, 'an answer')).json()).toMatchObject({ data: { edit: 1 } })
})
