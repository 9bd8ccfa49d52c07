import { AppError } from '@proctorpass/shared/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parts, rawMail } from '../../../test/mails.ts'
import { createChat } from '../../chat/chat.ts'
import { createKeyedHash } from '../../credentials/store-secret.ts'
import { createCounters } from '../../limits/counters.ts'
import { createLimits } from '../../limits/limits.ts'
import { createSettings } from '../../settings/settings.ts'
import type { Storage } from '../../storage/model/storage.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import { createLinks } from '../links.ts'
import { createMailIn } from './mail-in.ts'
import { parseMail } from './parse-mail.ts'
import type { ParseMail } from './parser.ts'

const T0 = Date.UTC(2026, 5, 1, 8)
const MINUTE = 60_000
const VISITOR = 'v'.repeat(20)

let storage: Storage
/** The names of files that were stored. */
let received: string[]
const isMark = ({ expiresAt }: { expiresAt: number }) => expiresAt < T0 + 2 * 24 * 60 * MINUTE
beforeEach(() => {
  storage = openSqlite(':memory:')
  received = []
})
afterEach(() => storage.close())

/** One process of several on the store. */
function node(stored: Storage = storage, parse: ParseMail = parseMail) {
  const now = () => T0
  const limits = createLimits({ enabled: false, counters: createCounters(null) })
  const settings = createSettings({ storage: stored, mail: true })
  const hash = createKeyedHash(stored.documents)
  const links = createLinks({ storage: stored, hash, limits, answersByMail: true, now })
  const chat = createChat({
    ...{
      storage: stored,
      transport: 'push',
      brand: 'Acme',
      supportEmail: 'help@acme.example',
      limits,
      settings,
      now,
    },
    attachments: { removeOf: async () => {} },
  })
  const take = createMailIn({
    ...{ storage: stored, chat, links, hash, parse, rateLimits: true, now },
    attachments: {
      receive: async ({ file: { name } }) => {
        if (!/\.(?:png|txt)$/.test(name)) throw new AppError('invalid-input', 'No picture.')
        received.push(name)
        return { _id: `${received.length}`.padStart(24, '0'), name, type: 'image/png', bytes: 1 }
      },
    },
    mayHaveFiles: async () => true,
    settings: { replyAddress: 'support@acme.example', authservId: 'mx.acme.example' },
    ...{ mailFrom: 'no-reply@acme.example', supportEmail: 'help@acme.example' },
  })
  return { links, take: (raw: string, at = T0) => take(Buffer.from(raw, 'latin1'), at) }
}

async function mailed({ links }: ReturnType<typeof node>, clientId = VISITOR): Promise<string> {
  await storage.messages.append({
    ...{ clientId, senderId: clientId, message: 'hello?', nonce: 'first-message', at: T0 - MINUTE },
  })
  await storage.visitors.update(clientId, { email: 'sam@example.org' }, { by: null, at: T0 })
  const epoch = (await storage.conversations.find(clientId))?.epoch ?? ''
  const { reply } = await links.create({ clientId, epoch, addressId: null, mailId: 'a reply' })
  return `support+${reply}@acme.example`
}
/** As the bytes arrive. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const messages = async () => (await storage.messages.page(VISITOR, { limit: 200 }))?.messages ?? []

describe('a mail', () => {
  it('is skipped beyond thirty an hour for a conversation, by the times of arrival', async () => {
    const here = node()
    const to = await mailed(here)
    for (let minute = 0; minute < 30; minute += 1) {
      expect(await here.take(rawMail({ to, body: `${minute}` }), T0 + minute * MINUTE)).toBe('message')
    }
    const late = rawMail({ to, body: 'too many' })
    expect(await here.take(late, T0 + 59 * MINUTE)).toEqual({ skipped: 'too many' })
    // Forged ones have places of their own.
    const forged = rawMail({ to, body: 'forged', dmarc: null })
    expect(await here.take(forged, T0 + 59 * MINUTE)).toBe('entry')
    expect(await here.take(rawMail({ to, body: 'an hour later' }), T0 + 61 * MINUTE)).toBe('message')
    expect((await messages()).map(({ message }) => message).slice(-2)).toEqual(['29', 'an hour later'])
  })

  it('is skipped beyond two hundred a day of one sender', async () => {
    const here = node()
    for (let count = 0; count < 200; count += 1) {
      expect(await here.take(rawMail({ body: `${count}` }), T0 + count)).toBe('contact')
    }
    expect(await here.take(rawMail(), T0 + 201)).toEqual({ skipped: 'too many' })
    expect(await here.take(rawMail({ from: 'eve@example.org' }), T0 + 202)).toBe('contact')
    expect(await here.take(rawMail(), T0 + 24 * 60 * MINUTE)).toBe('contact')
  })

  it.each(['mails', 'messages', 'addresses'] as const)(
    'is stored once by a process that died at its %s',
    async (at) => {
      const to = await mailed(node())
      const raw = rawMail({ to, body: 'once' })
      const dies = () => Promise.reject(new Error('killed'))
      const broken: Storage = {
        ...storage,
        // Not the mark that it was begun.
        ...(at === 'mails' && {
          mails: {
            ...storage.mails,
            add: (mail, now) => (isMark(mail) ? storage.mails.add(mail, now) : dies()),
          },
        }),
        ...(at === 'messages' && { messages: { ...storage.messages, append: dies } }),
        ...(at === 'addresses' && { addresses: { ...storage.addresses, take: dies } }),
      }
      await expect(node(broken).take(raw)).rejects.toThrow('killed')
      const here = node()
      expect(await here.take(raw)).toBe(at === 'mails' ? 'known' : 'message')
      expect(await here.take(raw)).toBe('known')
      expect((await messages()).map(({ message }) => message)).toEqual(['hello?', 'once'])
    },
  )

  it('is taken once by two nodes at the same time', async () => {
    const to = await mailed(node())
    const raws = Array.from({ length: 5 }, (_, index) => rawMail({ to, body: `${index}` }))
    await Promise.all([node(), node()].flatMap(({ take }) => raws.map((raw) => take(raw))))
    expect(await messages()).toHaveLength(6)
  })

  it('of nothing that shows says its subject', async () => {
    const here = node()
    const to = await mailed(here)
    const body = utf8('\u200b\u200d\ufeff \u2800')
    expect(await here.take(rawMail({ to, body, subject: 'My exam' }))).toBe('message')
    expect(await here.take(rawMail({ to, body, subject: utf8('\u200b') }))).toBe('message')
    expect(await here.take(rawMail({ body, subject: utf8('\u2800') }))).toBe('contact')
    expect((await messages()).map(({ message }) => message).slice(1)).toEqual(['My exam', '(empty)'])
    const { items } = await storage.contacts.list({ page: 1, perPage: 10 })
    expect(items).toMatchObject([{ title: 'Email without a subject', message: '(empty)' }])
  })

  it('that is forged uses up no name of the real one', async () => {
    const here = node()
    const to = await mailed(here)
    const messageId = 'the-same@example.org'
    expect(await here.take(rawMail({ to, messageId, body: 'forged', dmarc: null }))).toBe('entry')
    expect(await here.take(rawMail({ to, messageId, body: 'real' }))).toBe('message')
    expect(await here.take(rawMail({ to, messageId: null, body: 'without an id' }))).toBe('message')
    expect(await here.take(rawMail({ to, messageId: null, body: 'another' }))).toBe('message')
  })

  it.each([
    [
      'line breaks',
      '=?utf-8?Q?a=0D=0ABcc:_eve@example.org=0D=0A=0D=0A<script>?=',
      'a Bcc: eve@example.org <script>',
    ],
    ['line breaks in UTF-16', '=?utf-16le?B?YQANAAoAQgA=?=', 'a B'],
    ['other ends of lines', '=?utf-8?Q?a=0Bb=C2=85c=E2=80=A8d?=', 'abc d'],
    ['commands of a terminal', '=?utf-8?Q?=1B]0;a=07=1B[2Jb?=', ']0;a[2Jb'],
    ['characters that turn text', '=?utf-8?Q?a=E2=80=AEb=E2=81=A6?=', 'ab'],
    ['NUL and bytes that are no text', '=?utf-8?Q?a=00=ED=A0=80?=', 'aí €'],
    ['line breaks in UTF-7', '=?utf-7?Q?a+AA0ACg-Bcc:?=', 'a Bcc:'],
    ['200,000 characters', `${'a\t'.repeat(100_000)}`, 'a '.repeat(100)],
  ])('with %s in its subject has a title of one line', async (_, subject, title) => {
    expect(await node().take(rawMail({ subject }))).toBe('contact')
    expect((await storage.contacts.list({ page: 1, perPage: 1 })).items[0]?.title).toBe(title)
  })

  it('is an answer only if its sender stands in it as it is', async () => {
    const here = node()
    const to = await mailed(here)
    const encoded = `=?utf-8?B?${Buffer.from('<sam@example.org>').toString('base64')}?=`
    for (const from of [encoded, '<sam@example.org> <eve@example.org>', 'sam@example.org\u202e']) {
      expect(await here.take(rawMail({ to, from: Buffer.from(from).toString('latin1') }))).toBe('entry')
    }
    const { activity } = await storage.inbox.activity(VISITOR, { after: 0, before: 100, limit: 100 })
    const mails = activity.flatMap(({ data }) => ('verified' in data ? [data] : []))
    expect(mails.map(({ from, verified }) => ({ from, verified }))).toEqual(
      Array(3).fill({ from: 'unknown@sender.invalid', verified: false }),
    )
  })

  it('with too many parts, too deep or malformed is skipped', async () => {
    const { take } = node()
    const nested = (depth: number): string =>
      depth === 0
        ? 'Content-Type: text/plain\r\n\r\nhidden deep'
        : `Content-Type: multipart/mixed; boundary="b${depth}"\r\n\r\n--b${depth}\r\n${nested(depth - 1)}\r\n--b${depth}--\r\n`
    const head = 'From: sam@example.org\r\nTo: support@acme.example\r\n'
    expect(await take(head + nested(11))).toEqual({ skipped: 'too-deep' })
    expect(await take(head + nested(9))).toBe('contact')
    const many = (count: number) =>
      `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(count)}--b--\r\n`
    expect(await take(many(50))).toEqual({ skipped: 'too-many-parts' })
    expect(await take(many(49))).toBe('contact')
    expect(await take(`${head}X-Long: ${'x'.repeat(300_000)}\r\n\r\nhello`)).toEqual({ skipped: 'malformed' })
  })
})

const entries = async () => {
  const { activity } = await storage.inbox.activity(VISITOR, { after: 0, before: 100, limit: 100 })
  return activity.flatMap(({ kind, data }) => (kind === 'mail' ? [data] : []))
}

describe('a mail that no person wrote', () => {
  it.each([
    'Precedence: auto_reply',
    'Precedence: Auto-Reply',
    'X-Autoreply: yes',
    'X-Autorespond: Re: your conversation',
    'X-Auto-Response-Suppress: DR, OOF, AutoReply',
    'X-Autogenerated: Reply',
    'Auto-Submitted: auto-replied (vacation)',
  ])('is an entry, and a resolved conversation stays resolved: %s', async (header) => {
    const here = node()
    const to = await mailed(here)
    await storage.inbox.change(VISITOR, { status: 'resolved' }, { by: null, at: T0 })
    expect(await here.take(rawMail({ to, headers: [header], body: 'I am away' }))).toBe('entry')
    expect(await entries()).toEqual([expect.objectContaining({ text: 'I am away', automatic: true })])
    expect(await storage.inbox.counts('', T0)).toMatchObject({ open: 0 })
    expect(await messages()).toHaveLength(1)
  })

  it.each(['X-Autoreply: no', 'X-Auto-Response-Suppress: None', 'Precedence: normal', 'Auto-Submitted: no'])(
    'is not one that says %s',
    async (header) => {
      const here = node()
      expect(await here.take(rawMail({ to: await mailed(here), headers: [header] }))).toBe('message')
    },
  )

  it('is not one that answers nothing and wants no automatic answer', async () => {
    const headers = ['X-Auto-Response-Suppress: All']
    expect(await node().take(rawMail({ headers }))).toBe('contact')
  })

  it.each([
    ['a reaction', 'text/vnd.google.email-reaction+json', '{"emoji":"x","version":1}'],
    ['an answer to an invitation', 'text/calendar; method=REPLY', 'BEGIN:VCALENDAR\r\nMETHOD:REPLY'],
    ['one without its parameter', 'text/calendar', 'BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nEND:VCALENDAR'],
  ])('is an entry: %s', async (_, type, content) => {
    const here = node()
    const to = await mailed(here)
    const body = parts(
      'b',
      'Content-Type: text/plain\r\n\r\nSam reacted',
      `Content-Type: ${type}\r\n\r\n${content}`,
    )
    expect(await here.take(rawMail({ to, type: 'multipart/alternative; boundary=b', body }))).toBe('entry')
    expect(await entries()).toEqual([{ from: 'sam@example.org', text: 'Sam reacted', verified: true }])
    expect(await messages()).toHaveLength(1)
  })

  it.each([
    [
      'was read',
      'disposition-notification',
      'message/disposition-notification',
      'Disposition: manual-action; displayed',
    ],
    [
      'was delivered',
      'delivery-status',
      'message/delivery-status',
      'Reporting-MTA: dns; x\r\n\r\nAction: delivered',
    ],
  ])('is nothing: a receipt that a mail %s', async (_, report, type, content) => {
    const here = node()
    const to = await mailed(here)
    const body = parts(
      'b',
      'Content-Type: text/plain\r\n\r\nYour mail',
      `Content-Type: ${type}\r\n\r\n${content}`,
    )
    for (const whole of [`multipart/report; report-type=${report}`, 'multipart/mixed']) {
      expect(await here.take(rawMail({ to, type: `${whole}; boundary=b`, body }))).toHaveProperty('skipped')
    }
    expect([await messages(), await entries()]).toEqual([[expect.anything()], []])
  })
})

describe('what a mail brings beside its words', () => {
  const file = (name: string, type = 'application/zip') =>
    `Content-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nx`
  const mixed = (to: string, words: string, ...files: string[]) =>
    rawMail({
      ...{ to, type: 'multipart/mixed; boundary=b' },
      body: parts('b', `Content-Type: text/plain\r\n\r\n${words}`, ...files),
    })

  it('is named in an entry, once, and not in the words', async () => {
    const here = node()
    const raw = mixed(await mailed(here), 'See this', file('a.zip'), file('b.zip'))
    expect(await here.take(raw)).toBe('message')
    expect((await messages()).at(-1)?.message).toBe('See this')
    expect(await entries()).toEqual([{ leftOut: ['a.zip', 'b.zip'] }])
    const another = raw.replace('Subject:', 'X-Way: 2\r\nSubject:')
    expect(await here.take(another)).toBe('known')
    expect(await entries()).toHaveLength(1)
  })

  it.each(['mails', 'inbox'] as const)('is named once by a process that died at its %s', async (at) => {
    const raw = mixed(await mailed(node()), 'See this', file('a.zip'))
    const dies = () => Promise.reject(new Error('killed'))
    const broken: Storage = {
      ...storage,
      ...(at === 'mails' && {
        mails: {
          ...storage.mails,
          add: (mail, now) => (isMark(mail) ? storage.mails.add(mail, now) : dies()),
        },
      }),
      ...(at === 'inbox' && { inbox: { ...storage.inbox, addMail: dies } }),
    }
    await expect(node(broken).take(raw)).rejects.toThrow('killed')
    expect(await node().take(raw)).toBe('known')
    expect(await entries()).toEqual([{ leftOut: ['a.zip'] }])
    expect(await messages()).toHaveLength(2)
  })

  it('stands in the message when there are no words', async () => {
    const here = node()
    const to = await mailed(here)
    const type = 'application/ms-tnef; name="winmail.dat"'
    expect(await here.take(rawMail({ to, type, subject: 'My exam', body: 'x' }))).toBe('message')
    expect((await messages()).at(-1)?.message).toBe('My exam\n\n[Files left out: winmail.dat]')
    expect(
      await here.take(rawMail({ to, type: 'text/calendar; method=REQUEST', subject: 'Invitation: exam' })),
    ).toBe('message')
    expect((await messages()).at(-1)?.message).toBe('Invitation: exam\n\n[Files left out: invite.ics]')
    expect(await entries()).toEqual([])
  })

  it('is not named when a program added it', async () => {
    const here = node()
    const logo =
      'Content-Type: image/gif; name=logo.gif\r\nContent-ID: <a>\r\nContent-Disposition: inline\r\n\r\nx'
    const signature = file('smime.p7s', 'application/pkcs7-signature')
    expect(await here.take(mixed(await mailed(here), 'Signed', logo, signature))).toBe('message')
    expect([(await messages()).at(-1)?.message, await entries()]).toEqual(['Signed', []])
  })

  it('stands in the entry of an unverified mail, apart from its words', async () => {
    const here = node()
    const raw = mixed(await mailed(here), 'See this', file('a.zip'))
    expect(await here.take(raw.replace('dmarc=pass', 'dmarc=fail'))).toBe('entry')
    expect(await entries()).toEqual([expect.objectContaining({ text: 'See this', leftOut: ['a.zip'] })])
  })

  it('is five files, or four and the rest of a long text', async () => {
    const here = node()
    const to = await mailed(here)
    const pictures = [1, 2, 3, 4, 5].map((number) => file(`${number}.png`, 'image/png'))
    // Nothing holds these files: what counts is which were to be stored.
    const take = (raw: string) => expect(here.take(raw)).rejects.toThrow("One of the mail's files expired")
    await take(mixed(to, 'five', ...pictures))
    expect(received).toEqual(['1.png', '2.png', '3.png', '4.png', '5.png'])
    received = []
    await take(mixed(to, 'word '.repeat(900), ...pictures))
    expect(received).toEqual(['1.png', '2.png', '3.png', '4.png', 'Rest of the email.txt'])
  })

  it.each([3_998, 3_999, 4_000])('is nothing of a text of %i characters', async (length) => {
    const here = node()
    const text = `${'x'.repeat(length - 1)}!`
    await here.take(rawMail({ to: await mailed(here), body: text }))
    expect([(await messages()).at(-1)?.message, received]).toEqual([text, []])
  })
})

describe('before a body is read', () => {
  it('the sender has a place, or nothing is parsed', async () => {
    let parsedMails = 0
    const here = node(storage, (raw) => {
      parsedMails += 1
      return parseMail(raw)
    })
    for (let count = 0; count < 201; count += 1) await here.take(rawMail({ body: `${count}` }))
    expect(parsedMails).toBe(200)
  })

  it('all unverified senders together have places for mails to no conversation', async () => {
    const here = node()
    const forged = (count: number) => rawMail({ from: `a${count}@x${count}.example`, dmarc: null })
    for (let count = 0; count < 100; count += 1) expect(await here.take(forged(count))).toBe('contact')
    expect(await here.take(forged(100))).toEqual({ skipped: 'too many' })
    expect(await here.take(rawMail())).toBe('contact')
    const to = await mailed(here)
    expect(await here.take(rawMail({ to, dmarc: null }))).toBe('entry')
    expect(await here.take(forged(101), T0 + 61 * MINUTE)).toBe('contact')
  })

  it('a mail that ended two processes is skipped, and one that the store could not take is not', async () => {
    const raw = rawMail()
    for (let time = 1; time <= 2; time += 1) {
      await new Promise<void>((parsing) => {
        const stuck: ParseMail = () => {
          parsing()
          return new Promise(() => {})
        }
        void node(storage, stuck).take(raw)
      })
    }
    expect(await node().take(raw)).toEqual({ skipped: 'begun twice, and not finished' })
    const another = rawMail()
    let failures = 0
    const here = node(storage, async (bytes) => {
      failures += 1
      if (failures < 5) throw new AppError('unavailable', 'The store is away.')
      return parseMail(bytes)
    })
    for (let time = 1; time < 5; time += 1) await expect(here.take(another)).rejects.toThrow('away')
    expect(await here.take(another)).toBe('contact')
  })
})

it.each([
  ['above the first Received', ['Received: by mx.acme.example with ESMTPS'], 'message'],
  ['above it, below one by LMTP', ['Received: from mx by imap.acme.example with LMTP id x'], 'message', true],
  ['below it', ['Received: from evil.example by mx.acme.example with ESMTPS'], 'entry', true],
])('results %s are believed or not', async (_, received, outcome, isFirst = false) => {
  const here = node()
  const to = await mailed(here)
  const result = 'Authentication-Results: mx.acme.example; dmarc=pass header.from=example.org'
  const headers = isFirst ? [...received, result] : [result, ...received]
  expect(await here.take(rawMail({ to, dmarc: null, headers }))).toBe(outcome)
})
