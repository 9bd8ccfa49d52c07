import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryDir } from '../server-process.ts'
import { withoutUnallocated } from './sqlite-pages.ts'

let dir: ReturnType<typeof temporaryDir>
let path: string
let db: DatabaseSync
beforeEach(() => {
  dir = temporaryDir('pages')
  path = join(dir.path, 'a.sqlite')
  db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)')
})
afterEach(() => {
  db.close()
  dir.remove()
})

const has = (suffix: string, text: string) => withoutUnallocated(readFileSync(path + suffix)).includes(text)

it('leaves rows and deleted rows, in the database and in its log', () => {
  db.exec(`PRAGMA secure_delete = OFF; INSERT INTO texts (text) VALUES ('first'), ('second'), ('third')`)
  expect(has('-wal', 'first')).toBe(true)
  db.exec(`DELETE FROM texts WHERE text = 'second'; PRAGMA wal_checkpoint(TRUNCATE)`)
  expect(['first', 'second', 'third'].map((text) => has('', text))).toEqual([true, true, true])
})

it('clears the bytes between the pointers and the cells of a page', () => {
  db.exec(`INSERT INTO texts (text) VALUES ('first'); PRAGMA wal_checkpoint(TRUNCATE)`)
  const file = readFileSync(path)
  const pageSize = file.readUInt16BE(16)
  // Page 2 is the table.
  file.write('moved', pageSize + 1_000)
  expect(file.includes('moved')).toBe(true)
  expect(withoutUnallocated(file).includes('moved')).toBe(false)
  expect(withoutUnallocated(file).includes('first')).toBe(true)
})
