import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  user: unknown
  /** Headers by their names in lower case, unfolded and decoded from quoted-printable words. */
  headers: Record<string, string>
  /** The whole mail as it was sent. */
  raw: string
  text: string
  html: string
}

export interface TestSmtpServer {
  port: number
  /** For SMTP_URL. */
  url: string
  mails: ReceivedMail[]
  /** The accepted ones, and those that were refused once they were read. */
  offered: ReceivedMail[]
  /** The recipients of each mail that was begun, whether it was accepted or not. */
  attempts: string[][]
  /** The answer to the next mails; null accepts. */
  refuse: { code: number; at: 'from' | 'rcpt' | 'data' } | null
  /** Called before a mail is accepted, which waits for it. */
  hold: (() => Promise<void>) | null
  close(): Promise<void>
}

/** A mail server on the loopback. */
export async function startSmtpServer(
  options: SMTPServerOptions & { port?: number } = {},
): Promise<TestSmtpServer> {
  const { port: wantedPort = 0, ...rest } = options
  const mails: ReceivedMail[] = []
  const offered: ReceivedMail[] = []
  const answer = (code: number) => Object.assign(new Error('not now'), { responseCode: code })
  const server = new SMTPServer({
    disabledCommands: rest.secure ? [] : ['STARTTLS', ...(rest.onAuth ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    authOptional: rest.onAuth === undefined,
    ...rest,
    onMailFrom(_address, _session, done) {
      done(started.refuse?.at === 'from' ? answer(started.refuse.code) : null)
    },
    onRcptTo({ address }, _session, done) {
      started.attempts.push([address])
      done(started.refuse?.at === 'rcpt' ? answer(started.refuse.code) : null)
    },
    async onData(stream, { envelope, user }, done) {
      const mail = {
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        user,
        ...parsed(await text(stream)),
      }
      offered.push(mail)
      await started.hold?.()
      if (started.refuse?.at === 'data') return done(answer(started.refuse.code))
      mails.push(mail)
      done()
    },
  })
  // Clients that break off.
  server.on('error', () => {})
  server.listen(wantedPort, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const started: TestSmtpServer = {
    port,
    url: `smtp${rest.secure ? 's' : ''}://localhost:${port}`,
    mails,
    offered,
    attempts: [],
    refuse: null,
    hold: null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return started
}

function parsed(raw: string): Pick<ReceivedMail, 'headers' | 'raw' | 'text' | 'html'> {
  const { headers, body } = split(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1).map(split)
  const part = (type: string) => {
    const found = parts.find(({ headers }) => headers['content-type']?.startsWith(type))
    return found === undefined
      ? ''
      : decoded(found.body, found.headers['content-transfer-encoding']).trimEnd()
  }
  return { headers, raw, text: part('text/plain'), html: part('text/html') }
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = raw.replace(/^\r\n/, '').split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':')
      return [name.toLowerCase(), words(value.join(':').trim())]
    }),
  )
  return { headers, body: rest.join('\r\n\r\n') }
}

function words(value: string): string {
  return value.replace(/=\?utf-8\?([bq])\?([^?]*)\?=\s?/gi, (_, encoding: string, word: string) =>
    encoding.toLowerCase() === 'b'
      ? Buffer.from(word, 'base64').toString()
      : decoded(word.replaceAll('_', ' '), 'quoted-printable'),
  )
}

function decoded(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n')
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n')
}
