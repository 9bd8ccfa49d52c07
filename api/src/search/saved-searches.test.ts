import type { SavedSearch } from '@proctorpass/shared/schemas/search'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let bearer: { authorization: string }
let userId: string
beforeAll(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  const signedIn = await test.signIn()
  bearer = signedIn.bearer
  userId = signedIn.user_Id
})
afterAll(() => test.close())

const PATH = '/api/account/searches'
const send = (method: 'GET' | 'POST' | 'DELETE', path = PATH, payload?: object) =>
  test.call(method, path, { headers: bearer, ...(payload && { payload }) })
const save = (name: string, query = 'q=refund') => send('POST', PATH, { name, query })
const listed = async () => (await send('GET')).json<{ searches: SavedSearch[] }>().searches

beforeEach(async () => {
  for (const { _id } of await listed()) await send('DELETE', `${PATH}/${_id}`)
})

it('saves a search, and lists all in order of name', async () => {
  const answer = await save(' Refunds ', 'q=refund&from=visitor')
  const data = {
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: 'Refunds',
    query: 'q=refund&from=visitor',
    count: 0,
    more: false,
  }
  expect([answer.statusCode, answer.json()]).toEqual([201, { message: 'Search saved', data }])
  await save('late', 'after=7d&label=two+words')
  expect((await listed()).map(({ name }) => name)).toEqual(['late', 'Refunds'])
})

it('counts what a search finds, up to 50', async () => {
  const clientId = newClientId()
  const say = async (message: string) => {
    expect((await test.call('POST', '/api/chat', { payload: { clientId, message } })).statusCode).toBe(201)
  }
  for (let n = 0; n < 50; n++) await say(`zebra ${n}`)
  await save('all', 'q=zebra')
  await save('some', 'q=zebra+7&from=visitor&limit=1')
  await save('none', 'q=zebra&from=me')
  await save('nothing', 'q=...')
  const counts = async () => (await listed()).map(({ name, count, more }) => [name, count, more])
  expect(await counts()).toEqual([
    ['all', 50, false],
    ['none', 0, false],
    ['nothing', 0, false],
    ['some', 1, false],
  ])
  await say('zebra again')
  expect((await counts())[0]).toEqual(['all', 50, true])
})

describe('what is refused', () => {
  it('is a name without text, with two lines, or that is too long', async () => {
    for (const name of ['', ' ', 'a\nb', 'x'.repeat(61)]) {
      const answer = await save(name)
      expect([answer.statusCode, answer.json().details[0].field]).toEqual([400, 'name'])
    }
    expect((await save('😀'.repeat(60))).statusCode).toBe(201)
  })

  it('is what GET /search refuses', async () => {
    for (const query of [
      '',
      'q=',
      'foo=bar',
      `q=${'x'.repeat(201)}`,
      'from=sam',
      'after=soon',
      'status=closed',
      'channel=fax',
      'site=shop',
      'has=image',
      'label=',
      'q=a&limit=0',
      'from=me&from=visitor',
    ]) {
      expect((await send('GET', `/api/search?${query}`)).statusCode, query).toBe(400)
      expect((await save('wrong', query)).statusCode, query).toBe(400)
    }
    expect((await save('wrong', `q=${'x'.repeat(4_000)}`)).statusCode).toBe(400)
    for (const payload of [{}, { name: 'a' }, { name: 1, query: 'q=a' }, { name: 'a', query: ['q=a'] }]) {
      expect((await send('POST', PATH, payload)).statusCode).toBe(400)
    }
    expect(await listed()).toEqual([])
  })

  it('is a taken name, and the 21st search', async () => {
    await save('Refunds')
    const taken = await save('REFUNDS', 'q=other')
    expect([taken.statusCode, taken.json().code, taken.json().details[0].field]).toEqual([
      409,
      'conflict',
      'name',
    ])
    for (let n = 2; n <= 20; n++) expect((await save(`search ${n}`)).statusCode).toBe(201)
    const full = await save('one more')
    expect([full.statusCode, full.json().message]).toEqual([
      409,
      'You can have up to 20 saved searches. Delete one first.',
    ])
    expect(await listed()).toHaveLength(20)
  })
})

it('deletes only what is your own', async () => {
  const { _id } = (await save('mine')).json().data
  const other = { userId: 'b'.repeat(24), name: 'theirs', query: 'q=a', createdAt: 1 }
  const stored = await test.storage.savedSearches.create(other, 20)
  const theirs = stored.outcome === 'stored' ? stored.search._id : ''
  for (const id of [theirs, 'f'.repeat(24), '%25', 'x'.repeat(300)]) {
    expect((await send('DELETE', `${PATH}/${id}`)).statusCode).toBe(404)
  }
  expect((await listed()).map(({ name }) => name)).toEqual(['mine'])
  expect((await send('DELETE', `${PATH}/${_id}`)).statusCode).toBe(204)
  expect((await send('DELETE', `${PATH}/${_id}`)).statusCode).toBe(404)
})

it('counts nothing for a stored search that is not valid anymore', async () => {
  for (const [name, query] of [
    ['a', 'from=sam'],
    ['b', 'after=soon'],
    ['c', '%'],
  ] as const) {
    await test.storage.savedSearches.create({ userId, name, query, createdAt: 1 }, 20)
  }
  expect((await listed()).map(({ count, more }) => [count, more])).toEqual([
    [0, false],
    [0, false],
    [0, false],
  ])
})

it('is only for signed-in admins', async () => {
  for (const method of ['GET', 'POST'] as const) {
    expect((await test.call(method, PATH, method === 'POST' ? { payload: {} } : {})).statusCode).toBe(401)
  }
})
