import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startSmtpServer, type TestSmtpServer } from '../../test/smtp-server.ts'
import { siteRecord } from '../../test/storage-contract/sites.ts'
import { LOOK_EVERY_MS, type WatchedJobs, watchJobs } from '../../test/watched-jobs.ts'
import { createChat } from '../chat/chat.ts'
import { createSeal } from '../credentials/sealed-text.ts'
import { createKeyedHash } from '../credentials/store-secret.ts'
import { createJobs, type JobResult, type Jobs, LEASE_MS } from '../jobs/jobs.ts'
import { createLanguages } from '../languages/languages.ts'
import { createCounters } from '../limits/counters.ts'
import { createLimits } from '../limits/limits.ts'
import { createSettings } from '../settings/settings.ts'
import { createSites } from '../sites/sites.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createLinks } from './links.ts'
import { createMailer } from './mailer.ts'
import { createVisitorMails, MAIL_JOB, visitorMailJob } from './visitor-mails.ts'

const T0 = Date.UTC(2026, 0, 1, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const VISITOR = 'c'.repeat(20)
const ADMIN = {
  side: 'admin',
  address: '127.0.0.1',
  userId: 'a'.repeat(24),
  userName: 'ann',
  sid: 's',
} as const
const EMAIL = 'sam@example.org'

let storage: Storage
let smtp: TestSmtpServer
let now: number
let online: boolean
let nodes: Jobs[]
let watched: WatchedJobs
const activity: object[] = []
const errors: object[] = []
const limits = createLimits({ enabled: false, counters: createCounters(null) })

/** One process of several on the store. */
function node({ jobOf = visitorMailJob, brand = 'Acme', replyAddress = null as string | null } = {}) {
  const clock = () => now
  const jobs = createJobs({ jobs: watched.jobs, now: clock, monotonic: clock, lookEveryMs: LOOK_EVERY_MS })
  const supportEmail = 'help@acme.example'
  const hash = createKeyedHash(storage.documents)
  const seal = createSeal({ secret: 's'.repeat(32) })
  const { find: findSite } = createSites({ storage, seal, isKnownLanguage: () => true, now: clock })
  const chat = createChat({
    ...{ storage, transport: 'push', findSite, brand, supportEmail, limits, now: clock, jobOf },
    settings: createSettings({ storage, mail: true }),
    attachments: { removeOf: async () => {} },
  })
  const languages = createLanguages({
    ...{ storage, dataDir: '/nonexistent', now: clock },
    contentRevision: { async changed() {}, subscribe() {} },
    switchedOn: async () => ['en', 'zh'],
  })
  const links = createLinks({ storage, hash, limits, answersByMail: replyAddress !== null, now: clock })
  const handler = createVisitorMails({
    ...{ storage, hash, now: clock, findSite, brand, supportEmail, publicUrl: 'https://acme.example' },
    mailer: createMailer(
      { url: smtp.url, from: { name: 'Acme', address: 'no-reply@acme.example' } },
      { warn() {} },
    ),
    links,
    replyAddress,
    apiPrefix: '/api',
    textsFor: languages.textsFor,
    isOnline: () => online,
    activityStored: (entry) => void activity.push(entry),
  })
  jobs.handle(MAIL_JOB, async (run) => {
    const result = await handler(run)
    results.push(result)
    return result
  })
  nodes.push(jobs)
  return {
    chat,
    links,
    jobs,
    start: () => jobs.start({ info() {}, error: (context) => void errors.push(context) }),
  }
}

async function visitorWrites(
  message = 'hello?',
  address: string | null = EMAIL,
  clientId = VISITOR,
): Promise<void> {
  await storage.messages.append({
    ...{ clientId, senderId: clientId, message, nonce: `visitor-${Math.random()}`, at: now },
  })
  if (address !== null)
    await storage.visitors.update(clientId, { name: 'Samantha', email: address }, { by: null, at: now })
}
let answers = 0
const nextNonce = () => {
  answers += 1
  return `answer-${answers}-xxxx`
}
const answer = (
  { chat }: ReturnType<typeof node>,
  message: string,
  nonce = nextNonce(),
  clientId = VISITOR,
) => chat.send(ADMIN, { clientId, message, nonce })

/** What the handler returned, in order. */
const results: JobResult[] = []
/** Until it has run this often. */
const handled = (count: number) => vi.waitFor(() => expect(results).toHaveLength(count), { timeout: 8_000 })
const mailsSent = (count: number) =>
  vi.waitFor(() => expect(smtp.mails).toHaveLength(count), { timeout: 8_000 })

beforeEach(async () => {
  storage = openSqlite(':memory:')
  watched = watchJobs(storage.jobs)
  smtp = await startSmtpServer()
  now = T0
  online = false
  nodes = []
  activity.length = 0
  results.length = 0
})
afterEach(async () => {
  await Promise.all(nodes.map((jobs) => jobs.close()))
  await smtp.close()
  await storage.close()
  expect(errors).toEqual([])
})

describe('a visitor who left', () => {
  it('gets one mail with what admins wrote since, three minutes later', async () => {
    const here = node()
    await visitorWrites('my secret question')
    await answer(here, 'read already')
    await storage.conversations.markRead(VISITOR, 'visitor', 2)
    const ann = await storage.users.create({
      ...{ userName: 'ann', passwordHash: 'none', roles: ['Admin'], createdAt: now, displayName: 'Ann <b>' },
    })
    await answer(here, 'Hello <script>alert(1)</script> & "you"\nsecond line')
    now += 2 * MINUTE
    await visitorWrites('still there?', null)
    await here.chat.send(
      { ...ADMIN, userId: ann?._id ?? '' },
      { clientId: VISITOR, message: '再见\r\n.\r\nBcc: x' },
    )
    here.start()
    now = T0 + 3 * MINUTE - 1
    await watched.settled()
    expect(results).toEqual([])
    now += 1
    await mailsSent(1)
    const [mail] = smtp.mails
    expect(mail?.to).toEqual([EMAIL])
    expect(mail?.headers.subject).toBe('Acme: new reply in your conversation')
    expect(mail?.headers['list-unsubscribe']).toMatch(
      /^<https:\/\/acme\.example\/api\/chat\/unsubscribe\/[\w-]{43}>$/,
    )
    expect(mail?.text).toContain('Acme wrote:\n> Hello <script>alert(1)</script> & "you"\n> second line')
    expect(mail?.text).toContain('Ann <b> wrote:\n> 再见')
    expect(mail?.html).toContain('<bdi>Ann &lt;b&gt;</bdi> wrote:')
    expect(mail?.headers).not.toHaveProperty('bcc')
    expect(mail?.text).toContain(
      'Replies to this email are not read. You can also write to help@acme.example.',
    )
    expect(mail?.text).toMatch(/https:\/\/acme\.example\/c#[\w-]{43}\n/)
    expect(mail?.text).toMatch(/https:\/\/acme\.example\/c\/unsubscribe#[\w-]{43}$/)
    expect(mail?.html).toContain('Hello &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;you&quot;</div>')
    expect(mail?.html).not.toMatch(/<script|<img|src=/)
    for (const word of ['secret', 'still there', 'read already', 'Samantha', VISITOR])
      expect(mail?.raw + (mail?.text ?? '') + mail?.html).not.toContain(word)
    await handled(1)
    expect(results).toEqual([null])
    expect(await storage.visitors.find(VISITOR)).toMatchObject({ mailedSeq: 5, mailedAt: [now] })
  })

  it('of a website reads the name that its visitors know', async () => {
    const here = node()
    const { _id } = siteRecord('river')
    await storage.sites.create(siteRecord('river', { displayName: 'Riverside' }), 1)
    const keyHash = 'k'.repeat(43)
    const site = { _id, name: 'River' }
    const message = {
      clientId: VISITOR,
      senderId: VISITOR,
      message: 'hello?',
      nonce: 'first-of-site',
      at: now,
    }
    await storage.messages.append({ ...message, keyHash, site })
    await storage.visitors.update(VISITOR, { email: EMAIL }, { by: null, at: now })
    await answer(here, 'hello')
    here.start()
    now += 3 * MINUTE
    await mailsSent(1)
    const [mail] = smtp.mails
    expect(mail?.headers.subject).toBe('Riverside: new reply in your conversation')
    expect(mail?.text).toContain('Riverside wrote:\n> hello')
    expect(mail?.text).not.toContain('Acme')
  })

  it('can answer by mail, to an address of each mail that leads to the conversation', async () => {
    const here = node({ replyAddress: 'help@acme.example' })
    here.start()
    await visitorWrites()
    await answer(here, 'hello')
    now += 3 * MINUTE
    await mailsSent(1)
    await answer(here, 'are you there?')
    now += 3 * MINUTE
    await mailsSent(2)
    const { epoch } = (await storage.conversations.find(VISITOR)) ?? { epoch: '' }
    const tokens = smtp.mails.map(({ headers, text }) => {
      expect(text).toContain('You can also reply to this email. Your reply will appear in the conversation.')
      // Written by a person: their answer must not be suppressed.
      expect(headers).not.toHaveProperty('auto-submitted')
      return /^<?help\+([a-z2-7]{24})@acme\.example>?$/.exec(headers['reply-to'] ?? '')?.[1] ?? ''
    })
    expect(new Set(tokens).size).toBe(2)
    const leadsHere = { clientId: VISITOR, epoch, addressId: expect.any(String) }
    for (const token of tokens) expect(await here.links.findConversation({ token })).toMatchObject(leadsHere)
    const messageIdHash =
      /^<([\w-]{43})@acme\.example>$/.exec(smtp.mails[1]?.headers['message-id'] ?? '')?.[1] ?? ''
    expect(await here.links.findConversation({ messageIdHash })).toMatchObject(leadsHere)
    now += 90 * DAY
    expect(await here.links.findConversation({ token: tokens[1] ?? '' })).toBeNull()
  })

  it('gets no second mail when the message is sent again', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    await answer(here, 'hello', 'the-same-nonce')
    now += 3 * MINUTE
    await mailsSent(1)
    await handled(1)
    expect(await answer(here, 'hello', 'the-same-nonce')).toMatchObject({ repeated: true })
    now += 3 * MINUTE
    await handled(2)
    expect(smtp.mails).toHaveLength(1)
  })

  it.each([
    ['read meanwhile', () => storage.conversations.markRead(VISITOR, 'visitor', 9)],
    ['unsubscribed', () => storage.visitors.setUnsubscribed(VISITOR, true)],
    ['was blocked', () => storage.inbox.block(VISITOR, now + DAY, { by: ADMIN.userId, at: now })],
    ['gave no address', () => storage.visitors.update(VISITOR, { email: null }, { by: null, at: now })],
  ])('gets no mail who %s', async (_, happens) => {
    const here = node()
    await visitorWrites()
    await answer(here, 'hello')
    await happens()
    now += 3 * MINUTE
    here.start()
    await handled(1)
    expect([results, smtp.attempts]).toEqual([[null], []])
  })

  it('gets no mail once the conversation is erased, even between claim and send', async () => {
    const here = node()
    await visitorWrites()
    await answer(here, 'hello')
    const job = { key: `mail:${VISITOR}`, kind: MAIL_JOB, clientId: VISITOR, dueAt: now, data: null }
    await storage.conversations.erase(VISITOR)
    // As if it was claimed before.
    await storage.jobs.schedule(job)
    here.start()
    now += 3 * MINUTE
    await handled(1)
    expect(smtp.attempts).toEqual([])
  })

  it('is looked at again each minute while online, for a day', async () => {
    const here = node()
    await visitorWrites()
    await answer(here, 'hello')
    now += 3 * MINUTE
    online = true
    here.start()
    await handled(1)
    expect(results[0]).toMatchObject({ dueAt: now + MINUTE })
    now += MINUTE
    await handled(2)
    online = false
    now += MINUTE
    await mailsSent(1)
    await handled(3)

    await answer(here, 'hello again')
    online = true
    now += 3 * MINUTE
    await handled(4)
    now += DAY
    await handled(5)
    expect(results[4]).toBeNull()
    expect(smtp.mails).toHaveLength(1)
  })

  it.each([
    ['zh-TW', 'zh', 'Acme：您的对话有新回复', '继续此对话'],
    ['ZH', 'zh', 'Acme：您的对话有新回复', '继续此对话'],
    ['en-GB', 'en', 'Acme: new reply in your conversation', 'Continue this conversation'],
    ['ar-EG', 'en', 'Acme: new reply in your conversation', 'Continue this conversation'],
    [null, 'en', 'Acme: new reply in your conversation', 'Continue this conversation'],
  ])('gets the mail in the language of a browser that speaks %s', async (locale, lang, subject, link) => {
    const here = node()
    await visitorWrites()
    await storage.visitors.update(VISITOR, { locale }, { by: null, at: now })
    await answer(here, 'שלום hello\nسلام')
    now += 3 * MINUTE
    here.start()
    await mailsSent(1)
    const [mail] = smtp.mails
    expect(mail?.headers.subject).toBe(subject)
    expect(mail?.html).toContain(`<html lang="${lang}" dir="ltr">`)
    expect(mail?.html).toContain('<div dir="auto">שלום hello</div><div dir="auto">سلام</div>')
    expect(mail?.text).toContain(`${link}:\nhttps://acme.example/c#`)
    expect((mail?.text ?? '') + mail?.html).not.toMatch(/\{\w+\}/)
  })

  it('gets the mail at the address that they gave last', async () => {
    const here = node()
    await visitorWrites()
    await answer(here, 'hello')
    await storage.visitors.update(VISITOR, { email: 'new@example.org' }, { by: null, at: now })
    now += 3 * MINUTE
    here.start()
    await mailsSent(1)
    expect(smtp.attempts).toEqual([['new@example.org']])
  })

  it('gets no mail about a reply of last week', async () => {
    const here = node()
    await visitorWrites()
    await answer(here, 'hello')
    now += 7 * DAY + MINUTE
    here.start()
    await handled(1)
    expect([results, smtp.attempts]).toEqual([[null], []])
  })

  it('gets the mail about a reply that is dated ahead, after a clock that was wrong', async () => {
    const here = node()
    now += DAY
    await visitorWrites()
    now -= DAY
    await answer(here, 'hello')
    now += 3 * MINUTE
    here.start()
    await mailsSent(1)
  })

  it('gets at most three mails in 24 hours, and the rest later', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    for (let n = 1; n <= 4; n += 1) {
      await answer(here, `answer ${n}`)
      now += HOUR
      if (n < 4) await mailsSent(n)
      await handled(n)
    }
    const first = T0 + HOUR
    expect(results[3]).toMatchObject({ dueAt: first + DAY })
    now = first + DAY
    await mailsSent(4)
    expect(smtp.mails[3]?.text).toContain('> answer 4')
  })

  it('gets the next reply when it came during the sending, three minutes after it', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    await answer(here, 'one')
    const held = Promise.withResolvers<void>()
    smtp.hold = () => held.promise
    now += 3 * MINUTE
    await vi.waitFor(() => expect(smtp.attempts).toHaveLength(1), { timeout: 8_000 })
    await answer(here, 'two')
    smtp.hold = null
    held.resolve()
    await mailsSent(1)
    await handled(2)
    expect(results).toEqual([null, expect.objectContaining({ dueAt: now + 3 * MINUTE })])
    now += 3 * MINUTE
    await mailsSent(2)
    const ids = smtp.mails.map(({ headers }) => headers['message-id'])
    expect(new Set(ids).size).toBe(2)
  })

  it('gets one mail from two nodes', async () => {
    const [one, other] = [node(), node()]
    await visitorWrites()
    await answer(one, 'hello')
    now += 3 * MINUTE
    one.start()
    other.start()
    await mailsSent(1)
    await handled(1)
    now += LEASE_MS
    await watched.settled()
    expect(smtp.attempts).toHaveLength(1)
  })

  it('gets the mail from another node when one dies between claim and send', async () => {
    const here = node()
    await visitorWrites()
    await answer(here, 'hello')
    now += 3 * MINUTE
    expect(await storage.jobs.claim({ now, leaseUntil: now + LEASE_MS, limits: { mail: 1 } })).toHaveLength(1)
    here.start()
    for (let looks = 0; looks < 3; looks += 1) {
      await watched.settled()
      expect(smtp.attempts).toEqual([])
      now += LEASE_MS
    }
    await mailsSent(1)
  })

  it('reads the end of a long reply', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    await answer(here, 'far too early')
    await answer(here, `earlier ${'x'.repeat(3_900)}`)
    await answer(here, `later ${'y'.repeat(3_900)}`)
    now += 3 * MINUTE
    await mailsSent(1)
    const text = smtp.mails[0]?.text ?? ''
    expect(text).toContain('This email shows only the end of it')
    expect(text).toContain('later yyy')
    expect(text).toContain('earlier xxx')
    expect(text).not.toContain('far too early')
    expect(text.length).toBeLessThan(8_000)
  })

  it('reads the end of many replies', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    for (let n = 1; n <= 60; n += 1) await answer(here, `answer ${n};`)
    now += 3 * MINUTE
    await mailsSent(1)
    const text = smtp.mails[0]?.text ?? ''
    expect(text).toContain('This email shows only the end of it')
    expect(text).toContain('> answer 60;')
    expect(text).not.toContain('> answer 1;')
  })
})

describe('an address', () => {
  const spellings = [EMAIL, 'Sam@Example.org', 'sam+1@example.org', 'SAM+chat@example.ORG']
  const others = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(20))

  it('gets at most three mails in 24 hours from all conversations that name it', async () => {
    const [here, there] = [node(), node()]
    for (const [n, clientId] of others.entries()) {
      await visitorWrites('hello?', spellings[n % spellings.length], clientId)
      await answer(here, `answer ${n}`, nextNonce(), clientId)
    }
    now += 3 * MINUTE
    here.start()
    there.start()
    await handled(10)
    expect(smtp.attempts).toHaveLength(3)
    expect(results.filter((result) => result?.dueAt === now + DAY)).toHaveLength(7)
  })

  it('gets no more after the conversation was erased and begun again', async () => {
    const here = node()
    here.start()
    for (let n = 1; n <= 7; n += 1) {
      await visitorWrites()
      await answer(here, `answer ${n}`)
      now += 4 * MINUTE
      await handled(n)
      await storage.conversations.erase(VISITOR)
    }
    expect(smtp.mails).toHaveLength(3)
  })

  it('that was unsubscribed gets none in any conversation, however a visitor gives it again', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    await answer(here, 'hello')
    now += 3 * MINUTE
    await mailsSent(1)
    await handled(1)
    const url = smtp.mails[0]?.headers['list-unsubscribe'] ?? ''
    await here.links.unsubscribe(url.slice(1, -1).split('/').at(-1) ?? '', '203.0.113.1')
    for (const [n, address] of ['eve@example.org', ...spellings].entries())
      await storage.visitors.update(VISITOR, { email: address }, { by: null, at: now + n })
    const [other = ''] = others
    await visitorWrites('me again', EMAIL, other)
    for (const clientId of [VISITOR, other]) await answer(here, 'hello', nextNonce(), clientId)
    now += 3 * MINUTE
    await handled(3)
    await storage.conversations.erase(VISITOR)
    await visitorWrites()
    await answer(here, 'hello')
    now += 3 * MINUTE
    await handled(4)
    expect(smtp.attempts).toHaveLength(1)
  })
})

describe('a mail server', () => {
  it('that refuses the mail is not asked again, and admins learn of it', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    await answer(here, 'hello', 'the-same-nonce')
    smtp.refuse = { code: 550, at: 'rcpt' }
    now += 3 * MINUTE
    await handled(1)
    expect(results[0]).toBeNull()
    expect(activity).toMatchObject([{ kind: 'mail', data: { failed: true }, by: null, clientId: VISITOR }])
    await answer(here, 'hello', 'the-same-nonce')
    now += DAY
    await handled(2)
    expect(smtp.attempts).toHaveLength(1)
    expect(await storage.visitors.find(VISITOR)).toMatchObject({ mailedAt: [] })
  })

  it('that fails for now is asked again after growing pauses, for a day', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    await answer(here, 'hello')
    smtp.refuse = { code: 451, at: 'data' }
    now += 3 * MINUTE
    const from = now
    const pauses: number[] = []
    for (let n = 1; ; n += 1) {
      await handled(n)
      const result = results[n - 1]
      if (result === null || result === undefined) break
      pauses.push((result.dueAt - now) / MINUTE)
      now = result.dueAt
    }
    expect(pauses.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    expect(now - from).toBeGreaterThanOrEqual(DAY)
    expect(now - from).toBeLessThan(DAY + 2 * HOUR)
    expect(activity).toHaveLength(1)

    smtp.refuse = null
    await answer(here, 'hello again')
    now += 3 * MINUTE
    await mailsSent(1)
    expect(smtp.mails[0]?.text).toContain('> hello again')
  })

  it('that is down for a while gets the mail once, under the same Message-ID', async () => {
    const here = node()
    here.start()
    await visitorWrites()
    await answer(here, 'hello')
    smtp.refuse = { code: 421, at: 'data' }
    now += 3 * MINUTE
    await handled(1)
    smtp.refuse = null
    now += MINUTE
    await mailsSent(1)
    await handled(2)
    const [refused, accepted] = smtp.offered.map(({ headers }) => headers['message-id'])
    expect(accepted).toMatch(/@acme\.example>$/)
    expect(accepted).toBe(refused)
    expect(await storage.inbox.activity(VISITOR, { limit: 9 })).toMatchObject({ n: 2 })
  })
})
