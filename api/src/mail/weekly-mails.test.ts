import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { startSmtpServer, type TestSmtpServer } from '../../test/smtp-server.ts'
import { addDays } from '../reports/report-query.ts'
import { openStores } from '../storage/open-storage.ts'

const DAY = 24 * 60 * 60 * 1_000
const HOUR = DAY / 24
const MINUTE = HOUR / 60
const PUBLIC_URL = 'https://acme.example'
const headers = { host: 'acme.example' }
const EMAIL = 'maria@example.com'
const ZONE = 'Europe/Zurich'
/** 8:00 on a Monday in ZONE. */
const MONDAY = Date.parse('2026-11-23T07:00:00Z')
const WEDNESDAY = MONDAY - 5 * DAY

let smtp: TestSmtpServer
let now: number
let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
const nodes: (() => Promise<void>)[] = []

const variables = () => ({ SMTP_URL: smtp.url, MAIL_FROM: 'chat@acme.example', PUBLIC_URL, BRAND: 'Acme' })

/** Starts another process on the store. */
async function startNode(): Promise<TestApp> {
  const stores = await openStores(test.env)
  const node = await buildTestApp({
    ...{ now: () => now, lookEveryMs: 10, variables: variables(), stores },
    env: { dataDir: test.env.dataDir },
  })
  nodes.push(async () => {
    await node.close()
    await stores.storage.close()
  })
  return node
}
async function stopNodes(): Promise<void> {
  for (const stop of nodes.splice(0)) await stop()
}

beforeEach(async () => {
  smtp = await startSmtpServer()
  now = WEDNESDAY
  test = await buildTestApp({ now: () => now, lookEveryMs: 10, variables: variables() })
  admin = await test.signIn({ headers })
})
afterEach(async () => {
  await stopNodes()
  await test.close()
  await smtp.close()
})

const patch = (payload: object) =>
  test.call('PATCH', '/api/account', { headers: { ...headers, ...admin.bearer }, payload })
const account = async () =>
  (await test.call('GET', '/api/account', { headers: { ...headers, ...admin.bearer } })).json()
const turnOn = async (timeZone = ZONE) => {
  const answer = await patch({ email: EMAIL, weeklyMail: true, timeZone })
  expect([answer.statusCode, answer.json()]).toMatchObject([200, { weeklyMail: true, timeZone }])
}
const user = async () => {
  const found = await test.storage.users.findById(admin.user_Id)
  if (found === null) throw new Error('The admin is missing.')
  return found
}
/** Moves the clock, and resolves once the stored Monday follows. */
async function goTo(time: number, nextMonday: string): Promise<void> {
  now = time
  await vi.waitFor(async () => expect((await user()).weeklyFrom).toBe(nextMonday), 8_000)
}
/** Moves the clock, and resolves once the job has run and found nothing due. */
async function goToQuietly(time: number): Promise<void> {
  now = time
  const looked = vi.spyOn(test.storage.users, 'findById')
  test.app.useCases.weeklyMails.mailing.changed(await user())
  const before = looked.mock.calls.length
  await vi.waitFor(() => expect(looked.mock.calls.length).toBeGreaterThan(before), 8_000)
  looked.mockRestore()
}
const mails = (count: number) => vi.waitFor(() => expect(smtp.mails).toHaveLength(count), 8_000)
const lines = (index = 0) => smtp.mails[index]?.text.split('\n') ?? []
const unsubscribeUrl = (index = 0) => smtp.mails[index]?.headers['list-unsubscribe']?.slice(1, -1) ?? ''

async function write(time: number, byAdmin = false, clientId = newClientId()): Promise<string> {
  const senderId = byAdmin ? admin.user_Id : clientId
  const nonce = `nonce-${Math.random()}`
  await test.storage.messages.append({ clientId, senderId, message: 'hello', nonce, at: time })
  return clientId
}

describe('the account', () => {
  it('is asked for an email first, and for a time zone that exists', async () => {
    expect(await account()).toMatchObject({ weeklyMail: false, timeZone: null })
    const withoutEmail = await patch({ weeklyMail: true, timeZone: ZONE })
    expect([withoutEmail.statusCode, withoutEmail.json().details]).toEqual([
      400,
      [{ field: 'weeklyMail', message: 'Add your email to your profile first' }],
    ])
    for (const timeZone of ['Mars/Olympus', '+02:00', '', 'x'.repeat(200)]) {
      const answer = await patch({ timeZone })
      expect([answer.statusCode, answer.json().details[0].field]).toEqual([400, 'timeZone'])
    }
    expect((await patch({ email: null, weeklyMail: true })).statusCode).toBe(400)
    expect(await account()).toMatchObject({ weeklyMail: false, timeZone: null })
    await turnOn()
    expect(await account()).toMatchObject({ weeklyMail: true, timeZone: ZONE, email: EMAIL })
  })

  it('turns the mails off together with the email', async () => {
    await turnOn()
    expect((await patch({ email: null })).json()).toMatchObject({ weeklyMail: false, timeZone: ZONE })
    expect((await patch({ email: EMAIL })).json()).toMatchObject({ weeklyMail: false })
    expect((await patch({ weeklyMail: true })).json()).toMatchObject({ weeklyMail: true })
    expect((await patch({ weeklyMail: false, timeZone: null })).json()).toMatchObject({
      ...{ weeklyMail: false, timeZone: null },
    })
  })
})

describe('the mail', () => {
  it("has the numbers of Reports for the week before in the admin's time zone", async () => {
    const start = MONDAY - 7 * DAY - 8 * HOUR
    await write(start - 1)
    const first = await write(start)
    await write(start + 1, true, first)
    await write(start + 2, false, first)
    await write(MONDAY - 8 * HOUR - 1)
    await write(MONDAY - 8 * HOUR)
    await turnOn()
    await goToQuietly(MONDAY - 1)
    expect(smtp.mails).toEqual([])
    await goTo(MONDAY, '2026-11-30')
    await mails(1)
    expect(smtp.mails[0]).toMatchObject({
      to: [EMAIL],
      headers: {
        subject: 'Acme: your week from November 16, 2026',
        'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
        'list-unsubscribe': expect.stringMatching(
          /^<https:\/\/acme\.example\/api\/account\/weekly\/unsubscribe\/[\w-]{67}>$/,
        ),
      },
    })
    const week = { from: '2026-11-16', to: '2026-11-22', zone: ZONE }
    const query = new URLSearchParams(week).toString()
    const { totals } = (
      await test.call('GET', `/api/reports?${query}`, { headers: { ...headers, ...admin.bearer } })
    ).json()
    expect(totals).toMatchObject({ conversations: 2, messagesIn: 3, messagesOut: 1 })
    expect(lines()).toEqual(
      expect.arrayContaining([
        'This is the week in the Acme live chat from November 16, 2026 to November 22, 2026, in Europe/Zurich time.',
        'Conversations: 2',
        'Messages from visitors: 3',
        'Messages to visitors: 1',
        'Resolved: 0',
        `Missed: ${totals.missed}`,
        'Median first response time: –',
        'Rating, 1 to 5: –',
        `https://acme.example/dashboard/reports?${query}`,
        unsubscribeUrl(),
      ]),
    )
    expect(smtp.mails[0]?.html).toContain('Conversations: 2<br>')
  })

  it.each([
    // The clocks are set forward and back on the Sunday before.
    ['2026-03-30T06:00:00Z', '2026-03-30'],
    ['2026-10-26T07:00:00Z', '2026-10-26'],
  ])('comes at 8:00 by the clocks that were changed (%s)', async (time, monday) => {
    now = Date.parse(time) - 3 * DAY
    admin = await test.signIn({ headers })
    await turnOn()
    await goToQuietly(Date.parse(time) - 1)
    expect([smtp.mails, (await user()).weeklyFrom]).toEqual([[], monday])
    await goTo(Date.parse(time), addDays(monday, 7))
    await mails(1)
  })

  it('comes once from several nodes, and once after restarts', async () => {
    await turnOn()
    await startNode()
    await startNode()
    await goTo(MONDAY, '2026-11-30')
    await mails(1)
    await stopNodes()
    await startNode()
    await goToQuietly(MONDAY + DAY)
    await goTo(MONDAY + 7 * DAY, '2026-12-07')
    await mails(2)
    expect(lines(1).join(' ')).toContain('from November 23, 2026')
  })

  it('comes until Sunday after an outage, then only on the next Monday', async () => {
    await turnOn()
    now = MONDAY + 7 * DAY - 8 * HOUR - 1
    await mails(1)
    expect(lines().join(' ')).toContain('from November 16, 2026')
    await goTo(now, '2026-11-30')
    // Three weeks later, early on a Monday.
    await goToQuietly(MONDAY + 28 * DAY - 1)
    expect(smtp.mails).toHaveLength(1)
    await goTo(MONDAY + 28 * DAY, '2026-12-28')
    await mails(2)
    expect(lines(1).join(' ')).toContain('from December 14, 2026')
  })

  it('is tried again while the mail server is down, with the same Message-ID', async () => {
    await turnOn()
    smtp.refuse = { code: 451, at: 'data' }
    now = MONDAY
    await vi.waitFor(() => expect(smtp.offered).toHaveLength(1), 8_000)
    smtp.refuse = null
    await vi.waitFor(async () => {
      now += MINUTE
      expect(smtp.mails).toHaveLength(1)
    }, 8_000)
    expect(new Set(smtp.offered.map((mail) => mail.headers['message-id'])).size).toBe(1)
    await goTo(now, '2026-11-30')
  })

  it('is skipped for an address that the mail server refuses', async () => {
    await turnOn()
    smtp.refuse = { code: 550, at: 'rcpt' }
    await goTo(MONDAY, '2026-11-30')
    expect(smtp.mails).toEqual([])
  })

  it.each([
    ['is disabled', { disabled: true }],
    ['was invited again', { invite: { inviteHash: 'i'.repeat(43), inviteExpiresAt: MONDAY + DAY } }],
  ])('is skipped for an admin who %s', async (_, change) => {
    await turnOn()
    await test.storage.users.changeCredentials(admin.user_Id, change)
    await goTo(MONDAY, '2026-11-30')
    await test.storage.users.changeCredentials(admin.user_Id, { disabled: false, passwordHash: 'a hash' })
    await goToQuietly(MONDAY + DAY)
    expect(smtp.mails).toEqual([])
    await goTo(MONDAY + 7 * DAY, '2026-12-07')
    await mails(1)
  })

  it('does not come when it was turned off, or on after 8:00', async () => {
    await turnOn()
    await patch({ weeklyMail: false })
    now = MONDAY
    admin = await test.signIn({ headers })
    await patch({ weeklyMail: true })
    expect((await user()).weeklyFrom).toBe('2026-11-30')
    await goToQuietly(MONDAY + HOUR)
    expect(smtp.mails).toEqual([])
  })

  it('comes once when the admin moves to a zone where it is not yet 8:00', async () => {
    await turnOn('Pacific/Auckland')
    await goTo(MONDAY - 10 * HOUR, '2026-11-30')
    await mails(1)
    admin = await test.signIn({ headers })
    await patch({ timeZone: 'America/Los_Angeles' })
    await goToQuietly(Date.parse('2026-11-23T16:00:00Z'))
    expect(smtp.mails).toHaveLength(1)
    await goTo(Date.parse('2026-11-30T16:00:00Z'), '2026-12-07')
    await mails(2)
  })

  it('comes in the zone of the opening hours if the admin has chosen none', async () => {
    const hours = { timeZone: 'Asia/Tokyo', spans: [], closed: [] }
    const settings = (
      await test.call('GET', '/api/settings', { headers: { ...headers, ...admin.bearer } })
    ).json()
    const put = await test.call('PUT', '/api/settings', {
      ...{ headers: { ...headers, ...admin.bearer }, payload: { ...settings, hours } },
    })
    expect(put.statusCode).toBe(200)
    await patch({ email: EMAIL, weeklyMail: true })
    await goTo(Date.parse('2026-11-22T23:00:00Z'), '2026-11-30')
    await mails(1)
  })

  it('comes again after a clock was far ahead', async () => {
    await turnOn()
    await test.storage.users.changeProfile(admin.user_Id, { weeklyFrom: '2036-01-07' })
    await goTo(MONDAY - DAY, '2026-11-23')
    await goTo(MONDAY, '2026-11-30')
    await mails(1)
  })

  it('comes from a store without jobs, as a restored one is', async () => {
    await test.storage.users.changeProfile(admin.user_Id, {
      ...{ email: EMAIL, timeZone: ZONE, weeklyFrom: '2026-11-23' },
    })
    now = MONDAY
    await startNode()
    await mails(1)
  })
})

describe('unsubscribing', () => {
  const path = () => unsubscribeUrl().slice(PUBLIC_URL.length)
  beforeEach(async () => {
    await turnOn()
    await goTo(MONDAY, '2026-11-30')
    await mails(1)
    admin = await test.signIn({ headers })
  })

  it('takes one POST of any mail program, also twice', async () => {
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    const foreign = { ...form, origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' }
    for (const sent of [foreign, form]) {
      const answer = await test.call('POST', path(), { headers: sent, payload: 'List-Unsubscribe=One-Click' })
      expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Unsubscribed' }])
    }
    expect(await account()).toMatchObject({ weeklyMail: false, timeZone: ZONE, email: EMAIL })
    await goToQuietly(MONDAY + 7 * DAY)
    expect(smtp.mails).toHaveLength(1)
  })

  it('shows a page with a button that works without scripts, and opening it changes nothing', async () => {
    const accept = 'text/html,application/xhtml+xml'
    const page = await test.call('GET', path(), { headers: { ...headers, accept } })
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    expect(page.body).toContain('<form method="post">')
    expect(page.body).toContain('<button>Unsubscribe</button>')
    expect(page.body).not.toContain('<script')
    expect(await account()).toMatchObject({ weeklyMail: true })
    const pressed = await test.call('POST', path(), {
      headers: { ...headers, accept, origin: 'null', 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    })
    expect(pressed.statusCode).toBe(200)
    expect(pressed.body).toContain("<h1>You're unsubscribed</h1>")
    expect(await account()).toMatchObject({ weeklyMail: false })
  })

  it('refuses other tokens, and charges them to the address', async () => {
    const charged = vi.spyOn(test.app.useCases.limits, 'charge')
    const token = path().split('/').at(-1) ?? ''
    const others = [`${token.slice(0, 24)}${'x'.repeat(43)}`, `${'0'.repeat(24)}${token.slice(24)}`, 'x']
    for (const other of others) {
      const url = `/api/account/weekly/unsubscribe/${other}`
      const answer = await test.call('POST', url, { headers })
      expect([answer.statusCode, answer.json().message]).toEqual([404, 'This link is unknown.'])
      const page = await test.call('POST', url, { headers: { ...headers, accept: 'text/html' } })
      expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    }
    expect(charged).toHaveBeenCalledTimes(6)
    expect(await account()).toMatchObject({ weeklyMail: true })
  })
})
