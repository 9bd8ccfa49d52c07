import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const NEW = 'marble-teapot-horizon'

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
beforeEach(async () => {
  test = await buildTestApp()
  admin = await test.signIn()
})
afterEach(() => test.close())

const signIn = (password: string) => test.postSignIn(ADMIN.userName, password)
const change = (oldPassword: unknown, newPassword: unknown) =>
  test.call('POST', '/api/account/password', {
    headers: admin.bearer,
    payload: { oldPassword, newPassword },
  })
const sessions = (who = admin) => test.call('GET', '/api/account/sessions', { headers: who.bearer })

describe('POST /account/password', () => {
  it('changes the password, and ends all other sessions at once', async () => {
    const other = await test.signIn()
    const ended: string[] = []
    test.app.useCases.auth.sessions.onEnded((sids) => ended.push(...sids))
    const answer = await change(ADMIN.password, NEW)
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(ended).toEqual([other.sid])
    expect((await sessions(other)).statusCode).toBe(403)
    expect((await test.refresh(other.user_Id, other.cookie)).statusCode).toBe(401)
    expect((await sessions()).statusCode).toBe(200)
    expect((await signIn(ADMIN.password)).statusCode).toBe(401)
    expect((await signIn(NEW)).statusCode).toBe(200)
  })

  it.each([
    ['short', 'fewer than 12'],
    ['passwordpassword', 'most common'],
    ['x'.repeat(129), 'more than 128'],
  ])('refuses the new password %s', async (newPassword, why) => {
    const answer = await change(ADMIN.password, newPassword)
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ field: 'newPassword', message: expect.stringContaining(why) }],
    ])
    expect((await signIn(ADMIN.password)).statusCode).toBe(200)
  })

  it('refuses a wrong old password with a detail for its field, and counts it as a failed sign-in', async () => {
    for (const old of ['wrong', 'Lantern-orbit-velvet', '']) {
      const answer = await change(old, NEW)
      expect([answer.statusCode, answer.json().details]).toEqual([
        400,
        [{ field: 'oldPassword', message: "That's not your current password." }],
      ])
    }
    expect((await change({ $ne: '' }, NEW)).statusCode).toBe(400)
    const left = await test.app.useCases.limits.take('sign-in', '127.0.0.1')
    expect(left).toMatchObject({ limit: 20, remaining: 16 })
    expect((await change(ADMIN.password, NEW)).statusCode).toBe(200)
  })

  it('leaves no password in the log', async () => {
    await change('wrong-old-password', NEW)
    await change(ADMIN.password, NEW)
    expect(test.log.join('')).toContain('password changed')
    expect(test.log.join('')).not.toMatch(/teapot|lantern|wrong-old/)
  })

  it('refuses a sign-in whose password changed between its check and its session', async () => {
    const { sessions, users } = test.storage
    const { create } = sessions
    sessions.create = async (session) => {
      await users.changeCredentials(session.userId, { passwordHash: 'another', keepSessionId: admin.sid })
      await create(session)
    }
    expect((await signIn(ADMIN.password)).statusCode).toBe(401)
    expect((await sessions.listOf(admin.user_Id, Date.now())).map(({ _id }) => _id)).toEqual([admin.sid])
  })
})

describe('GET and DELETE /account/sessions', () => {
  it('list the own sessions, and end one', async () => {
    const other = await test.signIn()
    const list = (await sessions()).json().sessions
    expect(list).toEqual(
      expect.arrayContaining([
        { id: admin.sid, current: true, createdAt: expect.any(String), expiresAt: expect.any(String) },
        { id: other.sid, current: false, createdAt: expect.any(String), expiresAt: expect.any(String) },
      ]),
    )
    expect(list.length).toBe(2)
    const end = () => test.call('DELETE', `/api/account/sessions/${other.sid}`, { headers: admin.bearer })
    expect((await end()).json()).toEqual({ message: 'Session ended' })
    expect((await sessions(other)).statusCode).toBe(403)
    expect((await end()).statusCode).toBe(404)
  })

  it('do not find sessions of another admin', async () => {
    const { sid } = await test.addSession('other', ['Admin'])
    expect((await sessions()).json().sessions.length).toBe(1)
    for (const id of [sid, '1', '__proto__', '%00']) {
      const answer = await test.call('DELETE', `/api/account/sessions/${id}`, { headers: admin.bearer })
      expect(answer.statusCode).toBe(404)
    }
    expect(await test.storage.sessions.find(sid, Date.now())).not.toBeNull()
  })
})

describe('a disabled admin', () => {
  it('is signed out and stays out', async () => {
    await test.storage.users.changeCredentials(admin.user_Id, { disabled: true })
    expect((await sessions()).statusCode).toBe(403)
    expect((await test.refresh(admin.user_Id, admin.cookie)).statusCode).toBe(401)
    expect((await signIn(ADMIN.password)).json().message).toBe('Wrong username or password.')
  })
})
