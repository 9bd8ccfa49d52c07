import {
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ServerProcess, startServer, temporaryDir } from '../test/server-process.ts'
import { openCopyTarget, openStores } from './storage/open-storage.ts'

const CONVERSATIONS = 40
const clientId = (number: number) => `visitor${String(number).padStart(13, '0')}`

let folder: ReturnType<typeof temporaryDir>
let file: string
let running: ServerProcess | undefined
beforeEach(async () => {
  folder = temporaryDir('damaged')
  file = join(folder.path, 'chat.sqlite')
  const { storage } = await openStores({ dataDir: folder.path })
  for (let number = 0; number < CONVERSATIONS; number++) {
    await storage.messages.append({
      clientId: clientId(number),
      senderId: clientId(number),
      message: `${number} `.repeat(2_000),
      nonce: `nonce-${number}`,
      at: 1_000 + number,
    })
  }
  await storage.close()
})
afterEach(async () => {
  await running?.stop('SIGKILL')
  running = undefined
  folder.remove()
})

function overwrite(from: number, length: number): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(length, 0x5a), 0, length, from)
}

function emptyDatabase(): void {
  rmSync(file)
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL')
  db.close()
}

const size = () => statSync(file).size

const problemOfOpening = () =>
  openStores({ dataDir: folder.path }, { onDamage() {} }).then(
    ({ storage }) => storage.close().then(() => 'opened'),
    (error: Error) => error.message,
  )

describe('a damaged database', { timeout: 60_000 }, () => {
  it.each([
    ['random bytes in its header', () => overwrite(0, 100), 'is damaged'],
    ['a schema that cannot be read', () => overwrite(100, 3_000), 'is damaged'],
    [
      'overwritten pages in the middle',
      () => overwrite(Math.floor(size() / 8_192) * 4_096, 8_192),
      'is damaged',
    ],
    ['its second half cut off', () => truncateSync(file, Math.floor(size() / 8_192) * 4_096), 'is damaged'],
    ['nothing in it', () => truncateSync(file, 0), 'is empty'],
    ['no file', () => rmSync(file), 'is missing'],
    [
      'a write-ahead log without its file',
      () => writeFileSync(`${file}-wal`, 'frames'),
      'is missing',
      () => rmSync(file),
    ],
    ['no tables, because its write-ahead log is gone', emptyDatabase, 'has no tables'],
  ])('does not open, and says what to do: %s', async (_case, damage, problem, first = () => {}) => {
    first()
    damage()
    const before = existsSync(file) ? readFileSync(file) : null
    const message = await problemOfOpening()
    expect(message).toContain(file)
    expect(message).toContain(problem)
    expect(message).toContain('npm run restore -- FILE')
    // The remains are untouched, and no new store is created.
    expect(existsSync(file) ? readFileSync(file) : null).toEqual(before)
  })

  it('is found after the start if it is large', async () => {
    overwrite(Math.floor(size() / 8_192) * 4_096, 8_192)
    // The file is sparse. SQLite reads its size from its header.
    truncateSync(file, 1_024 ** 3)
    const found = Promise.withResolvers<Error>()
    const { storage } = await openStores({ dataDir: folder.path }, { onDamage: found.resolve })
    expect((await found.promise).message).toContain('is damaged')
    await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable' })
    await storage.close()
  })

  it('stops the start of a server with that message', async () => {
    overwrite(Math.floor(size() / 8_192) * 4_096, 8_192)
    await expect(startServer({ dataDir: folder.path })).rejects.toThrow('npm run restore -- FILE')
  })

  it('creates no uploads folder when a restore cannot open it', async () => {
    const prepared = temporaryDir('prepared')
    writeFileSync(join(prepared.path, 'chat.sqlite'), 'no database')
    await expect(openCopyTarget({ dataDir: prepared.path })).rejects.toThrow('is damaged')
    expect(existsSync(join(prepared.path, 'uploads'))).toBe(false)
    prepared.remove()
  })

  it('is not a folder that was prepared for a first start', async () => {
    const prepared = temporaryDir('prepared')
    writeFileSync(join(prepared.path, 'jwt-secret'), 'a secret from before')
    mkdirSync(join(prepared.path, 'lost+found'))
    const { storage } = await openStores({ dataDir: prepared.path }, { onDamage() {} })
    await storage.close()
    prepared.remove()
  })

  it('is answered with 503 and logged once when found by a running server', async () => {
    running = await startServer({ dataDir: folder.path })
    const { origin } = running
    // All but the first page, which the server holds.
    overwrite(4_096, size() - 4_096)
    const read = (number: number) => fetch(`${origin}/api/chat/${clientId(number)}`)
    await vi.waitFor(async () => {
      for (let number = 0; number < CONVERSATIONS; number++) await (await read(number)).text()
      expect((await fetch(`${origin}/readyz`)).status).toBe(503)
    })
    const answers = [
      await read(0),
      await read(1),
      await fetch(`${origin}/api/blogs`),
      await fetch(`${origin}/api/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ clientId: clientId(99), message: 'Hello', nonce: 'nonce-0099' }),
      }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(await answer.json()).toMatchObject({ code: 'unavailable', retryable: true })
    }
    expect(await (await fetch(`${origin}/readyz`)).json()).toMatchObject({
      message: 'The database is damaged.',
    })
    expect((await fetch(`${origin}/healthz`)).status).toBe(200)
    const lines = running.output().split('\n')
    expect(lines.filter((line) => line.includes('npm run restore -- FILE'))).toHaveLength(1)
  })
})
