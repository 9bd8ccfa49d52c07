import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
beforeAll(async () => {
  test = await buildTestApp()
  admin = await test.signIn()
})
afterAll(() => test.close())

const good = { email: 'sam@example.com', title: 'Hours', message: 'When are you there?' }
let addresses = 0
const newAddress = () => `198.51.100.${++addresses % 250}`
const post = (payload: unknown, remoteAddress = newAddress()) =>
  test.app.inject({
    method: 'POST',
    url: '/api/contacts',
    remoteAddress,
    headers: { 'content-type': 'application/json' },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
const list = (query = '') => test.call('GET', `/api/contacts${query}`, { headers: admin.bearer })
const stored = async () => (await test.storage.contacts.list({ page: 1, perPage: 100 })).items

describe('GET /contacts', () => {
  it('answers a message when there are none', async () => {
    const answer = await list()
    expect(answer.json()).toEqual({ message: 'No contacts  found!', contacts: [], count: 0 })
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('is for admins only', async () => {
    expect((await test.call('GET', '/api/contacts')).statusCode).toBe(401)
  })
})

describe('POST /contacts', () => {
  it('stores the trimmed message before it answers', async () => {
    const answer = await post({
      email: ' sam@example.com ',
      title: ' Hours\n',
      message: '\r\n One\r\nTwo \n',
    })
    expect(answer.statusCode).toBe(201)
    expect(answer.json()).toEqual({ message: "Thank you. We'll reply by email." })
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await list()).json()).toEqual({
      contacts: [
        {
          _id: expect.stringMatching(/^[0-9a-f]{24}$/),
          email: 'sam@example.com',
          title: 'Hours',
          message: 'One\nTwo',
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          doneAt: null,
        },
      ],
      count: 1,
    })
  })

  it.each([
    ['email', 'Email is required'],
    ['title', 'Title is required'],
    ['message', 'Message is required'],
  ])('refuses a missing or blank %s', async (field, message) => {
    for (const body of [
      { ...good, [field]: undefined },
      { ...good, [field]: '' },
      { ...good, [field]: ' \n ' },
    ]) {
      const answer = await post(body)
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'invalid-input', message, details: [{ field, message }] }),
      ])
    }
  })

  it('names every wrong field at once', async () => {
    const { details } = (await post({})).json()
    expect(details.map(({ field }: { field: string }) => field)).toEqual(['email', 'title', 'message'])
  })

  it.each([
    'sam',
    'sam@',
    '@example.com',
    'sam@example',
    'sam@.com',
    'sam@example..com',
    'sam@example.com.',
    'a b@example.com',
    'a@b@example.com',
    'a@example.com,b@example.com',
    'Sam <sam@example.com>',
    'sam@example.com\r\nBcc: all@example.com',
    'sam@exa\0mple.com',
    'sam\u202E@example.com',
    'sam\ud800@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(260)}.com`,
  ])('refuses the email address %j', async (email) => {
    const answer = await post({ ...good, email })
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ field: 'email', message: 'Enter a valid email address' }],
    ])
  })

  it.each(["o'neil+exam@mail.example.co.uk", 'zoë@例子.example', 'UPPER@EXAMPLE.COM', 'a@b.co'])(
    'accepts the email address %s',
    async (email) => {
      expect((await post({ ...good, email })).statusCode).toBe(201)
      expect((await stored())[0]?.email).toBe(email)
    },
  )

  it('refuses 60 KB of hostile text in time', async () => {
    for (const email of [`${'a'.repeat(60_000)}@`, `a@${'b.'.repeat(30_000)}`, '@'.repeat(60_000)]) {
      expect((await post({ ...good, email })).statusCode).toBe(400)
    }
  })

  it.each([
    ['title', 'Hours\r\nBcc: all@example.com'],
    ['title', 'Hours\nmore'],
    ['title', 'Ho\0urs'],
    ['title', 'Hours\u2028more'],
    ['title', 'Hours \ud800'],
    ['title', 'x'.repeat(201)],
    ['message', 'Text\0'],
    ['message', '\udc00 text'],
    ['message', 'x'.repeat(5_001)],
  ])('refuses the %s %j', async (field, text) => {
    const answer = await post({ ...good, [field]: text })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().details).toEqual([{ field, message: expect.any(String) }])
  })

  it('counts code points up to the limits', async () => {
    expect((await post({ ...good, title: '😀'.repeat(200), message: '😀'.repeat(5_000) })).statusCode).toBe(
      201,
    )
    expect((await post({ ...good, title: '😀'.repeat(201) })).statusCode).toBe(400)
  })

  it('stores markup, formulas and SQL as plain text', async () => {
    const odd = {
      title: '<script>alert(1)</script>',
      message: "=1+1\n'; DROP TABLE contacts; --\n{{7*7}}",
    }
    expect((await post({ ...good, ...odd })).statusCode).toBe(201)
    expect((await stored())[0]).toMatchObject(odd)
  })

  it('removes direction marks from the title', async () => {
    expect((await post({ ...good, title: '\u202Agnp.\u202Eexe\u2069' })).statusCode).toBe(201)
    expect((await stored())[0]).toMatchObject({ title: 'gnp.exe' })
  })

  it.each([
    { email: { $ne: null } },
    { email: { $gt: '' } },
    { title: { $regex: '.*' } },
    { message: ['text'] },
    { message: 7 },
    { title: null },
    { website: { $where: 'sleep(3000)||1' } },
    { website: ['x'] },
  ])('refuses %j by its type', async (part) => {
    const before = (await stored()).length
    const answer = await post({ ...good, ...part })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().details[0].message).toBe('must be text')
    expect((await stored()).length).toBe(before)
  })

  it.each(['[]', '"text"', '7', 'null', 'true', '', '{', '{"email":"a@b.co",}'])(
    'refuses the body %s',
    async (body) => {
      expect((await post(body)).statusCode).toBe(400)
    },
  )

  it.each([
    ['__proto__', '{"email":"","title":"","message":"polluted"}'],
    ['constructor', '{"prototype":{"title":"polluted"}}'],
    ['_id', '"000000000000000000000000"'],
    ['createdAt', '1'],
    ['roles', '["Admin"]'],
    ['toString', '"x"'],
    ['then', '"x"'],
    ['toJSON', '"x"'],
    ['email.$ne', '1'],
  ])('ignores the key %s', async (key, value) => {
    const before = Date.now()
    const answer = await post(`{"email":"a@b.co","title":"Hours","message":"Text","${key}":${value}}`)
    expect(answer.statusCode).toBe(201)
    const [newest] = await stored()
    expect(newest).toEqual({
      _id: expect.not.stringMatching(/^0+$/),
      email: 'a@b.co',
      title: 'Hours',
      message: 'Text',
      createdAt: expect.any(Number),
      doneAt: null,
    })
    expect(newest?.createdAt).toBeGreaterThanOrEqual(before)
    expect(({} as { title?: string }).title).toBeUndefined()
  })

  it('does not fill missing fields from a polluted prototype', async () => {
    const answer = await post('{"__proto__":{"email":"a@b.co","title":"T","message":"M"}}')
    expect(answer.json().details).toHaveLength(3)
  })

  it('answers a filled honeypot like any message, and stores nothing', async () => {
    const before = (await stored()).length
    const robot = await post({ ...good, website: 'https://spam.example' })
    const person = await post({ ...good, website: '' })
    expect([robot.statusCode, robot.body]).toEqual([person.statusCode, person.body])
    expect((await stored()).length).toBe(before + 1)
  })

  it('accepts twenty from one address in ten minutes, counting robots but not invalid input', async () => {
    const address = '203.0.113.9'
    for (let sent = 0; sent < 20; sent += 1) {
      await post({ ...good, email: 'wrong' }, address)
      expect((await post({ ...good, website: sent % 2 ? 'x' : '' }, address)).statusCode).toBe(201)
    }
    const before = (await stored()).length
    const answer = await post(good, address)
    expect(answer.statusCode).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(500)
    expect(answer.json().message).toMatch(/^Too many messages from your network\. Try again in /)
    expect((await stored()).length).toBe(before)
    expect((await post(good)).statusCode).toBe(201)
  })

  it('refuses foreign pages', async () => {
    const answer = await test.call('POST', '/api/contacts', {
      payload: good,
      headers: { origin: 'https://evil.example' },
    })
    expect(answer.statusCode).toBe(403)
  })

  it('logs no text', async () => {
    await post({ ...good, email: 'secret@example.com', title: 'secret title', message: 'secret text' })
    expect(test.log.join('\n')).not.toMatch(/secret/)
  })
})

describe('GET /contacts with messages', () => {
  it('answers pages, newest first, of a hundred by default', async () => {
    const all = (await stored()).map(({ _id }) => _id)
    const ids = async (query: string) =>
      (await list(query)).json().contacts.map(({ _id }: { _id: string }) => _id)
    expect(await ids('')).toEqual(all)
    expect(await ids('?page=2&perPage=3')).toEqual(all.slice(3, 6))
    expect((await list('?page=1000')).json()).toEqual({
      message: 'No contacts  found!',
      contacts: [],
      count: all.length,
    })
    expect((await list('?perPage=101')).statusCode).toBe(400)
  })
})

describe('GET /contacts/:id', () => {
  it('answers one contact message', async () => {
    const [newest] = (await list()).json().contacts
    expect((await list(`/${newest._id}`)).json()).toEqual(newest)
  })

  it.each([
    ['an unknown id', 'f'.repeat(24), 404],
    ['no id', 'x', 400],
  ])('answers %s with an error', async (_what, id, status) => {
    expect((await list(`/${id}`)).statusCode).toBe(status)
  })

  it('is for admins only', async () => {
    expect((await test.call('GET', `/api/contacts/${'f'.repeat(24)}`)).statusCode).toBe(401)
  })
})

describe('PATCH and DELETE /contacts/:id', () => {
  const change = (id: string, payload: unknown) =>
    test.call('PATCH', `/api/contacts/${id}`, { headers: admin.bearer, payload: payload as object })
  const remove = (id: string) => test.call('DELETE', `/api/contacts/${id}`, { headers: admin.bearer })

  it('marks it as done once, and as open again', async () => {
    const { _id } = await test.storage.contacts.create({ ...good, createdAt: 1 })
    const done = await change(_id, { done: true })
    expect(done.statusCode).toBe(200)
    const { doneAt } = done.json().data
    expect(Date.parse(doneAt)).toBeGreaterThan(1)
    expect((await change(_id, { done: true })).json().data.doneAt).toBe(doneAt)
    expect((await list(`/${_id}`)).json().doneAt).toBe(doneAt)
    expect((await change(_id, { done: false })).json()).toMatchObject({ data: { _id, doneAt: null } })
  })

  it('deletes it for good', async () => {
    const { _id } = await test.storage.contacts.create({ ...good, createdAt: 2 })
    expect((await remove(_id)).statusCode).toBe(204)
    expect((await list(`/${_id}`)).statusCode).toBe(404)
    expect((await remove(_id)).statusCode).toBe(404)
    expect((await change(_id, { done: true })).statusCode).toBe(404)
  })

  it.each([{}, { done: 'yes' }, { done: null }])('refuses %j', async (payload) => {
    expect((await change('f'.repeat(24), payload)).statusCode).toBe(400)
  })

  it('are for admins only', async () => {
    for (const method of ['PATCH', 'DELETE'] as const) {
      const answer = await test.call(method, `/api/contacts/${'f'.repeat(24)}`, { payload: { done: true } })
      expect(answer.statusCode).toBe(401)
    }
  })
})
