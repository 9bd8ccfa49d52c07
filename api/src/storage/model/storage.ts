/**
 * The storage port has one repository per table. Methods reject with AppError `unavailable` when the store cannot be
 * reached or written. Any other rejection is a bug.
 */

import type { Side } from '@proctorpass/shared/events'
import type { Message, PageQuery } from '@proctorpass/shared/schemas/chat'
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
  EraseOptions,
  SeenMark,
} from './conversation/conversation.ts'
import type { Edited, NewEdit } from './conversation/edits.ts'
import type { MailAdded, NewMailEntry, NewNote, NoteAdded } from './conversation/entries.ts'
import type { ImportRepository } from './conversation/imports.ts'
import type { InboxChange, InboxChangeOptions, InboxOutcome } from './conversation/inbox-changes.ts'
import type { Appended, MessagePage, NewMessage } from './conversation/messages.ts'
import type {
  Cancel,
  DueMessages,
  NewScheduled,
  Rescheduled,
  Scheduled,
  ScheduledChange,
  Unscheduled,
} from './conversation/scheduled.ts'
import type { ScheduledRecord } from './conversation/scheduled-records.ts'
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
  SearchFilter,
  SearchTerms,
  StaleCursor,
  StaleOwners,
} from './search.ts'
import type { UserRepository } from './users.ts'

/** Everything that a server stores. Closing the storage closes the files too. */
export interface Stores {
  storage: Storage
  /** The images of posts. */
  uploadFiles: FileStore
  /** The attachments' bytes, each under its row's `_id`. */
  attachmentFiles: FileStore
}

type PlainRepositories = Readonly<ReturnType<typeof openPlainRepositories>>

export interface Storage extends PlainRepositories {
  readonly messages: MessageRepository
  readonly attachments: AttachmentRepository
  readonly conversations: ConversationRepository
  readonly visitors: VisitorRepository
  readonly inbox: InboxRepository
  readonly imports: ImportRepository
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
  /** Null if one process owns the store. */
  readonly contentRevision: ContentRevisionRepository | null
  /**
   * Registers a listener for changes that this process stores, see `withStoredChanges`. The listener must not throw.
   */
  onStored(listener: StoredListener): void
  /**
   * Sets every time after `now` to `now`, and ends sessions that began after it. Returns how many messages, posts,
   * reviews, contact messages, and sessions it changed. No server may use the store during this.
   */
  repairTimes(now: number): Promise<number>
  /** Resolves when the store answers, and rejects when it does not. */
  ping(): Promise<void>
  /** Commits pending writes and closes the store. A second call does nothing. */
  close(): Promise<void>
}

/** What a write in this process changed. Reads already see the change when listeners are notified. */
export type StoredChange =
  | { kind: 'message' | 'edit' | 'note' | 'mail' | 'inbox' | 'rating' | 'erase'; clientId: string }
  /**
   * The call failed, but the store may nevertheless have its message, correction, inbox change, or rating. Or the call
   * found it, and the process that stored it may have died.
   */
  | { kind: 'unknown'; clientId: string }
  | { kind: 'profile'; clientId: string; fields: readonly (ProfileField | 'pages')[] }
  | { kind: 'contact'; contactId: string }
  | { kind: 'user' }

export type StoredListener = (change: StoredChange) => void

export interface MessageRepository {
  /**
   * Stores a message under its conversation's next seq. Creates a missing conversation. A visitor's message with a key
   * atomically adds the key to a conversation without keys. From then on, each visitor message needs one of the
   * conversation's keys. Resolves only once the message is durable. Concurrent calls for one conversation get
   * consecutive numbers, in call order within one process.
   */
  append(message: NewMessage): Promise<Appended>
  /**
   * Returns a page in the order of seq. With `after`, it has the oldest newer messages; with `before`, the newest older
   * ones; with both, the oldest between them; with neither, the newest. It ends after `limit` messages or
   * PAGE_BYTES_MAX bytes of JSON, but has at least one message. `more` says that further messages follow in the
   * requested direction. With `edits`, the page also has the messages with corrections above that number, and `more` says
   * too that some of them had no room. All messages have their newest words. Null when the conversation is missing. With `keyHash` (null for no key), the page is for a
   * visitor and has no messages unless the key `opens` the conversation.
   */
  page(
    clientId: string,
    query: PageQuery & { limit: number; keyHash?: string | null | undefined },
  ): Promise<MessagePage | null>
}

export interface ConversationRepository {
  /**
   * Lists waiting conversations first, the longest wait first, and then answered ones, the newest message first. A page
   * ends after `limit` conversations or PAGE_BYTES_MAX bytes of JSON.
   */
  list(options: {
    limit: number
    after?: ConversationCursor | undefined
    filter?: ConversationFilter | undefined
  }): Promise<ConversationPage>
  /**
   * Moves a side's read mark forward to `seq`, at most to the newest message. Returns null when the conversation is
   * missing. `moved` says whether the mark changed. A visitor's mark moves only with a key that `opens` the
   * conversation.
   */
  markRead(
    clientId: string,
    side: Side,
    seq: number,
    keyHash?: string | null,
  ): Promise<(ConversationState & { moved: boolean }) | null>
  /** Returns a conversation as the list shows it, or null when it is missing or has no messages. */
  record(clientId: string): Promise<ConversationRecord | null>
  /** Returns the sum of adminUnread. The cost depends on the conversations with unread messages and not on history. */
  totalAdminUnread(): Promise<number>
  find(clientId: string): Promise<ConversationState | null>
  /**
   * Lists some conversations whose newest message is not newer than `since`. The cost depends only on those
   * conversations.
   */
  idle(since: number, limit: number): Promise<string[]>
  /**
   * Lists some conversations that were marked as spam by `since` and whose newest message is not newer. The cost depends
   * only on spam.
   */
  idleSpam(since: number, limit: number): Promise<string[]>
  /**
   * Adds a key for another device. With VISITOR_KEYS_MAX keys, it replaces the oldest key except the first one, which
   * belongs to the device that began the conversation. Adds none to a conversation without keys, because the first key
   * arrives with a message and any key opens the conversation until then. Returns false when the conversation is
   * missing or has another epoch.
   */
  addKey(clientId: string, keyHash: string, epoch: string): Promise<boolean>
  /**
   * Lets a key's holder into a conversation. Creates a missing one without messages, under the site. Adds the key as
   * `addKey` does, and also to a conversation that has neither messages nor keys. Resolves to the conversation's epoch.
   */
  admit(clientId: string, keyHash: string, site: ConversationSite): Promise<string>
  /**
   * Erases every message, the log, the visitor's data and signed identity, resume links, remembered browsers, and jobs,
   * and gives the conversation a new epoch. Its first key, the key `keyHash`, and a block stay. Its files are left as
   * unsent and expired. Returns false when the conversation is missing or has no messages, when `keyHash` (null for no
   * key) does not open it, and when its newest message is newer than `idleSince`. With `isSpam`, also returns false
   * unless it was marked as spam by `idleSince`.
   */
  erase(clientId: string, options?: EraseOptions): Promise<boolean>
}

export interface AttachmentRepository {
  /**
   * Stores a file's row. The write itself checks the bounds, so files never exceed them. If concurrent calls on several
   * nodes reach a bound together, all of them may be refused.
   */
  add(attachment: NewAttachment, bounds: AttachmentBounds): Promise<AttachmentAdded>
  findByNonce(
    upload: Pick<AttachmentRecord, 'clientId' | 'senderId' | 'nonce'>,
  ): Promise<AttachmentRecord | null>
  /** Returns a file in this conversation, or null. */
  find(clientId: string, id: string): Promise<AttachmentRecord | null>
  /**
   * Lists the IDs of files that were uploaded before a time and never sent, in one conversation or in all, the oldest
   * first. Erasing a conversation leaves its files in this state.
   */
  listUnsent(options: { before: number; clientId?: string; limit: number }): Promise<string[]>
  /** Makes an unsent file count as gone, as erasing does. */
  expire(id: string): Promise<void>
  /** Removes an unsent file's row. Call it once the bytes are removed. */
  remove(id: string): Promise<void>
}

/** The open and waiting conversations at this moment. */
export interface InboxNow {
  open: number
  /** The number of open and snoozed conversations with a `waitingSince`. */
  waiting: number
  /** The conversations that have waited longest, the longest first. Those with the same time are ordered by clientId. */
  longest: { clientId: string; since: number }[]
}

/** An entry that concerns an admin. */
export interface Concerning {
  activity: ActivityRecord
  /** The conversation's epoch. */
  epoch: string
  /** The name that the visitor claims. Null when unknown. */
  visitorName: string | null
}

export interface ActivityRecordPage {
  /** The entries in the order of `n`. */
  activity: ActivityRecord[]
  /** The newest entry's number. 0 without entries. */
  n: number
  more: boolean
}

/** The conversations' status, snooze, assignee, labels, blocks, and ratings, and the log of their changes and notes. */
export interface InboxRepository {
  /**
   * Stores the change and its entries atomically. With `version`, they are stored only while that version is stored,
   * which the write itself checks. `at` is the change's time. `by` is the admin, or null for the system. Resolving sets
   * waitingSince to null: earlier messages do not wait when a message reopens the conversation, but they do when an
   * admin reopens it. A conversation without messages counts as missing. With `onlyDueBy`, the change applies only to a
   * conversation whose snooze ends by then; another one stays unchanged.
   */
  change(clientId: string, change: InboxChange, options: InboxChangeOptions): Promise<InboxOutcome>
  /**
   * Corrects an admin's message: stores its new words and an entry with the earlier ones, which numbers the correction.
   * The write itself checks that the message is the newest one. `decideEdit` describes the refusals.
   */
  edit(edit: NewEdit): Promise<Edited>
  /** Stores a note once per nonce. `nonce-taken` means that the nonce belongs to another text or author. */
  addNote(note: NewNote): Promise<NoteAdded>
  /** Stores an entry for a mail once per nonce. `missing` means that the history was erased. */
  addMail(mail: NewMailEntry): Promise<MailAdded>
  /**
   * Logs that a site signed the visitor, once for each pair of the visitor and their other conversation, which is this
   * one if it was adopted. Returns null when it is already logged or there are no messages.
   */
  logIdentity(
    clientId: string,
    data: { sub: string; clientId: string },
    at: number,
  ): Promise<ActivityRecord | null>
  /** Returns a page of the log, as `messages.page` does but by `n`. It is empty for a missing conversation. */
  activity(clientId: string, query: ActivityQuery & { limit: number }): Promise<ActivityRecordPage>
  /**
   * Counts conversations; `mine` counts this user's. The cost depends at most on the open and snoozed conversations and
   * not on history.
   */
  counts(userId: string, now: number): Promise<Counts>
  /**
   * Counts conversations and lists at most `limit` in `longest`. The cost depends at most on the open and snoozed
   * conversations and not on history.
   */
  now(limit: number): Promise<InboxNow>
  /**
   * Lists the newest entries since a time that concern an admin (`concernedBy`), the newest first. The cost depends on
   * `limit` and not on history.
   */
  concerning(userId: string, options: { since: number; limit: number }): Promise<Concerning[]>
  /** Lists at most `limit` labels in use, as first written and in alphabetical order. */
  labels(limit: number): Promise<string[]>
  /**
   * Blocks the visitor until a time and resolves their conversation, or lifts the block with null and reopens nothing.
   * The same write logs both. `messages.append` enforces the block. A conversation whose history was erased can be
   * blocked too, and a block survives an erase.
   */
  block(clientId: string, until: number | null, options: { by: string; at: number }): Promise<Blocked>
  /**
   * Stores a rating of the last resolve once, and only while the conversation is resolved. The write itself checks
   * this. `keyHash` (null for no key) must open the conversation.
   */
  rate(clientId: string, rating: Rating, options: { at: number; keyHash: string | null }): Promise<Rated>
  /** Lists the newest RATINGS_LISTED ratings, the newest first. */
  ratings(clientId: string): Promise<RatingRecord[]>
  /** Lists snoozed conversations whose time has come, the earliest first. */
  dueSnoozes(now: number, limit: number): Promise<string[]>
  /**
   * Schedules a message, once for each nonce, and logs it in the same write. The message's files then belong to it. The
   * message is sent by `messages.append` with `scheduled`, and does not wait anymore from that write on. The write of a
   * visitor's message cancels what waits, except what is sent anyway. Both are part of the write, so that a canceled
   * message is never sent.
   */
  schedule(scheduled: NewScheduled): Promise<Scheduled>
  /** Changes a scheduled message while it waits in this version, and logs it in the same write. */
  reschedule(
    clientId: string,
    nonce: string,
    change: ScheduledChange,
    options: { by: string; at: number },
  ): Promise<Rescheduled>
  /** Cancels a scheduled message while it waits, and logs it with its words in the same write. */
  unschedule(clientId: string, nonce: string, cancel: Cancel): Promise<Unscheduled>
  /** Returns what waits in the conversation, the earliest first. */
  scheduled(clientId: string): Promise<ScheduledRecord[]>
  /**
   * Returns the message under this nonce, or null. Only a message that was scheduled is asked for in this way, because the
   * call costs a read of its own.
   */
  messageUnder(clientId: string, nonce: string): Promise<Message | null>
  /** Lists at most `limit` conversations with scheduled messages whose time has come. */
  dueMessages(now: number, limit: number): Promise<DueMessages[]>
}

/** The visitors' data. It belongs to their conversations, so erasing a conversation erases it too. */
export interface VisitorRepository {
  /**
   * Changes the visitor's data atomically. `by` is an admin, or null for the visitor, who was then last seen at `at`.
   * With `keyHash` (null for no key), it changes only if the key `opens` the conversation.
   */
  update(clientId: string, change: ProfileChange, options: ProfileUpdateOptions): Promise<ProfileUpdated>
  /**
   * Stores that a mail was sent or given up. Returns null if nothing was logged. Stores nothing if the history was
   * erased in the meantime.
   */
  mailed(clientId: string, mail: MailRecord): Promise<ActivityRecord | null>
  /**
   * Marks the address as failing and logs it. Returns null when it is not the present address or is already marked, or
   * when the history was erased.
   */
  bounced(
    clientId: string,
    bounce: { epoch: string; email: string; at: number },
  ): Promise<ActivityRecord | null>
  /**
   * Stores whom a site vouches for, even before the first message. Returns false when the conversation is missing or
   * has another epoch.
   */
  sign(clientId: string, epoch: string, signed: SignedRecord): Promise<boolean>
  /** Stores whether the present address is unsubscribed. Returns false when nothing is known about the visitor. */
  setUnsubscribed(clientId: string, unsubscribed: boolean): Promise<boolean>
  /** Returns null when nothing is known about the visitor. */
  find(clientId: string): Promise<VisitorRecord | null>
  /** Returns the names by clientId. Visitors without a name are left out. */
  names(clientIds: readonly string[]): Promise<Map<string, string>>
}

/** Each admin's seen marks. Only that admin's dashboard depends on them. The admins' read mark is something else. */
export interface SeenMarkRepository {
  /**
   * Moves the admin's mark forward, each number on its own, and returns the mark as it is then. Returns null when
   * neither number moves, and when the conversation is missing or has another epoch.
   */
  move(userId: string, mark: SeenMark): Promise<SeenMark | null>
  /**
   * Moves the admin's mark back to the message `seq`, and leaves the entry. Returns the mark as it is then. Returns null
   * when the mark is not beyond that message, and when the conversation is missing or has another epoch.
   */
  moveBack(userId: string, mark: Omit<SeenMark, 'n'>): Promise<SeenMark | null>
  /** Lists the admin's marks in these conversations in no order. Marks in erased histories are left out. */
  of(userId: string, clientIds: readonly string[]): Promise<SeenMark[]>
}

/**
 * The search index is derived from the other tables, so copies and backups leave it out. The use case makes its terms,
 * so that both stores find the same texts.
 */
export interface SearchRepository {
  /**
   * Finds texts that have the terms and that the filter allows, the newest first. `before` is an earlier answer's
   * `next`, after which the search continues.
   */
  find(
    terms: SearchTerms,
    options: { limit: number; before?: string | undefined; filter?: SearchFilter },
  ): Promise<FoundTexts>
  /** Returns the progress by owner. An owner without an entry has no texts in the index. */
  progressOf(owners: readonly string[]): Promise<Map<string, IndexProgress>>
  /**
   * Indexes texts and moves their owners' progress. Repeating it changes nothing. Leaves out conversations whose epoch
   * has changed.
   */
  put(updates: readonly IndexUpdate[]): Promise<void>
  /**
   * Removes some of an owner's index entries, other epochs' entries first. Returns true when nothing is left to remove.
   */
  forget(owner: string): Promise<boolean>
  /**
   * Returns, piece by piece, owners whose texts the index lacks or still has although they are gone. With `since`, it
   * returns only owners that other processes have changed since that time; 0 stands for all.
   */
  stale(from: StaleCursor | null, since: number): Promise<StaleOwners>
  /**
   * Takes or extends the lease to build the index, for `ms` from `now`. `mine` says whether this holder has the lease.
   * `complete` says whether the index was complete before. `comparedAt` is the time when a process last compared what
   * had changed, or 0 when unknown. `asked` differs after each `askForComparison`.
   */
  lease(
    holder: string,
    now: number,
    ms: number,
  ): Promise<{ mine: boolean; complete: boolean; comparedAt: number; asked: string }>
  /**
   * Asks the processes that keep the index to compare all owners, because the times of what this process stored do not
   * show that it is new.
   */
  askForComparison(): Promise<void>
  /** Stores that the lease's holder has compared all owners. */
  completed(now: number): Promise<void>
}

/** Sample posts and reviews, marked by the `demo` field. */
export interface SampleRepository {
  /**
   * Stores the samples atomically, once in a store's life. Returns false when that has already happened, even if the
   * samples were removed since. With `onlyWhenEmpty`, also returns false when the store holds anything. Leaves out a
   * post whose slug is taken.
   */
  seed(
    samples: { blogs: readonly NewBlog[]; reviews: readonly NewReview[] },
    options: { onlyWhenEmpty: boolean },
  ): Promise<boolean>
  /** Removes the remaining samples atomically, and returns their numbers. */
  remove(): Promise<{ blogs: number; reviews: number }>
}

/** Lets every process that uses the store notice changed posts and reviews. */
export interface ContentRevisionRepository {
  /** Returns a text that differs after each `advance` in any process. */
  read(): Promise<string>
  advance(): Promise<void>
}

/** Returns `port` with some methods replaced. */
export function extended<T extends object>(port: T, methods: Partial<T>): T {
  return Object.assign(Object.create(port), methods)
}
