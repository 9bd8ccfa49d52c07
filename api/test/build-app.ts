import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLIENT_ID_LENGTH } from '@proctorpass/shared/limits'
import { ADMIN_ROLE, type SignedIn } from '@proctorpass/shared/schemas/auth'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { buildApp } from '../src/app.ts'
import { auditEntry } from '../src/audit/entry.ts'
import { createPasswords } from '../src/credentials/passwords.ts'
import { type Env, readEnv } from '../src/env/env.ts'
import type { ConnectionLimits } from '../src/http/connections.ts'
import type { DiskReading } from '../src/limits/disk-space.ts'
import { withEntry } from '../src/storage/model/audit.ts'
import type { FileStore } from '../src/storage/model/file-store.ts'
import { OLD_SESSION } from '../src/storage/model/sessions.ts'
import type { Storage, Stores } from '../src/storage/model/storage.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { ADMIN } from './admin.ts'
import { putEmptyStore } from './empty-store.ts'
import { freshDatabase } from './servers/test-database.ts'

export interface TestApp {
  app: FastifyInstance
  env: Env
  storage: Storage
  uploadFiles: FileStore
  attachmentFiles: FileStore
  /** The lines logged. */
  log: string[]
  /** Signs the first admin in, and answers what a browser would have then. */
  signIn(
    options?: InjectOptions,
  ): Promise<SignedIn & { cookie: string; known: string; sid: string; bearer: { authorization: string } }>
  /** A sign-in that may fail. */
  postSignIn(userName: unknown, password: unknown, options?: InjectOptions): Promise<LightMyRequestResponse>
  refresh(
    userId: string,
    refreshToken: string | undefined,
    options?: InjectOptions,
  ): Promise<LightMyRequestResponse>
  /** Stores a user without a password, and a session of theirs. */
  addSession(userName: string, roles: string[]): Promise<{ userId: string; sid: string }>
  call(method: InjectOptions['method'], url: string, options?: InjectOptions): Promise<LightMyRequestResponse>
  close(): Promise<void>
}

let passwordHash: Promise<string> | undefined
/** As the product does when it starts, but with one hash for all apps: a hash takes as long as the rest of an app. */
async function createAdmin({ users }: Storage, now = Date.now): Promise<void> {
  const { userName, password } = ADMIN
  passwordHash ??= createPasswords().hash(password)
  const admin = { userName, passwordHash: await passwordHash, roles: [ADMIN_ROLE], createdAt: now() }
  const entry = auditEntry(null, 'admin.created', { details: { name: userName } })
  await withEntry(entry, () => users.createFirst(admin))
}

/** With TEST_STORE_URL, each folder gets a database of its own. */
const databases = new Map<string, string>()
function databaseFor(dataDir: string): Record<string, string> {
  const url = process.env.TEST_STORE_URL
  if (!url) return {}
  const database = databases.get(dataDir) ?? freshDatabase({ url })
  databases.set(dataDir, database)
  return { MONGODB_URL: database, JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW' }
}

/** The app on a fresh store of its own (SQLite in a folder), with the first admin in it. Close it with the test. */
export async function buildTestApp(
  options: {
    variables?: Record<string, string>
    now?: () => number
    lookEveryMs?: number
    dataDir?: string
    distDir?: string
    connectionLimits?: Partial<ConnectionLimits>
    env?: Partial<Env>
    shippedTexts?: ShippedTexts
    /** Of several apps on one store: open already, and left open. */
    stores?: Stores | undefined
    /** Replaces the reading of the disk that holds DATA_DIR. */
    readDisk?: (() => Promise<DiskReading>) | undefined
  } = {},
): Promise<TestApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'proctorpass-app-'))
  const env: Env = {
    ...readEnv({ DATA_DIR: dataDir, SERVE_WEB: 'false', ...databaseFor(dataDir), ...options.variables }),
    ...options.env,
  }
  if (options.stores === undefined && env.mongodbUrl === undefined) await putEmptyStore(dataDir)
  const stores = options.stores ?? (await openStores(env))
  const { storage, uploadFiles, attachmentFiles } = stores
  const log: string[] = []
  const app = await buildApp({
    env,
    ...stores,
    ...(options.now === undefined ? {} : { now: options.now }),
    lookEveryMs: options.lookEveryMs,
    shippedTexts: options.shippedTexts,
    ...(options.distDir === undefined ? {} : { distDir: options.distDir }),
    ...(options.readDisk === undefined ? {} : { readDisk: options.readDisk }),
    connectionLimits: options.connectionLimits,
    logStream: { write: (line) => log.push(line) },
  })
  await createAdmin(storage, options.now)
  await app.ready()
  const postSignIn: TestApp['postSignIn'] = (userName, password, options) =>
    app.inject({ ...options, method: 'POST', url: `${env.apiPrefix}/auth`, payload: { userName, password } })

  return {
    app,
    env,
    storage,
    uploadFiles,
    attachmentFiles,
    log,
    async signIn(options) {
      const answer = await postSignIn(ADMIN.userName, ADMIN.password, options)
      if (answer.statusCode !== 200) throw new Error(`sign-in failed: ${answer.body}`)
      const cookie = refreshTokenOf(answer)
      const known = answer.cookies.find(({ name }) => name === 'known')?.value ?? ''
      const signedIn = answer.json<SignedIn>()
      return {
        ...signedIn,
        cookie,
        known,
        sid: cookie.split('.')[0] ?? '',
        bearer: { authorization: `Bearer ${signedIn.accessToken}` },
      }
    },
    postSignIn,
    refresh: (userId, refreshToken, options) =>
      app.inject({
        ...options,
        url: `${env.apiPrefix}/auth/refresh/${userId}`,
        cookies: refreshToken === undefined ? {} : { refresh: refreshToken },
      }),
    async addSession(userName, roles) {
      const createdAt = Date.now()
      const user = await storage.users.create({ userName, passwordHash: 'none', roles, createdAt })
      const [userId, sid] = [user?._id ?? '', 'e'.repeat(24)]
      await storage.sessions.create({
        ...{ _id: sid, userId, currentHash: 'none', previousHash: null },
        ...{ createdAt, expiresAt: createdAt + 60_000, credentialVersion: 0 },
        ...{ ...OLD_SESSION, confirmedAt: createdAt },
      })
      return { userId, sid }
    },
    call: (method, url, rest = {}) => app.inject({ ...rest, method, url }),
    async close() {
      await app.close()
      if (options.stores === undefined) await storage.close()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The refresh token that an answer sets as a cookie; empty when it sets none. */
export function refreshTokenOf(answer: LightMyRequestResponse): string {
  return answer.cookies.find(({ name }) => name === 'refresh')?.value ?? ''
}

let clients = 0
/** A clientId that no other test has. It sorts behind those before it, as many as they are. */
export function newClientId(): string {
  clients += 1
  return `visitor${String(clients).padStart(CLIENT_ID_LENGTH - 'visitor'.length, '0')}`
}
