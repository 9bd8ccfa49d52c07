import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { USER_NAME_MAX } from '@proctorpass/shared/limits'
import { passwordProblem } from '../credentials/password-rules.ts'
import { entropyBits } from '../credentials/secret-strength.ts'
import type { AllowedHost } from '../outbound/hosts.ts'
import { pushHosts, webhookHosts } from './allowed-hosts.ts'
import { environmentNotices } from './env-notices.ts'
import { type InboundSettings, inboundSettings } from './inbound-settings.ts'
import { type MailSettings, mailSettings } from './mail-settings.ts'
import { trustProxy } from './trust-proxy.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** The validated environment. */
export interface Env {
  host: string
  port: number
  /** The public origin, without a trailing slash. */
  publicUrl: string
  /** Whether PUBLIC_URL is set. If it is, the server refuses requests to other hosts. */
  publicUrlIsSet: boolean
  /** An absolute path. */
  dataDir: string
  /** If set, MongoDB is the store. If not, the store is SQLite with files in dataDir. */
  mongodbUrl: string | undefined
  /** If set, several processes share one store. */
  redisUrl: string | undefined
  chatTransport: 'push' | 'polling'
  chatPollMs: number
  unreadPollMs: number
  adminUserName: string
  /** If undefined, a password for the first admin is generated. */
  adminPassword: string | undefined
  jwtSecret: string
  jwtSecretPrevious: string | undefined
  /** Either empty or `/like/this`. */
  apiPrefix: string
  serveWeb: boolean
  /** Whether /docs describes the API. */
  apiDocs: boolean
  publicReviews: 'off' | 'moderated'
  /** If undefined, the store and the address decide. */
  seedSamples: boolean | undefined
  metricsToken: string | undefined
  brand: string
  supportEmail: string
  /** Null if no mail is sent. */
  mail: MailSettings | null
  /** Null if answers by mail are not read. */
  inbound: InboundSettings | null
  /** The hosts to which notifications may be sent. */
  pushHosts: AllowedHost[]
  /** The hosts to which events may be posted. */
  webhookHosts: AllowedHost[]
  /** The number of days for which the audit log keeps its entries. */
  auditDays: number
  contacts: { whatsapp: string; discord: string; telegram: string }
  rateLimits: boolean
  /** The limit for all uploads together, in bytes. */
  uploadsMaxBytes: number
  /** The proxies whose X-Forwarded-For is trusted: none, all, this many hops, or these addresses. */
  trustProxy: boolean | number | string[]
  logLevel: (typeof LOG_LEVELS)[number]
  /** Sentences for the operator about settings that are allowed but probably wrong. */
  notices: string[]
}

/** Lists all problems in the environment. */
export class EnvError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(
      `These environment variables are invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.name = 'EnvError'
    this.problems = problems
  }
}

type Source = Record<string, string | undefined>

/**
 * The minimum that `bitsOfChance` must estimate. 32 random bytes have 80 or more; a sentence of common words has fewer
 * than 50.
 */
const JWT_SECRET_BITS_MIN = 60
/** Low enough to reject only words, sequences, and repetitions, because guesses need the server, which limits them. */
const METRICS_TOKEN_BITS_MIN = 0.85

const MONGODB_URL = /^mongodb(\+srv)?:\/\/[^\s/]+/
const MONGODB_URL_RULE = 'must look like mongodb://host:27017/database'

/** Reads where the data is, for command-line tools. Creates nothing. Throws an EnvError. */
export function readStoreLocation(source: Source = process.env): Pick<Env, 'dataDir' | 'mongodbUrl'> {
  const mongodbUrl = source.MONGODB_URL || undefined
  if (mongodbUrl !== undefined && !MONGODB_URL.test(mongodbUrl)) {
    throw new EnvError([`MONGODB_URL ${MONGODB_URL_RULE}.`])
  }
  return { dataDir: dataDirIn(source), mongodbUrl }
}

/** Returns DATA_DIR as an absolute path, even if the environment is invalid. */
export function dataDirIn(source: Source = process.env): string {
  return resolve(source.DATA_DIR || './data')
}

/**
 * Validates the environment and creates DATA_DIR, accessible only to its owner. Without JWT_SECRET, it reads the secret
 * there, or creates one. Throws an EnvError with all problems.
 */
export function readEnv(source: Source = process.env): Env {
  const problems: string[] = []

  const known = new Set(['DATA_DIR'])
  const get = (name: string) => {
    known.add(name)
    // Shells and Compose files pass unset variables as empty strings.
    return source[name] || undefined
  }
  const wrong = (name: string, allowed: string) =>
    problems.push(`${name} is ${JSON.stringify(source[name])}; it must be ${allowed}.`)
  const wrongSecret = (name: string, problem: string) => problems.push(`${name} ${problem}.`)

  function oneOf<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = get(name)
    if (value === undefined) return otherwise
    if ((allowed as readonly string[]).includes(value)) return value as T
    wrong(name, `one of ${allowed.join(', ')}`)
    return otherwise
  }

  function integer(name: string, min: number, max: number, otherwise: number): number {
    const value = get(name)
    if (value === undefined) return otherwise
    if (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    wrong(name, `a whole number from ${min} to ${max}`)
    return otherwise
  }

  function flag<T>(name: string, otherwise: T): boolean | T {
    const value = get(name)
    if (value === undefined) return otherwise
    if (value === 'true' || value === 'false') return value === 'true'
    wrong(name, 'true or false')
    return otherwise
  }

  function text(name: string, maxLength: number, otherwise: string): string {
    const value = get(name)?.trim()
    if (!value) return otherwise
    if (value.length <= maxLength && isPlainText(value)) return value
    wrong(name, `${maxLength} characters or fewer, without control characters`)
    return otherwise
  }

  const host = get('HOST') ?? '127.0.0.1'
  if (!isIP(host) && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/.test(host)) {
    wrong('HOST', 'an IP address or a host name')
  }
  const port = integer('PORT', 0, 65_535, 3000)

  const apiPrefix = (get('API_PREFIX') ?? '/api').replace(/(?<!\/)\/+$/, '')
  const serveWeb = flag('SERVE_WEB', true)
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(apiPrefix) || /(^|\/)\.{1,2}(\/|$)/.test(apiPrefix)) {
    wrong('API_PREFIX', 'a path such as /api')
  } else if (apiPrefix === '' && serveWeb) {
    wrong('API_PREFIX', 'a path such as /api while SERVE_WEB is true, because its pages use the same paths')
  }

  const adminUserName = text('ADMIN_USERNAME', USER_NAME_MAX, 'admin')
  const adminPassword = get('ADMIN_PASSWORD')
  const badPassword = adminPassword === undefined ? null : passwordProblem(adminPassword, adminUserName)
  if (badPassword) wrongSecret('ADMIN_PASSWORD', `can't be used: ${badPassword}`)

  const supportEmail = text('SUPPORT_EMAIL', 254, 'support@proctorpass.example')
  if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(supportEmail)) wrong('SUPPORT_EMAIL', 'an email address')

  const mail = mailSettings(get)
  problems.push(...mail.problems)
  const inbound = inboundSettings(get)
  problems.push(...inbound.problems)
  const push = pushHosts(get('PUSH_HOSTS'))
  problems.push(...push.problems)
  const webhooks = webhookHosts(get('WEBHOOK_HOSTS'))
  problems.push(...webhooks.problems)

  const metricsToken = get('METRICS_TOKEN')
  if (metricsToken !== undefined && !/^[\x21-\x7e]{16,}$/.test(metricsToken)) {
    wrongSecret('METRICS_TOKEN', 'must have 16 or more letters, digits or symbols, and no spaces')
  } else if (metricsToken !== undefined && entropyBits(metricsToken) < METRICS_TOKEN_BITS_MIN) {
    wrongSecret('METRICS_TOKEN', 'can be guessed: generate one with "openssl rand -hex 24"')
  }

  // URLs contain passwords, so their values are not printed.
  const mongodbUrl = get('MONGODB_URL')
  if (mongodbUrl !== undefined && !MONGODB_URL.test(mongodbUrl)) wrongSecret('MONGODB_URL', MONGODB_URL_RULE)
  const redisUrl = get('REDIS_URL')
  if (redisUrl !== undefined && !(/^rediss?:\/\/[^\s/]+(\/\d*)?$/.test(redisUrl) && URL.canParse(redisUrl))) {
    wrongSecret('REDIS_URL', 'must look like redis://host:6379 or redis://host:6379/0')
  }
  if (mongodbUrl !== undefined && get('JWT_SECRET') === undefined) {
    wrongSecret(
      'JWT_SECRET',
      'is required with MONGODB_URL, with the same value for every process: generate one with "openssl rand -base64 48"',
    )
  }

  for (const name of ['JWT_SECRET', 'JWT_SECRET_PREVIOUS']) {
    const value = get(name)
    if (value !== undefined && isWeakSecret(value)) {
      wrongSecret(name, 'can be guessed: generate one with "openssl rand -base64 48"')
    }
  }

  const env: Omit<Env, 'jwtSecret' | 'notices'> = {
    host,
    port,
    publicUrl: publicUrl(get('PUBLIC_URL'), host, port) ?? '',
    publicUrlIsSet: get('PUBLIC_URL') !== undefined,
    dataDir: dataDirIn(source),
    mongodbUrl,
    redisUrl,
    chatTransport: oneOf('CHAT_TRANSPORT', ['push', 'polling'], 'push'),
    chatPollMs: integer('CHAT_POLL_MS', 100, 60_000, 1_000),
    unreadPollMs: integer('UNREAD_POLL_MS', 100, 300_000, 5_000),
    adminUserName,
    adminPassword,
    jwtSecretPrevious: get('JWT_SECRET_PREVIOUS'),
    apiPrefix,
    serveWeb,
    apiDocs: flag('API_DOCS', true),
    publicReviews: oneOf('PUBLIC_REVIEWS', ['off', 'moderated'], 'off'),
    // Samples are for local trials, so they are off by default with MongoDB.
    seedSamples: flag('SEED_DEMO', mongodbUrl === undefined ? undefined : false),
    metricsToken,
    brand: text('BRAND', 60, 'ProctorPass'),
    supportEmail,
    mail: mail.settings,
    inbound: inbound.settings,
    pushHosts: push.hosts,
    webhookHosts: webhooks.hosts,
    auditDays: integer('AUDIT_DAYS', 30, 3_650, 400),
    contacts: {
      whatsapp: text('CONTACT_WHATSAPP', 200, '+1 202 555 0147'),
      discord: text('CONTACT_DISCORD', 200, 'proctorpass'),
      telegram: text('CONTACT_TELEGRAM', 200, '@proctorpass'),
    },
    rateLimits: oneOf('RATE_LIMITS', ['on', 'off'], 'on') === 'on',
    uploadsMaxBytes: bytes(get('UPLOADS_MAX') ?? '5GB') ?? 0,
    trustProxy: trustProxy(get('TRUST_PROXY')) ?? false,
    logLevel: oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }
  if (env.uploadsMaxBytes === 0) wrong('UPLOADS_MAX', 'a size such as 500MB or 5GB, at least 1MB')
  if (env.publicUrl === '') {
    wrong('PUBLIC_URL', 'an http or https origin such as https://example.com, without a path')
  }
  if (trustProxy(get('TRUST_PROXY')) === null) {
    wrong('TRUST_PROXY', 'true, false, a number of hops from 1 to 9, or addresses such as 10.0.0.0/8,::1')
  }
  const badFolder = problemWithFolder(env.dataDir)
  if (badFolder) problems.push(badFolder)

  if (problems.length > 0) throw new EnvError(problems)
  const jwtSecret = get('JWT_SECRET') ?? secretIn(env.dataDir)
  return { ...env, jwtSecret, notices: environmentNotices(source, known, env) }
}

function problemWithFolder(dataDir: string): string | null {
  try {
    makeFolder(dataDir)
    chmodSync(dataDir, 0o700)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return unusable(dataDir, error)
  }
}

/** Creates the folder and its parents. Node's own `recursive` option loops forever in places like /proc. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeFolder(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }
}

function secretIn(dataDir: string): string {
  const file = join(dataDir, 'jwt-secret')
  try {
    try {
      writeFileSync(file, `${randomBytes(48).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const secret = readFileSync(file, 'utf8').trim()
    if (!isWeakSecret(secret)) return secret
  } catch (error) {
    throw new EnvError([unusable(dataDir, error)])
  }
  throw new EnvError([
    `JWT_SECRET isn't set, and the secret in ${file} is too weak: delete that file to generate a new one.`,
  ])
}

function unusable(dataDir: string, error: unknown): string {
  return `DATA_DIR is ${JSON.stringify(dataDir)}, which can't be used: ${reason(error)}.`
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied'
  if (code === 'EROFS') return 'it is read-only'
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it is a file'
  if (code === 'ENOSPC') return 'the disk is full'
  if (code === 'ENOENT') return "a folder can't be created there"
  return code ?? 'unknown'
}

function isWeakSecret(secret: string): boolean {
  return Buffer.byteLength(secret) < 32 || entropyBits(secret) < JWT_SECRET_BITS_MIN
}

function publicUrl(value: string | undefined, host: string, port: number): string | null {
  if (value === undefined) {
    const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
    return `http://${shown}:${port}`
  }
  if (!URL.canParse(value)) return null
  const url = new URL(value)
  const isOrigin = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  return isOrigin && (url.protocol === 'http:' || url.protocol === 'https:') ? url.origin : null
}

/** Returns null if the value is not a size, or is below 1 MB. */
function bytes(value: string): number | null {
  const [, digits, unit = ''] = /^(\d{1,15}) ?([KMGT]B)?$/i.exec(value) ?? []
  const size = Number(digits) * 1_024 ** ['', 'KB', 'MB', 'GB', 'TB'].indexOf(unit.toUpperCase())
  return size >= 1_024 ** 2 && Number.isSafeInteger(size) ? size : null
}

/** Whether the value has no control characters and no bidirectional overrides. */
function isPlainText(value: string): boolean {
  return value.isWellFormed() && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(value)
}
