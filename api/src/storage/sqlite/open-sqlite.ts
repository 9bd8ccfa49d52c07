import { AUDIT, openAudit } from '../model/audit.ts'
import { BLOGS, type BlogRecord, openBlogs } from '../model/blogs.ts'
import { CONTACTS, openContacts } from '../model/contacts.ts'
import { EVENTS, eventOfRow, openEvents } from '../model/events.ts'
import { JOBS, openJobs } from '../model/jobs.ts'
import type { PlainTable } from '../model/plain-table.ts'
import { openPlainRepositories } from '../model/plain-tables.ts'
import { openReports } from '../model/reports/report-tables.ts'
import { openReviews, PENDING_REVIEWS, REVIEWS, type ReviewRecord } from '../model/reviews.ts'
import { SESSIONS } from '../model/sessions.ts'
import type { Storage } from '../model/storage.ts'
import { withStoredChanges } from '../model/stored-changes.ts'
import { openUsers, USERS } from '../model/users.ts'
import { openAccounts } from './accounts.ts'
import { openAttachments } from './attachments.ts'
import { openAuditChain } from './audit-chain.ts'
import { openApproval, openSamples, UploadReferences } from './content.ts'
import { ConversationRows } from './conversation-rows.ts'
import { openConversationWriter } from './conversation-writer.ts'
import { openConversations } from './conversations.ts'
import { takeOver } from './copy.ts'
import { DatabaseHealth, guarded, guardedEach } from './database-health.ts'
import { createLogEmptying } from './empty-log.ts'
import { ErasedMessages } from './erased-messages.ts'
import { EventLog } from './event-log.ts'
import { openImports } from './imports.ts'
import { openInbox } from './inbox.ts'
import { InboxRows } from './inbox-rows.ts'
import { openMessages, openScheduling } from './messages.ts'
import { openDatabase, type UpgradeListeners } from './open-database.ts'
import { repairTimes } from './repair-times.ts'
import { openReportReads } from './reports.ts'
import { openRows, type RowHooks } from './rows.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { openSearch } from './search.ts'
import { openSeenMarks } from './seen-marks.ts'
import { openVisitors } from './visitors.ts'
import { always, WriteQueue } from './write-queue.ts'

/**
 * Opens the embedded database, and creates a missing one.
 * @param file a path, or ':memory:' for tests that need no durability
 * @throws when `openDatabase` does, or when the store is half filled
 */
export function openSqlite(
  file: string,
  health = new DatabaseHealth(file),
  listeners?: UpgradeListeners,
): Storage {
  const db = openDatabase(file, listeners)
  try {
    takeOver(db)
  } catch (error) {
    db.close()
    throw error
  }
  const rows = new ConversationRows(db)
  const events = new EventLog(db)
  const inbox = new InboxRows(db, rows, events)
  const queue = new WriteQueue(db, health, () => {
    rows.forgetAll()
    events.forget()
  })
  const erased = new ErasedMessages(db, queue)
  const schedule = openScheduling(db)
  const writer = openConversationWriter(db, queue, rows, inbox)
  const appendEntry = openAuditChain(db)
  const plain = <Row extends object>(table: PlainTable<Row>, hooks?: RowHooks<Row>) =>
    openRows(db, queue, table, hooks)
  const reviewCreated = (review: ReviewRecord) => events.add(() => [eventOfRow('review.created', review)])
  const { endSessions, ...accounts } = openAccounts(db, queue)
  const userTables = { users: plain(USERS, { updated: endSessions }), sessions: plain(SESSIONS), ...accounts }
  const reviewTables = {
    published: plain(REVIEWS, { inserted: reviewCreated }),
    pending: plain(PENDING_REVIEWS, { inserted: reviewCreated }),
    ...openApproval(db, queue),
  }
  const contactRows = plain(CONTACTS, {
    inserted: (contact) => events.add(() => [eventOfRow('contact.created', contact)]),
  })
  const references = new UploadReferences(db)
  const blogRows = plain(BLOGS, {
    inserted: (blog) => references.set(blog),
    // An update that sets the content sets every field.
    updated(where, set) {
      if (set.content !== undefined) references.set({ ...where, ...set } as BlogRecord)
    },
  })
  const log = createLogEmptying(db, file)
  // A process that died may have left erased messages, and erased words in the log. An error is in `health`.
  erased.finish().then(log.request, () => {})
  const pingSql = db.prepare('SELECT 1')
  const { ping, repairTimes: repair } = guarded(
    {
      async ping() {
        pingSql.get()
        if (health.writeError === null) return
        // The smallest possible write shows whether the disk has space again.
        await queue.write(() => db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`), always).catch(() => {})
        if (health.writeError !== null) throw health.writeError
      },
      repairTimes: (now: number) => repairTimes(db, queue, rows, now),
    },
    health,
  )
  const repositories = {
    messages: openMessages(db, queue, rows, inbox, events, erased),
    attachments: log.after(openAttachments(db, queue), 'remove'),
    conversations: log.after(openConversations(db, queue, rows, inbox, events, erased), 'erase'),
    inbox: openInbox(db, writer, rows, inbox),
    imports: log.after(openImports(db, queue, rows, inbox), 'remove'),
    seenMarks: openSeenMarks(db, queue, rows),
    visitors: openVisitors(db, writer),
    users: openUsers(userTables),
    blogs: openBlogs(blogRows, references.refersTo),
    reviews: openReviews(reviewTables),
    contacts: openContacts(contactRows),
    jobs: openJobs(plain(JOBS), (job) => queue.write(() => schedule(job), always)),
    events: openEvents(plain(EVENTS), {
      begin: () => queue.write(() => events.begin(), always),
      ofConversation: async (...args) => events.ofConversation(...args),
    }),
    audit: openAudit(plain(AUDIT), (entry) => queue.write(() => appendEntry(entry), always)),
    samples: openSamples(db, queue),
    reports: log.after(openReports({ plain, conversations: openReportReads(db) }), 'purge'),
    search: log.after(openSearch(db, queue), 'forget'),
    ...openPlainRepositories(plain),
  }
  return {
    ...withStoredChanges(guardedEach(repositories, health)),
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
