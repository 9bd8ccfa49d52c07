import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EnvError, readEnv } from './env.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'proctorpass-env-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const GOOD_SECRET = '4f6b2c9d8e1a3b5c7d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c'

const read = (variables: Record<string, string> = {}) => readEnv({ DATA_DIR: dir, ...variables })

function problemsOf(variables: Record<string, string>): string[] {
  try {
    read(variables)
  } catch (error) {
    if (error instanceof EnvError) return error.problems
    throw error
  }
  return []
}

/** Long enough, each of them. */
const GUESSABLE = [
  '<random_string_at_least_32_characters_long>',
  'reallyreallyreallyreallyverysafe',
  'x'.repeat(80),
  'changeme-'.repeat(6),
  'abcabdabcaabbdcdaabbccddabcdabdcbadcbadd',
  'your-secret-here-your-secret-here',
  'your_super_secret_jwt_key_change_this_in_production',
  'Please-Change-This-Secret-Before-Going-To-Production',
  'MyS3cr3tP4ssw0rdIsV3ryL0ngAndS4fe!!',
  'the quick brown fox jumps over the lazy dog and then goes home to sleep',
  'thequickbrownfoxjumpsoverthelazydogagain',
  'It was the best of times, it was the worst of times',
  'correct horse battery staple correct horse',
  'qwertyuiopasdfghjklzxcvbnm123456',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,',
  '0123456789abcdefghijklmnopqrstuvwxyz',
  'zyxwvutsrqponmlkjihgfedcba9876543210',
  'deadbeefdeadbeefdeadbeefdeadbeef',
  'k3J9xQ2m'.repeat(4),
  '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed'.repeat(2),
  '20260101202601022026010320260104',
]

describe('readEnv', () => {
  it('has a default for everything', () => {
    const { jwtSecret, ...env } = read()
    expect(jwtSecret.length).toBeGreaterThanOrEqual(43)
    expect(env).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      publicUrlIsSet: false,
      dataDir: dir,
      chatTransport: 'push',
      chatPollMs: 1000,
      unreadPollMs: 5000,
      adminUserName: 'admin',
      adminPassword: undefined,
      jwtSecretPrevious: undefined,
      apiPrefix: '/api',
      serveWeb: true,
      apiDocs: true,
      auditDays: 400,
      publicReviews: 'off',
      seedSamples: undefined,
      metricsToken: undefined,
      brand: 'ProctorPass',
      supportEmail: 'support@proctorpass.example',
      mail: null,
      inbound: null,
      pushHosts: [
        { name: 'fcm.googleapis.com', port: 443, own: false },
        { name: '*.push.services.mozilla.com', port: 443, own: false },
        { name: '*.push.apple.com', port: 443, own: false },
        { name: '*.notify.windows.com', port: 443, own: false },
      ],
      webhookHosts: [{ name: '*', port: 0, own: false }],
      contacts: { whatsapp: '+1 202 555 0147', discord: 'proctorpass', telegram: '@proctorpass' },
      rateLimits: true,
      uploadsMaxBytes: 5 * 1024 ** 3,
      trustProxy: false,
      logLevel: 'info',
      notices: [],
    })
  })

  it.each([
    ['1048576', 1024 ** 2],
    ['500MB', 500 * 1024 ** 2],
    ['20 gb', 20 * 1024 ** 3],
    ['1TB', 1024 ** 4],
  ])('takes UPLOADS_MAX as %s', (value, bytes) => {
    expect(read({ UPLOADS_MAX: value }).uploadsMaxBytes).toBe(bytes)
  })

  it.each(['-1', 'much', '1.5GB', '5XB', '99999999TB', '1KB'])('refuses UPLOADS_MAX as %s', (value) => {
    expect(problemsOf({ UPLOADS_MAX: value })).toEqual([expect.stringContaining('UPLOADS_MAX')])
  })

  it('reads all variables', () => {
    const env = read({
      HOST: '0.0.0.0',
      PORT: '8080',
      CHAT_TRANSPORT: 'polling',
      API_PREFIX: '/v1/api/',
      JWT_SECRET: GOOD_SECRET,
      RATE_LIMITS: 'off',
      SEED_DEMO: 'false',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      NODE_OPTIONS: '--max-old-space-size=100',
    })
    expect(env).toMatchObject({
      port: 8080,
      publicUrl: 'http://localhost:8080',
      chatTransport: 'polling',
      apiPrefix: '/v1/api',
      jwtSecret: GOOD_SECRET,
      rateLimits: false,
      seedSamples: false,
      trustProxy: ['10.0.0.0/8', '::1'],
    })
    expect(read({ PUBLIC_URL: 'https://Example.com/' }).publicUrl).toBe('https://example.com')
    expect(read({ API_PREFIX: '/', SERVE_WEB: 'false' }).apiPrefix).toBe('')
    expect(read({ TRUST_PROXY: '1' }).trustProxy).toBe(1)
  })

  it('counts an empty value as unset', () => {
    expect(read({ PORT: '', CHAT_TRANSPORT: '', ADMIN_PASSWORD: '', MONGODB_URL: '' })).toMatchObject({
      port: 3000,
      chatTransport: 'push',
      adminPassword: undefined,
    })
  })

  it('names every problem at once, and no secret', () => {
    const problems = problemsOf({
      HOST: 'not a host',
      PORT: '70000',
      PUBLIC_URL: 'https://example.com/path',
      CHAT_TRANSPORT: 'pigeon',
      CHAT_POLL_MS: '1e3',
      UNREAD_POLL_MS: '-5',
      ADMIN_PASSWORD: 'hunter2',
      JWT_SECRET: 'topsecret',
      JWT_SECRET_PREVIOUS: 'a'.repeat(64),
      API_PREFIX: 'api',
      SERVE_WEB: 'yes',
      API_DOCS: 'off',
      PUBLIC_REVIEWS: 'on',
      SEED_DEMO: '1',
      METRICS_TOKEN: 'short',
      SUPPORT_EMAIL: 'nobody',
      BRAND: 'x'.repeat(61),
      RATE_LIMITS: 'no',
      TRUST_PROXY: '10.0.0.0/99',
      LOG_LEVEL: 'loud',
      MONGODB_URL: 'http://user:pass@host/db',
      REDIS_URL: 'http://:pass@host',
    })
    const named = problems.map((problem) => problem.split(' ')[0]).sort()
    expect(named).toEqual(
      [
        'HOST',
        'PORT',
        'PUBLIC_URL',
        'CHAT_TRANSPORT',
        'CHAT_POLL_MS',
        'UNREAD_POLL_MS',
        'ADMIN_PASSWORD',
        'JWT_SECRET',
        'JWT_SECRET_PREVIOUS',
        'API_PREFIX',
        'SERVE_WEB',
        'API_DOCS',
        'PUBLIC_REVIEWS',
        'SEED_DEMO',
        'METRICS_TOKEN',
        'SUPPORT_EMAIL',
        'BRAND',
        'RATE_LIMITS',
        'TRUST_PROXY',
        'LOG_LEVEL',
        'MONGODB_URL',
        'REDIS_URL',
      ].sort(),
    )
    const text = new EnvError(problems).message
    expect(text).toContain('PORT is "70000"; it must be a whole number from 0 to 65535.')
    for (const secret of ['hunter2', 'topsecret', 'aaaa', 'pass@', 'short'])
      expect(text).not.toContain(secret)
  })

  it.each(['JWT_SECRET', 'JWT_SECRET_PREVIOUS'])('refuses a %s that can be guessed', (name) => {
    for (const secret of GUESSABLE) {
      const problems = problemsOf({ JWT_SECRET: GOOD_SECRET, [name]: secret })
      expect(problems, secret).toEqual([
        `${name} can be guessed: generate one with "openssl rand -base64 48".`,
      ])
    }
  })

  it('refuses a METRICS_TOKEN that can be guessed, and accepts others', () => {
    for (const token of [
      'changemechangeme',
      '1234567890123456',
      'passwordpassword',
      'aaaaaaaaaaaaaaaaaaaa',
    ]) {
      expect(problemsOf({ METRICS_TOKEN: token }), token).toEqual([expect.stringContaining('METRICS_TOKEN')])
    }
    for (const token of ['9f2c41d07be8a6530f1e', '0f8b2d6e4c1a9375e2d4b6f8a1c3e507']) {
      expect(read({ METRICS_TOKEN: token }).metricsToken).toBe(token)
    }
  })

  it('refuses the page paths as API paths while pages are served', () => {
    expect(problemsOf({ API_PREFIX: '/' })).toHaveLength(1)
    expect(problemsOf({ API_PREFIX: '/a/../b' })).toHaveLength(1)
  })

  it('creates a secret once, readable by its owner only', () => {
    const data = join(dir, 'deeper', 'data')
    const first = read({ DATA_DIR: data })
    expect(read({ DATA_DIR: data }).jwtSecret).toBe(first.jwtSecret)
    expect(statSync(data).mode & 0o777).toBe(0o700)
    expect(statSync(join(data, 'jwt-secret')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(data, 'jwt-secret'), 'utf8').trim()).toBe(first.jwtSecret)
  })

  it('restricts the permissions of DATA_DIR', () => {
    chmodSync(dir, 0o755)
    read()
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  it('refuses a DATA_DIR that is a file or has a weak secret', () => {
    writeFileSync(join(dir, 'file'), '')
    expect(problemsOf({ DATA_DIR: join(dir, 'file') })[0]).toContain('DATA_DIR')
    writeFileSync(join(dir, 'jwt-secret'), '')
    expect(problemsOf({})[0]).toContain('jwt-secret')
  })

  it('names an unusable DATA_DIR among all problems, with a secret or without', () => {
    writeFileSync(join(dir, 'file'), '')
    const inFile = { DATA_DIR: join(dir, 'file', 'data'), JWT_SECRET: GOOD_SECRET }
    expect(problemsOf(inFile)).toEqual([expect.stringContaining('DATA_DIR')])
    expect(problemsOf({ ...inFile, PORT: 'x' })).toHaveLength(2)
  })

  it('fails at once where no folder can be created', () => {
    expect(problemsOf({ DATA_DIR: '/proc/data' })[0]).toContain('DATA_DIR')
  })

  it('reads where mail is sent, and from whom', () => {
    const SMTP_URL = 'smtps://me%40x:p%2Fss@mail.example.com'
    const from = (MAIL_FROM: string) => read({ SMTP_URL, MAIL_FROM }).mail
    expect(from('a@example.com')).toEqual({ url: SMTP_URL, from: { name: '', address: 'a@example.com' } })
    expect(from('"Ann, 安娜" <a@例子.example>')?.from).toEqual({
      name: 'Ann, 安娜',
      address: 'a@例子.example',
    })
    expect(read({ MAIL_FROM: 'a@example.com' }).mail).toBeNull()
  })

  it.each([
    'http://mail.example.com',
    'smtp:///secret',
    'mail.example.com:25',
    'smtp://mail.example.com/?rejectUnauthorized=false',
    'smtp://secret:100%@mail.example.com',
  ])('refuses the SMTP_URL %s without printing it', (SMTP_URL) => {
    const problems = problemsOf({ SMTP_URL, MAIL_FROM: 'nobody', PORT: 'x' })
    expect(problems.map((problem) => problem.split(' ', 1)[0])).toEqual(['PORT', 'SMTP_URL', 'MAIL_FROM'])
    expect(problems.join()).not.toContain(SMTP_URL)
    expect(problemsOf({ SMTP_URL })).toHaveLength(2)
  })

  it.each([
    'nobody',
    'a@b',
    'a@example.com, b@example.com',
    'A <a@example.com> <b@example.com>',
    'A\r\nBcc: b@example.com <a@example.com>',
    'a@example.com\nBcc: b@example.com',
    '<a@example.com',
  ])('refuses the MAIL_FROM %j', (MAIL_FROM) => {
    expect(problemsOf({ SMTP_URL: 'smtp://localhost', MAIL_FROM })).toEqual([
      expect.stringContaining('MAIL_FROM'),
    ])
  })

  it('reads where answers by mail are, and which address they go to', () => {
    const MAIL = { SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a@example.com' }
    const inbound = (INBOUND_URL: string, rest = {}) =>
      read({ ...MAIL, INBOUND_URL, REPLY_ADDRESS: 'support@example.com', ...rest }).inbound
    const server = { user: 'me@x', password: 'p/ss', replyAddress: 'support@example.com' }
    expect(inbound('imaps://me%40x:p%2Fss@mail.example.com')).toEqual({
      ...server,
      ...{
        host: 'mail.example.com',
        port: 993,
        secure: true,
        mailbox: 'INBOX',
        authservId: null,
      },
    })
    expect(
      inbound('imap://me%40x:p%2Fss@127.0.0.1:1143/Support/Chat', { INBOUND_AUTHSERV: 'MX.example.com' }),
    ).toEqual({
      ...server,
      ...{
        host: '127.0.0.1',
        port: 1143,
        secure: false,
        mailbox: 'Support/Chat',
        authservId: 'mx.example.com',
      },
    })
    expect(read(MAIL).inbound).toBeNull()
  })

  it.each([
    'imap://me:secret@mail.example.com',
    'imaps://mail.example.com/INBOX',
    'imaps://me:secret@mail.example.com/INBOX?tls=off',
    'imaps://me:secret@mail.example.com/%',
    'imaps://me:secret@mail.example.com/IN%0ABOX',
    'https://me:secret@mail.example.com',
  ])('refuses the INBOUND_URL %s without printing it', (INBOUND_URL) => {
    const REPLY_ADDRESS = 'support+chat@example.com'
    const problems = problemsOf({ INBOUND_URL, REPLY_ADDRESS, INBOUND_AUTHSERV: 'two names' })
    expect(problems.map((problem) => problem.split(' ', 1)[0])).toEqual([
      'INBOUND_URL',
      'REPLY_ADDRESS',
      'INBOUND_AUTHSERV',
      'SMTP_URL',
    ])
    expect(problems.join()).not.toContain('secret')
  })

  it('does not read answers without a way to send mail, or without an address', () => {
    expect(problemsOf({ INBOUND_URL: 'imaps://me:secret@mail.example.com' })).toEqual([
      expect.stringContaining('SMTP_URL is required'),
      expect.stringContaining('REPLY_ADDRESS is required'),
    ])
  })

  it('tells of names that look like its own', () => {
    const notices = (source: Record<string, string>) => read(source).notices
    expect(notices({ PUBLIC_REVIEW: 'moderated', MONGODB_URI: 'x', data_dir: 'y' })).toEqual([
      'PUBLIC_REVIEW is not used. Did you mean PUBLIC_REVIEWS?',
      'MONGODB_URI is not used. Did you mean MONGODB_URL?',
      'data_dir is not used. Did you mean DATA_DIR?',
    ])
    expect(notices({ HOSTNAME: 'x', PUBLIC_KEY: 'x', LOGNAME: 'x', PUBLIC_REVIEWS: 'off' })).toEqual([])
  })

  it('tells what visitors of a public site would see of the examples', () => {
    const PUBLIC_URL = 'https://chat.example.com'
    const set = { CONTACT_WHATSAPP: '1', CONTACT_DISCORD: 'a', CONTACT_TELEGRAM: '@a' }
    expect(read({ PUBLIC_URL, ...set }).notices).toEqual([
      'Visitors see examples, because these are not set: SUPPORT_EMAIL.',
    ])
    expect(read({ PUBLIC_URL, ...set, SUPPORT_EMAIL: 'a@example.com' }).notices).toEqual([])
    expect(read({ PUBLIC_URL: 'http://localhost:3000' }).notices).toEqual([])
    const mail = { SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a@example.com', REPLY_ADDRESS: 'b@example.com' }
    const inbound = { ...mail, INBOUND_URL: 'imaps://me:secret@mail.example.com' }
    expect(read(inbound).notices).toEqual([expect.stringContaining('INBOUND_AUTHSERV is not set')])
    expect(read({ ...inbound, INBOUND_AUTHSERV: 'mx.example.com' }).notices).toEqual([])
  })
})
