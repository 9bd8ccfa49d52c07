import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, refreshTokenOf, type TestApp } from '../../test/build-app.ts'
import { startSmtpServer } from '../../test/smtp-server.ts'

const PASSWORD = 'marble-teapot-horizon'
const HOUR_MS = 60 * 60 * 1_000

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
let now = Date.now()
beforeEach(async () => {
  now = Date.now()
  test = await buildTestApp({
    now: () => now,
    variables: { PUBLIC_URL: 'https://example.com', CHAT_TRANSPORT: 'polling' },
  })
  admin = await test.signIn()
})
afterEach(() => test.close())

type Payload = Record<string, unknown>
const team = async () =>
  (await test.call('GET', '/api/team', { headers: admin.bearer })).json().admins as Payload[]
const invite = (payload: Payload, headers: Record<string, string> = admin.bearer) =>
  test.call('POST', '/api/team', { headers, payload })
const change = (userId: unknown, payload: Payload, headers: Record<string, string> = admin.bearer) =>
  test.call('PATCH', `/api/team/${userId}`, { headers, payload })
const accept = (token: unknown, password: unknown = PASSWORD) =>
  test.call('POST', '/api/invite', { payload: { token, password } })
const tokenOf = (answer: Awaited<ReturnType<typeof invite>>) => new URL(answer.json().invite).hash.slice(1)

/** An admin who has accepted an invitation. */
async function join(userName: string) {
  const answer = await accept(tokenOf(await invite({ userName })))
  const { accessToken, user_Id } = answer.json()
  return { userId: user_Id as string, bearer: { authorization: `Bearer ${accessToken}` }, answer }
}

describe('GET /team', () => {
  it('lists the admins, and nothing secret about them', async () => {
    await test.addSession('not an admin', [])
    await invite({ userName: 'anna', displayName: 'Anna' })
    const state = { face: null, onDuty: true, disabled: false }
    const you = { userId: admin.user_Id, userName: 'admin', displayName: null }
    expect(await team()).toEqual([
      { ...you, ...state, online: true, invited: false, you: true },
      {
        ...{ userId: expect.any(String), userName: 'anna', displayName: 'Anna' },
        ...{ ...state, online: false, invited: true, you: false },
      },
    ])
  })

  it('is for admins, as the other calls', async () => {
    expect((await test.call('GET', '/api/team')).statusCode).toBe(401)
    expect((await invite({ userName: 'anna' }, {})).statusCode).toBe(401)
    expect((await change(admin.user_Id, { disabled: true }, {})).statusCode).toBe(401)
    expect((await test.call('PATCH', '/api/account', { payload: { onDuty: false } })).statusCode).toBe(401)
    expect(await team()).toHaveLength(1)
  })
})

describe('an invitation with an address', () => {
  it('is mailed in the call, and still answered when the mail server refuses it', async () => {
    const smtp = await startSmtpServer()
    const variables = { SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.com', PUBLIC_URL: 'https://example.com' }
    const mailing = await buildTestApp({ variables })
    try {
      const { bearer: headers } = await mailing.signIn()
      await mailing.call('PATCH', '/api/account', { headers, payload: { displayName: 'Maria' } })
      const send = (payload: Payload) => mailing.call('POST', '/api/team', { headers, payload })
      const answer = await send({ userName: 'anna', email: ' anna@example.com ' })
      const { invite: link, mailed } = answer.json()
      expect([answer.statusCode, mailed]).toEqual([201, true])
      const [mail] = smtp.mails
      const text = mail?.text.replace(/\s+/g, ' ') ?? ''
      expect(mail?.to).toEqual(['anna@example.com'])
      expect(text).toContain('Maria invited you to answer visitors in the ProctorPass live chat.')
      expect(text).toContain('Your username is anna.')
      expect(text).toContain(link)

      // Without an address, nothing is mailed.
      expect((await send({ userName: 'ben' })).json().mailed).toBe(false)
      expect(smtp.mails).toHaveLength(1)
      const wrong = await send({ userName: 'carl', email: 'carl' })
      expect([wrong.statusCode, wrong.json().details[0].field]).toEqual([400, 'email'])

      await smtp.close()
      const unsent = await send({ userName: 'anna', email: 'anna@example.com' })
      expect([unsent.statusCode, unsent.json().mailed]).toEqual([201, false])
      const token = new URL(unsent.json().invite).hash.slice(1)
      const joined = await mailing.call('POST', '/api/invite', { payload: { token, password: PASSWORD } })
      expect(joined.statusCode).toBe(200)
    } finally {
      await mailing.close()
      await smtp.close()
    }
  })

  it('is refused after twenty in an hour, and stores nothing then', async () => {
    const smtp = await startSmtpServer()
    const mailing = await buildTestApp({ variables: { SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.com' } })
    try {
      const { bearer: headers } = await mailing.signIn()
      const send = (userName: string) =>
        mailing.call('POST', '/api/team', { headers, payload: { userName, email: 'anna@example.com' } })
      for (let count = 0; count < 20; count += 1) expect((await send('anna')).statusCode).toBe(201)
      expect((await send('ben')).statusCode).toBe(429)
      expect((await mailing.call('GET', '/api/team', { headers })).json().admins).toHaveLength(2)
    } finally {
      await mailing.close()
      await smtp.close()
    }
  })

  it('is not mailed without a mail server', async () => {
    const answer = await invite({ userName: 'anna', email: 'anna@example.com' })
    expect([answer.statusCode, answer.json().mailed]).toEqual([201, false])
  })
})

describe('POST /team', () => {
  it('answers a link, of which only the hash is stored', async () => {
    const answer = await invite({ userName: ' ａnna ', displayName: ' Anna ' })
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([201, 'no-store'])
    const { admin: invited, invite: url } = answer.json()
    expect(invited).toMatchObject({ userName: 'anna', displayName: 'Anna', invited: true })
    expect(url).toMatch(/^https:\/\/example\.com\/invite#[A-Za-z0-9_-]{43}$/)
    const stored = JSON.stringify(await test.storage.users.list())
    expect(stored).not.toContain(tokenOf(answer))
    expect(test.log.join('')).toContain('admin invited')
    expect(test.log.join('')).not.toContain(tokenOf(answer))
  })

  it.each([
    [{ userName: '' }, 'userName'],
    [{ userName: ' ' }, 'userName'],
    [{ userName: 'x'.repeat(65) }, 'userName'],
    [{ userName: 'a\nb' }, 'userName'],
    [{ userName: 'anna', displayName: '' }, 'displayName'],
    [{ userName: 'anna', displayName: 'x'.repeat(81) }, 'displayName'],
    [{ userName: 'anna', displayName: 'a\u202eb' }, 'displayName'],
    [{ userName: 'anna', displayName: '\u200b' }, 'displayName'],
    [{ userName: 'anna', displayName: 5 }, 'displayName'],
    [{ userName: 5 }, 'userName'],
    [{}, 'userName'],
  ])('refuses %j', async (payload, field) => {
    const answer = await invite(payload)
    expect([answer.statusCode, answer.json().details?.[0]?.field]).toEqual([400, field])
    expect(await team()).toHaveLength(1)
  })

  it('refuses a taken name, in any case', async () => {
    const answer = await invite({ userName: ADMIN.userName.toUpperCase() })
    expect([answer.statusCode, answer.json().details]).toEqual([
      409,
      [{ field: 'userName', message: 'This username is taken' }],
    ])
    await join('anna')
    expect((await invite({ userName: 'Anna' })).statusCode).toBe(409)
  })

  it('replaces the link of one who is invited, also after it expired, and keeps the name', async () => {
    const first = await invite({ userName: 'anna', displayName: 'Anna' })
    now += 80 * HOUR_MS
    admin = await test.signIn()
    const second = await invite({ userName: 'ANNA' })
    expect(second.statusCode).toBe(201)
    expect(second.json().admin).toEqual(first.json().admin)
    expect(await team()).toHaveLength(2)
    expect((await accept(tokenOf(first))).statusCode).toBe(404)
    expect((await accept(tokenOf(second))).statusCode).toBe(200)
  })

  it('creates one of concurrent invitations of a name', async () => {
    const answers = await Promise.all([1, 2].map(() => invite({ userName: 'anna' })))
    expect(await team()).toHaveLength(2)
    const good = answers.filter(({ statusCode }) => statusCode === 201)
    expect(good.length).toBeGreaterThan(0)
    expect((await accept(tokenOf(good.at(-1) as (typeof good)[0]))).statusCode).toBe(200)
  })
})

describe('an invited admin', () => {
  it('cannot sign in with any password', async () => {
    await invite({ userName: 'anna' })
    for (const password of ['', PASSWORD, 'null']) {
      expect((await test.postSignIn('anna', password)).statusCode).toBe(password === '' ? 400 : 401)
    }
  })

  it('does not count as active: the only other admin cannot be disabled', async () => {
    await invite({ userName: 'anna' })
    expect((await change(admin.user_Id, { disabled: true })).statusCode).toBe(409)
  })
})

describe('POST /invite', () => {
  it('sets the password and signs in', async () => {
    const { answer, bearer, userId } = await join('anna')
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(answer.json()).toMatchObject({ userName: 'anna', roles: ['Admin'] })
    expect(answer.cookies.map(({ name }) => name).sort()).toEqual(['known', 'refresh'])
    expect((await test.refresh(userId, refreshTokenOf(answer))).statusCode).toBe(200)
    expect((await test.call('GET', '/api/team', { headers: bearer })).statusCode).toBe(200)
    expect((await test.postSignIn('anna', PASSWORD)).statusCode).toBe(200)
    expect((await team())[1]).toMatchObject({ invited: false, online: true })
  })

  it('refuses a link that is unknown, used, replaced, withdrawn or 72 h old', async () => {
    const used = await invite({ userName: 'used' })
    expect((await accept(tokenOf(used))).statusCode).toBe(200)
    const withdrawn = await invite({ userName: 'withdrawn' })
    expect((await change(withdrawn.json().admin.userId, { disabled: true })).statusCode).toBe(200)
    const old = await invite({ userName: 'old' })
    now += 72 * HOUR_MS - 1
    const young = await invite({ userName: 'young' }, (await test.signIn()).bearer)
    now += 1
    for (const token of [tokenOf(used), tokenOf(withdrawn), tokenOf(old), 'x'.repeat(43), '']) {
      const answer = await accept(token)
      expect([answer.statusCode, answer.json().message]).toEqual([
        404,
        "This invitation isn't valid anymore. Ask an admin for a new link.",
      ])
      expect(answer.cookies).toEqual([])
    }
    expect((await accept(tokenOf(young))).statusCode).toBe(200)
  })

  it('refuses a weak password, and the link stays good', async () => {
    const token = tokenOf(await invite({ userName: 'anna-the-second' }))
    for (const password of ['', 'short', 'passwordpassword', 'Anna-the-Second', 'x'.repeat(129)]) {
      const answer = await accept(token, password)
      expect([answer.statusCode, answer.json().details?.[0]?.field]).toEqual([400, 'password'])
    }
    expect((await accept(token, 5)).statusCode).toBe(400)
    expect((await accept(token)).statusCode).toBe(200)
  })

  it('is accepted once by concurrent calls', async () => {
    const token = tokenOf(await invite({ userName: 'anna' }))
    const answers = await Promise.all(
      ['marble-teapot-one', 'marble-teapot-two'].map((password) => accept(token, password)),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404])
    const statuses = []
    for (const password of ['marble-teapot-one', 'marble-teapot-two']) {
      statuses.push((await test.postSignIn('anna', password)).statusCode)
    }
    expect(statuses).toEqual(answers.map(({ statusCode }) => (statusCode === 200 ? 200 : 401)))
  })

  it('counts unknown links as failed sign-ins', async () => {
    const token = tokenOf(await invite({ userName: 'anna' }))
    await accept(token, 'short')
    for (let each = 0; each < 20; each += 1) expect((await accept(`guess-${each}`)).statusCode).toBe(404)
    expect((await accept(token)).statusCode).toBe(429)
  })

  it('refuses foreign sites, and leaves neither token nor password in the log', async () => {
    const token = tokenOf(await invite({ userName: 'anna' }))
    const answer = await test.call('POST', '/api/invite', {
      headers: { origin: 'https://other.example' },
      payload: { token, password: PASSWORD },
    })
    expect(answer.statusCode).toBe(403)
    await accept(token)
    expect(test.log.join('')).toContain('invitation accepted')
    expect(test.log.join('')).not.toMatch(new RegExp(`${token}|teapot`))
  })
})

describe('POST /invite/name', () => {
  const nameOf = (token: unknown) => test.call('POST', '/api/invite/name', { payload: { token } })

  it('answers the user name of a link that is good, and uses nothing up', async () => {
    const token = tokenOf(await invite({ userName: 'anna' }))
    expect((await nameOf(token)).json()).toEqual({ userName: 'anna' })
    expect((await accept(token)).statusCode).toBe(200)
    expect((await nameOf(token)).statusCode).toBe(404)
    expect((await nameOf('unknown')).json()).toMatchObject({ code: 'not-found' })
    expect((await nameOf(7)).statusCode).toBe(400)
  })

  it('counts unknown links as failed sign-ins', async () => {
    for (let each = 0; each < 20; each += 1) expect((await nameOf(`guess-${each}`)).statusCode).toBe(404)
    expect((await nameOf('another')).statusCode).toBe(429)
  })
})

describe('DELETE /team/:userId', () => {
  const remove = (userId: unknown, headers: Record<string, string> = admin.bearer) =>
    test.call('DELETE', `/api/team/${userId}`, { headers })

  it('removes an admin who has not joined, whose link stops working and whose name is free', async () => {
    const invited = await invite({ userName: 'ana' })
    expect((await remove(invited.json().admin.userId)).statusCode).toBe(204)
    expect(await team()).toHaveLength(1)
    expect((await accept(tokenOf(invited))).statusCode).toBe(404)
    expect((await remove(invited.json().admin.userId)).statusCode).toBe(404)
    expect((await invite({ userName: 'ana' })).statusCode).toBe(201)
  })

  it('does not remove an admin who has joined', async () => {
    const anna = await join('anna')
    expect((await remove(anna.userId)).json()).toMatchObject({ code: 'conflict' })
    expect((await remove(admin.user_Id)).statusCode).toBe(409)
    expect(await team()).toHaveLength(2)
  })

  it('is for admins', async () => {
    const invited = await invite({ userName: 'ana' })
    expect((await remove(invited.json().admin.userId, {})).statusCode).toBe(401)
    expect(await team()).toHaveLength(2)
  })
})

describe('PATCH /team/:userId', () => {
  it('renames an admin, and removes the name', async () => {
    const { userId } = await join('anna')
    const answer = await change(userId, { displayName: ' Anna ' })
    expect([answer.statusCode, answer.json().admin]).toEqual([
      200,
      expect.objectContaining({ userId, displayName: 'Anna', you: false }),
    ])
    expect((await change(userId, {})).json().admin.displayName).toBe('Anna')
    expect((await change(userId, { displayName: null })).json().admin.displayName).toBeNull()
    const wrong = await change(userId, { displayName: 'a\u2028b' })
    expect([wrong.statusCode, wrong.json().details[0].field]).toEqual([400, 'displayName'])
  })

  it('disables an admin, which ends their sessions, and enables them', async () => {
    const { userId, bearer, answer } = await join('anna')
    const ended: string[] = []
    test.app.useCases.auth.sessions.onEnded((sids) => ended.push(...sids))
    const disabled = await change(userId, { disabled: true })
    expect(disabled.json().admin).toMatchObject({ disabled: true, online: false })
    expect(ended).toEqual([refreshTokenOf(answer).split('.')[0]])
    expect((await test.call('GET', '/api/team', { headers: bearer })).statusCode).toBe(403)
    expect((await test.refresh(userId, refreshTokenOf(answer))).statusCode).toBe(401)
    expect((await test.postSignIn('anna', PASSWORD)).statusCode).toBe(401)
    expect((await change(userId, { disabled: true })).statusCode).toBe(200)
    expect((await change(userId, { disabled: false })).json().admin).toMatchObject({ disabled: false })
    expect((await change(userId, { disabled: false })).statusCode).toBe(200)
    expect((await test.postSignIn('anna', PASSWORD)).statusCode).toBe(200)
  })

  it('does not disable the last active admin, and then changes nothing', async () => {
    const answer = await change(admin.user_Id, { disabled: true, displayName: 'Sam' })
    expect([answer.statusCode, answer.json().message]).toEqual([
      409,
      "The last active admin can't be disabled.",
    ])
    expect(await team()).toMatchObject([{ disabled: false, displayName: null }])
    expect((await change(admin.user_Id, { disabled: false })).statusCode).toBe(200)
  })

  it('leaves one of two admins who disable each other at once', async () => {
    const anna = await join('anna')
    const answers = await Promise.all([
      change(anna.userId, { disabled: true }),
      change(admin.user_Id, { disabled: true }, anna.bearer),
    ])
    const [first, second] = answers.map(({ statusCode }) => statusCode)
    expect([first, second].filter((status) => status === 200)).toHaveLength(1)
    // The one who was disabled first may have no session any more.
    expect([403, 409]).toContain(first === 200 ? second : first)
    const users = await test.storage.users.list()
    expect(users.filter(({ disabled }) => !disabled)).toHaveLength(1)
  })

  it('does not find others than admins', async () => {
    const { userId } = await test.addSession('not an admin', [])
    for (const id of [userId, 'f'.repeat(24), 'x', '__proto__', '%00']) {
      expect((await change(id, { disabled: true })).statusCode).toBe(404)
    }
    expect((await change(admin.user_Id, { disabled: 'yes' })).statusCode).toBe(400)
  })
})

describe('/account', () => {
  const account = (method: 'GET' | 'PATCH', payload?: Payload) =>
    test.call(method, '/api/account', { headers: admin.bearer, ...(payload && { payload }) })

  it('changes the sent fields only', async () => {
    const own = {
      ...{ userId: admin.user_Id, userName: 'admin', displayName: null, onDuty: true, email: null },
      ...{ weeklyMail: false, timeZone: null, face: null },
    }
    expect((await account('GET')).json()).toEqual(own)
    const profile = { displayName: 'Sam', onDuty: false, email: 'sam@example.com' }
    expect((await account('PATCH', profile)).json()).toEqual({ ...own, ...profile })
    expect((await account('PATCH', {})).json()).toEqual({ ...own, ...profile })
    expect((await account('PATCH', { email: null })).json()).toEqual({ ...own, ...profile, email: null })
    expect((await account('PATCH', { onDuty: true, userName: 'x', disabled: true })).json()).toEqual({
      ...{ ...own, displayName: 'Sam' },
    })
    expect((await account('PATCH', { displayName: null })).json()).toEqual(own)
    expect((await account('GET')).json()).toEqual(own)
    expect((await team())[0]).toMatchObject({ displayName: null, onDuty: true })
  })

  it.each([
    [{ email: 'no address' }, 'email'],
    [{ email: '' }, 'email'],
    [{ email: `${'x'.repeat(250)}@example.com` }, 'email'],
    [{ displayName: ' ' }, 'displayName'],
    [{ displayName: '😀'.repeat(81) }, 'displayName'],
    [{ onDuty: null }, 'onDuty'],
    [{ onDuty: 'false' }, 'onDuty'],
    [{ weeklyMail: 'true' }, 'weeklyMail'],
    [{ weeklyMail: true }, 'weeklyMail'],
    [{ timeZone: 'Europe/Nowhere' }, 'timeZone'],
  ])('refuses %j', async (payload, field) => {
    const answer = await account('PATCH', { onDuty: false, ...payload })
    expect([answer.statusCode, answer.json().details[0].field]).toEqual([400, field])
    expect((await account('GET')).json()).toMatchObject({ onDuty: true })
  })

  it('takes 80 code points', async () => {
    expect((await account('PATCH', { displayName: '😀'.repeat(80) })).statusCode).toBe(200)
  })
})

describe('the log', () => {
  it('names who changed whom', async () => {
    const { userId } = await join('anna')
    await change(userId, { disabled: true })
    const line = test.log.map((each) => JSON.parse(each)).find(({ msg }) => msg === 'admin changed')
    expect(line).toMatchObject({ userId, by: admin.user_Id, disabled: true })
    await vi.waitFor(() => expect(test.log.join('')).toContain('sessions ended'))
  })
})
