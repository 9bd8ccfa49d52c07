import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rawMail } from '../../../test/mails.ts'
import { createChat } from '../../chat/chat.ts'
import { createKeyedHash } from '../../credentials/store-secret.ts'
import { createCounters } from '../../limits/counters.ts'
import { createLimits } from '../../limits/limits.ts'
import { createSettings } from '../../settings/settings.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import { createLinks } from '../links.ts'
import { createMailIn } from './mail-in.ts'
import { parseMail } from './parse-mail.ts'

const T0 = Date.UTC(2026, 5, 1, 8)
const MINUTE = 60_000
const VISITOR = 'v'.repeat(20)

let storage: Storage
beforeEach(() => {
  storage = openSqlite(':memory:')
})
afterEach(() => storage.close())

/** One process of several on the store. */
function node(stored: Storage = storage) {
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
    files: { removeOf: async () => {} },
  })
  const take = createMailIn({
    ...{ storage: stored, chat, links, hash, parse: parseMail, rateLimits: true, now },
    files: {
      receive: async () => {
        throw new Error('No mail here has files.')
      },
    },
    mayHaveFiles: async () => false,
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
        ...(at === 'mails' && { mails: { ...storage.mails, add: dies } }),
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
    ['NUL and bytes that are no text', '=?utf-8?Q?a=00=ED=A0=80?=', 'a\ufffd\ufffd\ufffd'],
    ['UTF-7', '=?utf-7?Q?+AA0ACg-Bcc:?=', '+AA0ACg-Bcc:'],
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
