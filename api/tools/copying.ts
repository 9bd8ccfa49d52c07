import { mkdirSync } from 'node:fs'
import { dataDirIn } from '../src/env/env.ts'
import { isFull } from '../src/limits/disk-space.ts'
import { TABLES, type Table } from '../src/storage/copy/copied-tables.ts'
import type { Counts } from '../src/storage/copy/store-copy.ts'
import { acquireInstanceLock } from '../src/storage/files/instance-lock.ts'
import { type ChainCheck, numberOf } from '../src/storage/model/audit.ts'
import type { StoreLocation } from '../src/storage/open-storage.ts'
import { isDiskFull, isStoreOutage } from '../src/storage/sqlite/database-health.ts'

/** Wrong arguments of a command. */
export class UsageError extends Error {}

/** Prints the result or the error message. Exit code 2 for wrong arguments, 1 for other errors. */
export async function runTool(run: () => Promise<string>): Promise<void> {
  try {
    console.log(await run())
  } catch (error) {
    console.error(await problemOf(error))
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

/** One sentence for the operator. */
export async function problemOf(error: unknown): Promise<string> {
  return isDiskFull(error) || (isStoreOutage(error) && (await isFull(dataDirIn())))
    ? `The disk that holds DATA_DIR (${dataDirIn()}) is full: free some space, then run this again.`
    : (error as Error).message
}

/** The only argument. @throws UsageError */
export function fileArgument(usage: string): string {
  const [file, ...rest] = process.argv.slice(2)
  if (file === undefined || file === '' || file.startsWith('-') || rest.length > 0)
    throw new UsageError(usage)
  return file
}

/** Keeps servers off an embedded target until this process exits. Throws when a server uses it. */
export async function lockTarget({ dataDir, mongodbUrl }: StoreLocation): Promise<void> {
  if (mongodbUrl !== undefined) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  await acquireInstanceLock(dataDir, { timeoutMs: 0 })
}

/** Prints progress: on a terminal one line that changes every second, otherwise one line per finished table. */
export function createProgress(total: Counts): {
  on: (table: Table, done: number, pass: string) => void
  end: () => void
} {
  const terminal = process.stdout.isTTY
  let now = { table: '' as Table | '', done: 0, pass: '' }
  let shownAt = 0
  const line = () => (now.table === '' ? '' : `${now.pass} ${rows(now.done, now.table)}`)
  const end = () => {
    if (terminal) process.stdout.write('\r\x1b[K')
    else if (now.table !== '') console.log(line())
    now.table = ''
  }
  return {
    on(table, done, pass) {
      if (now.table !== table || now.pass !== pass) end()
      now = { table, done, pass }
      if (!terminal || Date.now() - shownAt < 1_000) return
      shownAt = Date.now()
      process.stdout.write(`\r\x1b[K${line()} of about ${total[table]}`)
    },
    end,
  }
}

/** A list such as "1 user, 3 blogs". */
export function listCounts(counts: Counts): string {
  // Each attachment has one file.
  const listed = TABLES.filter((table) => table !== 'attachmentFiles' && counts[table] > 0)
  const parts = listed.map((table) => rows(counts[table], table))
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

/** What the copied audit log says of itself, as sentences behind the result; empty without a log. */
export function chainWords(chain: ChainCheck): string {
  const { brokenAt, head } = chain.result()
  if (head === null) return ''
  const last = ` Its last audit entry is ${numberOf(head)} ${head.hash}.`
  if (brokenAt === null) return last
  return `${last}\nWARNING: the audit log is broken at entry ${brokenAt}, which does not follow from the entry before it. It was changed outside of the server before it was copied. Compare it with an older backup, and with hashes that you saved.`
}

/** Tables whose names are no plural of what their rows are. */
const ROWS: Partial<Record<Table, string>> = {
  activity: 'log entries',
  apiKeys: 'API keys',
  audit: 'audit entries',
  remembered: 'remembered visitors',
}

function rows(count: number, table: Table): string {
  return counted(count, ROWS[table] ?? table.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
}

/** Such as "1 reply" for `replies`. */
export function counted(count: number, plural: string): string {
  if (count !== 1) return `${count} ${plural}`
  return `1 ${plural
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^s])s$/, '$1')}`
}
