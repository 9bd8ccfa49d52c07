import { labelKey } from '@proctorpass/shared/label-key'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Status } from '@proctorpass/shared/schemas/inbox'
import type { Collection, Db, GridFSChunk, GridFSFile } from 'mongodb'
import type { NewAuditEntry } from '../model/audit.ts'
import type { AttachmentRecord } from '../model/conversation/attachments.ts'
import {
  type ActivityRecord,
  type EditedWords,
  type InboxRecord,
  NEW_INBOX,
  type SeenMark,
} from '../model/conversation/conversation.ts'
import type { StatusThen } from '../model/conversation/inbox-changes.ts'
import {
  type CopiedConversation,
  type CopiedMessage,
  firstCharacters,
  SUMMARY_TEXT_READ,
} from '../model/conversation/rows.ts'
import { scheduledRecord, type WaitingMessages } from '../model/conversation/scheduled-records.ts'
import type { SpamMark } from '../model/conversation/spam.ts'
import type { KeyHashes } from '../model/conversation/visitor-keys.ts'
import type { VisitorRecord } from '../model/conversation/visitors.ts'
import type { StoredFile } from '../model/file-store.ts'
import { JOBS, type JobRow } from '../model/jobs.ts'
import { ofPlainTables, type PlainRows } from '../model/plain-tables.ts'
import {
  REPORT_TABLES,
  type ReportDay,
  type ReportPartRow,
  type ReportProgress,
} from '../model/reports/report-tables.ts'
import type { ReviewRecord } from '../model/reviews.ts'
import type { IndexProgress, SearchType } from '../model/search.ts'
import { cutWords, type PendingEdit } from './pending-edit.ts'

/** A document whose event has no number yet is marked, see event-numbers.ts. */
export interface EventMark {
  eventDue?: 1
}

/** The collections. IDs and times have the same form as in the storage port, so they are not converted. */
export interface Collections extends PlainCollections {
  conversations: Collection<ConversationDoc>
  messages: Collection<MessageDoc>
  activity: Collection<ActivityDoc>
  seenMarks: Collection<SeenMarkDoc>
  auditPending: Collection<PendingAuditDoc>
  reviews: Collection<ReviewDoc>
  jobs: Collection<JobDoc>
  attachments: Collection<AttachmentDoc>
  uploads: Collection<StoredFileDoc>
  searchEntries: Collection<SearchEntryDoc>
  searchProgress: Collection<SearchProgressDoc>
  reportProgress: Collection<ReportProgress & { _id: string }>
  reportParts: Collection<ReportPartRow>
  reportDays: Collection<ReportDay & { _id: string }>
  /** The GridFS bucket's two collections, which hold the uploads' bytes. */
  gridFiles: Collection<GridFSFile>
  gridChunks: Collection<GridFSChunk>
  /** The same collections for attachments. */
  attachmentFiles: Collection<StoredFileDoc>
  attachmentGridFiles: Collection<GridFSFile>
  attachmentGridChunks: Collection<GridFSChunk>
  /** Facts about the whole store, one document for each. */
  meta: Collection<MetaDoc>
}

/** The plain tables' collections, see rows.ts. */
type PlainCollections = { [N in keyof PlainRows]: Collection<PlainRows[N] & { _id: string }> }

/** A conversation in the list: a projection of its messages, which only moves forward, with its read marks. */
export interface ConversationDoc
  extends Omit<
      CopiedConversation,
      'keyHashes' | 'visitor' | 'seen' | 'blockedUntil' | 'rated' | 'siteId' | 'siteName' | keyof InboxFields
    >,
    Partial<InboxFields> {
  /** The clientId. `clientId` repeats it for compound indexes, because not every server supports `_id` in one. */
  _id: string
  /** The newest message. Its text is cut for the list; older releases stored the whole text. */
  lastMessage: MessageDoc | null
  /** The difference visitorCount - adminReadCount, stored for its index. */
  adminUnread: number
  /** The first visitor key's hash, also a projection of the messages. Missing without a key. */
  keyHash?: string
  /** The further keys' hashes, in the order of their arrival. Each is a field, so that two can be added concurrently. */
  moreKeys?: Readonly<Record<string, true>>
  /** The visitor's data. Missing fields are unknown. `pagesVersion` counts changes, as `scheduledVersion` does. */
  visitor?: Partial<VisitorRecord> & { pagesVersion?: number }
  /** The end of a block. Missing or null while the visitor is not blocked. */
  blockedUntil?: number | null
  /** The site where the conversation began. Missing or null on our own pages. */
  siteId?: string | null
  siteName?: string | null
  /**
   * The newest words of a message, until they are moved to its document. They are here because one update stores them and
   * the entry with the earlier words. `epoch` is the message's, by which a leftover of an erased history is recognized.
   */
  pendingEdit?: PendingEdit
  /** The sequence number of that message, stored for the sweep. Missing without a pending correction. */
  pendingEditOf?: number
  /** Whether the visitor rated the last resolve. A missing field means no. */
  rated?: boolean
  /** The earliest time in `scheduled`, stored for its index. Missing or null if nothing is scheduled. */
  scheduledAt?: number | null
  /** Counts the changes to `scheduled`, because not every server can find a document by an equal list. */
  scheduledVersion?: number
  /** The keys of `labels`, stored for their index. Missing without labels. */
  labelKeys?: string[]
  /**
   * The log's newest entries until they are moved to the collection. They are here because one update stores both a
   * change and its entries.
   */
  pendingActivity?: ActivityDoc[]
  /** The first pending entry's number, stored for the sweep. Missing without pending entries. */
  pendingFrom?: number
  /** The erased histories' epochs and files until they are removed. `erasedAt` is the time of the last erase. */
  erasedEpochs?: string[]
  erasedFiles?: string[]
  /** The groups under which the erased histories' figures are kept, by epoch. JSON, like the lists in plain tables. */
  erasedGroups?: string
  erasedAt?: number
  /** Marks a conversation whose import is not finished. It has no totals yet. See imports.ts. */
  importing?: 1
  /** The erases whose events have no number yet. JSON, because an update names its old value. See event-numbers.ts. */
  eventsDue?: string
}

/** Fields that documents from older releases lack. Filters read a missing field as null. */
interface InboxFields extends InboxRecord {
  settledSeq: number
  edits: number
  spam: SpamMark | null
  scheduled: WaitingMessages
  /** The number of the log's newest entry. */
  activityN: number
}

/** Returns a filter value that matches these statuses. A document without a status is open. */
export function anyOf(statuses: readonly Status[]): { $in: Status[] } {
  return {
    $in: statuses.flatMap((status) => (status === 'open' ? [status, null as unknown as Status] : status)),
  }
}
export const OPEN = anyOf(['open'])
/** Matches documents that lists show and counts count, also those without a status. */
export const NOT_SPAM = { $ne: 'spam' as const }

/** Matches null and missing fields, because not every server counts null by equality. */
export const NONE: { $in: null[] } = { $in: [null] }

/** A log entry. An erased history's entries have another epoch than the conversation. */
export interface ActivityDoc extends ActivityRecord, EventMark {
  epoch: string
  /** A note's nonce. */
  nonce?: string
  /** The IDs of the admins whom the entry concerns. Missing without any, and in entries from older releases. */
  concerns?: string[]
}

/** An audit entry whose change may be stored. Its `_id` becomes the entry's `source`. */
export interface PendingAuditDoc {
  _id: string
  collection: string
  /** Identifies the row that is changed or removed. It is JSON, because field names could contain a dollar sign. */
  filter: string
  isRemoval: boolean
  entry: NewAuditEntry
  at: number
}

/** `_id` is `{userId} {clientId}`. An erased history's mark has another epoch than the conversation. */
export interface SeenMarkDoc extends SeenMark {
  _id: string
  userId: string
}

export interface MessageDoc
  extends Omit<CopiedMessage, 'attachments' | 'via' | 'quoted' | 'edited'>,
    EventMark {
  /** Missing without files. */
  attachments?: Attachment[] | null
  /** Missing unless the message came by mail. `quoted` is also missing without quoted text. */
  via?: 'mail' | null
  quoted?: string | null
  /** Missing or null unless the message was corrected. The newest words may be pending in the conversation instead. */
  edited?: EditedWords | null
  /** The status that the message gives the conversation once the projection moves over it. */
  then?: StatusThen
  /** The first key's hash, in the message that brought it and in every later one. */
  keyHash?: string
}

/** A document in a list that is read by page number. */
interface Listed {
  /** `_id`, repeated for the list's index. */
  id: string
}

export interface ReviewDoc extends ReviewRecord, Listed, EventMark {
  demo: boolean
  /** True until an admin approves the review. */
  pending: boolean
}

/** A message's file, or a file that waits for its message. */
export interface AttachmentDoc extends AttachmentRecord {
  /** The time `createdAt`, stored for the sweep until the message that claimed the file is known to be stored. */
  unsentAt?: number
}

/** A GridFS file's state and unique name, which is the `_id` while the file is incomplete and after it was removed. */
export interface StoredFileDoc extends Pick<StoredFile, 'name' | 'size' | 'storedAt'> {
  /** The bytes' GridFS ID in hex digits. */
  _id: string
  state: 'half' | 'whole'
  /** The name that an incomplete file will get, or that a removed file had. An older release's files lack it. */
  target?: string
  /** Whether the file was removed, so that its writer can't complete it. */
  isRemoved?: true
  /** Changes each time that the existing file is put again. Missing before the first time. */
  revision?: string | null
}

export interface MetaDoc {
  _id: string
  version?: number
  at?: number
  /** The mark that a copy leaves in the store, see `Filling`. */
  state?: 'filling' | 'filled'
  source?: string
  salt?: string
  /** The content revision, see content.ts. */
  edition?: string
  /** The admins who are about to be disabled, see last-admin.ts. */
  disabling?: Readonly<Record<string, Disabling>>
  /**
   * The lease to build the search index, whether the index is complete, and when it was last compared with the texts that
   * it holds.
   */
  holder?: string
  leaseUntil?: number
  complete?: boolean
  comparedAt?: number
  /** Changes when a process asks for a comparison of everything. Missing before. */
  asked?: string
  /** The INDEX_VERSION that is complete. The first version had no number. */
  indexVersion?: number
}

export interface Disabling {
  userId: string
  /** The version of the user's credentials. */
  version: number
  at: number
}

export interface JobDoc extends Omit<JobRow, 'key'> {
  /** The key. */
  _id: string
  /** The conversation's epoch when the job was scheduled, by which erasing finds the job. Null without a conversation. */
  epoch: string | null
  data: string
}

/** An entry in the search index. */
export interface SearchEntryDoc {
  /** `{type}:{owner}:{n}` */
  _id: string
  owner: string
  type: SearchType
  n: number
  epoch: string
  /** A unique text that sorts by the entry's time. */
  order: string
  terms: string[]
}

export interface SearchProgressDoc extends IndexProgress {
  /** The owner. */
  _id: string
  /** The INDEX_VERSION of the owner's terms. The first version had no number. */
  indexVersion?: number
}

/** The GridFS buckets. */
export const UPLOADS = 'uploads'
export const ATTACHMENTS = 'attachments'

export function collectionsOf(db: Db): Collections {
  return {
    ...(ofPlainTables(({ name }) => db.collection(name)) as unknown as PlainCollections),
    conversations: db.collection('conversations'),
    messages: db.collection('messages'),
    activity: db.collection('activity'),
    seenMarks: db.collection('seenMarks'),
    auditPending: db.collection('auditPending'),
    reviews: db.collection('reviews'),
    jobs: db.collection(JOBS.name),
    attachments: db.collection(ATTACHMENTS),
    uploads: db.collection(UPLOADS),
    searchEntries: db.collection('searchEntries'),
    searchProgress: db.collection('searchProgress'),
    reportProgress: db.collection(REPORT_TABLES.reportProgress.name),
    reportParts: db.collection(REPORT_TABLES.reportParts.name),
    reportDays: db.collection(REPORT_TABLES.reportDays.name),
    gridFiles: db.collection(`${UPLOADS}.files`),
    gridChunks: db.collection(`${UPLOADS}.chunks`),
    attachmentFiles: db.collection('attachmentFiles'),
    attachmentGridFiles: db.collection(`${ATTACHMENTS}.files`),
    attachmentGridChunks: db.collection(`${ATTACHMENTS}.chunks`),
    meta: db.collection('meta'),
  }
}

const NEW_FIELDS: InboxFields = {
  ...NEW_INBOX,
  ...{ settledSeq: 0, edits: 0, spam: null, scheduled: null, activityN: 0 },
}

/** Returns a conversation's inbox fields, with defaults for a conversation from an older release. */
export function inboxOf(found: Partial<InboxFields>): InboxFields {
  const fields = { ...NEW_FIELDS }
  for (const name of Object.keys(fields) as (keyof InboxFields)[]) {
    if (found[name] !== undefined) Object.assign(fields, { [name]: found[name] })
  }
  if (fields.scheduled !== null) fields.scheduled = fields.scheduled.map(scheduledRecord)
  return fields
}

/** Returns an update's fields for the labels. An index reads a missing field, but not an empty list, as no label. */
export function labelFields(labels: readonly string[]): Pick<ConversationDoc, 'labels' | 'labelKeys'> {
  return labels.length === 0 ? { labels } : { labels, labelKeys: labels.map(labelKey) }
}

/**
 * Returns a conversation's keys. `last` is its newest message, read after the conversation: it has the first key when the
 * projection lacks it.
 */
export function keysOf(found: ConversationDoc, last: Pick<MessageDoc, 'keyHash'> | null): KeyHashes {
  const first = found.keyHash ?? last?.keyHash
  if (first === undefined) return []
  return found.moreKeys === undefined ? [first] : [first, ...Object.keys(found.moreKeys)]
}

export function keyFields([keyHash, ...more]: KeyHashes): Pick<ConversationDoc, 'keyHash' | 'moreKeys'> {
  if (keyHash === undefined) return {}
  if (more.length === 0) return { keyHash }
  return { keyHash, moreKeys: Object.fromEntries(more.map((hash) => [hash, true])) }
}

/** Returns the message with its texts cut for the list of conversations. */
export function forList<M extends { message: string; quoted?: string | null; edited?: EditedWords | null }>(
  message: M,
): Omit<M, 'quoted'> {
  const { quoted: _, ...listed } = message
  const cut = { ...listed, message: firstCharacters(message.message, SUMMARY_TEXT_READ) }
  return message.edited ? { ...cut, edited: cutWords(message.edited) } : cut
}
