import { REPLIES_MAX } from '@proctorpass/shared/limits'
import type { CannedReply } from '@proctorpass/shared/schemas/reply'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let bearer: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp()
  bearer = (await test.signIn()).bearer
})
afterAll(() => test.close())

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const send = (method: Method, path: string, payload?: unknown) =>
  test.call(method, `/api${path}`, {
    headers: bearer,
    ...(payload === undefined ? {} : { payload: payload as object }),
  })
const good = { shortcut: 'hello', text: 'Hello {{visitor.name}}' }
const added = async (reply: object = good) =>
  (await send('POST', '/replies', reply)).json().data as CannedReply
const listed = async () => (await send('GET', '/replies')).json() as { replies: CannedReply[]; count: number }

beforeEach(async () => {
  for (const { _id } of (await listed()).replies) await send('DELETE', `/replies/${_id}`)
})

it('GET /replies answers all, in order of shortcut, with their count', async () => {
  expect(await listed()).toEqual({ replies: [], count: 0 })
  const [b, a] = [await added({ ...good, shortcut: 'b' }), await added({ ...good, shortcut: 'a-1' })]
  expect(await listed()).toEqual({ replies: [a, b], count: 2 })
})

describe('POST /replies', () => {
  it('answers once the reply is stored', async () => {
    const answer = await send('POST', '/replies', { ...good, text: ' One\r\nTwo {{brand}} ' })
    const data = {
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      shortcut: 'hello',
      text: ' One\nTwo {{brand}}',
      version: 1,
    }
    expect([answer.statusCode, answer.json()]).toEqual([201, { message: 'Reply saved', data }])
    expect((await listed()).replies).toEqual([answer.json().data])
  })

  it('has a detail for each missing field', async () => {
    for (const body of [{}, { shortcut: '', text: ' \n' }]) {
      const answer = await send('POST', '/replies', body)
      expect([answer.statusCode, answer.json().details]).toEqual([
        400,
        [
          { field: 'shortcut', message: 'Shortcut is required' },
          { field: 'text', message: 'Text is required' },
        ],
      ])
    }
  })

  it.each<[string, unknown]>([
    ['shortcut', 'Hello'],
    ['shortcut', '-hello'],
    ['shortcut', 'hello '],
    ['shortcut', 'hel lo'],
    ['shortcut', '/hello'],
    ['shortcut', 'héllo'],
    ['shortcut', 'x'.repeat(41)],
    ['shortcut', 7],
    ['shortcut', null],
    ['shortcut', { $gt: '' }],
    ['shortcut', ['hello']],
    ['text', 'x'.repeat(4_001)],
    ['text', 'NUL\0'],
    ['text', '\ud800'],
    ['text', 4],
    ['text', { $ne: '' }],
  ])('refuses the %s %j, and stores nothing', async (field, value) => {
    const answer = await send('POST', '/replies', { ...good, [field]: value })
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ field, message: expect.any(String) }],
    ])
    expect((await listed()).count).toBe(0)
  })

  it.each(['visitor.email', 'brand ', '', 'Exam.time', 'visitor', 'constructor'])(
    'refuses the variable %j by its name',
    async (variable) => {
      const answer = await send('POST', '/replies', { ...good, text: `{{brand}} {{${variable}}}` })
      const message = `There is no variable {{${variable}}}`
      expect([answer.statusCode, answer.json().details]).toEqual([400, [{ field: 'text', message }]])
    },
  )

  it('accepts every variable, and braces that are none', async () => {
    const text = '{{visitor.name}} {{admin.name}} {{brand}} {{supportEmail}} {{exam.time}} {x} }} {{'
    expect(await added({ ...good, text })).toMatchObject({ text })
  })

  it('accepts a text of 4,000 signs of four bytes', async () => {
    expect((await added({ ...good, text: '😀'.repeat(4_000) })).version).toBe(1)
  })

  it('refuses a taken shortcut', async () => {
    await added()
    const answer = await send('POST', '/replies', { ...good, text: 'Another' })
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      {
        code: 'conflict',
        details: [{ field: 'shortcut', message: 'This shortcut is taken. Choose another one.' }],
      },
    ])
    expect((await listed()).count).toBe(1)
  })

  it('ignores unknown fields', async () => {
    const reply = await added({ ...good, _id: '0'.repeat(24), version: 9, admin: true })
    expect(reply).toMatchObject({ version: 1 })
    expect(reply._id).not.toMatch(/^0+$/)
  })
})

it(`refuses more than ${REPLIES_MAX}`, async () => {
  for (let count = 0; count < REPLIES_MAX; count += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        test.storage.replies.create({ shortcut: `r${count + index}`, text: 'x', createdAt: 1 }, REPLIES_MAX),
      ),
    )
  }
  const answer = await send('POST', '/replies', good)
  expect([answer.statusCode, answer.json().message]).toEqual([
    409,
    'There are already 1,000 canned replies. Delete one to add another.',
  ])
  const { replies, count } = await listed()
  expect([replies.length, count]).toEqual([REPLIES_MAX, REPLIES_MAX])
  await Promise.all(replies.map(({ _id }) => test.storage.replies.remove(_id)))
})

describe('PATCH /replies/{id}', () => {
  it('changes any subset under the next version', async () => {
    const reply = await added()
    const answer = await send('PATCH', `/replies/${reply._id}`, { text: 'Hi', version: 1 })
    const data = { ...reply, text: 'Hi', version: 2 }
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Reply saved', data }])
    const again = await send('PATCH', `/replies/${reply._id}`, { shortcut: 'hi', text: 'Hey', version: 2 })
    expect(again.json().data).toEqual({ _id: reply._id, shortcut: 'hi', text: 'Hey', version: 3 })
    expect((await listed()).replies).toEqual([again.json().data])
  })

  it('refuses another version than the stored one, and changes nothing', async () => {
    const reply = await added()
    await send('PATCH', `/replies/${reply._id}`, { text: 'Mine', version: 1 })
    for (const version of [1, 3]) {
      const answer = await send('PATCH', `/replies/${reply._id}`, { text: 'Theirs', version })
      expect([answer.statusCode, answer.json()]).toMatchObject([
        409,
        {
          code: 'conflict',
          details: [{ field: 'version', message: expect.stringContaining('Someone else saved') }],
        },
      ])
    }
    expect((await listed()).replies).toMatchObject([{ text: 'Mine', version: 2 }])
  })

  it('stores one of several changes of one version at once', async () => {
    const reply = await added()
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((text) =>
        send('PATCH', `/replies/${reply._id}`, { text, version: 1 }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409, 409])
    const stored = answers.find(({ statusCode }) => statusCode === 200)?.json().data
    expect((await listed()).replies).toEqual([stored])
  })

  it.each([undefined, '1', null, 0, 1.5, -1])('refuses the version %j by its field', async (version) => {
    const reply = await added()
    const answer = await send('PATCH', `/replies/${reply._id}`, { text: 'Hi', version })
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ field: 'version', message: expect.any(String) }],
    ])
  })

  it.each([
    { shortcut: '' },
    { shortcut: 'A' },
    { text: '' },
    { text: '{{x}}' },
    { text: 'x'.repeat(4_001) },
  ])('refuses %j with a detail for its field', async (change) => {
    const reply = await added()
    const answer = await send('PATCH', `/replies/${reply._id}`, { ...change, version: 1 })
    expect([answer.statusCode, answer.json().details[0].field]).toEqual([400, Object.keys(change)[0]])
    expect((await listed()).replies).toEqual([reply])
  })

  it('refuses a taken shortcut, and a change of nothing', async () => {
    await added()
    const other = await added({ ...good, shortcut: 'other' })
    const taken = await send('PATCH', `/replies/${other._id}`, { shortcut: 'hello', version: 1 })
    expect([taken.statusCode, taken.json().details[0].field]).toEqual([409, 'shortcut'])
    expect((await send('PATCH', `/replies/${other._id}`, { version: 1 })).statusCode).toBe(400)
    const same = await send('PATCH', `/replies/${other._id}`, { shortcut: 'other', version: 1 })
    expect(same.statusCode).toBe(200)
  })
})

it('DELETE /replies/{id} is final', async () => {
  const { _id } = await added()
  const answer = await send('DELETE', `/replies/${_id}`)
  expect([answer.statusCode, answer.body]).toEqual([204, ''])
  expect((await listed()).count).toBe(0)
  expect((await send('DELETE', `/replies/${_id}`)).statusCode).toBe(404)
})

it.each(['f'.repeat(24), '1', '%00', '{"$ne":""}', '__proto__'])('answers 404 for the id %s', async (id) => {
  for (const method of ['PATCH', 'DELETE'] as const) {
    const payload = method === 'PATCH' ? { text: 'x', version: 1 } : undefined
    const answer = await send(method, `/replies/${encodeURI(id)}`, payload)
    expect([answer.statusCode, answer.json().message]).toEqual([404, 'Canned reply not found.'])
  }
})

it('logs who changed which reply, without its text', async () => {
  const { _id } = await added({ ...good, text: 'a secret phrase' })
  await send('PATCH', `/replies/${_id}`, { text: 'another secret phrase', version: 1 })
  await send('DELETE', `/replies/${_id}`)
  const lines = test.log.filter((line) => line.includes(_id))
  for (const done of ['canned reply added', 'canned reply changed', 'canned reply deleted']) {
    expect(lines.find((line) => line.includes(done))).toContain('userId')
  }
  expect(test.log.join('')).not.toContain('secret phrase')
})
