import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { openDatabase } from '../../src/storage/sqlite/open-database.ts'
import { migrate, SCHEMA_VERSION, versionOf } from '../../src/storage/sqlite/schema.ts'
import { temporaryDir } from '../server-process.ts'

const PROGRAM = join(import.meta.dirname, 'stopped-upgrade.ts')
const COPIES = 50

let folder: ReturnType<typeof temporaryDir>
afterEach(() => folder.remove())

/** A store of that version, with several hundred conversations: its own ones, copied. */
function filledStore(name: string): string {
  folder = temporaryDir('upgrade')
  const file = join(folder.path, 'chat.sqlite')
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, `${name}.sqlite.gz`))))
  const db = new DatabaseSync(file)
  db.exec(`CREATE TEMP TABLE copies AS
    WITH RECURSIVE counted (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM counted WHERE k < ${COPIES}) SELECT k FROM counted`)
  for (const table of ['conversations', 'messages']) {
    // Hidden columns are generated.
    const found = db.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0').all(table)
    const columns = found.map(({ name }) => String(name))
    const values = columns.map((column) =>
      column === 'clientId' || column === 'senderId'
        ? `iif(${column} = clientId, substr(clientId, 1, 16) || printf('%04d', k), ${column})`
        : column,
    )
    db.exec(`INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${table} CROSS JOIN copies`)
  }
  db.close()
  return file
}

/** The schema and all rows, read from a copy, because opening a file whose writer died changes it. */
function contentsOf(file: string): { version: number; contents: string } {
  const copy = join(folder.path, 'copy.sqlite')
  for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true })
  for (const end of ['', '-wal']) if (existsSync(file + end)) copyFileSync(file + end, copy + end)
  const db = new DatabaseSync(copy)
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all()
  const tables = schema.filter(({ type, sql }) => type === 'table' && !String(sql).includes('VIRTUAL'))
  const rows = tables.map(({ name }) => db.prepare(`SELECT * FROM "${name}"`).all())
  const version = versionOf(db)
  db.close()
  return { version, contents: JSON.stringify([schema, rows]) }
}

/** What the store contains in each version, if nothing stops its upgrade. */
function undisturbed(file: string): Map<number, string> {
  const reference = join(folder.path, 'reference.sqlite')
  copyFileSync(file, reference)
  const db = new DatabaseSync(reference)
  db.exec('PRAGMA synchronous = OFF')
  const contents = new Map<number, string>()
  for (let version = versionOf(db); version <= SCHEMA_VERSION; version++) {
    migrate(db, version)
    contents.set(version, contentsOf(reference).contents)
  }
  db.close()
  return contents
}

const full = (at: string) =>
  `The disk that holds DATA_DIR (${at}) is full. Free some space, then start again.`
const UNWRITABLE = "The server can't start: disk I/O error"

// The first version takes every step, and 25 is that of 1.0.0.
it.each([
  ['version-01', 'kill', ''],
  ['version-25', 'kill', ''],
  ['version-01', 'pages', 'full'],
  ['version-25', 'writes', UNWRITABLE],
])(
  'an upgrade of %s that is stopped in each step (%s) ends like any other',
  { timeout: 300_000 },
  (name, how, message) => {
    const file = filledStore(name)
    const expected = undisturbed(file)
    const [from = 0] = expected.keys()
    let next = from + 1
    let stops = 0
    while (next <= SCHEMA_VERSION) {
      const { signal, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, file, String(next), how])
      const found = contentsOf(file)
      expect(found.contents === expected.get(found.version), `version ${found.version} is whole`).toBe(true)
      // The last steps need no page, so a disk without one did not stop them.
      if (found.version === SCHEMA_VERSION) break
      const told = message === 'full' ? full(folder.path) : message
      expect([signal, String(stdout)], String(stderr)).toEqual([how === 'kill' ? 'SIGKILL' : null, told])
      stops += 1
      next = found.version + 2
    }
    // Every step writes. Only half of them need a page.
    expect(stops).toBeGreaterThan(how === 'pages' ? 20 : SCHEMA_VERSION - from - 1)
    openDatabase(file).close()
    expect(contentsOf(file).contents === expected.get(SCHEMA_VERSION)).toBe(true)
  },
)

it('reports the first step of a large store', () => {
  const file = filledStore('version-25')
  // The file is sparse. SQLite reads its size from its header.
  truncateSync(file, 256 * 1_024 ** 2)
  const reported: unknown[] = []
  openDatabase(file, { onUpgrading: (...step) => reported.push(step) }).close()
  expect(reported[0]).toEqual([1, SCHEMA_VERSION - 25])
})

/** Runs a script with a disk of a megabyte at the folder `disk`. Only Linux lets a user mount one. */
const withDisk = (script: string, ...args: string[]) =>
  spawnSync('unshare', [
    '-Urm',
    'sh',
    '-ec',
    `mount -t tmpfs -o size=1m none "$0/disk"; ${script}`,
    folder.path,
    ...args,
  ])

const canMount = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/tmp']).status === 0

it.skipIf(!canMount).each([16, 32, 100, 200])(
  'an upgrade that finds %i KB free goes on once there is room',
  (kilobytes) => {
    const file = filledStore('version-01')
    const expected = undisturbed(file)
    mkdirSync(join(folder.path, 'disk'))
    const { stdout, stderr, status } = withDisk(
      `cp "$0/chat.sqlite" "$0/disk"; rm "$0/chat.sqlite"
     free=$(df -k --output=avail "$0/disk" | tail -1)
     head -c "$((free - $1))k" /dev/zero > "$0/disk/filler"
     "$2" "$3" "$0/disk/chat.sqlite"; echo
     rm "$0/disk/filler"; mount -o remount,size=100m "$0/disk"
     "$2" "$3" "$0/disk/chat.sqlite"
     cp "$0/disk/chat.sqlite" "$0"`,
      String(kilobytes),
      process.execPath,
      PROGRAM,
    )
    expect([status, String(stdout)], String(stderr)).toEqual([0, `${full(join(folder.path, 'disk'))}\n`])
    const { version, contents } = contentsOf(file)
    expect([version, contents === expected.get(SCHEMA_VERSION)]).toEqual([SCHEMA_VERSION, true])
  },
)
