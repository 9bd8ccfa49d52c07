import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AdminFacts, VisitorFacts } from '@proctorpass/shared/events'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { type Collection, MongoClient } from 'mongodb'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { collectionsOf } from '../src/storage/mongo/collections.ts'
import { ADMIN } from './admin.ts'
import { newClientId } from './build-app.ts'
import { describeOnMongo } from './mongo-server.ts'
import { type ServerProcess, startServer, temporaryDir } from './server-process.ts'
import { startRedis } from './servers/redis-process.ts'

/** Begins the marker. The indexes store beginnings of six characters. */
const MARK = 'zqxjvk'
/** In capitals too, as it is typed and as it is indexed. */
const MARKER = 'ZqxjvkMarker'
const SNAPSHOTS = fileURLToPath(new URL('./heap-snapshot.mjs', import.meta.url))
const WITHIN = { timeout: 20_000, interval: 200 }
/** A busy machine takes 20 s to write one. */
const SNAPSHOT = { timeout: 90_000, interval: 200 }

let dir: ReturnType<typeof temporaryDir>
const closers: (() => unknown)[] = []
beforeEach(() => {
  dir = temporaryDir('erased')
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  dir.remove()
})

async function start(name: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer({
    dataDir: join(dir.path, name),
    env,
    execArgv: ['--import', SNAPSHOTS],
  })
  closers.push(() => server.stop('SIGKILL'))
  return server
}

/** A caller of the servers. Connections are not kept: each holds its last request. */
function callerOf(authorization?: string) {
  return async (origin: string, method: string, path: string, body?: object | FormData) => {
    const isForm = body instanceof FormData
    const answer = await fetch(`${origin}/api${path}`, {
      method,
      headers: {
        connection: 'close',
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
    }
  }
}

function connected<Facts extends object>(
  origin: string,
  namespace: string,
  auth: object,
): Socket<Facts & never> {
  const client = io(origin + namespace, {
    transports: ['websocket'],
    forceNew: true,
    auth: auth as { [key: string]: unknown },
  })
  closers.push(() => client.disconnect())
  return client as unknown as Socket<Facts & never>
}

/**
 * Lets a visitor and an admin say the marker in every way on the first and the last of the servers, and returns how to
 * erase it.
 */
async function sayEverywhere(servers: readonly ServerProcess[]) {
  const [here, there] = [servers[0]?.origin ?? '', servers.at(-1)?.origin ?? '']
  const clientId = newClientId()
  const visitor = callerOf(`Visitor ${'k'.repeat(43)}`)
  const { body: session } = await callerOf()(here, 'POST', '/auth', {
    userName: ADMIN.userName,
    password: ADMIN.password,
  })
  const admin = callerOf(`Bearer ${session.accessToken}`)
  const settings = (await admin(here, 'GET', '/settings')).body as Settings
  await admin(here, 'PUT', '/settings', { ...settings, rating: true, files: true })

  const erased: string[] = []
  for (const origin of [here, there]) {
    const own = connected<VisitorFacts>(origin, '/visitor', { clientId, key: 'k'.repeat(43) })
    const all = connected<AdminFacts>(origin, '/admin', { token: session.accessToken })
    const sockets = [
      ['visitor', own],
      ['admin', all],
    ] as const
    // Together: either may be the first.
    await Promise.all(
      sockets.map(([who, socket]) => {
        ;(socket as unknown as Socket).on('conversation:erased', () => erased.push(who))
        return once(socket as never, 'connect')
      }),
    )
  }

  const long = `${MARKER} ${'x'.repeat(3_000)} ${MARKER}end`
  for (const [origin, message] of [
    [here, `${MARKER} hello`],
    [there, long],
    [here, `${MARKER} 你好`],
  ] as const) {
    expect((await visitor(origin, 'POST', '/chat', { clientId, message })).status).toBe(201)
  }
  const image = readFileSync(new URL('./pictures/1x1.png', import.meta.url))
  const form = new FormData()
  form.set('nonce', 'nonce-of-the-file')
  form.set('file', new Blob([image], { type: 'image/png' }), `${MARKER}.png`)
  const uploaded = await visitor(here, 'POST', `/chat/${clientId}/files`, form)
  expect(uploaded.status).toBe(201)
  const attachments = [uploaded.body.data._id]
  await visitor(there, 'POST', '/chat', { clientId, message: '', attachments, nonce: 'nonce-of-files' })
  const profile = { name: `${MARKER} Sam`, email: `${MARK}@example.com`, page: `/${MARK}` }
  expect((await visitor(here, 'PATCH', `/chat/${clientId}/profile`, profile)).status).toBe(200)
  const reply = await admin(there, 'POST', '/chat', { clientId, message: `${MARKER} repyl` })
  const edit = { nonce: 'nonce-of-the-edit', message: `${MARKER} reply` }
  const edited = await admin(here, 'PATCH', `/chat/admin/${clientId}/messages/${reply.body.data.seq}`, edit)
  expect(edited.status).toBe(200)
  const note = { nonce: 'nonce-of-the-note', text: `${MARKER} note` }
  expect((await admin(here, 'POST', `/chat/admin/${clientId}/notes`, note)).status).toBe(201)
  const labels = [`${MARKER} label`]
  await admin(there, 'PATCH', `/chat/admin/${clientId}`, { status: 'resolved', labels })
  const rating = { score: 1, words: `${MARKER} words` }
  expect((await visitor(here, 'POST', `/chat/${clientId}/rating`, rating)).status).toBe(201)
  // Reads of every kind fill what caches there are.
  for (const origin of [here, there]) {
    await vi.waitFor(async () => {
      const { body } = await admin(origin, 'GET', `/search?q=${MARK}`)
      expect(body.hits.length).toBeGreaterThanOrEqual(5)
    }, WITHIN)
    await admin(origin, 'GET', '/chat')
    await admin(origin, 'GET', '/chat/labels')
    await admin(origin, 'GET', `/chat/admin/${clientId}/visitor`)
    expect((await visitor(origin, 'GET', `/chat/${clientId}/export`)).body.messages).toHaveLength(5)
  }

  return {
    clientId,
    async erase() {
      expect((await visitor(here, 'DELETE', `/chat/${clientId}`)).status).toBe(204)
      await vi.waitFor(() => expect(erased.sort().join()).toBe('admin,admin,visitor,visitor'), WITHIN)
      // Other words pass through each server, and replace what a regular expression or a parser had last.
      for (const origin of [here, there]) {
        for (let n = 0; n < 20; n++) {
          const other = { clientId: newClientId(), message: `something else ${n}` }
          await callerOf()(origin, 'POST', '/chat', other)
          await admin(origin, 'GET', '/search?q=something')
          await admin(origin, 'GET', '/chat')
        }
      }
    },
    searchFinds: async (origin: string) =>
      (await admin(origin, 'GET', `/search?q=${MARK}`)).body.hits.length as number,
  }
}

/** Whether the bytes have the mark, in capitals or not. */
function hasMark(bytes: Buffer): boolean {
  return bytes.toString('latin1').toLowerCase().includes(MARK)
}

function filesWithMark(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }) as string[]
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  return files.filter(
    (name) => name.toLowerCase().includes(MARK) || hasMark(readFileSync(join(folder, name))),
  )
}

async function heapHasMark({ child }: ServerProcess): Promise<boolean> {
  const path = join(dir.path, `${child.pid}-${Date.now()}.heapsnapshot`)
  child.send({ snapshot: path })
  await once(child, 'message')
  const snapshot = readFileSync(path)
  // It is one of this program.
  expect(snapshot.includes('GET /healthz')).toBe(true)
  return hasMark(snapshot)
}

const SLOW = { timeout: 400_000 }

describe('an erased conversation', () => {
  it('is in no file of DATA_DIR, in no table, and not in memory', SLOW, async () => {
    const server = await start('data')
    const dataDir = join(dir.path, 'data')
    const { erase, searchFinds } = await sayEverywhere([server])
    expect(filesWithMark(dataDir).length).toBeGreaterThan(0)
    await erase()
    await vi.waitFor(() => expect(filesWithMark(dataDir)).toEqual([]), WITHIN)
    await vi.waitFor(async () => expect(await heapHasMark(server)).toBe(false), SNAPSHOT)

    expect(await searchFinds(server.origin)).toBe(0)
  })
})

describeOnMongo('an erased conversation on two nodes', (freshUrl) => {
  it('is in no collection, and in the memory of no node', SLOW, async () => {
    const redis = await startRedis()
    closers.push(() => redis.close())
    const url = freshUrl()
    const env = {
      MONGODB_URL: url,
      REDIS_URL: redis.url,
      JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW',
    }
    const nodes = [await start('one', env), await start('two', env)]
    const { erase, searchFinds } = await sayEverywhere(nodes)
    const client = await new MongoClient(url).connect()
    closers.push(() => client.close())
    const collectionsWithMark = async () => {
      const found: string[] = []
      for (const [name, collection] of Object.entries(collectionsOf(client.db()))) {
        for (const document of await (collection as Collection).find().toArray()) {
          const { data } = document as { data?: { buffer?: Uint8Array } }
          const bytes = data?.buffer === undefined ? Buffer.alloc(0) : Buffer.from(data.buffer)
          if (hasMark(Buffer.from(JSON.stringify(document))) || hasMark(bytes)) found.push(name)
        }
      }
      return found
    }
    expect((await collectionsWithMark()).length).toBeGreaterThan(3)
    await erase()
    await vi.waitFor(async () => expect(await collectionsWithMark()).toEqual([]), WITHIN)
    for (const node of nodes) {
      await vi.waitFor(async () => expect(await heapHasMark(node)).toBe(false), SNAPSHOT)
    }
    for (const { origin } of nodes) expect(await searchFinds(origin)).toBe(0)
  })
})
