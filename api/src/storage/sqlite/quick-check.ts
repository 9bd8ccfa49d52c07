import { DatabaseSync } from 'node:sqlite'

// A separate program: prints "ok" or the first problem of the given database.
const [, , file = ''] = process.argv
try {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 2_000 })
  const { quick_check } = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
  process.stdout.write(quick_check.replaceAll('\n', ' '))
} catch (error) {
  const { errcode = 0, message } = error as Error & { errcode?: number }
  // CORRUPT or NOTADB; any other error is no proof of damage.
  process.stdout.write([11, 26].includes(errcode & 0xff) ? message : 'ok')
}
