import { createHash } from 'node:crypto'
import type { MailEntryData } from '@proctorpass/shared/schemas/inbox'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { describeWithImap } from '../../../test/imap-server.ts'
import { parts, rawMail } from '../../../test/mails.ts'
import { type ImapProcess, startImap } from '../../../test/servers/imap-process.ts'
import { startTestServer, type TestServer } from '../../../test/test-server.ts'
import { createKeyedHash } from '../../credentials/store-secret.ts'
import { addressIdOf } from '../mailboxes.ts'

const EMAIL = 'sam@example.org'

describeWithImap('an answer by mail', () => {
  let imap: ImapProcess
  let server: TestServer
  let clientId: string
  let number = 0
  const variables = () => ({
    ...{ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Acme <no-reply@acme.example>', LOG_LEVEL: 'info' },
    ...{ INBOUND_URL: imap.url, REPLY_ADDRESS: 'support@acme.example', INBOUND_AUTHSERV: 'mx.acme.example' },
  })

  beforeAll(async () => {
    imap = await startImap()
    server = await startTestServer(variables())
  }, 60_000)
  afterAll(async () => {
    await server.close()
    await imap.close()
  })
  beforeEach(() => {
    number += 1
    clientId = `visitor${number}`.padEnd(20, 'x')
  })

  /** A conversation whose visitor was mailed: the address for answers. */
  async function mailed(id = clientId, email = EMAIL): Promise<{ to: string; mailId: string }> {
    const { storage, links } = server.app.useCases
    await storage.messages.append({
      ...{
        clientId: id,
        senderId: id,
        message: 'hello?',
        nonce: 'first-message',
        at: Date.now(),
        keyHash: 'k'.repeat(43),
      },
    })
    await storage.visitors.update(id, { email }, { by: null, at: Date.now() })
    const epoch = (await storage.conversations.find(id))?.epoch ?? ''
    const addressId = await addressIdOf(email, createKeyedHash(storage.documents))
    const mailId = `reply ${id} ${epoch} 2`
    const { reply } = await links.create({ clientId: id, epoch, addressId, mailId })
    return { to: `support+${reply}@acme.example`, mailId }
  }
  const admin = { side: 'admin', userId: '', userName: 'admin', sid: 's', address: '192.0.2.1' } as const
  const asAdmin = () => ({ ...admin, userId: server.adminId })
  const messages = async (id = clientId) => (await server.app.useCases.chat.page(asAdmin(), id, {})).messages
  const entries = async (id = clientId) =>
    (await server.app.useCases.chat.inbox.activity(asAdmin(), id, {})).activity
      .filter(({ kind }) => kind === 'mail')
      .map(({ data }) => data as MailEntryData)
  const contacts = async () =>
    (await server.app.useCases.storage.contacts.list({ page: 1, perPage: 50 })).items
  const logged = () => server.log.filter((line) => /"msg":"mail (read|skipped)"/.test(line))
  /** Delivers, and waits until the mail was read. */
  async function deliver(raw: string, options: Parameters<ImapProcess['deliver']>[1] = {}): Promise<string> {
    const before = logged().length
    await imap.deliver(raw, options)
    // A connection that breaks lets the reader read a mail twice.
    await vi.waitFor(() => expect(logged().length).toBeGreaterThan(before), { timeout: 8_000, interval: 50 })
    return logged().at(-1) ?? ''
  }

  it('is a message of the visitor, whose key it does not need, with what it quotes apart', async () => {
    const { to } = await mailed()
    const body = 'Yes, tomorrow at 9.\r\n\r\nOn Thu, Jan 1, 2026 Acme <a@acme.example> wrote:\r\n> When?\r\n'
    await deliver(rawMail({ to, body, messageId: 'one@example.org' }))
    const [, message] = await messages()
    expect(message).toMatchObject({
      ...{ clientId, senderId: clientId, seq: 2, message: 'Yes, tomorrow at 9.', via: 'mail' },
      quoted: expect.stringMatching(/^On Thu.*wrote:\n+> When\?$/s),
    })
    await vi.waitFor(async () => expect((await imap.flags()).at(-1)).toContain('\\Seen'))
    // By another way, and in other bytes.
    expect(
      await deliver(rawMail({ to, body, messageId: 'one@example.org', headers: ['X-Way: 2'] })),
    ).toContain('known')
    expect(await messages()).toHaveLength(2)
  })

  it.each([
    ['without results of the own server', { dmarc: null }],
    ['when they say that it failed', { dmarc: 'dmarc=fail header.from=example.org' }],
    ['when they are of another domain', { dmarc: 'dmarc=pass header.from=evil.example' }],
    ['when a comment says so', { dmarc: 'spf=fail (dmarc=pass header.from=example.org)' }],
    [
      'when a quoted word says so',
      { dmarc: 'spf=fail smtp.mailfrom="; dmarc=pass header.from=example.org"' },
    ],
    [
      'when only an older result says so',
      {
        dmarc: 'dmarc=fail',
        headers: ['Authentication-Results: mx.acme.example; dmarc=pass header.from=example.org'],
      },
    ],
    [
      'when another server says so',
      { dmarc: null, headers: ['Authentication-Results: evil.example; dmarc=pass header.from=example.org'] },
    ],
    ['with two senders', { from: 'sam@example.org, eve@example.org' }],
    ['with two From', { headers: ['From: eve@example.org'] }],
    ['from another person of the domain', { from: 'eve@example.org' }],
  ])('is only an entry %s', async (_, options) => {
    const { to } = await mailed()
    await deliver(rawMail({ to, body: 'Give me the password', ...options }))
    expect(await messages()).toHaveLength(1)
    expect(await entries()).toEqual([
      expect.objectContaining({ text: 'Give me the password', verified: false }),
    ])
  })

  it('becomes a message when an admin adds it, once', async () => {
    const { to } = await mailed()
    await deliver(rawMail({ to, body: 'It is me', dmarc: null }))
    const { activity } = await server.app.useCases.chat.inbox.activity(asAdmin(), clientId, {})
    const n = activity.find(({ kind }) => kind === 'mail')?.n
    const path = `/chat/admin/${clientId}/activity/${n}/message`
    const { accessToken } = await server.signIn()
    const add = (to = path) =>
      fetch(`${server.url}/api${to}`, { method: 'POST', headers: { authorization: `Bearer ${accessToken}` } })
    const [first, second] = [await add(), await add()]
    expect([first.status, second.status]).toEqual([201, 200])
    expect(await first.json()).toMatchObject({
      data: { message: 'It is me', senderId: clientId, via: 'mail' },
    })
    expect(await messages()).toHaveLength(2)
    expect((await add(`/chat/admin/${clientId}/activity/${(n ?? 0) - 1}/message`)).status).toBe(404)
    expect((await add(`/chat/admin/${clientId}/activity/99/message`)).status).toBe(404)
  })

  it('is a contact message without a token that is good', async () => {
    const { to } = await mailed()
    await server.app.useCases.storage.conversations.erase(clientId)
    await deliver(rawMail({ to, subject: '=?utf-8?B?5L2g5aW9?=', body: 'void' }))
    await deliver(rawMail({ to: `support+${'a'.repeat(24)}@acme.example`, body: 'unknown' }))
    await deliver(rawMail({ body: 'none', headers: ['References: <x@acme.example>'] }))
    const found = await contacts()
    expect(found.map(({ message }) => message)).toEqual(expect.arrayContaining(['void', 'unknown', 'none']))
    expect(found.find(({ message }) => message === 'void')).toMatchObject({ email: EMAIL, title: '你好' })
    expect(await messages()).toEqual([])
  })

  it('is stored once when the mailbox has new numbers, also where its token is void by now', async () => {
    const { to } = await mailed()
    await deliver(rawMail({ to, body: 'once' }))
    const gone = `${'gone'.padEnd(20, 'x')}`
    const erased = await mailed(gone)
    await deliver(rawMail({ to: erased.to, body: 'erased' }))
    await server.app.useCases.storage.conversations.erase(gone)
    const before = (await contacts()).length
    const count = (await imap.flags()).length
    const read = logged().length
    await imap.renumber()
    const again = () => expect(logged().length).toBeGreaterThanOrEqual(read + count)
    await vi.waitFor(again, { timeout: 30_000, interval: 100 })
    expect(await messages()).toHaveLength(2)
    expect(await contacts()).toHaveLength(before)
    expect(await messages(gone)).toEqual([])
  }, 60_000)

  it('of a program is an entry, and a bounce ends the mails to the address', async () => {
    const { to, mailId } = await mailed()
    await deliver(rawMail({ to, body: 'Back on Monday', headers: ['Auto-Submitted: auto-replied'] }))
    expect(await entries()).toEqual([expect.objectContaining({ text: 'Back on Monday', automatic: true })])
    expect(await deliver(rawMail({ to, from: 'support@acme.example' }))).toContain('own address')
    expect(
      await deliver(rawMail({ body: 'A newsletter', headers: ['List-Id: <news.example.org>'] })),
    ).toContain('automatic')
    const ownId = `${createHash('sha256').update(mailId).digest('base64url')}@acme.example`
    const report = (action: string, id: string) =>
      rawMail({
        ...{ from: 'MAILER-DAEMON@example.org', to: 'no-reply@acme.example' },
        type: 'multipart/report; report-type=delivery-status; boundary=b',
        body: parts(
          'b',
          'Content-Type: text/plain\r\n\r\nSorry',
          `Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; ${EMAIL}\r\nAction: ${action}\r\nStatus: 5.1.1`,
          `Content-Type: text/rfc822-headers\r\n\r\nSubject: x\r\nMessage-ID: <${id}>\r\n`,
        ),
      })
    const failing = async () => (await server.app.useCases.storage.visitors.find(clientId))?.failing
    await deliver(report('delayed', ownId))
    await deliver(report('failed', 'other@acme.example'))
    expect(await failing()).toBe(false)
    await deliver(report('failed', ownId))
    expect(await failing()).toBe(true)
    expect((await entries()).at(-1)).toEqual({ failed: true })
    await server.app.useCases.storage.visitors.update(
      clientId,
      { email: 'sam@example.net' },
      { by: null, at: Date.now() },
    )
    expect(await failing()).toBe(false)
  })

  it('of a blocked visitor is an entry, which an admin cannot add', async () => {
    const { to } = await mailed()
    await server.app.useCases.chat.blocks.set(asAdmin(), clientId, { hours: null })
    await deliver(rawMail({ to, body: 'let me in' }))
    expect(await messages()).toHaveLength(1)
    expect(await entries()).toEqual([expect.objectContaining({ text: 'let me in' })])
    const { n = 0 } =
      (await server.app.useCases.chat.inbox.activity(asAdmin(), clientId, {})).activity.at(-1) ?? {}
    await expect(server.app.useCases.chat.inbox.addMessage(asAdmin(), clientId, n)).rejects.toThrow(/Unblock/)
  })

  it('keeps the rest of a long text in a file, pictures and PDFs, and names what it leaves out', async () => {
    const { to } = await mailed()
    const { settings } = server.app.useCases
    await settings.replace(asAdmin(), { ...(await settings.current()), files: true })
    const long = `${'word '.repeat(900)}the end`
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n').toString('base64')
    const file = (type: string, name: string, content: string) =>
      `Content-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${content}`
    await deliver(
      rawMail({
        ...{ to, type: 'multipart/mixed; boundary=b' },
        body: parts(
          'b',
          `Content-Type: text/plain\r\n\r\n${long}`,
          file('application/pdf', 'plan.pdf', pdf).replace(
            'filename="plan.pdf"',
            "filename*=utf-8''plan%0D%0ASet-Cookie%3A%20a%E2%80%AE.pdf",
          ),
          file('application/x-msdownload', '../run.exe', 'TVqQAAMAAAAE'),
          file('image/png', 'not.png', 'PGh0bWw+'),
        ),
      }),
    )
    const [, message] = await messages()
    expect(message?.message).toMatch(/^word word.* word$/)
    expect(await entries()).toEqual([{ leftOut: ['../run.exe', 'not.png'] }])
    expect([...(message?.message ?? '')].length).toBeLessThanOrEqual(4_000)
    expect(message?.attachments?.map(({ name, type }) => [name, type])).toEqual([
      ['planSet-Cookie: a.pdf', 'application/pdf'],
      ['Rest of the email.txt', 'text/plain'],
    ])
    const id = message?.attachments?.[1]?._id ?? ''
    const { accessToken } = await server.signIn()
    const answer = await fetch(`${server.url}/api/chat/${clientId}/files/${id}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect([answer.status, answer.headers.get('content-disposition')?.split(';')[0]]).toEqual([
      200,
      'attachment',
    ])
    expect(await answer.text()).toMatch(/the end$/)
  })

  it('waits for a mailbox that is away, and /readyz says so', async () => {
    const { to } = await mailed()
    const ready = async () => (await fetch(`${server.url}/readyz`)).json()
    expect(await ready()).toEqual({ status: 'ok' })
    await imap.stop('SIGTERM')
    await vi.waitFor(
      async () => expect(await ready()).toEqual({ status: 'degraded', reason: 'inbound' }),
      10_000,
    )
    await imap.start()
    await deliver(rawMail({ to, body: 'still here' })).catch(() => {})
    await vi.waitFor(async () => expect((await messages()).at(-1)?.message).toBe('still here'), 20_000)
    expect(await ready()).toEqual({ status: 'ok' })
    const states = server.log
      .filter((line) => /"msg":"mailbox/.test(line))
      .map((line) => JSON.parse(line).msg)
    expect(states.slice(-2)).toEqual(['mailbox away', 'mailbox connected'])
    expect(server.log.join()).not.toContain('p/ss')
  }, 60_000)
})
