import { AUDIT, openAudit } from '../model/audit.ts'
import { BLOGS, openBlogs } from '../model/blogs.ts'
import { CONTACTS, openContacts } from '../model/contacts.ts'
import { EVENTS, openEvents } from '../model/events.ts'
import { JOBS, openJobs } from '../model/jobs.ts'
import type { PlainTable } from '../model/plain-table.ts'
import { openPlainRepositories } from '../model/plain-tables.ts'
import { openReports } from '../model/reports/report-tables.ts'
import { openReviews, REVIEWS } from '../model/reviews.ts'
import { SESSIONS } from '../model/sessions.ts'
import type { Stores } from '../model/storage.ts'
import { withStoredChanges } from '../model/stored-changes.ts'
import { openUsers, USERS } from '../model/users.ts'
import { openAttachments } from './attachments.ts'
import { openAuditChain } from './audit-chain.ts'
import { collectionsOf } from './collections.ts'
import { connectMongo, type MongoConnection } from './connection.ts'
import {
  openApproval,
  openContentRevision,
  openReferences,
  openSamples,
  PENDING,
  PENDING_DOCUMENTS,
  PUBLISHED,
  uploadsOf,
} from './content.ts'
import { openConversations } from './conversations.ts'
import { takeOver } from './copy.ts'
import { openEventNumbers } from './event-numbers.ts'
import { ATTACHMENT_BUCKET, openFileStore } from './file-store.ts'
import type { Guard } from './guard.ts'
import { openImports } from './imports.ts'
import { disableUnlessLast, firstInsertion } from './last-admin.ts'
import { repairTimes } from './repair-times.ts'
import { openReportReads } from './reports.ts'
import { openRows } from './rows.ts'
import { openScheduling } from './scheduling.ts'
import { prepareSchema, SCHEMA_VERSION } from './schema.ts'
import { openSearch } from './search.ts'
import { openSeenMarks } from './seen-marks.ts'
import { openSweeping } from './sweeping.ts'

/** The interval at which audit entries from processes that died are looked for. */
const RECOVER_EVERY_MS = 5_000
const REPAIR_WITHIN_MS = 60 * 60 * 1_000

/**
 * Opens the store and creates missing indexes. Several processes can open the same store.
 * @throws AppError `unavailable` when no server answers; Error when a newer release wrote the store or it is half filled
 */
export async function openMongo(
  url: string,
  uploadsMaxBytes?: number,
  onUpgraded?: (from: number, to: number) => void,
): Promise<Stores> {
  return openOn(await connectMongo(url), uploadsMaxBytes, onUpgraded)
}

/** Opens the store on a connection, which closes with the store. */
export async function openOn(
  connection: MongoConnection,
  uploadsMaxBytes?: number,
  onUpgraded?: (from: number, to: number) => void,
): Promise<Stores> {
  const { majority, guard } = connection
  const auditRows = openRows(connection.db, majority, AUDIT)
  const chain = openAuditChain(connection.db, auditRows)
  try {
    const from = await prepareSchema(connection.db)
    if (from > 0 && from < SCHEMA_VERSION) onUpgraded?.(from, SCHEMA_VERSION)
    await takeOver(collectionsOf(connection.db).meta, openAudit(auditRows, chain.append))
  } catch (error) {
    await connection.close()
    throw error
  }
  const collections = collectionsOf(connection.db)
  const plain = <Row extends object>(table: PlainTable<Row>) =>
    openRows(connection.db, majority, table, chain.writes)
  const numbers = openEventNumbers(collections, majority)
  const contactRows = openRows(connection.db, majority, CONTACTS, chain.writes, {
    inserted: numbers.mark,
  })
  const userRows = plain(USERS)
  const userTables = {
    users: userRows,
    sessions: plain(SESSIONS),
    insertFirst: firstInsertion(userRows),
    disable: disableUnlessLast(collections, majority),
  }
  const reviewTables = {
    published: openRows(connection.db, majority, REVIEWS, chain.writes, {
      among: PUBLISHED,
      inserted: numbers.mark,
    }),
    pending: openRows(connection.db, majority, PENDING_DOCUMENTS, chain.writes, {
      among: PENDING,
      inserted: () => ({ demo: false, ...numbers.mark() }),
    }),
    ...openApproval(collections, majority),
  }
  // Samples have no events.
  const sampleReviews = openRows(connection.db, majority, REVIEWS, chain.writes, { among: PUBLISHED })
  const blogRows = openRows(connection.db, majority, BLOGS, chain.writes, { derived: uploadsOf })
  const { messages, conversations, visitors, inbox, sweep } = openConversations(
    collections,
    majority,
    chain.writes,
    numbers,
    () => sweeping.soon(),
  )
  const sweeping = openSweeping(sweep)
  await numbers.start()

  sweeping.start()
  const recover = () => void chain.recover().catch(() => {})
  recover()
  const recoverTimer = setInterval(recover, RECOVER_EVERY_MS).unref()

  const repositories = {
    messages,
    attachments: openAttachments(collections, majority),
    conversations,
    visitors,
    inbox,
    imports: openImports(collections),
    seenMarks: openSeenMarks(collections, majority),
    users: openUsers(userTables),
    blogs: openBlogs(blogRows, openReferences(collections, majority)),
    reviews: openReviews(reviewTables),
    contacts: openContacts(contactRows),
    jobs: openJobs(openRows(connection.db, majority, JOBS), openScheduling(collections)),
    events: openEvents(plain(EVENTS), { begin: numbers.begin }),
    audit: openAudit(auditRows, chain.append),
    samples: openSamples(collections, majority, blogRows, sampleReviews),
    reports: openReports({ plain, conversations: openReportReads(collections, majority) }),
    search: openSearch(collections, majority, inbox),
    contentRevision: openContentRevision(collections.meta),
    ...openPlainRepositories(plain),
  }
  return {
    storage: {
      ...withStoredChanges(guardedEach(repositories, guard)),
      // The operator runs this command by hand while no server uses the store.
      ...guard({ repairTimes: (now: number) => repairTimes(collections, now, sweep) }, REPAIR_WITHIN_MS),
      async ping() {
        // This reads data, because a mongos answers `ping` itself even while its shards are down.
        await collections.meta.findOne({ _id: 'schema' }, { ...majority, projection: { _id: 1 } })
      },
      async close() {
        sweeping.stop()
        clearInterval(recoverTimer)
        await numbers.close()
        await connection.close()
      },
    },
    uploadFiles: guard(openFileStore(connection, uploadsMaxBytes)),
    attachmentFiles: guard(openFileStore(connection, uploadsMaxBytes, ATTACHMENT_BUCKET)),
  }
}

/** Passes each of the repositories through the guard. */
function guardedEach<T extends object>(repositories: T, guard: Guard['guard']): T {
  const each = Object.entries(repositories).map(([name, repository]) => [name, guard(repository)])
  return Object.fromEntries(each) as T
}
