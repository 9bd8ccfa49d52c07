import { labelKey } from '@proctorpass/shared/label-key'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Status } from '@proctorpass/shared/schemas/inbox'
import type { Collection, Db, GridFSChunk, GridFSFile } from 'mongodb'
import type { NewAuditEntry } from '../model/audit.ts'
import type { AttachmentRecord } from '../model/conversation/attachments.ts'
import {
  type ActivityRecord,
  type InboxRecord,
  NEW_INBOX,
  type SeenMark,
} from '../model/conversation/conversation.ts'
import {
  type CopiedConversation,
  type CopiedMessage,
  firstCharacters,
  SUMMARY_TEXT_READ,
} from '../model/conversation/rows.ts'
import type { KeyHashes } from '../model/conversation/visitor-keys.ts'
import type { VisitorRecord } from '../model/conversation/visitors.ts'
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

/** A document that no event tells of yet, see event-numbers.ts. */
export interface EventMark {
  eventDue?: 1
}

/**
 * The collections. Ids and times have the same form as in the port, so nothing is converted.
 */
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
  /** The two collections of the GridFS bucket, which holds the bytes of uploads. */
  gridFiles: Collection<GridFSFile>
  gridChunks: Collection<GridFSChunk>
  /** The same three collections for attachments. */
  attachmentFiles: Collection<StoredFileDoc>
  attachmentGridFiles: Collection<GridFSFile>
  attachmentGridChunks: Collection<GridFSChunk>
  /** Facts of the whole store, one document each. */
  meta: Collection<MetaDoc>
}

/** Those of the plain tables, see rows.ts. */
type PlainCollections = { [N in keyof PlainRows]: Collection<PlainRows[N] & { _id: string }> }

/** A conversation in the chats list: a projection of its messages, moved only forwards, and the read marks. */
export interface ConversationDoc
  extends Omit<
      CopiedConversation,
      'keyHashes' | 'visitor' | 'seen' | 'blockedUntil' | 'rated' | 'siteId' | 'siteName' | keyof InboxFields
    >,
    Partial<InboxFields> {
  /** The clientId, repeated in `clientId` for compound indexes: not every server supports `_id` in one. */
  _id: string
  /** With a text cut for the list; older releases stored the whole text. */
  lastMessage: MessageDoc | null
  /** visitorCount - adminReadCount, stored for its index. */
  adminUnread: number
  /** The hash of the first visitor key, also a projection of the messages. Missing without one. */
  keyHash?: string
  /** Hashes of further keys, in order of arrival. Fields, so that two can be added concurrently. */
  moreKeys?: Readonly<Record<string, true>>
  /**
   * The visitor's data. Missing fields are unknown. `pagesVersion` counts the changes of `pages`: not every
   * server finds an equal list of documents.
   */
  visitor?: Partial<VisitorRecord> & { pagesVersion?: number }
  /** Missing, as null: not blocked. */
  blockedUntil?: number | null
  /** Missing, as null: on our own pages. */
  siteId?: string | null
  siteName?: string | null
  /** Whether the visitor rated the last resolve. Missing: no. */
  rated?: boolean
  /** The keys of `labels`, for their index. Missing without labels. */
  labelKeys?: string[]
  /** The newest entries of the log until they are moved to the collection: an update stores them with what they log. */
  pendingActivity?: ActivityDoc[]
  /** The number of the first of them, for the sweep. Missing without them. */
  pendingFrom?: number
  /** The epochs and files of erased histories until they are removed, and the time of the last erase. */
  erasedEpochs?: string[]
  erasedFiles?: string[]
  /** By erased epoch: what its figures are kept under. JSON, like the lists of plain tables. */
  erasedGroups?: string
  erasedAt?: number
  /** Erased histories that no event tells of yet: JSON, because an update names its old value. See event-numbers.ts. */
  eventsDue?: string
}

/** What documents lack that were inserted by an older release. Filters read a missing field as null. */
interface InboxFields extends InboxRecord {
  settledSeq: number
  /** The number of the newest entry of the log. */
  activityN: number
}

/** The filter value of these statuses. A document without one is open. */
export function anyOf(statuses: readonly Status[]): { $in: Status[] } {
  return {
    $in: statuses.flatMap((status) => (status === 'open' ? [status, null as unknown as Status] : status)),
  }
}
export const OPEN = anyOf(['open'])

/** An entry of the log. The entries of an erased history have another epoch than the conversation. */
export interface ActivityDoc extends ActivityRecord, EventMark {
  epoch: string
  /** Of a note. */
  nonce?: string
  /** The ids of the admins whom it concerns, for its index. Missing without one, and in entries of older releases. */
  concerns?: string[]
}

/** An entry of the audit log whose change may be stored. `_id` is the source of the entry. */
export interface PendingAuditDoc {
  _id: string
  collection: string
  /** Identifies the row that is changed or removed. JSON: names of fields could hold a dollar sign. */
  filter: string
  isRemoval: boolean
  entry: NewAuditEntry
  at: number
}

/** `_id`: `{userId} {clientId}`. The mark of an erased history has another epoch than the conversation. */
export interface SeenMarkDoc extends SeenMark {
  _id: string
  userId: string
}

export interface MessageDoc extends Omit<CopiedMessage, 'attachments' | 'via' | 'quoted'>, EventMark {
  /** Missing without files. */
  attachments?: Attachment[] | null
  /** Missing unless the message came by mail, and had quotes. */
  via?: 'mail' | null
  quoted?: string | null
  /** The conversation's first key, from the message that brought it onwards. */
  keyHash?: string
}

/** A document of a list by page number. */
interface Listed {
  /** `_id`, repeated for the index of the list. */
  id: string
}

export interface ReviewDoc extends ReviewRecord, Listed, EventMark {
  demo: boolean
  /** Not approved yet. */
  pending: boolean
}

/** A file of a message, or one that waits for its message. */
export interface AttachmentDoc extends AttachmentRecord {
  /** The `createdAt`, until the message that claimed the file is known to be stored. For the sweep. */
  unsentAt?: number
}

/** The name and state of a file in GridFS. */
export interface StoredFileDoc {
  /** The GridFS id of its bytes as hex digits. */
  _id: string
  /** Unique. The `_id` while the file is incomplete, and after its removal. */
  name: string
  size: number
  storedAt: number
  state: 'half' | 'whole'
  /** Of the last time that an existing file was put again; missing before the first. */
  revision?: string | null
}

export interface MetaDoc {
  _id: string
  version?: number
  at?: number
  /** The mark of a copy into the store, see `Filling`. */
  state?: 'filling' | 'filled'
  source?: string
  salt?: string
  /** Of the content, see content-revision.ts. */
  edition?: string
  /** Admins who are about to be disabled, see last-admin.ts. */
  disabling?: Readonly<Record<string, Disabling>>
  /** The right to build the search index, whether it is complete, and when it was last compared with what it is of. */
  holder?: string
  leaseUntil?: number
  complete?: boolean
  comparedAt?: number
  /** The INDEX_VERSION that is complete; of the first version without. */
  indexVersion?: number
}

export interface Disabling {
  userId: string
  /** Of the user's credentials. */
  version: number
  at: number
}

export interface JobDoc extends Omit<JobRow, 'key'> {
  /** The key. */
  _id: string
  /** Of the conversation when the job was scheduled: erasing removes the jobs of a history. Null without a conversation. */
  epoch: string | null
  data: string
}

/** An entry of the search index. */
export interface SearchEntryDoc {
  /** `{type}:{owner}:{n}` */
  _id: string
  owner: string
  type: SearchType
  n: number
  epoch: string
  /** Unique, in order of time. */
  order: string
  terms: string[]
}

export interface SearchProgressDoc extends IndexProgress {
  /** The owner. */
  _id: string
  /** The INDEX_VERSION of its terms; of the first version without. */
  indexVersion?: number
}

/** Buckets of GridFS. */
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

const NEW_FIELDS: InboxFields = { ...NEW_INBOX, settledSeq: 0, activityN: 0 }

/** The inbox of a conversation, also of one that an older release inserted. */
export function inboxOf(found: Partial<InboxFields>): InboxFields {
  const fields = { ...NEW_FIELDS }
  for (const name of Object.keys(fields) as (keyof InboxFields)[]) {
    if (found[name] !== undefined) Object.assign(fields, { [name]: found[name] })
  }
  return fields
}

/** The fields of an update that stores the labels. An index reads a missing field, not an empty list, as no label. */
export function labelFields(labels: readonly string[]): Pick<ConversationDoc, 'labels' | 'labelKeys'> {
  return labels.length === 0 ? { labels } : { labels, labelKeys: labels.map(labelKey) }
}

/** The keys of a conversation. `last`: its newest message, read later, for a projection without the first key. */
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

/** A message with its text cut for the list of conversations. */
export function forList<M extends { message: string; quoted?: string | null }>(
  message: M,
): Omit<M, 'quoted'> {
  const { quoted: _, ...listed } = message
  return { ...listed, message: firstCharacters(message.message, SUMMARY_TEXT_READ) }
}
