import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openStores } from '../src/storage/open-storage.ts'
import { selfSignedCertificate } from '../test/self-signed-certificate.ts'
import { CHILD_ENV, findFreePort, startServer, temporaryDir } from '../test/server-process.ts'
import { startSmtpServer } from '../test/smtp-server.ts'

vi.setConfig({ testTimeout: 120_000 })

let dir: ReturnType<typeof temporaryDir>
let dataDir: string
beforeEach(() => {
  dir = temporaryDir('doctor')
  dataDir = join(dir.path, 'data')
})
afterEach(() => dir.remove())

/** What the clock and push say depends on the network of the machine. */
function doctor(env: Record<string, string>, args: string[] = []) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const argv = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'doctor.ts'), ...args]
    const options = { env: { ...CHILD_ENV, DATA_DIR: dataDir, ...env } }
    const child = execFile(process.execPath, argv, options, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

it('creates nothing before the first start', async () => {
  const { out, err } = await doctor({})
  expect(err).toBe('')
  expect(out).toMatch(/^ok {5}settings {5}valid$/m)
  expect(out).toMatch(/^note {3}disk .* doesn't exist: the first start creates it$/m)
  expect(out).toMatch(/^note {3}store /m)
  expect(existsSync(dataDir)).toBe(false)
  expect(await doctor({}, ['now'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^Usage: npm run doctor/),
  })
})

it('names each wrong setting', async () => {
  const { code, out } = await doctor({ PORT: 'x', PUBLIC_REVIEWS: 'y' })
  expect(code).toBe(1)
  expect(out).toMatch(/^WRONG {2}settings {5}PORT is "x"/m)
  expect(out).toMatch(/^WRONG {2}settings {5}PUBLIC_REVIEWS is "y"/m)
})

it('names what is wrong with each language file', async () => {
  const folder = join(dataDir, 'languages')
  mkdirSync(folder, { recursive: true })
  const writeFile = (name: string, content: string) => writeFileSync(join(folder, name), content)
  writeFile('de.json', '{"view.send":"Abschicken"}')
  expect((await doctor({})).out).toMatch(/^ok {5}languages {4}\d+ languages in the release, and 1 file in /m)

  writeFile('de.json', '{"view.send":"Abschicken",')
  writeFile('es.json', '{"view.send":"Enviar","view.sned":"Enviar"}')
  writeFile('fr.json', '{"view.typing":"écrit","view.send":"Bonjour {name}"}')
  writeFile('it.json', JSON.stringify({ 'view.send': 'x'.repeat(70_000) }))
  writeFile('pl.json', '{"launcher.unread":{"one":"{count} wiadomość","other":"{count} wiadomości"}}')
  writeFile('pt-br.json', '{"view.send":"Enviar"}')
  writeFile('sv.json', '["Skicka"]')
  const { code, out } = await doctor({})
  expect(code).toBe(1)
  const lines = out.split('\n').filter((line) => line.startsWith('WRONG  languages    '))
  expect(lines.map((line) => line.slice('WRONG  languages    '.length))).toEqual([
    'languages/de.json: the file is not valid JSON in UTF-8.',
    'languages/es.json: view.sned is not a key that this release knows.',
    'languages/fr.json: view.typing must have exactly these placeholders: {name}.',
    'languages/fr.json: view.send must not have { or }.',
    'languages/it.json: the file is larger than 64 KB.',
    'languages/pl.json: launcher.unread must have a text for each of one, few, many, other.',
    'languages/pt-br.json: the file must be named by a canonical language tag, such as pt-BR.json.',
    'languages/sv.json: the file must be one JSON object of keys and texts.',
  ])
})

it('finds what works', async () => {
  const smtp = await startSmtpServer()
  const port = await findFreePort()
  const env = { PUBLIC_URL: `http://127.0.0.1:${port}`, SMTP_URL: smtp.url, MAIL_FROM: 'support@example.com' }
  const server = await startServer({ dataDir, port, env })
  try {
    const { out } = await doctor(env)
    expect(out).toMatch(/^ok {5}disk .* GB free for /m)
    expect(out).toMatch(/^ok {5}store .*chat.sqlite: 1 admin, 0 conversations, 0 messages$/m)
    expect(out).toMatch(/^ok {5}mail /m)
    expect(out).toMatch(/^ok {5}proxy .* answers, sockets too$/m)
    expect(smtp.attempts).toEqual([])
  } finally {
    await server.stop()
    await smtp.close()
  }
})

const HOUR_MS = 3_600_000

it.each([
  [6 * 24, 0, /^ok {5}certificate {2}of localhost: 5 days of 6 days left$/m],
  [6 * 24, 100, /^note {3}certificate {2}of localhost: 43 hours of 6 days left: its renewal is due/m],
  [6 * 24, 135, /^WRONG {2}certificate {2}of localhost: 8 hours of 6 days left\. Renew it/m],
  [12, 0, /^ok {5}certificate {2}of localhost: 11 hours of 12 hours left$/m],
  [90 * 24, 1_000, /^ok {5}certificate {2}of localhost: 48 days of 90 days left$/m],
  [6 * 24, 145, /^WRONG {2}certificate {2}of localhost: CERT_HAS_EXPIRED/m],
])('judges a certificate of %i hours by the share of its life, after %i hours', async (life, age, line) => {
  const from = Date.now() - age * HOUR_MS - 1_000
  const pair = selfSignedCertificate({ from: new Date(from), until: new Date(from + life * HOUR_MS) })
  const file = join(dir.path, 'cert.pem')
  writeFileSync(file, pair.cert)
  const website = createServer(pair)
  await once(website.listen(0, '127.0.0.1'), 'listening')
  const { port } = website.address() as AddressInfo
  const sockets = new Set<Socket>()
  website.on('connection', (socket) => sockets.add(socket))
  const { out } = await doctor({ PUBLIC_URL: `https://localhost:${port}`, NODE_EXTRA_CA_CERTS: file })
  for (const socket of sockets) socket.destroy()
  website.close()
  expect(out).toMatch(line)
})

it('finds a website with https while PUBLIC_URL is http', async () => {
  const { storage } = await openStores({ dataDir })
  const [name, origins, _id] = ['Shop', ['https://shop.example.com'], 'Shop0000000000000001']
  const look = { color: '#123456', side: 'right' as const, offsetX: 0, offsetY: 0, labelEn: '', labelZh: '' }
  const words = { displayName: '', greetingEn: '', greetingZh: '', otherGreetings: {}, otherLabels: {} }
  await storage.sites.create(
    { _id, name, ...words, origins, ...look, enabled: true, secrets: [], createdAt: 1, version: 1 },
    5,
  )
  await storage.close()
  const { code, out } = await doctor({ PUBLIC_URL: 'http://chat.example.com' })
  expect(code).toBe(1)
  expect(out).toMatch(
    /^WRONG {2}store .*PUBLIC_URL uses http, but the website https:\/\/shop\.example\.com uses https/m,
  )
})

it('finds what fails, and shows no secret', async () => {
  const website = createServer(selfSignedCertificate())
  await once(website.listen(0, '127.0.0.1'), 'listening')
  const { port } = website.address() as AddressInfo
  const closed = await findFreePort()
  const { code, out } = await doctor({
    PUBLIC_URL: `https://localhost:${port}`,
    SMTP_URL: `smtp://ann:secret-1@127.0.0.1:${closed}`,
    MAIL_FROM: 'support@example.com',
    INBOUND_URL: `imap://ann:secret-2@127.0.0.1:${closed}/INBOX`,
    REPLY_ADDRESS: 'support@example.com',
    REDIS_URL: `redis://:secret-3@127.0.0.1:${closed}`,
    MONGODB_URL: `mongodb://ann:secret-4@127.0.0.1:${closed}/chat?serverSelectionTimeoutMS=2000`,
    JWT_SECRET: 'k3J9vQ2xLp7Zr8Tn5Wd1Yc6Bh4Mf0Gs_aE-uXoIiRtD',
  })
  website.close()
  expect(code).toBe(1)
  for (const subject of ['store', 'redis', 'mail', 'mailbox', 'proxy', 'certificate'])
    expect(out).toMatch(new RegExp(`^WRONG {2}${subject} +\\S`, 'm'))
  expect(out).toMatch(/certificate .*DEPTH_ZERO_SELF_SIGNED_CERT/)
  expect(out).not.toMatch(/secret-\d|k3J9/)
})

it('ends when a server never answers', async () => {
  const open = new Set<Socket>()
  const silent = createPlainServer((socket) => open.add(socket.on('error', () => {})))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  // No timeout: the server does not close the connection, and the doctor has to.
  const { code, out } = await doctor({ REDIS_URL: `redis://127.0.0.1:${port}` })
  for (const socket of open) socket.destroy()
  silent.close()
  expect(code).toBe(1)
  expect(out).toMatch(/^WRONG {2}redis {8}no answer within 10 seconds$/m)
  expect(out).toMatch(/^ok {5}certificate /m)
})
