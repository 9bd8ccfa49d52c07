import type { Storage } from '../storage.ts'
import { openSessions, openUsers } from './accounts.ts'
import { openAnswers } from './answers.ts'
import { openAttachments } from './attachments.ts'
import { openBlogs } from './blogs.ts'
import { openContacts } from './contacts.ts'
import { ConversationRows } from './conversation-rows.ts'
import { openConversations } from './conversations.ts'
import { takeOver } from './copy.ts'
import { DatabaseHealth, guarded } from './database-health.ts'
import { openDocuments } from './documents.ts'
import { createLogEmptying } from './empty-log.ts'
import { openInbox } from './inbox.ts'
import { InboxRows } from './inbox-rows.ts'
import { openJobs } from './jobs.ts'
import { openLinks } from './links.ts'
import { openMessages } from './messages.ts'
import { openDatabase } from './open-database.ts'
import { repairTimes } from './repair-times.ts'
import { openReplies } from './replies.ts'
import { openReviews } from './reviews.ts'
import { openSamples } from './samples.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { openSearch } from './search.ts'
import { openSubscriptions } from './subscriptions.ts'
import { openVisitors } from './visitors.ts'
import { WriteQueue } from './write-queue.ts'

/**
 * Opens the embedded database, and creates a missing one.
 * @param file a path, or ':memory:' for tests that need no durability
 * @throws when `openDatabase` does, or when the store is half filled
 */
export function openSqlite(file: string, health = new DatabaseHealth(file)): Storage {
  const db = openDatabase(file)
  try {
    takeOver(db)
  } catch (error) {
    db.close()
    throw error
  }
  const rows = new ConversationRows(db)
  const inbox = new InboxRows(db, rows)
  const queue = new WriteQueue(db, health, () => rows.forgetAll())
  const log = createLogEmptying(db, file)
  // A process that died may have left erased words in it.
  log.request()
  const pingSql = db.prepare('SELECT 1')
  const { ping, repairTimes: repair } = guarded(
    {
      async ping() {
        pingSql.get()
        if (health.writeError === null) return
        // The smallest possible write, to check whether the disk has space again.
        await queue.write(() => db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)).catch(() => {})
        if (health.writeError !== null) throw health.writeError
      },
      repairTimes: (now: number) => repairTimes(db, queue, rows, now),
    },
    health,
  )
  return {
    messages: guarded(openMessages(db, queue, rows, inbox), health),
    attachments: guarded(log.after(openAttachments(db, queue), 'remove'), health),
    conversations: guarded(log.after(openConversations(db, queue, rows, inbox), 'erase'), health),
    inbox: guarded(openInbox(db, queue, rows, inbox), health),
    visitors: guarded(openVisitors(db, queue, rows, inbox), health),
    users: guarded(openUsers(db, queue), health),
    sessions: guarded(openSessions(db, queue), health),
    blogs: guarded(openBlogs(db, queue), health),
    reviews: guarded(openReviews(db, queue), health),
    contacts: guarded(openContacts(db, queue), health),
    replies: guarded(openReplies(db, queue), health),
    documents: guarded(openDocuments(db, queue), health),
    jobs: guarded(openJobs(db, queue), health),
    answers: guarded(openAnswers(db, queue), health),
    links: guarded(openLinks(db, queue), health),
    subscriptions: guarded(openSubscriptions(db, queue), health),
    samples: guarded(openSamples(db, queue), health),
    search: guarded(log.after(openSearch(db, queue), 'forget'), health),
    contentRevision: null,
    ping,
    repairTimes: repair,
    async close() {
      if (!db.isOpen) return
      queue.close()
      log.close()
      db.close()
      health.close()
    },
  }
}
