import { DatabaseSync } from 'node:sqlite'
import type { Storage } from '../storage.ts'
import { openSessions, openUsers } from './accounts.ts'
import { openBlogs } from './blogs.ts'
import { openContacts } from './contacts.ts'
import { openConversations } from './conversations.ts'
import { openDemo } from './demo.ts'
import { openReviews } from './reviews.ts'
import { migrate } from './schema.ts'
import { WriteQueue } from './write-queue.ts'

/**
 * Opens the embedded database, creating it when it is missing.
 * @param file a path, or ':memory:' for tests that need no durability
 * @throws when the file cannot be opened, is of a newer schema, or does not take the durable settings
 */
export function openSqlite(file: string): Storage {
  const db = new DatabaseSync(file, { timeout: 2_000 })
  try {
    db.exec('PRAGMA journal_mode = WAL')
    // FULL: a commit that was acknowledged survives a power cut, not only a crash of the process.
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA foreign_keys = ON')
    // Read pages from the map instead of copying them; a bound, not a reservation.
    db.exec('PRAGMA mmap_size = 268435456')
    assertDurable(db, file)
    migrate(db)
  } catch (error) {
    db.close()
    throw error
  }

  const queue = new WriteQueue(db)
  const pingSql = db.prepare('SELECT 1')
  return {
    ...openConversations(db, queue),
    users: openUsers(db, queue),
    sessions: openSessions(db, queue),
    blogs: openBlogs(db, queue),
    reviews: openReviews(db, queue),
    contacts: openContacts(db, queue),
    demo: openDemo(db, queue),
    edition: null,
    async ping() {
      pingSql.get()
    },
    async close() {
      if (!db.isOpen) return
      queue.close()
      db.close()
    },
  }
}

/** A message is acknowledged because it is durable: refuse to run where it would not be. */
function assertDurable(db: DatabaseSync, file: string): void {
  const { journal_mode } = db.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
  const { synchronous } = db.prepare('PRAGMA synchronous').get() as { synchronous: number }
  if (synchronous !== 2 || (journal_mode !== 'wal' && file !== ':memory:')) {
    throw new Error(
      `The database at ${file} must run with journal_mode=wal and synchronous=FULL, ` +
        `but has ${journal_mode} and ${synchronous}. Network file systems cannot do this: choose a local DATA_DIR.`,
    )
  }
}
