// Migrates a database, and is killed with SIGKILL in the transaction that makes the given version.

import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../../src/storage/sqlite/schema.ts'

const [, , file = '', version = ''] = process.argv
const db = new DatabaseSync(file)
db.exec('PRAGMA journal_mode = WAL')
const exec = db.exec.bind(db)
db.exec = (sql) => {
  if (!sql.includes(`PRAGMA user_version = ${version};`)) return exec(sql)
  exec(sql.replace(/COMMIT$/, ''))
  process.kill(process.pid, 'SIGKILL')
}
migrate(db)
