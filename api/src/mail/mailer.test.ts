import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { selfSignedCertificate } from '../../test/self-signed-certificate.ts'
import { startSmtpServer, type TestSmtpServer } from '../../test/smtp-server.ts'
import { createMailAdmins } from './admin-mails.ts'
import { mailBody } from './mail-body.ts'
import { createMailer, type Mail, smtpOptions } from './mailer.ts'

const FROM = { name: 'Support', address: 'support@example.com' }
const bodyOf = (words: string) => mailBody([{ words }], { lang: 'en', dir: 'ltr' })
const MAIL: Mail = { id: 'a', to: ['sam@example.org'], subject: 'Hello', ...bodyOf('Some words') }

let smtp: TestSmtpServer
let lines: object[]
const log = { warn: (context: object) => void lines.push(context) }
const mailer = (url = smtp.url, answerWithinMs?: number) =>
  createMailer({ url, from: FROM }, log, answerWithinMs)

beforeEach(async () => {
  lines = []
  smtp = await startSmtpServer()
})
afterEach(() => smtp.close())

describe('a mailer', () => {
  it('sends text and HTML under the same Message-ID each time', async () => {
    expect(await mailer().send({ ...MAIL, unsubscribeUrl: 'https://example.com/u' })).toBe('sent')
    expect(await mailer().send(MAIL)).toBe('sent')
    expect(await mailer().send({ ...MAIL, id: 'b' })).toBe('sent')
    const [first, second, third] = smtp.mails
    expect(first).toMatchObject({ from: FROM.address, to: MAIL.to, text: 'Some words' })
    expect(first?.headers).toMatchObject({
      ...{ from: 'Support <support@example.com>', to: 'sam@example.org', subject: 'Hello' },
      ...{ 'auto-submitted': 'auto-generated', 'list-unsubscribe': '<https://example.com/u>' },
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    })
    expect(first?.headers['message-id']).toMatch(/^<[\w-]{43}@example\.com>$/)
    expect(second?.headers['message-id']).toBe(first?.headers['message-id'])
    expect(third?.headers['message-id']).not.toBe(first?.headers['message-id'])
    expect(first?.html).toContain('<p>Some words</p>')
    expect(second?.headers).not.toHaveProperty('list-unsubscribe')
  })

  it.each([
    [{ code: 550, at: 'from' }, 'failed'],
    [{ code: 550, at: 'rcpt' }, 'refused'],
    [{ code: 554, at: 'data' }, 'refused'],
    [{ code: 450, at: 'rcpt' }, 'failed'],
    [{ code: 451, at: 'data' }, 'failed'],
    [{ code: 421, at: 'rcpt' }, 'failed'],
  ] as const)('answers %o with "%s"', async (refuse, outcome) => {
    smtp.refuse = refuse
    expect(await mailer().send(MAIL)).toBe(outcome)
    expect(JSON.stringify(lines)).toContain(String(refuse.code))
    expect(JSON.stringify(lines)).not.toContain('sam@')
  })

  it('fails for now when the server is down', async () => {
    const { url } = smtp
    await smtp.close()
    expect(await mailer(url).send(MAIL)).toBe('failed')
    smtp = await startSmtpServer()
  })

  it('fails for now when the server does not answer', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    smtp.hold = () => promise
    expect(await mailer(smtp.url, 300).send(MAIL)).toBe('failed')
    resolve()
  })

  it.each(['zoe@münchen.example', 'zoë@example.org'])('sends to %s', async (address) => {
    expect(await mailer().send({ ...MAIL, to: [address] })).toBe('sent')
    expect(smtp.mails[0]?.to).toEqual([address])
  })

  it('refuses a malformed address, and sends nothing else to it', async () => {
    for (const to of ['no address', 'a@b.c, d@example.org', 'a@example.org\r\nBcc: b@example.org', '<a@b.c>'])
      expect(await mailer().send({ ...MAIL, to: [to] })).toBe('refused')
    expect(smtp.attempts).toEqual([])
  })

  it('lets nothing become a header', async () => {
    const evil = 'Hello\r\nBcc: victim@example.org\r\n\r\n<script>'
    expect(await mailer().send({ ...MAIL, subject: evil, ...bodyOf(evil) })).toBe('sent')
    const [mail] = smtp.mails
    expect(mail?.headers).not.toHaveProperty('bcc')
    expect(mail?.headers.subject).toBe('Hello Bcc: victim@example.org <script>')
    expect(mail?.to).toEqual(['sam@example.org'])
    expect(mail?.html).not.toContain('<script>')
  })

  it('signs in, and takes a refused sign-in for temporary', async () => {
    const locked = await startSmtpServer({
      onAuth({ username, password }, _session, done) {
        if (username === 'me@x' && password === 'p/ss') done(null, { user: 'me' })
        else done(Object.assign(new Error('wrong'), { responseCode: 535 }))
      },
    })
    const withUser = (user: string) => locked.url.replace('//', `//${user}@`)
    expect(await mailer(withUser('me%40x:wrong')).send(MAIL)).toBe('failed')
    expect(await mailer(locked.url).send(MAIL)).toBe('failed')
    expect(await mailer(withUser('me%40x:p%2Fss')).send(MAIL)).toBe('sent')
    expect(locked.mails[0]?.user).toBe('me')
    await locked.close()
  })

  it('sends over TLS only to a server whose certificate it can verify', async () => {
    const certificate = selfSignedCertificate()
    const secure = await startSmtpServer({ secure: true, ...certificate })
    expect(await mailer(secure.url).send(MAIL)).toBe('failed')
    expect(secure.attempts).toEqual([])
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, certificate.cert])
    try {
      expect(await mailer(secure.url).send(MAIL)).toBe('sent')
    } finally {
      setDefaultCACertificates(before)
    }
    await secure.close()
  })
})

it('sends credentials to other machines only encrypted', () => {
  const plain = { secure: false, requireTLS: false, ignoreTLS: false }
  expect(smtpOptions('smtp://mail.example.com')).toMatchObject({ ...plain, port: 587 })
  expect(smtpOptions('smtp://a:b@mail.example.com:25')).toMatchObject({
    ...plain,
    port: 25,
    requireTLS: true,
  })
  expect(smtpOptions('smtps://a:b@mail.example.com')).toMatchObject({ ...plain, port: 465, secure: true })
  expect(smtpOptions('smtp://a:b@[::1]')).toMatchObject({ ...plain, host: '::1', ignoreTLS: true })
})

it('tells admins that a visitor waits, without their words', async () => {
  const mailAdmins = createMailAdmins({
    ...{
      mailer: mailer(),
      brand: 'Acme',
      supportEmail: 'help@example.com',
      publicUrl: 'https://acme.example',
    },
  })
  const visitor = { clientId: 'c'.repeat(20), id: 'a' }
  expect(await mailAdmins(visitor, ['zoe@example.org', null, null])).toBe('sent')
  expect(await mailAdmins({ id: 'b', waiting: { count: 100, more: true } }, [])).toBe('sent')
  const [first, second] = smtp.mails
  expect(first?.to).toEqual(['zoe@example.org', 'help@example.com'])
  expect(first?.headers.subject).toBe('A visitor is waiting')
  expect(first?.text).toContain(`https://acme.example/dashboard/messages/${visitor.clientId}`)
  expect(second?.to).toEqual(['help@example.com'])
  expect(second?.headers.subject).toBe('More than 100 visitors are waiting')
  expect(second?.text).toContain('https://acme.example/dashboard/chats\n')
})
