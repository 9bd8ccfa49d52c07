import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash } from '@node-rs/argon2'
import { MongoClient } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { CHILD_ENV } from '../../test/server-process.ts'

vi.setConfig({ testTimeout: 60_000 })

const NEW = 'marble-teapot-horizon'
const SECRET = 'v8Qm3tZr1xK6wLp9sYb2nHf5dGc7jAe4'
const DAY = 24 * 60 * 60 * 1_000

let now: number
let dataDir: string
let test: TestApp
let variables: Record<string, string>
beforeEach(() => {
  now = Date.now()
  dataDir = mkdtempSync(join(tmpdir(), 'credentials-'))
  variables = { RATE_LIMITS: 'off', JWT_SECRET: SECRET }
})
afterEach(async () => {
  await test.close()
  rmSync(dataDir, { recursive: true, force: true })
})
const open = async (more: Record<string, string> = {}) => {
  test = await buildTestApp({ dataDir, now: () => now, variables: { ...variables, ...more } })
}

type SignedIn = Awaited<ReturnType<TestApp['signIn']>>
const signIn = (password: string, userName = ADMIN.userName) => test.postSignIn(userName, password)
const change = (who: SignedIn, newPassword = NEW, oldPassword = ADMIN.password) =>
  test.call('POST', '/api/account/password', { headers: who.bearer, payload: { oldPassword, newPassword } })
const sessionsOf = (who: SignedIn) => test.call('GET', '/api/account/sessions', { headers: who.bearer })
const refresh = (who: SignedIn, cookie = who.cookie) => test.refresh(who.user_Id, cookie)
const cookieOf = (answer: Awaited<ReturnType<typeof refresh>>) =>
  answer.cookies.find(({ name }) => name === 'refresh')
const admin = (...args: string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const tool = join(import.meta.dirname, '../../tools/admin.ts')
    const env = {
      ...process.env,
      ...CHILD_ENV,
      DATA_DIR: dataDir,
      ...(variables.MONGODB_URL ? variables : {}),
    }
    const argv = ['--disable-warning=ExperimentalWarning', tool, ...args]
    const child = execFile(process.execPath, argv, { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })

describe('on SQLite, when sessions cannot be ended', () => {
  let db: DatabaseSync
  beforeEach(async () => {
    await open()
    db = new DatabaseSync(join(dataDir, 'chat.sqlite'))
    db.exec(`CREATE TRIGGER full BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
  })
  afterEach(() => db.close())

  it('a refused password change changes nothing', async () => {
    const [one, other] = [await test.signIn(), await test.signIn()]
    expect((await change(one)).statusCode).toBeGreaterThanOrEqual(500)
    expect((await signIn(NEW)).statusCode).toBe(401)
    expect((await signIn(ADMIN.password)).statusCode).toBe(200)
    expect((await sessionsOf(other)).statusCode).toBe(200)
    db.exec('DROP TRIGGER full')
    expect((await change(one)).statusCode).toBe(200)
    expect([(await signIn(NEW)).statusCode, (await sessionsOf(other)).statusCode]).toEqual([200, 403])
  })

  it('a failed npm run admin changes nothing', async () => {
    const one = await test.signIn()
    for (const verb of ['disable', 'reset']) expect((await admin(verb, ADMIN.userName)).code).toBe(1)
    expect([(await sessionsOf(one)).statusCode, (await signIn(ADMIN.password)).statusCode]).toEqual([
      200, 200,
    ])
  })
})

describeOnMongo('on MongoDB', (url) => {
  it('a password change ends all other sessions, even when their rows remain', async () => {
    variables.MONGODB_URL = url()
    await open()
    const client = await new MongoClient(variables.MONGODB_URL).connect()
    const sessions = client.db().collection('sessions')
    const [one, other] = [await test.signIn(), await test.signIn()]
    const rows = await sessions.find().toArray()
    expect((await change(one)).statusCode).toBe(200)
    // As left by a process that died before it removed them.
    await sessions.deleteMany({})
    await sessions.insertMany(rows)
    expect([(await sessionsOf(one)).statusCode, (await sessionsOf(other)).statusCode]).toEqual([200, 403])
    expect([(await refresh(one)).statusCode, (await refresh(other)).statusCode]).toEqual([200, 401])
    expect((await sessionsOf(one)).json().sessions.map(({ id }: { id: string }) => id)).toEqual([one.sid])
    expect((await admin('disable', ADMIN.userName)).code).toBe(0)
    expect((await admin('reset', ADMIN.userName)).code).toBe(0)
    await sessions.insertMany(rows)
    expect([(await sessionsOf(one)).statusCode, (await refresh(one)).statusCode]).toEqual([403, 401])
    await client.close()
  })

  it('users and sessions of an older release stay valid, and their sessions end with a password change', async () => {
    variables.MONGODB_URL = url()
    await open()
    const client = await new MongoClient(variables.MONGODB_URL).connect()
    const [one, other] = [await test.signIn(), await test.signIn()]
    await client
      .db()
      .collection('users')
      .updateMany({}, { $unset: { credentialVersion: '', keptSessionId: '' } })
    await client
      .db()
      .collection('sessions')
      .updateMany({}, { $unset: { credentialVersion: '' } })
    expect((await sessionsOf(other)).statusCode).toBe(200)
    expect((await change(one)).statusCode).toBe(200)
    expect([(await sessionsOf(one)).statusCode, (await sessionsOf(other)).statusCode]).toEqual([200, 403])
    await client.close()
  })
})

describe('a password', () => {
  beforeEach(() => open())

  it('that changed during a sign-in is not overwritten by the rehashed old one', async () => {
    const user = await test.storage.users.findByName(ADMIN.userName)
    const weak = await hash(ADMIN.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    await test.storage.users.replacePasswordHash(user?._id ?? '', user?.passwordHash ?? '', weak)
    const { users } = test.storage
    const { replacePasswordHash } = users
    users.replacePasswordHash = async (id, from, to) => {
      await users.changeCredentials(id, { passwordHash: 'another' })
      return replacePasswordHash(id, from, to)
    }
    expect((await signIn(ADMIN.password)).statusCode).toBe(401)
    expect(await users.findByName(ADMIN.userName)).toMatchObject({ passwordHash: 'another' })
  })

  it('that was reset during a change by its owner stays reset', async () => {
    const one = await test.signIn()
    const { users } = test.storage
    const { changeCredentials } = users
    users.changeCredentials = async (id, given) => {
      await changeCredentials(id, { passwordHash: 'reset' })
      return changeCredentials(id, given)
    }
    expect((await change(one)).statusCode).toBe(400)
    expect(await users.findByName(ADMIN.userName)).toMatchObject({ passwordHash: 'reset' })
  })
})

describe('a session', () => {
  beforeEach(() => open())

  it('ends 90 days after the sign-in, however often it is refreshed, and its cookie with it', async () => {
    const one = await test.signIn()
    let { cookie } = one
    for (let day = 10; day < 90; day += 10) {
      now += 10 * DAY
      const found = cookieOf(await refresh(one, cookie))
      expect(found?.maxAge).toBe(Math.min(30, 90 - day) * 24 * 60 * 60)
      cookie = found?.value ?? ''
    }
    now += 10 * DAY
    expect((await refresh(one, cookie)).statusCode).toBe(401)
    expect((await sessionsOf(one)).statusCode).toBe(403)
  })

  it('of an older release with a later expiry ends after 90 days too', async () => {
    const one = await test.signIn()
    const session = await test.storage.sessions.find(one.sid, now)
    if (session === null) throw new Error('no session')
    const old = { ...session, _id: '7'.repeat(24), createdAt: now - 90 * DAY, expiresAt: now + 20 * DAY }
    await test.storage.sessions.create(old)
    const answer = await refresh(one, `${old._id}.${one.cookie.split('.')[1]}`)
    expect(answer.statusCode).toBe(401)
    expect((await sessionsOf(one)).json().sessions).toHaveLength(1)
  })

  it('from a clock that was ahead is refused', async () => {
    now += 400 * DAY
    const one = await test.signIn()
    now -= 400 * DAY
    expect([(await refresh(one)).statusCode, (await sessionsOf(one)).statusCode]).toEqual([401, 403])
    const two = await test.signIn()
    now -= 30_000
    expect((await refresh(two)).statusCode).toBe(200)
  })
})

describe('a token', () => {
  beforeEach(() => open())

  it.each([
    ['was issued in the future', { iat: 120 }, 403],
    ['becomes valid later', { nbf: 120 }, 403],
    ['has a nonsensical issue time', { iat: 'now' }, 403],
    ['was issued by a clock that is a little ahead', { iat: 30 }, 200],
  ])('that %s', async (_name, shift, status) => {
    const one = await test.signIn()
    const [header = '', body = ''] = one.accessToken.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    for (const [claim, seconds] of Object.entries(shift)) {
      claims[claim] = typeof seconds === 'number' ? Math.floor(Date.now() / 1_000) + seconds : seconds
    }
    const input = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
    const token = `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`
    const headers = { authorization: `Bearer ${token}` }
    expect((await test.call('GET', '/api/account/sessions', { headers })).statusCode).toBe(status)
  })
})

describe('the log', () => {
  beforeEach(() => open())
  const lines = () => test.log.map((line) => JSON.parse(line) as { msg: string; userId?: string })
  const usersOf = (message: string) => lines().flatMap(({ msg, userId }) => (msg === message ? [userId] : []))

  it('names the user by id for sign-in, failed sign-in, password change and sign-out, and has no session id', async () => {
    const [one, other] = [await test.signIn(), await test.signIn()]
    await signIn('a wrong password')
    await signIn('a wrong password', 'no-such-name-maybe-a-password')
    await change(one)
    const last = cookieOf(await refresh(one))?.value ?? ''
    await test.call('POST', '/api/auth/logout', { cookies: { refresh: last } })
    const id = one.user_Id
    expect(usersOf('signed in')).toEqual([id, id])
    expect(usersOf('sign-in failed')).toEqual([id, undefined])
    expect(usersOf('password changed')).toEqual([id])
    expect(usersOf('sessions ended')).toEqual([id, id])
    expect(usersOf('signed out')).toEqual([id])
    const text = test.log.join('')
    for (const secret of [one.sid, other.sid, 'maybe-a-password', NEW]) expect(text).not.toContain(secret)
  })

  it('has a line for each npm run admin, in the same form', async () => {
    const one = await test.signIn()
    for (const verb of ['disable', 'reset'] as const) {
      const { code, err } = await admin(verb, ADMIN.userName)
      expect([code, JSON.parse(err)]).toEqual([
        0,
        {
          ...{ level: 30, time: expect.any(Number), pid: expect.any(Number), hostname: expect.any(String) },
          ...{ userId: one.user_Id, msg: `admin command: ${verb}` },
        },
      ])
    }
    const { err } = await admin('create', 'zoe')
    const zoe = await test.storage.users.findByName('zoe')
    expect(JSON.parse(err)).toMatchObject({ userId: zoe?._id, msg: 'admin command: create' })
    expect(err).not.toContain('zoe')
  })
})
