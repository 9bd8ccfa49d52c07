import { DatabaseSync } from 'node:sqlite'

// A separate program: prints "ok" or the first problem of the given database. In JavaScript, because stripping types
// would take most of its time.
const [, , file = ''] = process.argv
try {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 2_000 })
  const { quick_check } = db.prepare('PRAGMA quick_check(1)').get()
  process.stdout.write(quick_check.replaceAll('\n', ' '))
} catch (error) {
  const { errcode = 0, message } = error
  // CORRUPT or NOTADB; any other error is no proof of damage.
  process.stdout.write([11, 26].includes(errcode & 0xff) ? message : 'ok')
}
