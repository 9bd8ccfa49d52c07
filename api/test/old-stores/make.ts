// Makes a store of each schema version that landed, by the server of that commit: node api/test/old-stores/make.ts
// Each is a gzipped SQLite file, or a gzipped dump of a MongoDB database, with what that server answered about it in a JSON
// file. Run it again for a new version: add its commit below. Existing files are kept. Stores on MongoDB need a server, as
// the tests do.

import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Db, type IndexDescription, MongoClient } from 'mongodb'
import { findFreePort } from '../server-process.ts'
import { startMongo } from '../servers/mongo-process.ts'
import { dump, packed } from './mongo-dump.ts'

/** A commit of each version, after its migration was final. Versions 10 to 13 landed together. */
const COMMITS: Record<number, string> = {
  1: '50bd4d3',
  2: 'b429484',
  3: '9db6e86',
  4: '56ddf75',
  5: '5f87fbc',
  6: '4be7f4f',
  7: '0a4def1',
  8: '565e3b5',
  9: 'ddce7de',
  13: 'bc781fa',
  14: 'cd87e93',
  15: 'cf25b3c',
  16: '2537181',
  17: 'cdd9e03',
  18: '21a139b',
  19: '55bdd6a',
  20: '45d1057',
  21: '3f289d5',
  22: '8a94f69',
  23: '62e7602',
  24: 'd65f47a',
  25: '3333264',
  26: 'fa317d2',
  27: 'f9ccd84',
  28: '7e7d2d4',
  29: '45ea679',
  30: '3e5c926',
  31: 'd702ebb',
  32: '7dcb93d',
  33: '31a13e1',
  34: 'd9f3a4a',
  35: 'a6c7916',
  36: 'efc30f9',
  37: 'bdd3840',
  38: '51d55ee',
  39: 'b38ec42',
  40: 'efd196b',
  41: '895b66a',
  42: '2551d73',
  43: '5b9efdb',
  44: '1eb1454',
  45: 'a4bd7fc',
}

/** The same for MongoDB: the last commit of each version. */
const MONGO_COMMITS: Record<number, string> = {
  1: 'f85ab01',
  2: '40dc60b',
  3: '565e3b5',
  4: 'ddce7de',
  5: 'bc781fa',
  6: '701ff0d',
  7: '0f05e52',
}

const here = import.meta.dirname
const root = join(here, '../../..')
const PASSWORD = 'lantern-orbit-velvet-9'
const VISITORS = ['FirstVisitorOfAStore', 'OtherVisitorOfAStore']

for (const [version, commit] of Object.entries(COMMITS)) {
  const name = `version-${version.padStart(2, '0')}`
  await unlessMade(name, commit, async (folder) => {
    const dataDir = join(folder, 'store')
    const answers = await serve(folder, { DATA_DIR: dataDir })
    const db = new DatabaseSync(join(dataDir, 'chat.sqlite'))
    expectVersion(Number(version), db.prepare('PRAGMA user_version').get()?.user_version)
    db.exec(`VACUUM INTO '${join(folder, 'small.sqlite')}'`)
    db.close()
    writeFileSync(
      join(here, `${name}.sqlite.gz`),
      gzipSync(readFileSync(join(folder, 'small.sqlite')), { level: 9 }),
    )
    backUp(folder, dataDir)
    return { version: Number(version), ...answers }
  })
}

const mongo = await startMongo()
for (const [version, commit] of Object.entries(mongo === null ? {} : MONGO_COMMITS)) {
  const name = `mongo-${version}`
  await unlessMade(name, commit, async (folder) => {
    const url = new URL(`old-${version}`, mongo?.url).href
    const env = {
      DATA_DIR: join(folder, 'store'),
      MONGODB_URL: url,
      JWT_SECRET: randomBytes(48).toString('base64'),
    }
    const answers = await serve(folder, env)
    const client = await new MongoClient(url).connect()
    const db = client.db()
    expectVersion(Number(version), (await db.collection('meta').findOne({ _id: 'schema' as never }))?.version)
    writeFileSync(join(here, `${name}.ejson.gz`), packed(await dump(db, await indexesIn(folder, db))))
    await client.close()
    return { version: Number(version), ...answers }
  })
}
await mongo?.close()

async function unlessMade(
  name: string,
  commit: string,
  make: (folder: string) => Promise<object>,
): Promise<void> {
  if (existsSync(join(here, `${name}.json`))) return
  const folder = mkdtempSync(join(tmpdir(), 'proctorpass-old-'))
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1024 ** 3 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    const npm = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    execFileSync('npm', npm, { cwd: folder, stdio: 'pipe' })
    const { version, ...answers } = (await make(folder)) as { version: number }
    writeFileSync(join(here, `${name}.json`), `${JSON.stringify({ version, commit, ...answers }, null, 2)}\n`)
    console.log(`${name}: made by ${commit}`)
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Fills a store by the server in that folder, and returns what it answers then. */
async function serve(folder: string, variables: Record<string, string>): Promise<object> {
  const port = await findFreePort()
  const env = { PATH: process.env.PATH, PORT: String(port), ADMIN_PASSWORD: PASSWORD, ...variables }
  const child = spawn(process.execPath, ['api/src/server.ts'], {
    cwd: folder,
    env: { ...env, SERVE_WEB: 'false', SEED_DEMO: 'false', NODE_ENV: 'production' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = once(child, 'close')
  const url = `http://127.0.0.1:${port}`
  try {
    for (let tries = 0; ; tries++) {
      if (
        await fetch(`${url}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        )
      )
        break
      if (tries > 200 || child.exitCode !== null) throw new Error(output.slice(-2_000))
      await pause(100)
    }
    return await fill(url)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

function expectVersion(version: number, found: unknown): void {
  if (found !== version) throw new Error(`It made version ${found}.`)
}

/** Those that the sources in that folder declare: a stand-in does not tell them as they are. By name of the collection. */
async function indexesIn(folder: string, db: Db): Promise<Record<string, IndexDescription[]>> {
  const sources = join(folder, 'api/src/storage/mongo')
  const { INDEXES } = await import(join(sources, 'schema.ts'))
  const file = ['collections.ts', 'documents.ts'].map((name) => join(sources, name)).find(existsSync)
  const { collectionsOf } = await import(file ?? '')
  const collections = collectionsOf(db)
  const entries = Object.entries(INDEXES as Record<string, IndexDescription[]>)
  return Object.fromEntries(entries.map(([key, indexes]) => [collections[key].collectionName, indexes]))
}

/** Keeps the first backup of each format. */
function backUp(folder: string, dataDir: string): void {
  const tool = join(folder, 'api/tools/backup.ts')
  if (!existsSync(tool)) return
  const file = join(folder, 'a.backup')
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  try {
    execFileSync(process.execPath, [tool, file], { cwd: folder, env, stdio: 'pipe' })
  } catch {
    // In some commits the command is broken.
    return
  }
  const bytes = readFileSync(file)
  const { version } = JSON.parse(gunzipSync(bytes).toString().split('\n')[0] ?? '')
  const kept = join(here, `format-${version}.backup`)
  if (!existsSync(kept)) writeFileSync(kept, bytes)
}

async function fill(url: string): Promise<object> {
  const call = async (path: string, body?: object, token?: string) => {
    const answer = await fetch(`${url}/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: answers of many releases
    return (await answer.json()) as any
  }
  const say = (clientId: string, senderId: string, message: string, nonce: string, token?: string) =>
    call('/chat', { clientId, senderId, message, nonce }, token)
  const [first = '', second = ''] = VISITORS
  for (const at of [1, 2, 3]) await say(first, first, `question ${at} about the webcam`, `nonce-first-${at}`)
  const { accessToken, user_Id } = await call('/auth', { userName: 'admin', password: PASSWORD })
  await say(first, user_Id, 'an answer about the webcam', 'nonce-answer-1', accessToken)
  await call(`/chat/admin/${first}/read`, { seq: 3 }, accessToken)
  await say(first, first, 'one more', 'nonce-first-4')
  await say(second, second, 'a lonely passport', 'nonce-second-1')
  await call('/contacts', { email: 'ann@example.com', title: 'Refund', message: 'Please call me.' }).catch(
    () => {},
  )
  const list = await call('/chat', undefined, accessToken)
  return {
    conversations: await Promise.all(
      VISITORS.map(async (clientId) => {
        const { messages, seq, read } = await call(`/chat/${clientId}`)
        return { clientId, seq, read, messages }
      }),
    ),
    unread: Object.fromEntries(
      list.map((one: { clientId: string; adminUnread: number }) => [one.clientId, one.adminUnread]),
    ),
  }
}
