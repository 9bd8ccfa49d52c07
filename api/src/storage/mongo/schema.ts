import type { Db, IndexDescription } from 'mongodb'
import { BLOGS } from '../model/blogs.ts'
import { CONTACTS } from '../model/contacts.ts'
import { JOBS } from '../model/jobs.ts'
import { ofPlainTables } from '../model/plain-tables.ts'
import { REPORT_TABLES } from '../model/reports/report-tables.ts'
import { USERS } from '../model/users.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { connectMongo } from './connection.ts'
import { asAppError, isDuplicate } from './outage.ts'
import { indexesOf } from './rows.ts'

/**
 * The schema version that this code writes. 2: conversations have keys, which an older release would not check. 3: they
 * have an inbox and a log, which an older release would not erase. 4: they have files, blocks and jobs, likewise. 5: addresses
 * have unsubscribed from mails, which an older release would not know, and
 * conversations have seen marks, which it would not erase. 6: mails have tokens for answers, which it would not erase, and
 * there are sites, keys write messages, changes have entries in the audit log, erasing must remove what names signed
 * visitors, accounts have second factors, for which an older release would not ask, and erasing must keep figures.
 */
export const SCHEMA_VERSION = 6

/**
 * Every index and its purpose. `npm test` checks that no query of the adapter scans a collection. No index has `_id` as
 * one of several fields, because not every server supports that.
 */
export const INDEXES: { [Name in Exclude<keyof Collections, 'meta'>]: IndexDescription[] } = {
  ...ofPlainTables(indexesOf),
  contacts: [...indexesOf(CONTACTS), { name: 'event due', key: { eventDue: 1 }, sparse: true }],
  messages: [
    // Assigns seq: of concurrent inserts one succeeds. A page is one range of it.
    { name: 'order', key: { clientId: 1, epoch: 1, seq: 1 }, unique: true },
    { name: 'nonce', key: { clientId: 1, epoch: 1, nonce: 1 }, unique: true },
    // The sweep.
    { name: 'latest', key: { createdAt: 1 } },
    // Events to number, here and below.
    {
      name: 'event due',
      key: { eventDue: 1, createdAt: 1, seq: 1 },
      partialFilterExpression: { eventDue: { $exists: true } },
    },
  ],
  conversations: [
    // Waiting conversations are a range of waitingSince; answered ones have null, in order of time.
    { name: 'waiting', key: { waitingSince: 1, clientId: 1 } },
    { name: 'answered', key: { waitingSince: 1, lastAt: -1, clientId: 1 } },
    { name: 'unread', key: { adminUnread: 1 } },
    // The two orders of unread conversations, which are few in any history.
    {
      name: 'unread_waiting',
      key: { waitingSince: 1, clientId: 1, adminUnread: 1 },
      partialFilterExpression: { adminUnread: { $gt: 0 } },
    },
    {
      name: 'unread_answered',
      key: { waitingSince: 1, lastAt: -1, clientId: 1, adminUnread: 1 },
      partialFilterExpression: { adminUnread: { $gt: 0 } },
    },
    // The same two orders for each filter. Counts are ranges of these too.
    { name: 'status_waiting', key: { status: 1, waitingSince: 1, clientId: 1 } },
    { name: 'status_answered', key: { status: 1, waitingSince: 1, lastAt: -1, clientId: 1 } },
    { name: 'assignee_waiting', key: { assigneeId: 1, status: 1, waitingSince: 1, clientId: 1 } },
    {
      name: 'assignee_answered',
      key: { assigneeId: 1, status: 1, waitingSince: 1, lastAt: -1, clientId: 1 },
    },
    {
      name: 'label_waiting',
      key: { labelKeys: 1, status: 1, waitingSince: 1, clientId: 1 },
      partialFilterExpression: { labelKeys: { $exists: true } },
    },
    {
      name: 'label_answered',
      key: { labelKeys: 1, status: 1, waitingSince: 1, lastAt: -1, clientId: 1 },
      partialFilterExpression: { labelKeys: { $exists: true } },
    },
    { name: 'site_waiting', key: { siteId: 1, status: 1, waitingSince: 1, clientId: 1 } },
    { name: 'site_answered', key: { siteId: 1, status: 1, waitingSince: 1, lastAt: -1, clientId: 1 } },
    // The distinct labels.
    { name: 'labels', key: { labels: 1 } },
    { name: 'snoozed', key: { snoozedUntil: 1 } },
    {
      name: 'exam',
      key: { 'visitor.examAt': 1, clientId: 1 },
      partialFilterExpression: { 'visitor.examAt': { $exists: true } },
    },
    // The sweep.
    { name: 'events due', key: { eventsDue: 1 }, sparse: true },
    { name: 'pending', key: { pendingFrom: 1 }, sparse: true },
    { name: 'erased', key: { erasedAt: 1 }, sparse: true },
  ],
  activity: [
    { name: 'order', key: { clientId: 1, epoch: 1, n: 1 }, unique: true },
    {
      name: 'nonce',
      key: { clientId: 1, epoch: 1, nonce: 1 },
      unique: true,
      partialFilterExpression: { nonce: { $exists: true } },
    },
    // What concerns an admin, in order of time.
    {
      name: 'concerns',
      key: { concerns: 1, at: -1 },
      partialFilterExpression: { concerns: { $exists: true } },
    },
    // The sweep.
    { name: 'latest', key: { at: 1 } },
    {
      name: 'event due',
      key: { eventDue: 1, at: 1, n: 1 },
      partialFilterExpression: { eventDue: { $exists: true } },
    },
  ],
  seenMarks: [{ name: 'client', key: { clientId: 1 } }],
  // Changes whose process died.
  auditPending: [{ name: 'at', key: { at: 1 } }],
  users: [...indexesOf(USERS), { name: 'invite', key: { inviteHash: 1 } }],
  blogs: [...indexesOf(BLOGS), { name: 'uploads', key: { uploads: 1 } }],
  reviews: [
    { name: 'event due', key: { eventDue: 1 }, sparse: true },
    { name: 'newest', key: { pending: 1, createdAt: -1, id: -1 } },
    { name: 'demo', key: { demo: 1 } },
  ],
  jobs: indexesOf(JOBS),
  searchEntries: [
    // One entry for each term, in order of time.
    { name: 'terms', key: { terms: 1, order: -1 } },
    { name: 'owner', key: { owner: 1 } },
  ],
  searchProgress: [],
  reportProgress: indexesOf(REPORT_TABLES.reportProgress),
  reportParts: indexesOf(REPORT_TABLES.reportParts),
  reportDays: indexesOf(REPORT_TABLES.reportDays),
  attachments: [
    // Lets one of concurrent writers store a nonce. The files of a conversation are one range of it.
    { name: 'upload', key: { clientId: 1, senderId: 1, nonce: 1 }, unique: true },
    // The sweep.
    { name: 'unsent', key: { unsentAt: 1 }, sparse: true },
  ],
  uploads: [
    // Lets one of concurrent writers store a name.
    { name: 'name', key: { name: 1 }, unique: true },
    // Incomplete uploads, the oldest first.
    { name: 'state', key: { state: 1, storedAt: 1 } },
    // Covers the sum of sizes.
    { name: 'size', key: { size: 1 } },
  ],
  // Those that the driver would create with the first upload, under its names.
  gridFiles: [{ name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } }],
  gridChunks: [{ name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true }],
  // As those of uploads.
  attachmentFiles: [
    { name: 'name', key: { name: 1 }, unique: true },
    { name: 'state', key: { state: 1, storedAt: 1 } },
    { name: 'size', key: { size: 1 } },
  ],
  attachmentGridFiles: [{ name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } }],
  attachmentGridChunks: [{ name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true }],
}

/**
 * Creates missing indexes. Two nodes can do it concurrently, and while other nodes use the store. Answers the schema
 * version before, 0 for a new store.
 * @throws when the store was written by a newer release
 */
export async function prepareSchema(db: Db): Promise<number> {
  const collections = collectionsOf(db)
  const { meta } = collections
  const found = (await meta.findOne({ _id: 'schema' }))?.version ?? 0
  if (found > SCHEMA_VERSION) {
    throw new Error(
      `The database has schema version ${found}; this release uses ${SCHEMA_VERSION}. Start a newer release.`,
    )
  }
  for (const [name, indexes] of Object.entries(INDEXES)) {
    // One at a time: not every server accepts several.
    for (const index of indexes) await collections[name as keyof typeof INDEXES].createIndexes([index])
  }
  try {
    await meta.updateOne({ _id: 'schema' }, { $max: { version: SCHEMA_VERSION } }, { upsert: true })
  } catch (error) {
    // Another node inserted the same document.
    if (!isDuplicate(error)) throw error
  }
  return found
}

/** @throws when there is no store */
export async function expectMongo(url: string): Promise<void> {
  const connection = await connectMongo(url)
  try {
    await expectSchema(collectionsOf(connection.db).meta)
  } catch (error) {
    throw asAppError(error)
  } finally {
    await connection.close()
  }
}

/** The version of the schema. @throws when there is no store */
export async function expectSchema(meta: Collections['meta']): Promise<number> {
  const version = (await meta.findOne({ _id: 'schema' }))?.version
  if (version !== undefined) return version
  throw new Error(
    'There is no store at MONGODB_URL. Check the name of the database in it. A new store is created when the server first starts.',
  )
}
