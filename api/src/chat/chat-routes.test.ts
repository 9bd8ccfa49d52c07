import { NONCE_PATTERN } from '@proctorpass/shared/limits'
import type { Message, Page } from '@proctorpass/shared/schemas/chat'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { IGNORE_FACTS } from './listeners.ts'

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
beforeAll(async () => {
  test = await buildTestApp()
  admin = await test.signIn()
})
afterAll(() => test.close())

const KEY = 'k'.repeat(43)
const WRONG_KEY = 'w'.repeat(43)
const withKey = (key: string) => ({ authorization: `Visitor ${key}` })

const post = (body: object, headers: Record<string, string> = {}) =>
  test.call('POST', '/api/chat', { payload: body, headers })
const write = async (clientId: string, message: string) =>
  (await post({ clientId, senderId: clientId, message })).json().data as Message
const reply = async (clientId: string, message: string) =>
  (await post({ clientId, senderId: admin.user_Id, message }, admin.bearer)).json().data as Message
const read = async (url: string) => (await test.call('GET', `/api/chat/${url}`)).json() as Page
const readAsAdmin = (url: string) => test.call('GET', `/api/chat${url}`, { headers: admin.bearer })
const unread = async () => (await readAsAdmin('/unread/count')).json().totalAdminUnread as number

describe('people', () => {
  it('name the admins who wrote the messages of a page, and nothing else about them', async () => {
    const clientId = newClientId()
    await write(clientId, 'hello')
    expect(await read(clientId)).not.toHaveProperty('people')
    await reply(clientId, 'hi')
    const payload = { displayName: 'Zoë', email: 'zoe@example.com' }
    const { brand } = test.env
    expect((await read(clientId)).people).toEqual({ [admin.user_Id]: { name: brand } })
    await test.call('PATCH', '/api/account', { headers: admin.bearer, payload })
    const people = { [admin.user_Id]: { name: 'Zoë' } }
    expect((await read(clientId)).people).toEqual(people)
    expect((await readAsAdmin(`/admin/${clientId}`)).json().people).toEqual(people)
    expect(await read(`${clientId}?before=2`)).not.toHaveProperty('people')
    expect(await read(`${clientId}?after=2`)).not.toHaveProperty('people')
    await test.call('PATCH', '/api/account', { headers: admin.bearer, payload: { displayName: null } })
    expect((await read(clientId)).people).toEqual({ [admin.user_Id]: { name: brand } })
  })
})

describe('POST /chat', () => {
  it('answers 201 with a message to show and the stored message', async () => {
    const clientId = newClientId()
    const answer = await post({ clientId, senderId: clientId, message: '\n  Hello  \n', nonce: 'nonce-0001' })
    expect(answer.statusCode).toBe(201)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json()).toEqual({
      message: 'Message sent',
      data: {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        clientId,
        senderId: clientId,
        message: '  Hello',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        seq: 1,
        epoch: expect.any(String),
        nonce: 'nonce-0001',
      },
    })
  })

  it('answers 200 with the stored message for a repeated nonce, 409 if the text differs', async () => {
    const clientId = newClientId()
    const first = await post({ clientId, message: 'once', nonce: 'nonce-0002' })
    const again = await post({ clientId, message: '\nonce ', nonce: 'nonce-0002' })
    expect([first.statusCode, again.statusCode]).toEqual([201, 200])
    expect(again.json().data).toEqual(first.json().data)
    const other = await post({ clientId, message: 'twice', nonce: 'nonce-0002' })
    expect([other.statusCode, other.json().code]).toEqual([409, 'conflict'])
    expect((await read(clientId)).seq).toBe(1)
  })

  it('creates a nonce if the caller sends none', async () => {
    expect((await write(newClientId(), 'hi')).nonce).toMatch(new RegExp(NONCE_PATTERN))
  })

  it('refuses an old epoch', async () => {
    const clientId = newClientId()
    await write(clientId, 'hi')
    const answer = await post({ clientId, message: 'hi', epoch: 'another' })
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'stale-epoch'])
  })

  it('identifies an admin by the token, and refuses any sender other than the caller', async () => {
    const clientId = newClientId()
    expect((await reply(clientId, 'Good morning')).senderId).toBe(admin.user_Id)
    for (const [senderId, headers] of [
      [admin.user_Id, {}],
      [clientId, admin.bearer],
      [newClientId(), {}],
      ['', {}],
    ] as const) {
      const answer = await post({ clientId, senderId, message: 'hi' }, headers)
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'forbidden'])
    }
  })

  it.each([
    'Bearer x',
    'Bearer',
    '',
    'Basic YWRtaW46YWRtaW4=',
    'bearer  ',
    'null',
    'Visitor',
    'Visitor x',
    `Visitor ${KEY}x`,
    `Visitor ${KEY.slice(1)}`,
    `Visitor${KEY}`,
    `Visitor ${KEY} ${KEY}`,
    `Visitor ${KEY.slice(1)}=`,
    `Bearer ${KEY}`,
    `Basic ${KEY}`,
    KEY,
  ])(
    'refuses the Authorization %j instead of treating it as a visitor without a key',
    async (authorization) => {
      const clientId = newClientId()
      const headers = { authorization }
      const answers = [
        await post({ clientId, senderId: clientId, message: 'hi' }, headers),
        await test.call('GET', `/api/chat/${clientId}`, { headers }),
        await test.call('POST', `/api/chat/${clientId}/read`, { headers, payload: { seq: 1 } }),
      ]
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403])
      expect((await read(clientId)).seq).toBe(0)
    },
  )

  it.each([
    ['message', { message: '' }, 'Message is required'],
    ['message', { message: ' \n\t ' }, 'Message is required'],
    ['message', { message: 'x'.repeat(4_001) }, 'up to 4,000 characters'],
    ['message', { message: 'a\u0000b' }, "can't be sent"],
    ['message', { message: '\ud800' }, "can't be sent"],
    ['message', { message: 5 }, 'must be text'],
    ['message', { message: null }, 'must be text'],
    ['message', { message: { $gt: '' } }, 'must be text'],
    ['message', { message: ['hi'] }, 'must be text'],
    ['message', { message: undefined }, 'is required'],
    ['clientId', { clientId: 'short' }, 'wrong format'],
    ['clientId', { clientId: 'x'.repeat(21) }, 'wrong format'],
    ['clientId', { clientId: '../../etc/passwd....' }, 'wrong format'],
    ['clientId', { clientId: { $ne: null } }, 'must be text'],
    ['nonce', { nonce: 'short' }, 'wrong format'],
    ['nonce', { nonce: 'with a space' }, 'wrong format'],
    ['nonce', { nonce: 'x'.repeat(65) }, 'wrong format'],
    ['epoch', { epoch: 7 }, 'must be text'],
    ['senderId', { senderId: ['a'] }, 'must be text'],
  ])('refuses a wrong %s: %j', async (field, wrong, why) => {
    const clientId = newClientId()
    const answer = await post({ clientId, message: 'hi', ...wrong })
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
    expect(answer.json().details[0].field).toBe(field)
    expect(answer.json().message).toContain(why)
    expect((await read(clientId)).seq).toBe(0)
  })

  it('accepts 4,000 characters, counted in code points', async () => {
    const clientId = newClientId()
    expect((await write(clientId, '😀'.repeat(4_000))).seq).toBe(1)
  })

  it('ignores unknown fields', async () => {
    const clientId = newClientId()
    const answer = await post({
      clientId,
      message: 'hi',
      _id: 'f'.repeat(24),
      seq: 99,
      createdAt: '1999-01-01T00:00:00.000Z',
      roles: ['Admin'],
      side: 'admin',
      __proto__: { admin: true },
    })
    expect(answer.json().data).toMatchObject({ seq: 1, senderId: clientId })
    expect(answer.json().data._id).not.toBe('f'.repeat(24))
    expect(answer.json().data.createdAt).not.toContain('1999')
  })

  it('answers 429 with a time to retry beyond the limit', async () => {
    const clientId = newClientId()
    const codes: number[] = []
    for (let count = 0; count < 121; count += 1)
      codes.push((await post({ clientId, message: 'hi' })).statusCode)
    expect(codes.indexOf(429)).toBe(120)
    const refused = await post({ clientId, message: 'hi' })
    expect(refused.json()).toMatchObject({
      code: 'rate-limited',
      retryable: true,
      retryAfterMs: expect.any(Number),
    })
    expect(refused.headers['retry-after']).toBe(String(Math.ceil(refused.json().retryAfterMs / 1_000)))
    expect(refused.json().message).toMatch(/Try again in \d+ seconds?/)
    // Admins answer many people at once.
    expect((await reply(clientId, 'still here')).seq).toBe(121)
  })
})

describe('GET /chat/:clientId', () => {
  it('answers an empty page for a conversation that does not exist, and creates none', async () => {
    const clientId = newClientId()
    const answer = await test.call('GET', `/api/chat/${clientId}`)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json()).toEqual({
      messages: [],
      seq: 0,
      epoch: '',
      more: false,
      read: { visitor: 0, admin: 0 },
      transport: 'push',
    })
    expect(await test.storage.conversations.find(clientId)).toBeNull()
  })

  it('pages from the newest, after a seq and before a seq', async () => {
    const clientId = newClientId()
    for (const text of ['a', 'b', 'c', 'd', 'e']) await write(clientId, text)
    const texts = async (query: string) => {
      const { messages, more, seq } = await read(`${clientId}?${query}`)
      expect(seq).toBe(5)
      return [messages.map(({ message }) => message).join(''), more]
    }
    expect(await texts('limit=2')).toEqual(['de', true])
    expect(await texts('after=0&limit=2')).toEqual(['ab', true])
    expect(await texts('after=3')).toEqual(['de', false])
    expect(await texts('before=3&limit=1')).toEqual(['b', true])
    expect(await texts('after=5')).toEqual(['', false])
  })

  it('answers an idle poll in less than 200 bytes', async () => {
    const clientId = newClientId()
    await write(clientId, 'hi')
    const answer = await test.call('GET', `/api/chat/${clientId}?after=1`)
    expect(answer.json().messages).toEqual([])
    expect(answer.body.length).toBeLessThan(200)
  })

  it.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'limit=',
    'limit=%201',
    'limit=0x10',
    'limit=01',
    'limit=1&limit=2',
    'after=a',
    'after=-1',
    'after=99999999999999999',
    'after[$gt]=1&after=x',
    'before=null',
    'before=true',
  ])('refuses the query %s', async (query) => {
    const answer = await test.call('GET', `/api/chat/${newClientId()}?${query}`)
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
    expect(answer.json().details[0].field).toMatch(/^(limit|after|before)$/)
  })

  it('ignores unknown parameters', async () => {
    const answer = await test.call('GET', `/api/chat/${newClientId()}?_=1&__proto__=x&constructor=y`)
    expect(answer.statusCode).toBe(200)
  })

  it.each(['short', 'x'.repeat(21), '%00'.repeat(20), 'a'.repeat(19).concat('%2F'), '%F0%9F%98%80', 'null'])(
    'refuses the clientId %s',
    async (clientId) => {
      const answer = await test.call('GET', `/api/chat/${clientId}`)
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
    },
  )

  it('shows a visitor no messages of another', async () => {
    const [mine, theirs] = [newClientId(), newClientId()]
    await write(theirs, 'a secret')
    expect(JSON.stringify(await read(mine))).not.toContain('a secret')
  })

  it('is limited by conversation, with the rest in a header', async () => {
    const url = `/api/chat/${newClientId()}`
    const first = await test.call('GET', url)
    expect(first.headers['ratelimit-policy']).toBe('"poll";q=600;w=60')
    expect(first.headers.ratelimit).toMatch(/^"poll";r=599;t=60$/)
    for (let count = 1; count < 600; count += 1) await test.call('GET', url)
    const refused = await test.call('GET', url)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate-limited'])
    expect((await test.call('GET', `/api/chat/${newClientId()}`)).statusCode).toBe(200)
  })
})

describe('read marks', () => {
  it('move forwards only, up to the last message, for each side', async () => {
    const clientId = newClientId()
    for (const text of ['a', 'b', 'c']) await write(clientId, text)
    const mark = async (path: string, seq: number, headers = {}) =>
      (await test.call('POST', `/api/chat/${path}/read`, { payload: { seq }, headers })).json()
    expect(await mark(clientId, 2)).toEqual({ seq: 2, adminUnread: 3 })
    expect(await mark(clientId, 1)).toEqual({ seq: 2, adminUnread: 3 })
    expect(await mark(`admin/${clientId}`, 2, admin.bearer)).toEqual({ seq: 2, adminUnread: 1 })
    expect(await mark(`admin/${clientId}`, 999, admin.bearer)).toEqual({ seq: 3, adminUnread: 0 })
    expect((await read(clientId)).read).toEqual({ visitor: 2, admin: 3 })
  })

  it.each([{}, { seq: '1' }, { seq: -1 }, { seq: 1.5 }, { seq: null }, { seq: true }, [1]])(
    'refuse %j',
    async (payload) => {
      const answer = await test.call('POST', `/api/chat/${newClientId()}/read`, { payload })
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
    },
  )

  it('take the side from the caller, not from the payload', async () => {
    const clientId = newClientId()
    await write(clientId, 'a')
    await test.call('POST', `/api/chat/${clientId}/read`, { payload: { seq: 1, by: 'admin', side: 'admin' } })
    expect((await read(clientId)).read).toEqual({ visitor: 1, admin: 0 })
  })
})

describe('GET /chat/admin/:clientId', () => {
  it('marks what it returns as read, except with after or before', async () => {
    const clientId = newClientId()
    for (const text of ['a', 'b']) await write(clientId, text)
    const before = await unread()
    expect((await readAsAdmin(`/admin/${clientId}?after=0`)).json().read.admin).toBe(0)
    expect((await readAsAdmin(`/admin/${clientId}?before=9`)).json().read.admin).toBe(0)
    expect(await unread()).toBe(before)
    expect((await readAsAdmin(`/admin/${clientId}`)).json()).toMatchObject({
      seq: 2,
      read: { visitor: 0, admin: 2 },
    })
    expect(await unread()).toBe(before - 2)
  })

  it('marks nothing as read for HEAD', async () => {
    const clientId = newClientId()
    await write(clientId, 'a')
    await test.call('HEAD', `/api/chat/admin/${clientId}`, { headers: admin.bearer })
    expect((await read(clientId)).read.admin).toBe(0)
  })
})

describe('GET /chat', () => {
  it('answers a message while there are no conversations', async () => {
    const empty = await buildTestApp()
    const { bearer } = await empty.signIn()
    const answer = await empty.call('GET', '/api/chat', { headers: bearer })
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'No messages found!' }])
    expect((await empty.call('GET', '/api/chat/unread/count', { headers: bearer })).json()).toEqual({
      totalAdminUnread: 0,
    })
    await empty.close()
  })

  it('lists the longest waiting first, then the newest, in pages linked by Link headers', async () => {
    // No two messages have the same time.
    let at = Date.now()
    const now = () => {
      at += 1
      return at
    }
    const fresh = await buildTestApp({ now })
    const { bearer, user_Id } = await fresh.signIn()
    const ids = Array.from({ length: 5 }, newClientId)
    const send = (clientId = '', senderId = clientId, headers = {}) =>
      fresh.call('POST', '/api/chat', { payload: { clientId, senderId, message: 'hi' }, headers })
    for (const clientId of ids) await send(clientId)
    for (const clientId of ids.slice(0, 2)) await send(clientId, user_Id, bearer)
    const expected = [ids[2], ids[3], ids[4], ids[1], ids[0]]

    const seen: string[] = []
    let url: string | undefined = '/api/chat?limit=2'
    while (url !== undefined) {
      const answer = await fresh.call('GET', url, { headers: bearer })
      for (const each of answer.json()) {
        seen.push(each.clientId)
        expect(Object.keys(each).sort()).toEqual([
          'adminUnread',
          'assigneeId',
          'blockedUntil',
          'clientId',
          'labels',
          'lastMessage',
          'seen',
          'site',
          'snoozedUntil',
          'status',
          'version',
          'visitor',
          'waitingSince',
        ])
      }
      url = /^<(.*)>; rel="next"$/.exec(String(answer.headers.link))?.[1]
    }
    expect(seen).toEqual(expected)
    await fresh.close()
  })

  it.each([
    'limit=0',
    'limit=501',
    'cursor=nonsense',
    `cursor=${'a'.repeat(300)}`,
    'cursor=e30',
    'cursor=a&cursor=b',
  ])('refuses the query %s', async (query) => {
    const answer = await readAsAdmin(`?${query}`)
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid-input'])
  })
})

describe('DELETE /chat/{clientId}', () => {
  it('erases the conversation for its visitor, and changes its epoch', async () => {
    const clientId = newClientId()
    const before = await unread()
    const { epoch } = await write(clientId, 'forget this')
    await reply(clientId, 'yes')
    await write(clientId, 'and this')
    const answer = await test.call('DELETE', `/api/chat/${clientId}`)
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    const page = await read(clientId)
    expect(page).toMatchObject({ messages: [], seq: 0, read: { visitor: 0, admin: 0 } })
    expect(page.epoch).not.toBe(epoch)
    expect(await unread()).toBe(before)
    const listed = (await readAsAdmin('?limit=500')).json() as { clientId: string }[]
    expect(Array.isArray(listed) && listed.some((each) => each.clientId === clientId)).toBe(false)
    expect((await post({ clientId, message: 'late', epoch })).json().code).toBe('stale-epoch')
    expect((await write(clientId, 'anew')).seq).toBe(1)
  })

  it('erases a bounded number for the visitors of one address, and any for admins', async () => {
    const [remoteAddress, other] = ['10.8.0.1', '10.8.0.2']
    const told: string[] = []
    const conversationErased = (clientId: string) => void told.push(clientId)
    test.app.useCases.chat.listen({ ...IGNORE_FACTS, conversationErased })
    await test.app.useCases.limits.take('erase', remoteAddress, 59)
    const erase = async (options: InjectOptions) => {
      const clientId = newClientId()
      await write(clientId, 'forget this')
      const facts = told.length
      const { statusCode } = await test.call('DELETE', `/api/chat/${clientId}`, options)
      return [statusCode, (await read(clientId)).messages.length, told.length - facts]
    }
    expect(await erase({ remoteAddress })).toEqual([204, 0, 1])
    expect(await erase({ remoteAddress })).toEqual([429, 1, 0])
    expect(await erase({ remoteAddress: other })).toEqual([204, 0, 1])
    expect(await erase({ remoteAddress, headers: admin.bearer })).toEqual([204, 0, 1])
  })

  it('erases it for an admin, and logs the caller', async () => {
    const clientId = newClientId()
    await write(clientId, 'forget this')
    const answer = await test.call('DELETE', `/api/chat/${clientId}`, { headers: admin.bearer })
    expect(answer.statusCode).toBe(204)
    expect((await read(clientId)).messages).toEqual([])
    const line = test.log.map((each) => JSON.parse(each)).findLast(({ msg }) => msg === 'conversation erased')
    expect(line).toMatchObject({ by: admin.user_Id, requestId: expect.any(String) })
    expect(JSON.stringify(line)).not.toContain(clientId)
  })

  it('answers 404 without a conversation, and 403 for a bad token or a foreign origin', async () => {
    const clientId = newClientId()
    expect((await test.call('DELETE', `/api/chat/${clientId}`)).statusCode).toBe(404)
    await write(clientId, 'stays')
    for (const headers of [{ authorization: 'Bearer x.y.z' }, { origin: 'https://evil.example' }]) {
      const answer = await test.call('DELETE', `/api/chat/${clientId}`, { headers })
      expect(answer.statusCode).toBe(403)
    }
    expect((await read(clientId)).messages).toHaveLength(1)
  })
})

describe('the log', () => {
  it('holds no clientId, no text and no address at any level', async () => {
    const logged = await buildTestApp({ variables: { LOG_LEVEL: 'trace' } })
    const clientId = newClientId()
    await logged.call('POST', '/api/chat', { payload: { clientId, message: 'a private matter' } })
    await logged.call('GET', `/api/chat/${clientId}`)
    await logged.call('GET', `/api/chat/${clientId}?limit=x`)
    await logged.call('GET', `/nowhere/${clientId}`)
    await logged.call('POST', `/api/chat/${clientId}/read`, {
      payload: '{',
      headers: { 'content-type': 'application/json' },
    })
    const log = logged.log.join('')
    expect(log).toContain('/api/chat/:clientId')
    for (const secret of [clientId, 'private matter', '127.0.0.1']) expect(log).not.toContain(secret)
    // Errors of the caller are logged without a stack.
    expect(log).not.toContain('stack')
    await logged.close()
  })
})

describe('a conversation with a key', () => {
  const sendWith = (clientId: string, message: string, headers: Record<string, string>, more: object = {}) =>
    post({ clientId, senderId: clientId, message, ...more }, headers)
  const callsOf = (clientId: string, headers: Record<string, string>) => [
    () => sendWith(clientId, 'hi', headers),
    () => sendWith(clientId, 'mine', headers, { nonce: 'nonce-of-the-first' }),
    () => test.call('GET', `/api/chat/${clientId}`, { headers }),
    () => test.call('GET', `/api/chat/${clientId}?after=0`, { headers }),
    () => test.call('HEAD', `/api/chat/${clientId}`, { headers }),
    () => test.call('POST', `/api/chat/${clientId}/read`, { headers, payload: { seq: 1 } }),
    () => test.call('DELETE', `/api/chat/${clientId}`, { headers }),
  ]

  it('is open to visitors with its key, and to admins', async () => {
    const clientId = newClientId()
    const first = await sendWith(clientId, 'mine', withKey(KEY), { nonce: 'nonce-of-the-first' })
    expect(first.statusCode).toBe(201)
    const statuses = []
    for (const call of callsOf(clientId, { authorization: `visitor  ${KEY} ` })) {
      statuses.push((await call()).statusCode)
    }
    expect(statuses).toEqual([201, 200, 200, 200, 200, 200, 204])
    expect((await sendWith(clientId, 'after it was erased', {})).statusCode).toBe(403)
    expect((await sendWith(clientId, 'after it was erased', withKey(KEY))).json().data.seq).toBe(1)
    expect((await reply(clientId, 'hello')).seq).toBe(2)
    expect((await readAsAdmin(`/admin/${clientId}`)).json().messages).toHaveLength(2)
  })

  it.each([
    ['no key', {}],
    ['a wrong key', withKey(WRONG_KEY)],
  ])('is closed to visitors with %s, whose answers reveal nothing of it', async (_, headers) => {
    const clientId = newClientId()
    await sendWith(clientId, 'mine', withKey(KEY), { nonce: 'nonce-of-the-first' })
    for (const call of callsOf(clientId, headers as Record<string, string>)) {
      const answer = await call()
      expect(answer.statusCode).toBe(403)
      expect(answer.body).not.toMatch(/mine|nonce-of/)
      if (answer.body !== '') {
        expect(answer.json()).toMatchObject({
          code: 'forbidden',
          message: expect.stringContaining('browser'),
        })
      }
    }
    const { messages } = (await readAsAdmin(`/admin/${clientId}`)).json() as Page
    expect(messages.map(({ message }) => message)).toEqual(['mine'])
  })

  it('can get its key later, by the first message that has one', async () => {
    const clientId = newClientId()
    await write(clientId, 'from an older page')
    const mark = await test.call('POST', `/api/chat/${clientId}/read`, {
      headers: withKey(WRONG_KEY),
      payload: { seq: 1 },
    })
    const seen = await test.call('GET', `/api/chat/${clientId}`, { headers: withKey(WRONG_KEY) })
    expect([mark.statusCode, seen.statusCode, (await read(clientId)).seq]).toEqual([200, 200, 1])
    expect((await sendWith(clientId, 'with a key', withKey(KEY))).statusCode).toBe(201)
    expect((await sendWith(clientId, 'without', {})).statusCode).toBe(403)
    expect((await test.call('GET', `/api/chat/${clientId}`)).statusCode).toBe(403)
    expect((await test.call('GET', `/api/chat/${clientId}`, { headers: withKey(KEY) })).json().seq).toBe(2)
  })

  it('shows the key neither to admins nor in the log', async () => {
    const clientId = newClientId()
    const { hash } = await import('node:crypto')
    await sendWith(clientId, 'mine', withKey(KEY))
    await sendWith(clientId, 'not mine', withKey(WRONG_KEY))
    const shown = [
      (await readAsAdmin('')).body,
      (await readAsAdmin(`/admin/${clientId}`)).body,
      ...test.log,
    ].join()
    for (const secret of [KEY, WRONG_KEY, hash('sha256', KEY, 'base64url')]) {
      expect(shown).not.toContain(secret)
    }
  })

  it('counts the limits of strangers apart from those of its owner', async () => {
    const clientId = newClientId()
    await sendWith(clientId, 'mine', withKey(KEY))
    let answer = await sendWith(clientId, 'x', {})
    for (let each = 0; each < 130; each += 1) answer = await sendWith(clientId, 'x', {})
    expect(answer.statusCode).toBe(429)
    expect((await sendWith(clientId, 'still mine', withKey(KEY))).statusCode).toBe(201)
  })

  it('does not accept a key as an access token', async () => {
    for (const url of ['/api/chat', '/api/chat/unread/count', `/api/chat/admin/${newClientId()}`]) {
      expect((await test.call('GET', url, { headers: withKey(KEY) })).statusCode).toBe(403)
    }
  })
})
