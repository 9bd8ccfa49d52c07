import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { OLD_SESSION } from '../src/storage/model/sessions.ts'
import type { Stores } from '../src/storage/model/storage.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { buildTestApp, type TestApp } from './build-app.ts'
import { putEmptyStore } from './empty-store.ts'

/** The app in this process, listening on a free port, for tests with real clients. */
export interface TestServer {
  url: string
  /** The running one. */
  app: FastifyInstance
  /** The lines logged since the start. */
  log: string[]
  adminId: string
  signIn(options?: { roles?: string[] }): Promise<{ accessToken: string; signOut(): Promise<unknown> }>
  /** Paths below the API's prefix. Rejects when the answer is an error. */
  get(path: string, options?: { admin?: boolean }): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
  /** Ends it as SIGTERM would; its data stays. */
  stop(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startTestServer(
  variables: Record<string, string> = {},
  /** The DATA_DIR and the store that several servers share. */
  shared?: { dataDir: string; stores: Stores },
): Promise<TestServer> {
  const dataDir = shared?.dataDir ?? mkdtempSync(join(tmpdir(), 'proctorpass-server-'))
  let running: TestApp | null = null
  let url = ''

  async function start() {
    running = await buildTestApp({ dataDir, variables, stores: shared?.stores })
    await running.app.listen({ host: '127.0.0.1', port: 0 })
    url = `http://127.0.0.1:${(running.app.server.address() as AddressInfo).port}`
  }
  const app = () => {
    if (running === null) throw new Error('The server is stopped.')
    return running
  }
  async function read(path: string, init: RequestInit = {}): Promise<unknown> {
    const response = await fetch(`${url}${app().env.apiPrefix}${path}`, init)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }

  await start()
  const first = await app().storage.users.findByName('admin')
  return {
    get url() {
      return url
    },
    get app() {
      return app().app
    },
    get log() {
      return app().log
    },
    adminId: first?._id ?? '',
    async signIn({ roles } = {}) {
      const { useCases, signAccess } = app().app
      if (roles === undefined) {
        const { accessToken, cookie } = await app().signIn()
        return { accessToken, signOut: () => useCases.auth.sessions.signOut(cookie, '127.0.0.1') }
      }
      const user = await app().storage.users.create({
        userName: `user-${roles.join()}`,
        passwordHash: first?.passwordHash ?? '',
        roles,
        createdAt: Date.now(),
      })
      if (user === null) throw new Error('The name is taken.')
      const sid = user._id
      await app().storage.sessions.create({
        _id: sid,
        userId: user._id,
        currentHash: 'none',
        previousHash: null,
        createdAt: Date.now(),
        expiresAt: Date.now() + 60_000,
        credentialVersion: 0,
        ...OLD_SESSION,
        confirmedAt: Date.now(),
      })
      return { accessToken: signAccess(user, sid), signOut: () => app().storage.sessions.end(sid) }
    },
    get: async (path, options = {}) =>
      read(path, options.admin ? { headers: (await app().signIn()).bearer } : {}),
    post: (path, body) =>
      read(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async stop() {
      await app().close()
      running = null
    },
    restart: start,
    async close() {
      await running?.close()
      if (shared === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Servers on one store, connected by Redis. */
export interface TestNodes {
  nodes: TestServer[]
  close(): Promise<void>
}

/** All run in this process, so that they can share the embedded store. */
export async function startTestNodes(
  count: number,
  variables: { REDIS_URL: string; [name: string]: string },
  change: (stores: Stores) => Stores = (stores) => stores,
): Promise<TestNodes> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proctorpass-nodes-'))
  await putEmptyStore(dataDir)
  const stores = change(await openStores({ dataDir }))
  const nodes: TestServer[] = []
  for (let each = 0; each < count; each += 1)
    nodes.push(await startTestServer(variables, { dataDir, stores }))
  return {
    nodes,
    async close() {
      for (const node of nodes) await node.close()
      await stores.storage.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
