import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { OLD_SESSION } from '../storage/model/sessions.ts'

const NEW = 'marble-teapot-horizon'
const DAY_MS = 24 * 60 * 60 * 1_000
const PHONE = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36'
const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
let now = 0
beforeEach(async () => {
  now = Date.now()
  test = await buildTestApp({ now: () => now })
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
  it('list the own sessions, with device and network of the last use, and end one', async () => {
    const other = await test.signIn({ remoteAddress: '203.0.113.77', headers: { 'user-agent': PHONE } })
    now += DAY_MS
    await test.refresh(admin.user_Id, admin.cookie, {
      ...{ remoteAddress: '2001:db8:a:b::1', headers: { 'user-agent': DESKTOP } },
    })
    const list = (await sessions()).json().sessions
    const since = new Date(now - DAY_MS).toISOString()
    const lastUsedAt = new Date(now).toISOString()
    expect(list).toEqual(
      expect.arrayContaining([
        {
          ...{ id: admin.sid, current: true, since, lastUsedAt, expiresAt: expect.any(String) },
          ...{ device: 'Firefox on Linux', network: '2001:db8:a::/48' },
        },
        {
          ...{ id: other.sid, current: false, since, lastUsedAt: since, expiresAt: expect.any(String) },
          ...{ device: 'Chrome on Android', network: '203.0.113.0/24' },
        },
      ]),
    )
    expect(list.length).toBe(2)
    const end = () => test.call('DELETE', `/api/account/sessions/${other.sid}`, { headers: admin.bearer })
    expect((await end()).json()).toEqual({ message: 'Session ended' })
    expect((await sessions(other)).statusCode).toBe(403)
    expect((await end()).statusCode).toBe(404)
    const [entry] = await test.storage.audit.list({ action: 'session.ended', limit: 9 })
    expect(entry).toMatchObject({ by: admin.user_Id, target: null })
    expect(JSON.parse(entry?.details ?? '')).toEqual({
      device: 'Chrome on Android',
      network: '203.0.113.0/24',
    })
  })

  it('tell only the sign-in of a session of an older release', async () => {
    const [stored] = await test.storage.sessions.listOf(admin.user_Id, now)
    const since = now - DAY_MS
    const old = { ...OLD_SESSION, _id: 'f'.repeat(24), createdAt: since }
    await test.storage.sessions.create({ ...(stored as NonNullable<typeof stored>), ...old })
    const shown = (await sessions()).json().sessions.find(({ id }: { id: string }) => id === old._id)
    const at = new Date(since).toISOString()
    expect(shown).toMatchObject({ device: null, network: null, since: at, lastUsedAt: at })
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
