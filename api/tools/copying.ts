import { type Counts, TABLES, type Table } from '../src/storage/copy/store-copy.ts'
import { acquireInstanceLock } from '../src/storage/files/instance-lock.ts'
import type { Place } from '../src/storage/open-storage.ts'

/** Wrong arguments of a command. */
export class UsageError extends Error {}

/** Prints the result or the error message. Exit code 2 for wrong arguments, 1 for other errors. */
export async function runTool(run: () => Promise<string>): Promise<void> {
  try {
    console.log(await run())
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

/** The only argument. @throws UsageError */
export function fileArgument(usage: string): string {
  const [file, ...rest] = process.argv.slice(2)
  if (file === undefined || file === '' || file.startsWith('-') || rest.length > 0)
    throw new UsageError(usage)
  return file
}

/** Keeps servers off an embedded target until this process exits. Throws when a server uses it. */
export async function lockTarget({ dataDir, mongodbUrl }: Place): Promise<void> {
  if (mongodbUrl === undefined) await acquireInstanceLock(dataDir, { timeoutMs: 0 })
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

function rows(count: number, table: Table): string {
  if (table === 'audit') return `${count} audit ${count === 1 ? 'entry' : 'entries'}`
  return `${count} ${count === 1 ? table.slice(0, -1) : table}`
}
