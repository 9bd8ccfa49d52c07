import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { outlineOf } from './look-alikes.ts'

let test: TestApp
let headers: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  headers = (await test.signIn()).bearer
})
afterAll(() => test.close())

const invite = (userName: string, more = {}) =>
  test.call('POST', '/api/team', { headers, payload: { userName, ...more } })

it.each([
  ['admin', 'аdmіn'],
  ['admin', 'admi\u0307n'],
  ['admin', 'adm\u200bin'],
  ['Ivan', 'lvan'],
  ['lvan', 'Ivan'],
  ['paul', 'pau1'],
  ['Bob', 'B0b'],
  ['modern', 'modem'],
  ['рор', 'pop'],
  ['ο', 'o'],
])('%j looks like %j', (name, other) => {
  expect(outlineOf(name)).toBe(outlineOf(other))
})

it.each([
  ['Jose', 'José'],
  ['ali', 'all'],
  ['sam', 'Sam2'],
  ['Нина', 'Нона'],
  ['张三', '张二'],
])('%j does not look like %j', (name, other) => {
  expect(outlineOf(name)).not.toBe(outlineOf(other))
})

it('an admin cannot be invited by a name that looks like that of another one', async () => {
  expect((await invite('Paula Pop')).statusCode).toBe(201)
  for (const name of ['Pau1a Pop', 'PauIa Pop', 'paula p0p', 'Paula  Pop', 'Pa\u200bula Pop', 'Рaula Pop']) {
    const answer = await invite(name)
    expect([name, answer.statusCode === 409 || answer.statusCode === 400]).toEqual([name, true])
    expect(answer.json().details[0].field).toBe('userName')
  }
  // The same admin again: a new link.
  expect((await invite('paula pop')).statusCode).toBe(201)
})

it('an account from before keeps signing in, also with a name that is refused now', async () => {
  const { sid, userId } = await test.addSession('ad\u200bmіn', ['Admin'])
  expect(sid).not.toBe('')
  expect(await test.storage.users.findByName('AD\u200bMІN')).toMatchObject({ _id: userId })
})

it('names with links are refused, and left out where they were stored', async () => {
  const name = 'your account is locked: https://evil.example/x'
  const refused = await test.call('PATCH', '/api/account', { headers, payload: { displayName: name } })
  expect([refused.statusCode, refused.json().details]).toEqual([
    400,
    [{ field: 'displayName', message: 'Use a name without links or email addresses' }],
  ])
  const { users } = test.storage
  const [admin] = await users.list()
  await users.changeProfile(admin?._id ?? '', { displayName: name })
  const clientId = 'visitorOfLookAlikesx'
  await test.call('POST', '/api/chat', { payload: { clientId, message: 'Hello' } })
  await test.call('POST', '/api/chat', { headers, payload: { clientId, message: 'Good morning' } })
  const page = (await test.call('GET', `/api/chat/${clientId}`)).json()
  expect(page.people).toEqual({ [admin?._id ?? '']: { name: test.env.brand } })
})
