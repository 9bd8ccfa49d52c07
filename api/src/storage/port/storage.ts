/**
 * The storage port: one repository per table. Methods reject with AppError `unavailable` when the store cannot be
 * reached or written; every other rejection is a bug.
 */

import type { Side } from '@proctorpass/shared/events'
import type { Message, PageQuery, ReadMarks, SummaryMessage } from '@proctorpass/shared/schemas/chat'
import type { Status, VisitorClaim } from '@proctorpass/shared/schemas/inbox'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { KeyHashes } from '../rules/visitor-keys.ts'
import type { AddressRepository } from './addresses.ts'
import type { AnswerRepository } from './answers.ts'
import type { ApiKeyRepository } from './api-keys.ts'
import type { AttachmentRepository } from './attachments.ts'
import type { AuditRepository } from './audit.ts'
import type { ChallengeRepository } from './challenges.ts'
import type { ContentRevisionRepository } from './content-revision.ts'
import type { DocumentRepository } from './documents.ts'
import type { WebhookStorage } from './endpoints.ts'
import type { EventRepository } from './events.ts'
import type { InboxChanged, InboxRecord, InboxRepository } from './inbox.ts'
import type { JobRepository, NewJob } from './jobs.ts'
import type { LinkRepository } from './links.ts'
import type { MailRepository } from './mails.ts'
import type {
  BlogChange,
  BlogRecord,
  BlogSummaryRecord,
  ContactRecord,
  CredentialChange,
  Factors,
  Listed,
  NewBlog,
  NewContact,
  NewReview,
  NewUser,
  PageOfList,
  ProfileChange,
  ReviewChange,
  ReviewRecord,
  UserRecord,
} from './records.ts'
import type { IdentityRepository, RememberedRepository } from './remembered.ts'
import type { ReplyRepository } from './replies.ts'
import type { ReportRepository } from './reports.ts'
import type { SampleRepository } from './samples.ts'
import type { SearchRepository } from './search.ts'
import type { SeenMarkRepository } from './seen-marks.ts'
import type { SessionRepository } from './sessions.ts'
import type { SiteRepository } from './sites.ts'
import type { SubscriptionRepository } from './subscriptions.ts'
import type { SuggestionRepository } from './suggestions.ts'
import type { UploadFiles } from './upload-files.ts'
import type { VisitorRepository } from './visitors.ts'

/** All that a server stores. Closing the storage closes the files too. */
export interface Stores {
  storage: Storage
  /** Images of posts. */
  uploadFiles: UploadFiles
  /** Files of messages, named by the `_id` of their row. */
  attachmentFiles: UploadFiles
}

export interface Storage extends WebhookStorage {
  readonly messages: MessageRepository
  readonly attachments: AttachmentRepository
  readonly conversations: ConversationRepository
  readonly visitors: VisitorRepository
  readonly inbox: InboxRepository
  readonly seenMarks: SeenMarkRepository
  readonly users: UserRepository
  readonly sessions: SessionRepository
  readonly challenges: ChallengeRepository
  readonly blogs: BlogRepository
  readonly reviews: ReviewRepository
  readonly contacts: ContactRepository
  readonly replies: ReplyRepository
  readonly documents: DocumentRepository
  readonly jobs: JobRepository
  readonly addresses: AddressRepository
  readonly answers: AnswerRepository
  readonly links: LinkRepository
  readonly apiKeys: ApiKeyRepository
  readonly events: EventRepository
  readonly audit: AuditRepository
  readonly mails: MailRepository
  readonly subscriptions: SubscriptionRepository
  readonly sites: SiteRepository
  readonly identities: IdentityRepository
  readonly remembered: RememberedRepository
  readonly samples: SampleRepository
  readonly reports: ReportRepository
  readonly suggestions: SuggestionRepository
  readonly search: SearchRepository
  /** Null where one process owns the store. */
  readonly contentRevision: ContentRevisionRepository | null
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

export interface NewMessage {
  clientId: string
  senderId: string
  /** Trimmed and validated; empty only with attachments. */
  message: string
  /** The ids of its files, which the sender uploaded; distinct, in the order in which the message shows them. */
  attachments?: readonly string[] | undefined
  nonce: string
  /** When given, it must be the conversation's epoch. */
  epoch?: string | undefined
  /** The number of visitor messages at which a conversation is full for its visitor. */
  visitorMessagesMax?: number | undefined
  /** Of the frame that sends it: kept with the conversation's first message, unless it has one. */
  site?: ConversationSite | null | undefined
  /** The hash of the visitor's key, when they sent one. Ignored in an admin's message. */
  keyHash?: string | null | undefined
  /** Of a message that came by mail: its sender was verified by other means than a key. `quoted`: empty without any. */
  mail?: { quoted: string } | undefined
  /** Scheduled before the message counts as stored, also when it is repeated: a process that dies in between loses neither. */
  job?: NewJob | null | undefined
  /** The time of arrival. A message is never dated before its predecessor. */
  at: number
}

export type Appended =
  /** The message with this nonce, sender, text and files was stored before. */
  | { outcome: 'repeated'; message: Message; state: ConversationState }
  /** `keyAdded`: the message brought the conversation's first key. */
  | {
      outcome: 'stored'
      message: Message
      state: ConversationState
      keyAdded: boolean
      /** For an admin's message: the time of the visitor's oldest message that waited for it; null without one. */
      waitedSince: number | null
      /** The change of the inbox that the message made: a visitor's reopens, an admin's takes a free conversation. */
      inboxChanged: InboxChanged | null
    }
  /** The visitor has none of the conversation's keys. Checked before everything else. */
  | { outcome: 'wrong-key' }
  /** The nonce belongs to another text, other files or another sender of this conversation. */
  | { outcome: 'nonce-taken' }
  | { outcome: 'stale-epoch' }
  /** The visitor has reached `visitorMessagesMax`. */
  | { outcome: 'full' }
  /** The visitor is blocked. Messages that were stored before are still answered as repeated. */
  | { outcome: 'blocked' }
  /** The sender has not uploaded this file here, or it has expired. */
  | { outcome: 'unknown-file' }
  /** Another message has this file. */
  | { outcome: 'file-used' }

export function isStored(appended: Appended): appended is Extract<Appended, { message: unknown }> {
  return 'message' in appended
}

/** The totals of a conversation. */
export interface ConversationState {
  clientId: string
  epoch: string
  /** That of the newest message. */
  seq: number
  adminUnread: number
  read: ReadMarks
  keyHashes: KeyHashes
  /** The end of a block of the visitor, in force or past; null without one. */
  blockedUntil: number | null
  /** Resolved, and not rated since. */
  isUnrated: boolean
  /** Where it began; null: on our own pages. */
  site: ConversationSite | null
}

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

export interface MessagePage extends ConversationState {
  messages: Message[]
  more: boolean
}

/** Where a page ended: the place of its last conversation in the order of the list. */
export interface ConversationCursor {
  /** Null after the last waiting conversation. */
  waitingSince: number | null
  lastAt: number
  clientId: string
  /** Only in a list by exam, whose order it is. */
  examAt?: number | undefined
}

export interface ConversationRecord {
  clientId: string
  adminUnread: number
  lastMessage: SummaryMessage
  waitingSince: number | null
  inbox: InboxRecord
  visitor: VisitorClaim
  site: ConversationSite | null
}

/** What the list shows; fields combine. */
export interface ConversationFilter {
  statuses?: readonly Status[] | undefined
  /** A user id; null: unassigned. */
  assigneeId?: string | null | undefined
  label?: string | undefined
  unread?: boolean | undefined
  /** The id of a site; null: our own pages. */
  siteId?: string | null | undefined
  /** Not resolved, with an exam from `from` to `to`; ordered by its time. */
  exam?: { from: number; to: number } | undefined
}

export interface ConversationPage {
  conversations: ConversationRecord[]
  /** Continues where this page ended; null on the last page. */
  next: ConversationCursor | null
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
   * and gives the conversation a new epoch. Its first key, the key `keyHash` and a block stay, and its files are left as unsent and expired. False when it is
   * missing or has no messages, with a `keyHash` (null: no key) that does not open it, and with `idleSince` when its
   * newest message is newer.
   */
  erase(
    clientId: string,
    options?: { keyHash?: string | null | undefined; idleSince?: number | undefined },
  ): Promise<boolean>
}

export interface UserRepository {
  findByName(userName: string): Promise<UserRecord | null>
  findById(id: string): Promise<UserRecord | null>
  /** All users, in order of creation. */
  list(): Promise<UserRecord[]>
  /** Whether any user exists. */
  any(): Promise<boolean>
  /** Creates the user if no user exists, atomically: of two nodes that start together, one creates it. Else null. */
  createFirst(user: NewUser): Promise<UserRecord | null>
  /** Null when the name is taken. */
  create(user: NewUser): Promise<UserRecord | null>
  /** Replaces `from` with another hash of the same password. False when another hash is stored. */
  replacePasswordHash(id: string, from: string, to: string): Promise<boolean>
  /**
   * Changes credentials and ends the user's sessions except `keepSessionId`, atomically. Returns the ids of the ended
   * sessions; null when nothing was changed.
   */
  changeCredentials(id: string, change: CredentialChange): Promise<string[] | null>
  /**
   * Stores the remaining factors after one was used, and ends no session. Judged by the write itself: false unless the
   * version before this one is stored and `ifVersion` is the user's credentialVersion.
   */
  useFactor(id: string, factors: Factors, ifVersion: number): Promise<boolean>
  /**
   * As `changeCredentials` with `disabled`, but only while another admin is active. Judged by the write itself: of two
   * admins who disable each other at once, one stays.
   */
  disable(id: string): Promise<{ outcome: 'disabled'; ended: string[] } | { outcome: 'missing' | 'last' }>
  /** The user whose invitation has this hash, expired or not. */
  findByInvite(inviteHash: string): Promise<UserRecord | null>
  /** Removes a user who has not used the invitation. False when there is none, or they have used it. */
  removeInvited(id: string): Promise<boolean>
  /** Null when the user is missing. */
  changeProfile(id: string, change: ProfileChange): Promise<UserRecord | null>
}

export type BlogUpdated =
  | { outcome: 'stored'; blog: BlogRecord; before: BlogRecord }
  /** `stale`: another version is stored. */
  | { outcome: 'missing' | 'slug-taken' | 'stale' }

export interface BlogRepository {
  /** Newest first by createdAt, then by _id. */
  list(page: PageOfList): Promise<Listed<BlogSummaryRecord>>
  findBySlug(slug: string): Promise<BlogRecord | null>
  findById(id: string): Promise<BlogRecord | null>
  /** Null when the slug is taken. */
  create(blog: NewBlog): Promise<BlogRecord | null>
  /**
   * Stores the change under the next version, atomically. With `version`, only while that version is stored, checked by
   * the write itself: of two changes of one version, one is stored. A changed sample is no longer a sample.
   */
  update(id: string, change: BlogChange, version?: number): Promise<BlogUpdated>
  /** Returns the removed post; null when it is missing. */
  remove(id: string): Promise<BlogRecord | null>
  /** Whether the image or the content of any post shows this upload, in any width. Costs one index lookup. */
  refersTo(uploadUrl: string): Promise<boolean>
}

/** Only `pending`, `approve` and `remove` see reviews that wait for approval. */
export interface ReviewRepository {
  /** Newest first by createdAt, then by _id. */
  list(page: PageOfList): Promise<Listed<ReviewRecord>>
  findById(id: string): Promise<ReviewRecord | null>
  create(review: NewReview): Promise<ReviewRecord>
  /** Null when it is missing. A changed sample is no longer a sample. */
  update(id: string, change: ReviewChange): Promise<ReviewRecord | null>
  /** Removes a review, also a pending one. False when it is missing. */
  remove(id: string): Promise<boolean>
  /** Stores a pending review. */
  submit(review: NewReview): Promise<ReviewRecord>
  /** Newest first by createdAt, then by _id. */
  pending(page: PageOfList): Promise<Listed<ReviewRecord>>
  /** Publishes a pending review under its id, atomically. Null when it is not pending. */
  approve(id: string): Promise<ReviewRecord | null>
  /** Of the published reviews that are not samples; null without any. */
  stars(): Promise<{ count: number; average: number } | null>
}

export interface ContactRepository {
  /** Newest first by createdAt, then by _id. */
  list(page: PageOfList): Promise<Listed<ContactRecord>>
  findById(id: string): Promise<ContactRecord | null>
  /** Resolves only once the message is durable. */
  create(contact: NewContact): Promise<ContactRecord>
  /** Marks it as done at that time, or with null as open again. Null when there is none with this id. */
  setDone(id: string, doneAt: number | null): Promise<ContactRecord | null>
  /** False when there is none with this id. */
  remove(id: string): Promise<boolean>
}
