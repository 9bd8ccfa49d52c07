import { ADDRESSES, openAddresses } from '../model/addresses.ts'
import { ANSWERS, openAnswers } from '../model/answers.ts'
import { API_KEYS, openApiKeys } from '../model/api-keys.ts'
import { AUDIT, openAudit } from '../model/audit.ts'
import { BLOGS, openBlogs } from '../model/blogs.ts'
import { CHALLENGES, openChallenges } from '../model/challenges.ts'
import { CONTACTS, openContacts } from '../model/contacts.ts'
import { DOCUMENTS, openDocuments } from '../model/documents.ts'
import {
  DELIVERIES,
  ENDPOINTS,
  openDeliveries,
  openEndpoints,
  openRetries,
  RETRIES,
} from '../model/endpoints.ts'
import { EVENTS, openEvents } from '../model/events.ts'
import { JOBS, openJobs } from '../model/jobs.ts'
import { LINKS, openLinks } from '../model/links.ts'
import { MAILS, openMails } from '../model/mails.ts'
import type { PlainTable } from '../model/plain-table.ts'
import { IDENTITIES, openIdentities, openRemembered, REMEMBERED } from '../model/remembered.ts'
import { openReplies, REPLIES } from '../model/replies.ts'
import { openReports } from '../model/reports/report-tables.ts'
import { openReviews, REVIEWS } from '../model/reviews.ts'
import { openSessions, SESSIONS } from '../model/sessions.ts'
import { openSites, SITES } from '../model/sites.ts'
import type { Stores } from '../model/storage.ts'
import { openSubscriptions, SUBSCRIPTIONS } from '../model/subscriptions.ts'
import { openSuggestions, SUGGESTION_COUNTS } from '../model/suggestions.ts'
import { openUsers, USERS } from '../model/users.ts'
import { openAttachments } from './attachments.ts'
import { openAuditChain } from './audit-chain.ts'
import { openReferences, uploadsOf } from './blogs.ts'
import { collectionsOf } from './collections.ts'
import { connectMongo } from './connection.ts'
import { openContentRevision } from './content-revision.ts'
import { openConversations } from './conversations.ts'
import { takeOver } from './copy.ts'
import { openEventNumbers } from './event-numbers.ts'
import { disableUnlessLast, firstInsertion } from './last-admin.ts'
import { repairTimes } from './repair-times.ts'
import { openReportReads } from './reports.ts'
import { openApproval, PENDING, PENDING_DOCUMENTS, PUBLISHED } from './reviews.ts'
import { openRows } from './rows.ts'
import { openSamples } from './samples.ts'
import { openScheduling } from './scheduling.ts'
import { prepareSchema, SCHEMA_VERSION } from './schema.ts'
import { openSearch } from './search.ts'
import { openSeenMarks } from './seen-marks.ts'
import { OF_MESSAGES, openUploadFiles } from './uploads.ts'

const SWEEP_EVERY_MS = 60 * 60 * 1_000
/** How often entries of the audit log are looked for whose process died. */
const RECOVER_EVERY_MS = 5_000
const REPAIR_WITHIN_MS = 60 * 60 * 1_000

/**
 * Opens the store and creates missing indexes. Several processes can open the same store.
 * @throws AppError `unavailable` when no server answers; Error when the store is of a newer release or half filled
 */
export async function openMongo(
  url: string,
  uploadsMaxBytes?: number,
  onUpgraded?: (from: number, to: number) => void,
): Promise<Stores> {
  const connection = await connectMongo(url)
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
  // No event tells of samples.
  const sampleReviews = openRows(connection.db, majority, REVIEWS, chain.writes, { among: PUBLISHED })
  const blogRows = openRows(connection.db, majority, BLOGS, chain.writes, { derived: uploadsOf })
  const { messages, conversations, visitors, inbox, sweep } = openConversations(
    collections,
    majority,
    chain.writes,
    numbers,
  )
  await numbers.start()

  // In the background: the next sweep covers a failed one.
  const sweepNow = () => void sweep().catch(() => {})
  sweepNow()
  const sweepTimer = setInterval(sweepNow, SWEEP_EVERY_MS).unref()
  const recover = () => void chain.recover().catch(() => {})
  recover()
  const recoverTimer = setInterval(recover, RECOVER_EVERY_MS).unref()

  return {
    storage: {
      messages: guard(messages),
      attachments: guard(openAttachments(collections, majority)),
      conversations: guard(conversations),
      visitors: guard(visitors),
      inbox: guard(inbox),
      seenMarks: guard(openSeenMarks(collections, majority)),
      users: guard(openUsers(userTables)),
      sessions: guard(openSessions(plain(SESSIONS))),
      blogs: guard(openBlogs(blogRows, openReferences(collections, majority))),
      reviews: guard(openReviews(reviewTables)),
      contacts: guard(openContacts(contactRows)),
      replies: guard(openReplies(plain(REPLIES))),
      documents: guard(openDocuments(plain(DOCUMENTS))),
      jobs: guard(openJobs(openRows(connection.db, majority, JOBS), openScheduling(collections))),
      addresses: guard(openAddresses(plain(ADDRESSES))),
      answers: guard(openAnswers(plain(ANSWERS))),
      challenges: guard(openChallenges(plain(CHALLENGES))),
      links: guard(openLinks(plain(LINKS))),
      events: guard(openEvents(plain(EVENTS), { begin: numbers.begin })),
      endpoints: guard(openEndpoints(plain(ENDPOINTS))),
      retries: guard(openRetries(plain(RETRIES))),
      deliveries: guard(openDeliveries(plain(DELIVERIES))),
      apiKeys: guard(openApiKeys(plain(API_KEYS))),
      audit: guard(openAudit(auditRows, chain.append)),
      mails: guard(openMails(plain(MAILS))),
      subscriptions: guard(openSubscriptions(plain(SUBSCRIPTIONS))),
      sites: guard(openSites(plain(SITES))),
      identities: guard(openIdentities(plain(IDENTITIES))),
      remembered: guard(openRemembered(plain(REMEMBERED))),
      samples: guard(openSamples(collections, majority, blogRows, sampleReviews)),
      reports: guard(openReports({ plain, conversations: openReportReads(collections, majority) })),
      suggestions: guard(openSuggestions(plain(SUGGESTION_COUNTS))),
      search: guard(openSearch(collections, majority, inbox)),
      contentRevision: guard(openContentRevision(collections.meta)),
      // By hand, while no server uses the store.
      ...guard({ repairTimes: (now: number) => repairTimes(collections, now, sweep) }, REPAIR_WITHIN_MS),
      async ping() {
        // Reads data: a mongos answers `ping` itself, also while its shards are down.
        await collections.meta.findOne({ _id: 'schema' }, { ...majority, projection: { _id: 1 } })
      },
      async close() {
        clearInterval(sweepTimer)
        clearInterval(recoverTimer)
        await numbers.close()
        await connection.close()
      },
    },
    uploadFiles: guard(openUploadFiles(connection, uploadsMaxBytes)),
    attachmentFiles: guard(openUploadFiles(connection, uploadsMaxBytes, OF_MESSAGES)),
  }
}
