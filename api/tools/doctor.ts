import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { createTransport, type NodemailerError } from 'nodemailer'
import { dataDirIn, type Env, EnvError, readEnv, readStoreLocation } from '../src/env/env.ts'
import { commandLine, VERSION } from '../src/installation.ts'
import { readDisk, stateOf } from '../src/limits/disk-space.ts'
import { smtpOptions } from '../src/mail/mailer.ts'
import { startupErrorMessage } from '../src/startup-error.ts'
import { isChatTable, isFileTable } from '../src/storage/copy/copied-tables.ts'
import type { CopySource } from '../src/storage/copy/store-copy.ts'
import { openCopySource } from '../src/storage/open-storage.ts'
import { DatabaseHealth } from '../src/storage/sqlite/database-health.ts'
import { counted, UsageError } from './copying.ts'
import { checkLanguages } from './language-check.ts'
import { checkMailbox } from './mailbox-check.ts'
import { checkIdleSocket, checkProxy } from './proxy-check.ts'

const USAGE = `Usage: ${commandLine('doctor')}
  Checks the settings, the disk, the clock, the store, mail, push, the proxy and its certificate, language files, and prints a line for
  each with what to do. Changes nothing and sends nothing. The server may be running. Exit code 1: something is wrong.`

/** `note`: fine, but look at it. */
type Verdict = 'ok' | 'note' | 'WRONG'
type Finding = [Verdict, string]

const WITHIN_MS = 10_000
/** It waits for a ping, and sends 12 MB. */
const PROXY_WITHIN_MS = 90_000
/** The server refuses tokens that are dated further ahead. */
const CLOCK_OFF_MAX_MS = 60_000
const HOUR_MS = 60 * 60 * 1_000
/** An ACME client renews when a third of a certificate's life is left, for a life of hours as for one of months. */
const LIFE_LEFT_TO_RENEW = 1 / 3
const LIFE_LEFT_MIN = 1 / 10
const PUSH_SERVICE = 'fcm.googleapis.com'
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

try {
  if (process.argv.length > 2) throw new UsageError(USAGE)
  console.log(`ProctorPass ${VERSION}, Node ${process.versions.node}`)
  const isFine = await examine()
  // A server that never answers would keep it running.
  process.exit(isFine ? 0 : 1)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

/** Prints the findings in a fixed order. False: something is wrong. */
async function examine(): Promise<boolean> {
  const env = settings()
  const findings: [string, Finding[]][] = [['settings', env.findings]]
  if (env.read !== null) {
    const read = env.read
    const pushTime = timeOf(PUSH_SERVICE)
    const checks: [string, Promise<Finding[]>][] = [
      ['disk', limited(disk(read))],
      ['clock', limited(clock(pushTime))],
      ['store', limited(store(read))],
      ['redis', limited(redis(read))],
      ['mail', limited(mail(read))],
      ['mailbox', limited(checkMailbox(read.inbound))],
      ['push', limited(push(read, pushTime))],
      ['proxy', limited(proxy(read), PROXY_WITHIN_MS)],
      ['certificate', limited(certificate(read))],
      ['languages', limited(checkLanguages(read.dataDir))],
    ]
    for (const [subject, check] of checks) findings.push([subject, await check])
  }
  for (const [subject, found] of findings)
    for (const [verdict, text] of found) console.log(`${verdict.padEnd(5)}  ${subject.padEnd(11)}  ${text}`)
  return findings.every(([, found]) => found.every(([verdict]) => verdict !== 'WRONG'))
}

async function limited(check: Promise<Finding[]>, withinMs = WITHIN_MS): Promise<Finding[]> {
  const late: Finding[] = [['WRONG', `no answer within ${withinMs / 1_000} seconds`]]
  try {
    return await Promise.race([check, wait(withinMs, late, { ref: false })])
  } catch (error) {
    return [['WRONG', (error as Error).message]]
  }
}

/** Without creating DATA_DIR or a secret in it, as a start does. */
function settings(): { read: Env | null; findings: Finding[] } {
  const dataDir = dataDirIn()
  const isNew = !existsSync(dataDir)
  const other = isNew ? mkdtempSync(join(tmpdir(), 'proctorpass-doctor-')) : dataDir
  const secret =
    existsSync(join(dataDir, 'jwt-secret')) || process.env.MONGODB_URL
      ? {}
      : { JWT_SECRET: process.env.JWT_SECRET || randomBytes(48).toString('base64') }
  try {
    const read = { ...readEnv({ ...process.env, ...secret, DATA_DIR: other }), dataDir }
    const notices = read.notices.map((text): Finding => ['note', text])
    return { read, findings: [['ok', 'valid'], ...notices] }
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    return { read: null, findings: error.problems.map((problem): Finding => ['WRONG', problem]) }
  } finally {
    if (isNew) rmSync(other, { recursive: true })
  }
}

async function disk({ dataDir, mongodbUrl }: Env): Promise<Finding[]> {
  if (mongodbUrl !== undefined) return [['ok', 'the data is in MongoDB: watch its disk']]
  if (!existsSync(dataDir)) return [['note', `${dataDir} doesn't exist: the first start creates it`]]
  const reading = await readDisk(dataDir)
  const free = `${(reading.freeBytes / 1_024 ** 3).toFixed(1)} GB free for ${dataDir}`
  if (stateOf(reading) === 'ok') return [['ok', free]]
  return [['WRONG', `${free}: nothing from visitors is stored. Make room.`]]
}

/** @param reference the time of another machine; null when none answers */
async function clock(reference: Promise<number | null>): Promise<Finding[]> {
  const there = await reference
  if (there !== null) {
    const off = Date.now() - there
    const seconds = Math.round(Math.abs(off) / 1_000)
    if (Math.abs(off) < CLOCK_OFF_MAX_MS) return [['ok', `within ${seconds + 1} s of ${PUSH_SERVICE}`]]
    const way = off > 0 ? 'ahead' : 'behind'
    return [['WRONG', `${seconds} s ${way} of ${PUSH_SERVICE}. Set the clock and keep NTP running.`]]
  }
  const state = await promisify(execFile)('timedatectl', [
    'show',
    '--property=NTPSynchronized',
    '--value',
  ]).then(
    ({ stdout }) => stdout.trim(),
    () => 'unknown',
  )
  if (state === 'yes') return [['ok', 'synchronized by NTP']]
  if (state === 'no') return [['WRONG', 'not synchronized: run "timedatectl set-ntp true"']]
  return [['note', `no other clock was reached: compare "date -u" (${new Date().toISOString()})`]]
}

async function store({ dataDir, mongodbUrl, publicUrl }: Env): Promise<Finding[]> {
  const file = join(dataDir, 'chat.sqlite')
  if (mongodbUrl === undefined) {
    if (!existsSync(file)) return [['note', `no database in ${dataDir} yet: the first start creates it`]]
    await new DatabaseHealth(file).check()
  }
  try {
    const source = await openCopySource(readStoreLocation())
    const { conversations, messages, users } = await source.counts()
    const blocked = await websitesThatBlock(source, publicUrl)
    await source.close()
    const kind = mongodbUrl === undefined ? file : 'MongoDB'
    const held = [
      counted(users, 'admins'),
      counted(conversations, 'conversations'),
      counted(messages, 'messages'),
    ]
    return [['ok', `${kind}: ${held.join(', ')}`], ...blocked]
  } catch (error) {
    const { message } = error as Error
    // A start upgrades it.
    if (message.includes('Start the server once')) return [['note', message]]
    return [['WRONG', (await startupErrorMessage(error, dataDir)).replace("The server can't start: ", '')]]
  }
}

/** Browsers show no chat of an http address on a website with https, except one of their own machine. */
async function websitesThatBlock(source: CopySource, publicUrl: string): Promise<Finding[]> {
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return []
  for await (const { table, row } of source.entries()) {
    if (isFileTable(table) || isChatTable(table)) break
    const origin = table === 'sites' ? row.origins.find((origin) => origin.startsWith('https:')) : undefined
    if (origin !== undefined)
      return [
        [
          'WRONG',
          `PUBLIC_URL uses http, but the website ${origin} uses https, so browsers don't show the chat there. Serve this server over https, and set PUBLIC_URL to that address`,
        ],
      ]
  }
  return []
}

async function redis({ redisUrl }: Env): Promise<Finding[]> {
  if (redisUrl === undefined) return [['ok', 'not used']]
  const problem = await pingRedis(new URL(redisUrl)).catch(
    ({ code, message }: NodeJS.ErrnoException) => code ?? message,
  )
  if (problem === null) return [['ok', 'answers']]
  return [['WRONG', `REDIS_URL doesn't answer (${problem}): nodes can't see each other. Check it, and Redis`]]
}

/** Null: it answers. Else its error, such as WRONGPASS. By hand, because the client is a megabyte in the release. */
async function pingRedis({ protocol, hostname, port, username, password }: URL): Promise<string | null> {
  const address = { host: hostname, port: Number(port || 6379) }
  const socket =
    protocol === 'rediss:' ? connect({ ...address, servername: hostname }) : connectPlain(address)
  const credentials = [username, password].filter(Boolean).map(decodeURIComponent)
  const command = (...words: string[]) =>
    `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
  if (credentials.length > 0) socket.write(command('AUTH', ...credentials))
  socket.write(command('PING'))
  try {
    for await (const answer of socket) {
      const error = /^-(\w+)/m.exec(String(answer))?.[1]
      if (error !== undefined) return error
      if (String(answer).includes('+PONG')) return null
    }
    return 'connection closed'
  } finally {
    socket.destroy()
  }
}

async function mail({ mail: settings }: Env): Promise<Finding[]> {
  if (settings === null) return [['note', 'SMTP_URL is not set, so visitors who left get no email']]
  const { host, port } = smtpOptions(settings.url)
  const transport = createTransport(smtpOptions(settings.url))
  try {
    await transport.verify()
    return [['ok', `${host}:${port} accepts the connection and the credentials`]]
  } catch (error) {
    const { code, responseCode } = error as NodemailerError
    const reason = [code, responseCode].filter(Boolean).join(' ')
    return [
      ['WRONG', `${host}:${port} refuses (${reason}): check SMTP_URL and that this machine may connect`],
    ]
  } finally {
    transport.close()
  }
}

async function push({ publicUrl }: Env, reached: Promise<number | null>): Promise<Finding[]> {
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol !== 'https:' && !LOOPBACK.test(hostname))
    return [['WRONG', 'browsers allow notifications only on https. Set PUBLIC_URL to an https address']]
  if ((await reached) !== null) return [['ok', `${PUSH_SERVICE} answers`]]
  return [
    [
      'note',
      `${PUSH_SERVICE} can't be reached: allow https to the push services, or admins get no notifications`,
    ],
  ]
}

/** The time that a server names in its answer. Null: it cannot be reached. */
function timeOf(host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const call = request({ host, method: 'HEAD', timeout: 5_000 }, (answer) => {
      answer.resume()
      const time = Date.parse(answer.headers.date ?? '')
      resolve(Number.isNaN(time) ? null : time)
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(null))
    call.end()
  })
}

/** What a browser gets at PUBLIC_URL. */
async function proxy(env: Env): Promise<Finding[]> {
  const { publicUrl, publicUrlIsSet, trustProxy, apiPrefix } = env
  if (!publicUrlIsSet)
    return [['note', 'PUBLIC_URL is not set, which is fine only for a trial on this machine']]
  const answer = await fetch(`${publicUrl}${apiPrefix}/config`, { signal: AbortSignal.timeout(5_000) }).catch(
    (error: { cause?: NodeJS.ErrnoException }) => error.cause?.code ?? 'no answer',
  )
  if (typeof answer === 'string')
    return [
      ['WRONG', `nothing answers at ${publicUrl} (${answer}): start the server, and check DNS and the proxy`],
    ]
  const found: Finding[] = []
  if (answer.status === 421)
    found.push(['WRONG', "the proxy replaces the Host header: it must pass on the browser's"])
  else if (!answer.ok)
    found.push(['WRONG', `${publicUrl} answers ${answer.status}: check the proxy and the log`])
  else if (await opensSocket(publicUrl)) {
    const idle = checkIdleSocket(env)
    found.push(...(await checkProxy(env)), ...(await idle))
  } else
    found.push(
      ['note', 'WebSockets fail: the proxy must pass on Upgrade and Connection. Browsers poll until then'],
      ...(await checkProxy(env)),
    )
  const isDirect = LOOPBACK.test(new URL(publicUrl).hostname)
  if (trustProxy === false && publicUrl.startsWith('https:'))
    found.push([
      'WRONG',
      "TRUST_PROXY is not set: all visitors share the proxy's address and its limits. Set it to 1",
    ])
  else if (trustProxy === true && !isDirect)
    found.push([
      'note',
      'TRUST_PROXY is true: a stranger can claim any address. Set it to the number of proxies',
    ])
  return found.length > 0 ? found : [['ok', `${publicUrl} answers, sockets too`]]
}

function opensSocket(publicUrl: string): Promise<boolean> {
  const socket = new WebSocket(`${publicUrl.replace(/^http/, 'ws')}/socket.io/?EIO=4&transport=websocket`)
  return new Promise<boolean>((resolve) => {
    socket.onopen = () => resolve(true)
    socket.onerror = () => resolve(false)
  }).finally(() => socket.close())
}

async function certificate({ publicUrl }: Env): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(publicUrl)
  if (protocol !== 'https:') return [['ok', 'not used: PUBLIC_URL is http']]
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      timeout: 5_000,
    })
    socket.on('secureConnect', () => {
      const { valid_from, valid_to } = socket.getPeerCertificate()
      socket.destroy()
      const [from, until] = [Date.parse(valid_from), Date.parse(valid_to)]
      const left = until - Date.now()
      const share = left / (until - from)
      const text = `of ${hostname}: ${durationOf(left)} of ${durationOf(until - from)} left`
      if (share >= LIFE_LEFT_TO_RENEW) resolve([['ok', text]])
      else if (share >= LIFE_LEFT_MIN)
        resolve([['note', `${text}: its renewal is due. Check that it is automatic`]])
      else resolve([['WRONG', `${text}. Renew it, and check that it is renewed automatically`]])
    })
    socket.on('timeout', () => socket.destroy(new Error('no answer')))
    socket.on('error', ({ code, message }: NodeJS.ErrnoException) =>
      resolve([['WRONG', `of ${hostname}: ${code ?? message}. Browsers refuse it`]]),
    )
  })
}

function durationOf(milliseconds: number): string {
  const hours = Math.floor(milliseconds / HOUR_MS)
  return hours < 48 ? counted(hours, 'hours') : counted(Math.floor(hours / 24), 'days')
}
