import type { Storage } from '../storage.ts'
import { openSessions, openUsers } from './accounts.ts'
import { openBlogs } from './blogs.ts'
import { openContacts } from './contacts.ts'
import { openConversations } from './conversations.ts'
import { takeOver } from './copy.ts'
import { openDemo } from './demo.ts'
import { openDatabase } from './open-database.ts'
import { openReviews } from './reviews.ts'
import { WriteQueue } from './write-queue.ts'

/**
 * Opens the embedded database, creating it when it is missing.
 * @param file a path, or ':memory:' for tests that need no durability
 * @throws when the file cannot be opened, is of a newer schema, does not take the durable settings, or is half filled
 */
export function openSqlite(file: string): Storage {
  const db = openDatabase(file)
  try {
    takeOver(db)
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
