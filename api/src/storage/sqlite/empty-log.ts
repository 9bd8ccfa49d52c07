import type { DatabaseSync } from 'node:sqlite'

/** The delay before the log is emptied. It is long enough for a caller that removes rows in steps. */
const SOON_MS = 200
/** The delay between two attempts while a reader, such as a backup, needs the log. */
const RETRY_MS = 2_000

/**
 * Empties the write-ahead log after something was erased. `secure_delete` overwrites deleted rows in the database, but
 * the log has their old pages until new ones replace them. Emptying never waits for another connection. It copies what
 * the next automatic checkpoint would copy anyway, so it delays messages no longer than that checkpoint would.
 * @see docs/decisions/0048-erasing.md
 */
export function createLogEmptying(db: DatabaseSync, file: string) {
  let timer: NodeJS.Timeout | undefined

  function run(): void {
    timer = undefined
    if (db.isOpen && !isEmptied()) request(RETRY_MS)
  }

  function isEmptied(): boolean {
    const { timeout } = db.prepare('PRAGMA busy_timeout').get() as { timeout: number }
    try {
      db.exec('PRAGMA busy_timeout = 0')
      const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
      return busy === 0
    } catch {
      // Either a statement on this connection is still reading, or the disk is full, which failed writes report.
      return false
    } finally {
      db.exec(`PRAGMA busy_timeout = ${timeout}`)
    }
  }

  function request(ms = SOON_MS): void {
    if (file !== ':memory:') timer ??= setTimeout(run, ms).unref()
  }

  return {
    request: () => request(),
    /** Returns the repository, wrapped so that the log is emptied after each call of these methods. */
    after<T extends object>(repository: T, ...methods: (keyof T)[]): T {
      const wrapped = methods.map((name) => {
        const method = repository[name] as (...args: unknown[]) => Promise<unknown>
        return [
          name,
          async (...args: unknown[]) => {
            const result = await method(...args)
            request()
            return result
          },
        ]
      })
      return { ...repository, ...Object.fromEntries(wrapped) }
    },
    close: () => clearTimeout(timer),
  }
}
