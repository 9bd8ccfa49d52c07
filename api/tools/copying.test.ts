import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gzipSync } from 'node:zlib'
import type { Page } from '@proctorpass/shared/schemas/chat'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { VERSION } from '../src/installation.ts'
import { TABLES } from '../src/storage/copy/copied-tables.ts'
import type { Counts } from '../src/storage/copy/store-copy.ts'
import { openStores, type StoreLocation } from '../src/storage/open-storage.ts'
import { clientId, fill, say } from '../test/filled-store.ts'
import { describeOnMongo } from '../test/mongo-server.ts'
import { CHILD_ENV, startServer, temporaryDir } from '../test/server-process.ts'
import { listCounts } from './copying.ts'

// Most tests start several processes.
vi.setConfig({ testTimeout: 240_000 })

let dir: ReturnType<typeof temporaryDir>
let dataDir: string
let file: string
beforeEach(() => {
  dir = temporaryDir('copying')
  dataDir = join(dir.path, 'data')
  file = join(dir.path, 'a.backup')
})
afterEach(() => dir.remove())

type Tool = 'migrate' | 'backup' | 'restore'
const pathOf = (tool: Tool) => join(import.meta.dirname, `${tool}.ts`)
const environment = (env: Record<string, string>) => ({
  ...CHILD_ENV,
  DATA_DIR: dataDir,
  ...env,
})

function run(tool: Tool, args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const argv = ['--disable-warning=ExperimentalWarning', pathOf(tool), ...args]
    const child = execFile(process.execPath, argv, { env: environment(env) }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

/** Kills the process with SIGKILL at its first progress line. False when it had ended before. */
async function killed(tool: Tool, args: string[], env: Record<string, string>): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [pathOf(tool), ...args], { env: environment(env) })
  const ended = once(child, 'close')
  child.stdout?.once('data', () => child.kill('SIGKILL'))
  const [, signal] = await ended
  return signal === 'SIGKILL'
}

async function filled(location: StoreLocation, messages = 0): Promise<void> {
  const stores = await openStores(location)
  await fill(stores)
  const texts = Array.from({ length: messages }, (_, index) => `message ${index}`)
  await Promise.all(texts.map((text) => say(stores, clientId('Long'), text)))
  await stores.storage.close()
}

async function longOf(location: StoreLocation): Promise<number[]> {
  const { storage } = await openStores(location)
  const seqs: number[] = []
  for (let more = true; more; ) {
    const page = await storage.messages.page(clientId('Long'), { after: seqs.at(-1) ?? 0, limit: 10_000 })
    seqs.push(...(page?.messages.map(({ seq }) => seq) ?? []))
    more = page?.more ?? false
  }
  await storage.close()
  return seqs
}
const upTo = (seq: number) => Array.from({ length: seq }, (_, index) => index + 1)

it('lists rows in words', () => {
  const ofEach = (count: number) =>
    listCounts(Object.fromEntries(TABLES.map((table) => [table, count])) as Counts).split(', ')
  const some = ['1 user', '1 reply', '1 address', '1 identity', '1 API key', '1 audit entry', '1 log entry']
  expect(ofEach(1)).toEqual(expect.arrayContaining([...some, '1 kept figure', '1 remembered visitor']))
  expect(ofEach(2)).toEqual(
    expect.arrayContaining(['2 replies', '2 addresses', '2 API keys', '2 log entries']),
  )
})

it('says that the audit log of a backup is broken, and writes its head into the entry of the first start', async () => {
  const { storage } = await openStores({ dataDir })
  for (let at = 1; at <= 3; at++) {
    const system = { by: null, target: null, address: null }
    await storage.audit.append({ ...system, action: 'retention.ran', details: { erased: at }, at })
  }
  await storage.close()
  const db = new DatabaseSync(join(dataDir, 'chat.sqlite'))
  db.exec(`UPDATE audit SET details = '{"erased":9}' WHERE _id LIKE '%2'`)
  const { hash } = db.prepare("SELECT hash FROM audit WHERE _id LIKE '%3'").get() as { hash: string }
  db.close()
  expect((await run('backup', [file])).code).toBe(0)
  const other = join(dir.path, 'other')
  const restored = await run('restore', [file], { DATA_DIR: other })
  expect(restored.code).toBe(0)
  expect(restored.out).toContain(`Its last audit entry is 3 ${hash}.`)
  expect(restored.out).toContain('WARNING: the audit log is broken at entry 2,')
  const again = (await openStores({ dataDir: other })).storage
  const [entry] = await again.audit.list({ limit: 1 })
  expect(entry).toMatchObject({ action: 'store.copied', details: JSON.stringify({ n: 3, hash }) })
  await again.close()
})

it('backs up a running server, and restores its data into an empty store', async () => {
  const server = await startServer({ dataDir })
  const visitor = clientId('Visitor')
  const send = (message: string, to = server.origin) =>
    fetch(`${to}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: visitor, senderId: visitor, message, nonce: `nonce-${message}` }),
    })
  const read = async (from: string) => (await (await fetch(`${from}/api/chat/${visitor}`)).json()) as Page
  for (const text of ['first', 'second']) expect((await send(text)).status).toBe(201)
  const made = await run('backup', [file])
  expect(made).toMatchObject({ code: 0, err: '' })
  expect(made.out).toContain(`${file} holds 1 user, 1 document, 1 audit entry, 2 messages, 1 conversation.`)
  expect((await send('later')).status).toBe(201)
  const was = await read(server.origin)
  expect(await run('restore', [file])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Another process already uses/),
  })
  await server.stop()
  expect(await run('restore', [file])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^The target already holds data/),
  })

  const other = join(dir.path, 'other')
  const restored = await run('restore', [file], { DATA_DIR: other })
  expect(restored).toMatchObject({ code: 0, err: '' })
  expect(restored.out).toMatch(
    /^copied 1 user\ncopied 1 document\ncopied 1 audit entry\ncopied 2 messages\nchecked 1 user\nchecked 1 document\nchecked 1 audit entry\nchecked 2 messages\nRestored/,
  )
  expect(restored.out).toContain(`, made by ${VERSION}, and verified it: `)
  expect(restored.out).toMatch(/\. Its last audit entry is 1 [0-9a-f]{64}\.$/m)
  const again = await startServer({ dataDir: other })
  const is = await read(again.origin)
  expect(is.messages.map(({ message, nonce }) => [message, nonce])).toEqual([
    ['first', 'nonce-first'],
    ['second', 'nonce-second'],
  ])
  expect([is.seq, is.epoch === was.epoch]).toEqual([2, false])
  // A retry of an acknowledged message is not stored again.
  expect((await send('second', again.origin)).status).toBe(200)
  await again.stop()
})

it('resumes a killed restore, and starts no server before', async () => {
  await filled({ dataDir }, 5_000)
  expect((await run('backup', [file])).code).toBe(0)
  // A restore that ended before the kill is repeated in another folder.
  let target = ''
  for (let tries = 0; target === '' && tries < 5; tries++) {
    const at = join(dir.path, `restored-${tries}`)
    if (await killed('restore', [file], { DATA_DIR: at })) target = at
  }
  await expect(startServer({ dataDir: target })).rejects.toThrow(/This store is only partly filled/)
  expect(await run('backup', [`${file}2`], { DATA_DIR: target })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^This store is only partly filled/),
  })
  expect(await run('restore', [file], { DATA_DIR: target })).toMatchObject({ code: 0, err: '' })
  expect(await longOf({ dataDir: target })).toEqual(upTo(5_000))
})

it.each(['chat.sqlite.new', 'chat.sqlite', 'uploads', 'attachments'])(
  'starts no server on a restore that was killed when %s appeared',
  async (name) => {
    await filled({ dataDir })
    expect((await run('backup', [file])).code).toBe(0)
    const target = join(dir.path, 'target')
    const env = environment({ DATA_DIR: target })
    const child = spawn(process.execPath, [pathOf('restore'), file], { env })
    const ended = once(child, 'close')
    // Without pauses, because each step takes milliseconds.
    while (!existsSync(join(target, name))) existsSync(target)
    child.kill('SIGKILL')
    await ended
    if (existsSync(join(target, 'chat.sqlite')))
      await expect(openStores({ dataDir: target })).rejects.toThrow(/This store is only partly filled/)
    expect(await run('restore', [file], { DATA_DIR: target })).toMatchObject({ code: 0, err: '' })
    const { storage } = await openStores({ dataDir: target })
    expect((await storage.users.list()).length).toBeGreaterThan(0)
    await storage.close()
  },
)

it('names the newer release of a backup, whatever else its header has', async () => {
  for (const [header, words] of [
    [{ version: 5_000, release: '9.1.0', kind: 'all' }, 'was made by 9.1.0 (format 5000; '],
    [{ version: 5_000, release: ['x'] }, 'was made by a newer release (format 5000; '],
    [{ version: 1, kind: 'all' }, "isn't a backup."],
  ] as const) {
    writeFileSync(file, gzipSync(`${JSON.stringify({ format: 'chat-store-backup', ...header })}\n`))
    const { code, err } = await run('restore', [file])
    expect([code, err]).toEqual([1, expect.stringContaining(words)])
  }
})

it('leaves no file of a stopped backup', async () => {
  await filled({ dataDir }, 5_000)
  const child = spawn(process.execPath, [pathOf('backup'), file], { env: environment({}) })
  child.stdout.once('data', () => child.kill('SIGTERM'))
  let err = ''
  child.stderr.on('data', (text) => {
    err += text
  })
  const [code] = await once(child, 'close')
  // Unless it had ended before.
  expect([code, err]).toEqual(code === 0 ? [0, ''] : [1, 'Stopped: no backup was written.\n'])
  expect(readdirSync(dir.path).sort()).toEqual(code === 0 ? ['a.backup', 'data'] : ['data'])
})

/** A command as root of its own mounts. */
const WITH_MOUNTS = ['--user', '--map-root-user', '--mount', 'sh', '-c']
const mayMount = spawnSync('unshare', [...WITH_MOUNTS, 'mount -t tmpfs none /mnt']).status === 0

it.skipIf(!mayMount)('says that the disk is full', async () => {
  await filled({ dataDir })
  const disk = join(dir.path, 'disk')
  const script = `mkdir ${disk} && mount -t tmpfs -o size=8m none ${disk} && cp -r ${dataDir}/. ${disk}
    cat /dev/zero > ${disk}/filling 2> /dev/null
    exec ${process.execPath} ${join(import.meta.dirname, 'admin.ts')} create zoe`
  const { status, stderr } = spawnSync('unshare', [...WITH_MOUNTS, script], {
    env: environment({ DATA_DIR: disk }),
    encoding: 'utf8',
  })
  const sentence = `The disk that holds DATA_DIR (${disk}) is full: free some space, then run this again.\n`
  expect([status, stderr]).toEqual([1, sentence])
})

describe('a command in a folder without a store', () => {
  it.each([
    ['admin', 'list'],
    ['admin', 'create', 'zoe'],
    ['admin', 'reset', 'zoe'],
    ['audit', 'verify'],
    ['reports', 'rebuild'],
    ['repair-times'],
    ['backup', 'a.backup'],
  ])('is refused, and creates nothing: %s %s', async (tool, ...args) => {
    for (const DATA_DIR of [dataDir, dir.path]) {
      const argv = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, `${tool}.ts`), ...args]
      const { code, out, err } = await new Promise<{ code: number | null; out: string; err: string }>(
        (resolve) => {
          const child = execFile(
            process.execPath,
            argv,
            { env: environment({ DATA_DIR }) },
            (_error, out, err) => resolve({ code: child.exitCode, out, err }),
          )
        },
      )
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(
        /^There is no database at .*chat\.sqlite\. Set DATA_DIR to its folder, or MONGODB_URL\./,
      )
      expect(readdirSync(dir.path)).toEqual([])
    }
  })
})

describe('a wrong call', () => {
  it.each([
    ['migrate', [], 2, /^Usage: npm run migrate/],
    ['migrate', ['--from', 'sqlite'], 2, /^Usage/],
    ['migrate', ['--from', 'sqlite', '--to', 'sqlite'], 2, /^Usage/],
    ['migrate', ['--from', 'sqlite', '--to', 'toString'], 2, /^Usage/],
    ['migrate', ['--form', 'sqlite'], 2, /^Usage/],
    ['migrate', ['--from', 'sqlite', '--to', 'mongodb'], 2, /^Set MONGODB_URL/],
    ['backup', [], 2, /^Usage: npm run backup/],
    ['backup', ['a', 'b'], 2, /^Usage/],
    ['backup', ['--help'], 2, /^Usage/],
    [
      'backup',
      ['a'],
      1,
      /^There is no database at .*chat\.sqlite\. Set DATA_DIR to its folder, or MONGODB_URL\. A new store is created when the server first starts\.\n$/,
    ],
    ['restore', [''], 2, /^Usage: npm run restore/],
    ['restore', ['/nowhere/a'], 1, /^\/nowhere\/a doesn't exist\.\n$/],
  ] as const)('is said by %s %j', async (tool, args, code, sentence) => {
    const said = await run(tool, [...args])
    expect(said).toMatchObject({ code, out: '', err: expect.stringMatching(sentence) })
    expect(readdirSync(dir.path)).toEqual([])
  })

  it('reports a file that is no backup, and creates nothing', async () => {
    writeFileSync(file, 'some text')
    expect(await run('restore', [file])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/isn't a backup\.\n$/),
    })
    expect(readdirSync(dir.path)).toEqual(['a.backup'])
  })

  it('reports an upload whose path leaves its folder, and creates nothing', async () => {
    const counts = { uploads: 1 }
    const header = {
      format: 'chat-store-backup',
      version: 1,
      id: randomUUID(),
      at: '2026-01-01T00:00:00.000Z',
    }
    const name = '../../../escaped.png'
    const body = [{ ...header, counts }, ['uploads', { name, base64: 'eA==', last: true }]]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('')
    const sha256 = createHash('sha256').update(body).digest('hex')
    writeFileSync(file, gzipSync(`${body}${JSON.stringify(['end', { counts, sha256 }])}\n`))
    expect(await run('restore', [file])).toMatchObject({
      ...{ code: 1, out: '' },
      err: expect.stringMatching(/^[ -~]{20,300}\.\n$/),
    })
    expect(readdirSync(dir.path)).toEqual(['a.backup'])
  })

  it('reports an invalid or unreachable URL without showing it', async () => {
    const addresses = ['http://me:secret@db', 'mongodb://me:secret@127.0.0.1:1/x']
    for (const MONGODB_URL of addresses) {
      const { code, err } = await run('backup', [file], { MONGODB_URL })
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(
          /^(These environment variables are invalid|Nothing is listening at 127.0.0.1:1)/,
        ),
      ])
      expect(err).not.toContain('secret')
    }
  })
})

describeOnMongo('migrate', (url) => {
  it('resumes after a kill with the same result', async () => {
    await filled({ dataDir }, 5_000)
    const { mtimeMs } = statSync(join(dataDir, 'chat.sqlite'))
    const toMongo = ['--from', 'sqlite', '--to', 'mongodb']
    let target = ''
    for (let tries = 0; target === '' && tries < 5; tries++) {
      const at = url()
      if (await killed('migrate', toMongo, { MONGODB_URL: at })) target = at
    }
    const inMongo = { dataDir, mongodbUrl: target }
    await expect(openStores(inMongo)).rejects.toThrow(/This store is only partly filled/)
    const done = await run('migrate', toMongo, { MONGODB_URL: target })
    expect(done).toMatchObject({ code: 0, err: '' })
    expect(done.out).toContain('Copied and verified by counts and hashes: 2 uploads, 3 users, 2 sessions')
    expect(await longOf(inMongo)).toEqual(upTo(5_000))
    expect(statSync(join(dataDir, 'chat.sqlite')).mtimeMs).toBe(mtimeMs)
    expect(await run('migrate', toMongo, { MONGODB_URL: target })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The target already holds data/),
    })

    const back = join(dir.path, 'back')
    const env = { MONGODB_URL: target, DATA_DIR: back }
    expect((await run('migrate', ['--from', 'mongodb', '--to', 'sqlite'], env)).code).toBe(0)
    expect(await longOf({ dataDir: back })).toEqual(upTo(5_000))
  })
})
