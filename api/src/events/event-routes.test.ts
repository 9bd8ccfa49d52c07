import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { temporaryDir } from '../../test/server-process.ts'
import { readEnv } from '../env/env.ts'
import { openStores } from '../storage/open-storage.ts'

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
let headers: { authorization: string }
beforeEach(async () => {
  test = await buildTestApp({})
  admin = await test.signIn()
  const payload = { name: 'Follower', scopes: ['write'] }
  const { key } = (await test.call('POST', '/api/keys', { headers: admin.bearer, payload })).json()
  headers = { authorization: `Bearer ${key}` }
})
afterEach(() => test.close())

const read = async (query = '') => (await test.call('GET', `/api/events${query}`, { headers })).json()
/** MongoDB numbers what happened a moment later. */
const reaches = (last: number) => expect.poll(async () => (await read()).last, { timeout: 10_000 }).toBe(last)

/** A conversation with a message, an answer of a key, a change and a note. */
async function conversation() {
  const clientId = newClientId()
  await test.call('POST', '/api/chat', { payload: { clientId, message: 'Hello' } })
  await reaches(2)
  const sent = await test.call('POST', '/api/chat', { headers, payload: { clientId, message: 'Hi' } })
  await reaches(3)
  await test.call('PATCH', `/api/chat/admin/${clientId}`, {
    headers: admin.bearer,
    payload: { status: 'resolved', labels: ['vip'] },
  })
  await reaches(5)
  const payload = { nonce: 'nonce-of-note', text: 'for admins only' }
  await test.call('POST', `/api/chat/admin/${clientId}/notes`, { headers, payload })
  await reaches(6)
  return { clientId, author: sent.json().data.senderId }
}

it('tells what happened, thin and in order', async () => {
  const { clientId, author } = await conversation()
  const { events, last, more } = await read()
  expect([last, more]).toEqual([6, false])
  const by = admin.user_Id
  expect(events.map(({ id, type, data }: Record<string, unknown>) => [id, type, data])).toEqual([
    [1, 'conversation.created', { clientId, by: 'visitor' }],
    [2, 'message.created', { clientId, by: 'visitor', seq: 1, text: 'Hello' }],
    [3, 'message.created', { clientId, by: author, seq: 2, text: 'Hi' }],
    [4, 'conversation.changed', { clientId, by, n: 1, field: 'status', from: 'open', to: 'resolved' }],
    [5, 'conversation.changed', { clientId, by, n: 2, field: 'labels', added: ['vip'], removed: [] }],
    [6, 'note.created', { clientId, by: author, n: 3 }],
  ])
  expect(JSON.stringify(events)).not.toContain('for admins only')
})

it('says what is about spam, as long as it is spam', async () => {
  const { clientId } = await conversation()
  const patch = (payload: object) =>
    test.call('PATCH', `/api/chat/admin/${clientId}`, { headers: admin.bearer, payload })
  await patch({ status: 'spam' })
  await test.call('POST', '/api/chat', { payload: { clientId, message: 'Buy now' } })
  await reaches(8)
  const { events } = await read('?after=5')
  expect(events.map(({ type, data }: Record<string, unknown>) => [type, data])).toMatchObject([
    ['note.created', { clientId, spam: true }],
    ['conversation.changed', { field: 'status', from: 'resolved', to: 'spam', spam: true }],
    ['message.created', { by: 'visitor', text: 'Buy now', spam: true }],
  ])
  await patch({ spam: false })
  await reaches(9)
  expect(JSON.stringify((await read()).events)).not.toContain('"spam":')
})

it('answers pages, by type too, and refuses unknown types', async () => {
  await conversation()
  const ids = ({ events }: { events: { id: number }[] }) => events.map(({ id }) => id)
  const first = await read('?limit=4')
  expect([ids(first), first.more, first.last]).toEqual([[1, 2, 3, 4], true, 6])
  expect(ids(await read('?after=4'))).toEqual([5, 6])
  expect(ids(await read('?types=message.created,note.created&limit=2'))).toEqual([2, 3])
  expect((await read('?types=message.created&limit=1')).more).toBe(true)
  expect(ids(await read('?after=99'))).toEqual([])
  expect([first.next, (await read('?types=note.created')).next, (await read('?after=99')).next]).toEqual([
    4, 6, 99,
  ])
  expect((await read('?types=message.created&limit=1')).next).toBe(2)
  expect((await read('?types=message.created,x')).details[0].field).toBe('types')
})

it('leaves only the name of an erased conversation, also when another history began', async () => {
  const { clientId } = await conversation()
  await test.call('DELETE', `/api/chat/admin/${clientId}`, { headers: admin.bearer })
  await test.call('POST', '/api/chat', { payload: { clientId, message: 'Again' } })
  await reaches(9)
  const { events } = await read()
  expect(events.slice(0, 7).map(({ data }: Record<string, unknown>) => data)).toEqual(
    Array.from({ length: 7 }, () => ({ clientId })),
  )
  expect(events.at(-1).data.text).toBe('Again')
})

it('says when events are no longer kept', async () => {
  await conversation()
  await test.storage.events.prune(Date.now() + 1_000)
  const answer = await test.call('GET', '/api/events?after=2', { headers })
  expect([answer.statusCode, answer.json().code]).toEqual([410, 'too-old'])
  expect((await read('?after=5')).events).toHaveLength(1)
  expect((await read()).events).toHaveLength(1)
})

it('removes old events at the start', async () => {
  const dir = temporaryDir('old-events')
  onTestFinished(dir.remove)
  const stores = await openStores(readEnv({ DATA_DIR: dir.path }))
  onTestFinished(() => stores.storage.close())
  const { events, messages } = stores.storage
  await events.begin()
  const clientId = newClientId()
  for (const seq of [1, 2]) {
    const message = { clientId, senderId: clientId, message: `${seq}`, nonce: `nonce-${seq}-of-old-events` }
    await messages.append({ ...message, at: Date.now() - 31 * 24 * 60 * 60 * 1_000 })
  }
  expect(await events.bounds()).toEqual({ first: 1, last: 3 })
  const started = await buildTestApp({ stores, dataDir: dir.path })
  onTestFinished(started.close)
  await expect.poll(() => events.bounds()).toEqual({ first: 3, last: 3 })
})
