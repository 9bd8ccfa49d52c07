import { currentActor } from './world.ts'

// Replaces node:sqlite, and so cannot import it.
const { DatabaseSync } = process.getBuiltinModule('node:sqlite')

let uri = ''
let anchor: InstanceType<typeof DatabaseSync> | null = null
let databases = 0
/** Decides whether the disk has no room for a commit. */
let refusesCommit = () => false

const FULL = { code: 'ERR_SQLITE_ERROR', errcode: 13 }
/** More pages than a database has here. */
const PAGES = 1_000_000

/** Lets all actors that open a database in memory open the same one, which outlives them. */
class SharedDatabase extends DatabaseSync {
  constructor(file: string, options: ConstructorParameters<typeof DatabaseSync>[1] = {}) {
    const actor = currentActor()
    super(file === ':memory:' && actor !== undefined ? uri : file, options)
    actor?.onKilled.add(() => this.isOpen && this.close())
  }

  override prepare(sql: string) {
    const statement = super.prepare(sql)
    if (sql !== 'COMMIT') return statement
    const run = statement.run.bind(statement)
    statement.run = () => {
      if (refusesCommit()) throw Object.assign(new Error('database or disk is full'), FULL)
      return run()
    }
    return statement
  }
}

export { SharedDatabase as DatabaseSync }

/** Begins with an empty database. */
export function emptyDatabase(): void {
  anchor?.close()
  refusesCommit = () => false
  databases += 1
  uri = `file:simulated-${databases}?mode=memory&cache=shared`
  anchor = new DatabaseSync(uri)
}

/** From now on, the database can grow or not, and some commits are refused. */
export function limitDatabase(isFull: boolean, refuses: () => boolean): void {
  refusesCommit = refuses
  // With a number below that of its pages, SQLite takes that number.
  anchor?.exec(`PRAGMA max_page_count = ${isFull ? 1 : PAGES}`)
}

/** All rows of a table. */
export const rowsOf = (table: string) => anchor?.prepare(`SELECT * FROM "${table}"`).all() ?? []

/** The tables whose rows have the text, also in bytes. */
export function tablesWith(text: string): string[] {
  const names = anchor?.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() ?? []
  const has = (value: unknown) =>
    (value instanceof Uint8Array ? Buffer.from(value) : String(value)).includes(text)
  return names
    .map(({ name }) => String(name))
    .filter((name) => rowsOf(name).some((row) => Object.values(row).some(has)))
}
