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
 * The schema version that this code writes. Each version has what an older release would ignore or would not erase.
 * - Version 2: conversations have keys, which an older release would not check.
 * - Version 3: conversations have an inbox and a log, which it would not erase.
 * - Version 4: conversations have files, blocks, and jobs, which it would not erase.
 * - Version 5: addresses can be unsubscribed from mails, which it would ignore. Conversations have seen marks, which it
 *   would not erase.
 * - Version 6: mails have tokens for answers, which it would not erase. There are sites, API keys write messages, and
 *   changes have entries in the audit log. Accounts have second factors, for which it would not ask. Erasing must remove
 *   what names signed visitors, and must keep figures.
 * - Version 7: conversations can be spam, which an older release would count, and would reopen with the next message.
 *   Posts can be drafts, which it would publish. Messages are scheduled, which it would not cancel, and corrected, of
 *   which it would show the earlier words.
 */
export const SCHEMA_VERSION = 7

/**
 * The indexes of each collection. `npm test` checks that none of the adapter's queries scans a collection. No index
 * contains `_id` together with other fields, because not every server supports that.
 */
export const INDEXES: { [Name in Exclude<keyof Collections, 'meta'>]: IndexDescription[] } = {
  ...ofPlainTables(indexesOf),
  contacts: [...indexesOf(CONTACTS), { name: 'event due', key: { eventDue: 1 }, sparse: true }],
  messages: [
    // This index assigns seq, because only one of several concurrent inserts succeeds. A page is one range of it.
    { name: 'order', key: { clientId: 1, epoch: 1, seq: 1 }, unique: true },
    { name: 'nonce', key: { clientId: 1, epoch: 1, nonce: 1 }, unique: true },
    // Corrected messages are a range of this index.
    {
      name: 'edits',
      key: { clientId: 1, epoch: 1, 'edited.edit': 1 },
      partialFilterExpression: { 'edited.edit': { $exists: true } },
    },
    // The sweep reads this index.
    { name: 'latest', key: { createdAt: 1 } },
    // Numbering events reads this index and the others with this name.
    {
      name: 'event due',
      key: { eventDue: 1, createdAt: 1, seq: 1 },
      partialFilterExpression: { eventDue: { $exists: true } },
    },
  ],
  conversations: [
    // Waiting conversations are a range of waitingSince. Answered ones have null there and are in the order of their
    // times.
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
    // Each filter has the same two orders. Counts read ranges of these indexes too.
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
    // This index lists the distinct labels.
    { name: 'labels', key: { labels: 1 } },
    { name: 'snoozed', key: { snoozedUntil: 1 } },
    { name: 'scheduled', key: { scheduledAt: 1 }, sparse: true },
    {
      name: 'exam',
      key: { 'visitor.examAt': 1, clientId: 1 },
      partialFilterExpression: { 'visitor.examAt': { $exists: true } },
    },
    // Numbering events reads the first of these, and the sweep the others.
    { name: 'events due', key: { eventsDue: 1 }, sparse: true },
    { name: 'pending', key: { pendingFrom: 1 }, sparse: true },
    { name: 'pending edit', key: { pendingEditOf: 1 }, sparse: true },
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
    // This index lists the entries that concern an admin, the newest first.
    {
      name: 'concerns',
      key: { concerns: 1, at: -1 },
      partialFilterExpression: { concerns: { $exists: true } },
    },
    // The sweep reads this index.
    { name: 'latest', key: { at: 1 } },
    {
      name: 'event due',
      key: { eventDue: 1, at: 1, n: 1 },
      partialFilterExpression: { eventDue: { $exists: true } },
    },
  ],
  seenMarks: [{ name: 'client', key: { clientId: 1 } }],
  // Recovering the entries of processes that died reads this index.
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
    // This index has an entry for each term of a text. A term's newest texts come first.
    { name: 'terms', key: { terms: 1, order: -1 } },
    // A search without words reads all texts in order.
    { name: 'order', key: { order: -1 } },
    { name: 'owner', key: { owner: 1 } },
  ],
  searchProgress: [],
  reportProgress: indexesOf(REPORT_TABLES.reportProgress),
  reportParts: indexesOf(REPORT_TABLES.reportParts),
  reportDays: indexesOf(REPORT_TABLES.reportDays),
  attachments: [
    // This index lets only one of several concurrent writers store a nonce. A conversation's files are one range of it.
    { name: 'upload', key: { clientId: 1, senderId: 1, nonce: 1 }, unique: true },
    // The sweep reads this index.
    { name: 'unsent', key: { unsentAt: 1 }, sparse: true },
  ],
  uploads: [
    // This index lets only one of several concurrent writers store a name.
    { name: 'name', key: { name: 1 }, unique: true },
    // This index lists incomplete uploads, the oldest first.
    { name: 'state', key: { state: 1, storedAt: 1 } },
    // This index covers the sum of the sizes.
    { name: 'size', key: { size: 1 } },
  ],
  // The driver would create these two indexes under these names with the first upload.
  gridFiles: [{ name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } }],
  gridChunks: [{ name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true }],
  // These are the same indexes as for uploads.
  attachmentFiles: [
    { name: 'name', key: { name: 1 }, unique: true },
    { name: 'state', key: { state: 1, storedAt: 1 } },
    { name: 'size', key: { size: 1 } },
  ],
  attachmentGridFiles: [{ name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } }],
  attachmentGridChunks: [{ name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true }],
}

/**
 * Creates missing indexes. Several nodes can do this concurrently, and while other nodes use the store. Returns the
 * former schema version, 0 for a new store.
 * @throws when a newer release wrote the store
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
    // Indexes are created one at a time, because not every server accepts several.
    for (const index of indexes) await collections[name as keyof typeof INDEXES].createIndexes([index])
  }
  await publishOlderPosts(collections)
  try {
    await meta.updateOne({ _id: 'schema' }, { $max: { version: SCHEMA_VERSION } }, { upsert: true })
  } catch (error) {
    // Another node inserted the same document.
    if (!isDuplicate(error)) throw error
  }
  return found
}

/**
 * Gives older releases' posts the time since which they are published. Every start does this, because a node with an
 * older release can still add posts while others are upgraded.
 */
async function publishOlderPosts({ blogs }: Collections): Promise<void> {
  // No post has null there, so this finds the posts without the field.
  const lacking = { publishAt: null } as object
  const older = blogs.find(lacking, { projection: { createdAt: 1 } })
  for await (const { _id, createdAt } of older) {
    await blogs.updateOne({ _id, ...lacking }, { $set: { publishAt: createdAt } })
  }
}

/** Throws when there is no store. */
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

/** Returns the store's schema version. Throws when there is no store. */
export async function expectSchema(meta: Collections['meta']): Promise<number> {
  const version = (await meta.findOne({ _id: 'schema' }))?.version
  if (version !== undefined) return version
  throw new Error(
    'There is no store at MONGODB_URL. Check the name of the database in it. A new store is created when the server first starts.',
  )
}
