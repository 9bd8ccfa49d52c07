import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { copyStore } from '../../../src/backup/copy-store.ts'
import { TABLES, type Table } from '../../../src/storage/copy/copied-tables.ts'
import { openBackup } from '../../../src/storage/files/backup-file.ts'
import { ChainCheck } from '../../../src/storage/model/audit.ts'
import { openCopyTarget } from '../../../src/storage/open-storage.ts'
import { DatabaseHealth } from '../../../src/storage/sqlite/database-health.ts'
import { buildTestApp } from '../../build-app.ts'
import { checkLog } from '../app-world.ts'
import type { Target } from '../loop.ts'
import { checkStoredRows } from '../stored-rows.ts'

export const isJson = true
export const bytesMax = 32 * 1_024
/** A backup is larger than the inputs of others. */
export const keptBytesMax = 30 * 1_024
export const words = [
  ...TABLES.map((table) => `["${table}",`),
  ...[
    '../../x',
    'application/pdf',
    'image/svg+xml',
    'FirstVisitorOfAStore',
    'a'.repeat(24),
    '$argon2id$v=19$m=1',
  ],
  ...['base64', 'last', 'name', 'epoch', 'clientId', 'seq', 'resolved', 'snoozed', 'open'],
]

/** Lists that have the restored rows. */
const READ_AFTER_RESTORE = [
  ...[
    '/config',
    '/faq',
    '/texts/privacy',
    '/texts',
    '/blogs',
    '/reviews',
    '/languages',
    '/contacts',
    '/chat',
    '/audit',
  ],
  ...[
    '/team',
    '/settings',
    '/sites',
    '/keys',
    '/endpoints',
    '/replies',
    '/events',
    '/search?q=hello',
    '/reports/now',
    '/reports?from=2026-11-01&to=2026-11-28',
  ],
  ...['/account', '/account/searches', '/chat/counts', '/chat/labels', '/suggestions'],
]

/** Of a file that begins as gzip does: its bytes are read as they are. */
const GZIP = Buffer.from([0x1f, 0x8b])

/**
 * An input is a backup's text without its end. Gets the end that belongs to it, so that a changed row is no changed
 * file. Creating a store takes most of a run, so only backups that are accepted pay for it.
 */
export async function open(): Promise<Target> {
  const dir = mkdtempSync(join(tmpdir(), 'proctorpass-fuzz-backup-'))
  const file = join(dir, 'fuzzed.backup')
  const dataDir = join(dir, 'restored')

  return {
    async beforeRun() {
      rmSync(dataDir, { recursive: true, force: true })
    },
    async run(input) {
      writeFileSync(file, input.subarray(0, 2).equals(GZIP) ? input : written(input))
      const backup = await openBackup(file).catch((error: Error) => error)
      if (backup instanceof Error) return [refusalIn(backup)]
      const target = await openCopyTarget({ dataDir })
      const chain = new ChainCheck()
      try {
        await copyStore(backup, target, { as: 'restored', chain })
      } catch (error) {
        // A refusal after the target was created leaves an empty one.
        const held = await target.holds()
        if (held.length > 0) throw new Error(`A refused restore left ${held.join(', ')}.`, { cause: error })
        return [refusalIn(error as Error)]
      } finally {
        await target.close()
      }
      await checkRestored(dataDir)
      return [`chain ${chain.result().brokenAt === null}`]
    },
    // The restored store's start is the slowest part.
    cpuMsMax: () => 2_000,
    async close() {
      rmSync(dir, { recursive: true })
    },
  }
}

function written(body: Buffer): Buffer {
  const text = body.at(-1) === 10 ? body : Buffer.concat([body, Buffer.from('\n')])
  const counts = Object.fromEntries(TABLES.map((table) => [table, 0])) as Record<Table, number>
  for (const line of text.toString().split('\n')) {
    const table = /^\s*\[\s*"(\w+)"/.exec(line)?.[1] as Table | undefined
    if (table !== undefined && Object.hasOwn(counts, table) && !line.includes('"last":false'))
      counts[table] += 1
  }
  const sha256 = createHash('sha256').update(text).digest('hex')
  const end = Buffer.from(`${JSON.stringify(['end', { counts, sha256 }])}\n`)
  return gzipSync(Buffer.concat([text, end]), { level: 1 })
}

/** Returns what a refusal is about. An operator must be able to read it. */
function refusalIn({ message, stack }: Error): string {
  if (!/^[\n -~]{20,300}\.$/.test(message)) throw new Error(`Not a sentence: ${stack}`)
  return message.replace(/\d+/g, '0')
}

/** What the doctor and a starting server look at. */
async function checkRestored(dataDir: string): Promise<void> {
  await new DatabaseHealth(join(dataDir, 'chat.sqlite')).check()
  await checkStoredRows(dataDir)
  const test = await buildTestApp({ dataDir, variables: { RATE_LIMITS: 'off' } })
  try {
    const { userId, sid } = await test.addSession('after-the-restore', ['Admin'])
    const headers = { authorization: `Bearer ${test.app.signAccess({ _id: userId }, sid)}` }
    for (const path of READ_AFTER_RESTORE) {
      const answer = await test.call('GET', `/api${path}`, { headers })
      if (answer.statusCode >= 500) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`)
      if (path === '/chat') for (const each of clientIdsIn(answer.json())) await readChat(each)
    }
    checkLog(test)

    async function readChat(clientId: string): Promise<void> {
      for (const part of ['', '/visitor', '/activity', '/scheduled', '/summary']) {
        const answer = await test.call('GET', `/api/chat/admin/${clientId}${part}`, { headers })
        if (answer.statusCode !== 200) throw new Error(`${part}: ${answer.statusCode} ${answer.body}`)
      }
    }
  } finally {
    await test.close()
  }
}

function clientIdsIn({ conversations = [] }: { conversations?: { clientId: string }[] }): string[] {
  return conversations.map(({ clientId }) => clientId)
}
