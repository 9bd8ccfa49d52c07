/**
 * The storage port: one repository per table. Methods reject with AppError `unavailable` when the store cannot be
 * reached or written; every other rejection is a bug.
 */

import type { Side } from '@proctorpass/shared/events'
import type { PageQuery } from '@proctorpass/shared/schemas/chat'
import type { ActivityQuery, Counts } from '@proctorpass/shared/schemas/inbox'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { AuditRepository } from './audit.ts'
import type { BlogRepository, NewBlog } from './blogs.ts'
import type { ContactRepository } from './contacts.ts'
import type {
  AttachmentAdded,
  AttachmentBounds,
  AttachmentRecord,
  NewAttachment,
} from './conversation/attachments.ts'
import type { Blocked, Rated, Rating, RatingRecord } from './conversation/blocks-and-ratings.ts'
import type {
  ActivityRecord,
  ConversationCursor,
  ConversationFilter,
  ConversationPage,
  ConversationRecord,
  ConversationState,
  SeenMark,
} from './conversation/conversation.ts'
import type { NewMailEntry, NewNote, NoteAdded } from './conversation/entries.ts'
import type { InboxChange, InboxChangeOptions, InboxOutcome } from './conversation/inbox-changes.ts'
import type { Appended, MessagePage, NewMessage } from './conversation/messages.ts'
import type {
  MailRecord,
  ProfileChange,
  ProfileField,
  ProfileUpdated,
  ProfileUpdateOptions,
  SignedRecord,
  VisitorRecord,
} from './conversation/visitors.ts'
import type { EventRepository } from './events.ts'
import type { FileStore } from './file-store.ts'
import type { JobRepository } from './jobs.ts'
import type { openPlainRepositories } from './plain-tables.ts'
import type { ReportRepository } from './reports/report-tables.ts'
import type { NewReview, ReviewRepository } from './reviews.ts'
import type {
  FoundTexts,
  IndexProgress,
  IndexUpdate,
  SearchTerms,
  StaleCursor,
  StaleOwners,
} from './search.ts'
import type { UserRepository } from './users.ts'

/** All that a server stores. Closing the storage closes the files too. */
export interface Stores {
  storage: Storage
  /** Images of posts. */
  uploadFiles: FileStore
  /** The bytes of attachments, named by the `_id` of their row. */
  attachmentFiles: FileStore
}

type PlainRepositories = Readonly<ReturnType<typeof openPlainRepositories>>

export interface Storage extends PlainRepositories {
  readonly messages: MessageRepository
  readonly attachments: AttachmentRepository
  readonly conversations: ConversationRepository
  readonly visitors: VisitorRepository
  readonly inbox: InboxRepository
  readonly seenMarks: SeenMarkRepository
  readonly users: UserRepository
  readonly blogs: BlogRepository
  readonly reviews: ReviewRepository
  readonly contacts: ContactRepository
  readonly jobs: JobRepository
  readonly events: EventRepository
  readonly audit: AuditRepository
  readonly samples: SampleRepository
  readonly reports: ReportRepository
  readonly search: SearchRepository
  /** Null where one process owns the store. */
  readonly contentRevision: ContentRevisionRepository | null
  /** Registers a listener for what this process stores, see `withStoredChanges`. It must not throw. */
  onStored(listener: StoredListener): void
  /**
   * Sets every time after `now` to `now`, and ends sessions that began after it. Returns how many messages, posts,
   * reviews, contact messages and sessions that concerned. No server may use the store meanwhile.
   */
  repairTimes(now: number): Promise<number>
  /** Resolves when the store answers, rejects when it does not. */
  ping(): Promise<void>
  /** Commits pending writes, then closes. Idempotent. */
  close(): Promise<void>
}

/** What a write of this process changed. Reads of the store have it by then. */
export type StoredChange =
  | { kind: 'message' | 'note' | 'mail' | 'inbox' | 'rating' | 'erase'; clientId: string }
  /** The call failed. The store may have a message, a change of the inbox or a rating all the same. */
  | { kind: 'unknown'; clientId: string }
  | { kind: 'profile'; clientId: string; fields: readonly (ProfileField | 'pages')[] }
  | { kind: 'contact'; contactId: string }
  | { kind: 'user' }

export type StoredListener = (change: StoredChange) => void

export interface MessageRepository {
  /**
   * Stores a message under the next seq of its conversation, which it creates when it is missing. A visitor's message
   * with a key adds the key to a conversation without one, atomically: from then on every visitor message needs one
   * of its keys.
   * Resolves only once the message is durable. Concurrent calls for one conversation get consecutive numbers, in call
   * order within one process.
   */
  append(message: NewMessage): Promise<Appended>
  /**
   * A page in order of seq: with `after` the oldest newer messages, with `before` the newest older ones, with both the
   * oldest between them, with neither the newest. It ends after `limit` messages or PAGE_BYTES_MAX bytes of JSON, but
   * has at least one message. `more`: further messages follow in the requested direction.
   * Null when the conversation is missing. With `keyHash` (null: no key) the page is for a visitor: it has no messages
   * unless the key `opens` the conversation.
   */
  page(
    clientId: string,
    query: PageQuery & { limit: number; keyHash?: string | null | undefined },
  ): Promise<MessagePage | null>
}

export interface ConversationRepository {
  /**
   * Waiting conversations first, the longest wait first; then the answered ones, the newest message first.
   * A page ends after `limit` conversations or PAGE_BYTES_MAX bytes of JSON.
   */
  list(options: {
    limit: number
    after?: ConversationCursor | undefined
    filter?: ConversationFilter | undefined
  }): Promise<ConversationPage>
  /**
   * Moves a side's read mark forwards to `seq`, at most to the newest message. Null when the conversation is missing.
   * `moved`: whether the mark changed. A visitor's mark moves only with a key that `opens` the conversation.
   */
  markRead(
    clientId: string,
    side: Side,
    seq: number,
    keyHash?: string | null,
  ): Promise<(ConversationState & { moved: boolean }) | null>
  /** One conversation as the list shows it; null when it is missing or has no messages. */
  record(clientId: string): Promise<ConversationRecord | null>
  /** The sum of adminUnread. Its cost depends on the conversations with unread messages, not on history. */
  totalAdminUnread(): Promise<number>
  find(clientId: string): Promise<ConversationState | null>
  /** Some conversations whose newest message is not newer than that. Its cost depends on them, not on the others. */
  idle(since: number, limit: number): Promise<string[]>
  /**
   * Adds a further key, for another device. With VISITOR_KEYS_MAX keys it replaces the oldest one but the first, which
   * is of the device that began the conversation. Adds none to a conversation without keys: the first one arrives with
   * a message, and until then any key opens it. False when the conversation is missing, or has another epoch.
   */
  addKey(clientId: string, keyHash: string, epoch: string): Promise<boolean>
  /**
   * Lets the holder of a key into a conversation, which it creates without messages when it is missing, under the site.
   * Adds the key as `addKey` does, also to a conversation without messages that has none. Resolves to its epoch.
   */
  admit(clientId: string, keyHash: string, site: ConversationSite): Promise<string>
  /**
   * Erases every message, the log, the visitor's data and signed identity, resume links, remembered browsers and jobs,
   * and gives the conversation a new epoch. Its first key, the key `keyHash` and a block stay, and its files are left
   * as unsent and expired. False when it is missing or has no messages, with a `keyHash` (null: no key) that does not
   * open it, and with `idleSince` when its newest message is newer.
   */
  erase(
    clientId: string,
    options?: { keyHash?: string | null | undefined; idleSince?: number | undefined },
  ): Promise<boolean>
}

export interface AttachmentRepository {
  /**
   * Stores the row of a file. Judged by the write itself: files never exceed the bounds. Of several calls at once on
   * several nodes that reach a bound together, all may be refused.
   */
  add(attachment: NewAttachment, bounds: AttachmentBounds): Promise<AttachmentAdded>
  findByNonce(
    upload: Pick<AttachmentRecord, 'clientId' | 'senderId' | 'nonce'>,
  ): Promise<AttachmentRecord | null>
  /** A file of this conversation. */
  find(clientId: string, id: string): Promise<AttachmentRecord | null>
  /**
   * The ids of files that were uploaded before that time and never sent, of one conversation or of all, the oldest
   * first. Erasing a conversation leaves its files so.
   */
  listUnsent(options: { before: number; clientId?: string; limit: number }): Promise<string[]>
  /** Makes a file count as gone that was not sent, as erasing does. */
  expire(id: string): Promise<void>
  /** Removes the row of a file that was not sent, once its bytes are gone. */
  remove(id: string): Promise<void>
}

/** Open and waiting conversations, at this moment. */
export interface InboxNow {
  open: number
  /** Open and snoozed conversations with a `waitingSince`. */
  waiting: number
  /** Those that wait longest, the longest first, and those of the same time by clientId. */
  longest: { clientId: string; since: number }[]
}

/** An entry that concerns an admin. */
export interface Concerning {
  activity: ActivityRecord
  /** The epoch of its conversation. */
  epoch: string
  /** What the visitor claims; null when unknown. */
  visitorName: string | null
}

export interface ActivityRecordPage {
  /** In order of `n`. */
  activity: ActivityRecord[]
  /** The number of the newest entry; 0 without one. */
  n: number
  more: boolean
}

/** Status, snooze, assignee, labels, blocks and ratings of conversations, and the log of their changes and notes. */
export interface InboxRepository {
  /**
   * Stores the change and its entries atomically. With `version`, only while that version is stored, judged by the
   * write itself. `at`: the time of the change; `by`: the admin, or null for the system. Resolving sets waitingSince to
   * null: messages up to then do not wait when a message reopens it, but do when an admin does. A conversation without
   * messages is missing. With `onlyDueBy`, changes only a conversation whose snooze ends by then; another one is
   * unchanged.
   */
  change(clientId: string, change: InboxChange, options: InboxChangeOptions): Promise<InboxOutcome>
  /** Stores a note once for each nonce. `nonce-taken`: it belongs to another text or author. */
  addNote(note: NewNote): Promise<NoteAdded>
  /** Stores an entry for a mail once for each nonce. `missing`: the history was erased. */
  addMail(mail: NewMailEntry): Promise<Exclude<NoteAdded, { outcome: 'nonce-taken' }>>
  /**
   * Logs once for each pair that a site signed the visitor, and their other conversation: the same one when it was
   * adopted. Null when it is logged, or there are no messages.
   */
  logIdentity(
    clientId: string,
    data: { sub: string; clientId: string },
    at: number,
  ): Promise<ActivityRecord | null>
  /** Pages as those of messages, by `n`. Empty for a missing conversation. */
  activity(clientId: string, query: ActivityQuery & { limit: number }): Promise<ActivityRecordPage>
  /** `userId`: of `mine`. The cost depends on the open and snoozed conversations at most, not on history. */
  counts(userId: string, now: number): Promise<Counts>
  /** `limit`: of `longest`. The cost depends on the open and snoozed conversations at most, not on history. */
  now(limit: number): Promise<InboxNow>
  /**
   * The newest entries since a time that concern an admin (`concernedBy`), newest first. The cost depends on `limit`, not
   * on history.
   */
  concerning(userId: string, options: { since: number; limit: number }): Promise<Concerning[]>
  /** Labels in use as first written, in alphabetical order, at most `limit`. */
  labels(limit: number): Promise<string[]>
  /**
   * Blocks the visitor until a time and resolves their conversation, or lifts the block with null and reopens nothing.
   * The same write logs both. `messages.append` judges the block. A conversation whose history was erased can be
   * blocked too, and a block survives an erase.
   */
  block(clientId: string, until: number | null, options: { by: string; at: number }): Promise<Blocked>
  /**
   * Stores the rating of the last resolve once, while the conversation is resolved, judged by the write itself. `keyHash`
   * (null: no key) must open the conversation.
   */
  rate(clientId: string, rating: Rating, options: { at: number; keyHash: string | null }): Promise<Rated>
  /** The newest RATINGS_LISTED ratings, newest first. */
  ratings(clientId: string): Promise<RatingRecord[]>
  /** Snoozed conversations whose time has come, the earliest first. */
  dueSnoozes(now: number, limit: number): Promise<string[]>
}

/** Data of visitors. It belongs to their conversation: erasing that erases it too. */
export interface VisitorRepository {
  /**
   * Changes the visitor's data, atomically. `by`: an admin, or null for the visitor, whom it has then seen at `at`. With
   * `keyHash` (null: no key) only if the key `opens` the conversation.
   */
  update(clientId: string, change: ProfileChange, options: ProfileUpdateOptions): Promise<ProfileUpdated>
  /** Null entry: nothing was logged. The history may have been erased meanwhile: then nothing is stored. */
  mailed(clientId: string, mail: MailRecord): Promise<ActivityRecord | null>
  /**
   * Marks the address as failing and logs it. Null when it is not the present address, is marked already, or the history
   * was erased.
   */
  bounced(
    clientId: string,
    bounce: { epoch: string; email: string; at: number },
  ): Promise<ActivityRecord | null>
  /** Works before the first message too. False when the conversation is missing or has another epoch. */
  sign(clientId: string, epoch: string, signed: SignedRecord): Promise<boolean>
  /** Concerns the present address. False when nothing is known about the visitor. */
  setUnsubscribed(clientId: string, unsubscribed: boolean): Promise<boolean>
  /** Null when nothing is known. */
  find(clientId: string): Promise<VisitorRecord | null>
  /** The names by clientId, without visitors who gave none. */
  names(clientIds: readonly string[]): Promise<Map<string, string>>
}

/**
 * The marks of each admin. Nothing but that admin's dashboard depends on them; the read mark of the admins is another.
 */
export interface SeenMarkRepository {
  /**
   * Moves the admin's mark forwards, each number by itself. Null when neither moves, or when the conversation has another
   * epoch or is missing; else the mark as it is now.
   */
  move(userId: string, mark: SeenMark): Promise<SeenMark | null>
  /** The admin's marks of these conversations, without those of erased histories, in no order. */
  of(userId: string, clientIds: readonly string[]): Promise<SeenMark[]>
}

/**
 * The search index, derived from the other tables: copies and backups leave it out. Its terms are made by the use case,
 * so that both stores find the same.
 */
export interface SearchRepository {
  /** Texts that have the terms, the newest first, or those before `next` of an earlier answer. */
  find(terms: SearchTerms, options: { limit: number; before?: string | undefined }): Promise<FoundTexts>
  /** An owner without an entry has nothing in the index. */
  progressOf(owners: readonly string[]): Promise<Map<string, IndexProgress>>
  /**
   * Indexes texts, and moves the progress of their owners. Repeating it changes nothing. Leaves out conversations whose
   * epoch has changed.
   */
  put(updates: readonly IndexUpdate[]): Promise<void>
  /** Removes some index entries of an owner, first those of its other epochs. True when nothing is left to remove. */
  forget(owner: string): Promise<boolean>
  /**
   * Owners of which something is not indexed or no longer there, piece by piece. `since`: only those that other processes
   * have changed since that time; 0 for all.
   */
  stale(from: StaleCursor | null, since: number): Promise<StaleOwners>
  /**
   * Takes or extends the right to build the index, for `ms` from `now`. `mine`: this holder has it. `complete`: the
   * index was complete before. `comparedAt`: when a process last compared what had changed; 0 when unknown.
   */
  lease(
    holder: string,
    now: number,
    ms: number,
  ): Promise<{ mine: boolean; complete: boolean; comparedAt: number }>
  /** The holder of the lease has compared the owners. */
  completed(now: number): Promise<void>
}

/** Sample posts and reviews, marked by the `demo` field. */
export interface SampleRepository {
  /**
   * Stores the samples atomically, once in the life of a store. False when that has happened before, even if they were
   * removed since, or with `onlyWhenEmpty` when the store holds anything. Leaves out a post whose slug is taken.
   */
  seed(
    samples: { blogs: readonly NewBlog[]; reviews: readonly NewReview[] },
    options: { onlyWhenEmpty: boolean },
  ): Promise<boolean>
  /** Removes the remaining samples atomically, and returns how many there were. */
  remove(): Promise<{ blogs: number; reviews: number }>
}

/** Lets every process that has the store open notice changed posts and reviews. */
export interface ContentRevisionRepository {
  /** A different text after each `advance` of any process. */
  read(): Promise<string>
  advance(): Promise<void>
}

/** A port with some methods replaced; the others stay those of `port`. */
export function extended<T extends object>(port: T, methods: Partial<T>): T {
  return Object.assign(Object.create(port), methods)
}
