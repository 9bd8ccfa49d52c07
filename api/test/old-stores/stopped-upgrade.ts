// Upgrades a store. Given a version, it is stopped in the step that makes it: by SIGKILL, or as by a full disk. Prints an
// error as the server does.

import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../../src/storage/sqlite/open-database.ts'

const [, , file = '', version = '', how = ''] = process.argv

const stops: Record<string, (db: DatabaseSync, step: string) => void> = {
  /** All statements of the step have run, and none is committed. */
  kill(db, step) {
    // Pages that do not fit into memory are in the log already.
    run.call(db, 'PRAGMA cache_size = 10')
    run.call(db, step.replace(/COMMIT$/, ''))
    process.kill(process.pid, 'SIGKILL')
  },
  /** The first statement that needs a page fails, as on a full disk. */
  pages(db, step) {
    const { page_count } = db.prepare('PRAGMA page_count').get() as { page_count: number }
    run.call(db, `PRAGMA max_page_count = ${page_count}`)
    run.call(db, step)
  },
  /** All statements have run, and writing them to the log fails. */
  writes(db, step) {
    run.call(db, step.replace(/COMMIT$/, ''))
    execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=1:'])
    run.call(db, 'COMMIT')
  },
}

const run = DatabaseSync.prototype.exec
DatabaseSync.prototype.exec = function (sql) {
  if (!sql.includes(`PRAGMA user_version = ${version};`)) return run.call(this, sql)
  stops[how]?.(this, sql)
}
try {
  openDatabase(file).close()
} catch (error) {
  // It loads much more, which a process that is killed does not need.
  const { startupErrorMessage } = await import('../../src/startup-error.ts')
  process.stdout.write(await startupErrorMessage(error, dirname(file)))
}
