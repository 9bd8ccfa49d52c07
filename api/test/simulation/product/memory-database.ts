import { currentActor } from './world.ts'

// Replaces node:sqlite, and so cannot import it.
const { DatabaseSync } = process.getBuiltinModule('node:sqlite')

let uri = ''
let anchor: InstanceType<typeof DatabaseSync> | null = null
let databases = 0

/** Lets all actors that open a database in memory open the same one, which outlives them. */
class SharedDatabase extends DatabaseSync {
  constructor(file: string, options: ConstructorParameters<typeof DatabaseSync>[1] = {}) {
    const actor = currentActor()
    super(file === ':memory:' && actor !== undefined ? uri : file, options)
    actor?.onKilled.add(() => this.isOpen && this.close())
  }
}

export { SharedDatabase as DatabaseSync }

/** Begins with an empty database. */
export function emptyDatabase(): void {
  anchor?.close()
  databases += 1
  uri = `file:simulated-${databases}?mode=memory&cache=shared`
  anchor = new DatabaseSync(uri)
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
