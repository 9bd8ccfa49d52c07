import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { openingProblem } from './database-health.ts'
import { migrate, SCHEMA_VERSION, versionOf } from './schema.ts'

/** An upgrade of a smaller database ends within seconds, so its first step is not reported. */
const LARGE_BYTES = 256 * 1_024 ** 2
const REPORT_EVERY_MS = 1_000

export interface UpgradeListeners {
  /** Called before a step of an upgrade that takes seconds, at most once a second. */
  onUpgrading?: (step: number, steps: number) => void
  /** Called after an upgrade from an older schema version. */
  onUpgraded?: (from: number, to: number) => void
}

/**
 * Opens the embedded database and migrates its tables. Creates a missing one.
 * @throws when it cannot be opened, is damaged, has a newer schema, or refuses the durable settings
 */
export function openDatabase(file: string, listeners: UpgradeListeners = {}): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 2_000 })
  try {
    // The version is checked first, so that a newer release's store stays unchanged.
    versionOf(db)
    db.exec('PRAGMA journal_mode = WAL')
    // With FULL, an acknowledged commit survives a power failure, not only a crash of the process.
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA foreign_keys = ON')
    // Deleted rows are overwritten, so that an erased conversation does not remain in free pages.
    db.exec('PRAGMA secure_delete = ON')
    // Pages are mapped into memory instead of copied. The size is a limit, not a reservation.
    db.exec('PRAGMA mmap_size = 268435456')
    // The log is copied into the file after 8 MB, twice as rarely as by default, because a page that many messages change
    // is then copied once. Pages that are only in the log can't be mapped, so they have as much room in memory.
    db.exec('PRAGMA wal_autocheckpoint = 2000')
    db.exec('PRAGMA cache_size = -8000')
    assertDurable(db, file)
    const from = migrate(db, SCHEMA_VERSION, inSeconds(file, listeners.onUpgrading))
    if (from > 0 && from < SCHEMA_VERSION) listeners.onUpgraded?.(from, SCHEMA_VERSION)
  } catch (error) {
    db.close()
    throw openingProblem(file, error)
  }
  return db
}

/**
 * Returns a listener that leaves out the steps within a second of the last reported one. A step is one transaction, so
 * nothing is reported while it runs.
 */
function inSeconds(file: string, report: UpgradeListeners['onUpgrading']) {
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  let reportedAt = size < LARGE_BYTES ? performance.now() : Number.NEGATIVE_INFINITY
  return (step: number, steps: number) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return
    reportedAt = performance.now()
    report?.(step, steps)
  }
}

/** Throws where messages would not be durable, because the server acknowledges them as durable. */
function assertDurable(db: DatabaseSync, file: string): void {
  const { journal_mode } = db.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
  const { synchronous } = db.prepare('PRAGMA synchronous').get() as { synchronous: number }
  if (synchronous !== 2 || (journal_mode !== 'wal' && file !== ':memory:')) {
    throw new Error(
      `The database at ${file} must run with journal_mode=wal and synchronous=FULL, ` +
        `but has ${journal_mode} and ${synchronous}. Network file systems can't do this: choose a local DATA_DIR.`,
    )
  }
}
