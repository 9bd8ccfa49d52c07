/**
 * The port between services and whatever holds the data. One repository per table.
 * Ids are 24-hex strings, times are milliseconds since 1970 UTC. Methods reject with AppError `unavailable`
 * when the store cannot be reached or written; every other rejection is a bug.
 */

import type { Side } from '@proctorpass/shared/events'
import type { Message, PageQuery, ReadMarks, SummaryMessage } from '@proctorpass/shared/schemas/chat'
import type { KeyHashes } from './visitor-keys.ts'

export interface Storage {
  readonly messages: MessageRepository
  readonly conversations: ConversationRepository
  readonly users: UserRepository
  readonly sessions: SessionRepository
  readonly blogs: BlogRepository
  readonly reviews: ReviewRepository
  readonly contacts: ContactRepository
  readonly demo: DemoRepository
  /** Null where one process owns the store. */
  readonly contentRevision: ContentRevisionRepository | null
  /**
   * Sets what is dated after `now` to `now`, and ends sessions that began after it. Answers how many messages, posts,
   * reviews, contact messages and sessions that were. No server may use the store meanwhile.
   */
  repairTimes(now: number): Promise<number>
  /** Resolves when the store answers, rejects when it does not. */
  ping(): Promise<void>
  /** Commits what is pending, then closes. Idempotent. */
  close(): Promise<void>
}

export interface NewMessage {
  clientId: string
  senderId: string
  /** Already trimmed and checked. */
  message: string
  nonce: string
  /** When given and the conversation has another one, nothing is stored. */
  epoch?: string | undefined
  /** A visitor's message is not stored when the conversation holds so many of theirs. */
  visitorMessagesMax?: number | undefined
  /** Of the visitor's key, when they sent one. Not looked at in an admin's message. */
  keyHash?: string | null | undefined
  /** When it arrived; stored as this or as its predecessor's time, whichever is later. */
  at: number
}

export type Appended =
  /** `repeated`: this nonce, sender and text were stored before and this is that message. */
  | { outcome: 'repeated'; message: Message; state: ConversationState }
  /** `keyAdded`: the conversation got its first key by this message. */
  | { outcome: 'stored'; message: Message; state: ConversationState; keyAdded: boolean }
  /** A visitor without one of the conversation's keys. Judged before everything else. */
  | { outcome: 'wrong-key' }
  /** The nonce belongs to another text or sender of this conversation. */
  | { outcome: 'nonce-taken' }
  | { outcome: 'stale-epoch' }
  /** The visitor has stored as many messages as may be. */
  | { outcome: 'full' }

/** The totals of a conversation. */
export interface ConversationState {
  clientId: string
  epoch: string
  /** The newest message's. */
  seq: number
  adminUnread: number
  read: ReadMarks
  keyHashes: KeyHashes
}

export interface MessageRepository {
  /**
   * Stores a message under the next seq of its conversation, which it creates when there is none. A visitor's message
   * with a key adds the key to a conversation that has none, in the same step: from then on no visitor's message is
   * stored without one of its keys.
   * Resolves only once the message is durable. Concurrent calls for one conversation get consecutive numbers
   * without holes, in the order in which they were called in one process.
   */
  append(message: NewMessage): Promise<Appended>
  /**
   * A page in order of seq: `after` the oldest newer ones, `before` the newest older ones, neither the newest;
   * with both, those between, oldest first. It ends after `limit` messages or PAGE_BYTES_MAX bytes of JSON, but has at
   * least one message. `more` when there are further ones in the direction asked for.
   * Null when there is no conversation. With `keyHash` (null: no key) the page is for a visitor, and has no messages
   * unless it `opens` the conversation.
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

export interface ConversationCursor {
  /** Null once the waiting ones are through. */
  waitingSince: number | null
  lastAt: number
  clientId: string
}

export interface ConversationRecord {
  clientId: string
  adminUnread: number
  lastMessage: SummaryMessage
  waitingSince: number | null
}

export interface ConversationRepository {
  /**
   * Those whose visitor waits longest first, then the others by their newest message, newest first.
   * It ends after `limit` conversations or PAGE_BYTES_MAX bytes of JSON. `next` continues where this page ended;
   * null when it was the last.
   */
  list(options: { limit: number; after?: ConversationCursor | undefined }): Promise<{
    conversations: ConversationRecord[]
    next: ConversationCursor | null
  }>
  /**
   * Moves a side's mark forwards to `seq`, at most to the newest message; never back. Null when there is no
   * conversation. `moved` tells whether anything changed. A visitor's mark moves only with a key that `opens` the
   * conversation.
   */
  markRead(
    clientId: string,
    side: Side,
    seq: number,
    keyHash?: string | null,
  ): Promise<(ConversationState & { moved: boolean }) | null>
  /** Sum of adminUnread over all conversations. Its cost follows the conversations that wait, not history. */
  totalAdminUnread(): Promise<number>
  find(clientId: string): Promise<ConversationState | null>
  /**
   * Adds a further key, for another device. False when there is no conversation, when it has no key yet (the first
   * comes with a message) or VISITOR_KEYS_MAX of them. True when it has this key already.
   */
  addKey(clientId: string, keyHash: string): Promise<boolean>
  /**
   * Erases every message and gives the conversation a new epoch. Its keys stay. False when there is none, or with a
   * `keyHash` (null: no key) that does not open it.
   */
  erase(clientId: string, keyHash?: string | null): Promise<boolean>
}

export interface UserRecord {
  _id: string
  /** Unique; compared after NFKC and lower-casing. */
  userName: string
  passwordHash: string
  roles: string[]
  createdAt: number
  /** May not sign in. */
  disabled: boolean
  /** 0 when created, one more with each `changeCredentials`: sessions of another version have ended. */
  credentialVersion: number
  /** The session that the last change kept: it goes on, whatever its version. */
  keptSessionId: string | null
}
export type NewUser = Pick<UserRecord, 'userName' | 'passwordHash' | 'roles' | 'createdAt'>

/** What changes; what is undefined stays. */
export interface CredentialChange {
  passwordHash?: string | undefined
  disabled?: boolean | undefined
  /** With it, nothing happens unless it is the user's credentialVersion. */
  ifVersion?: number
  keepSessionId?: string
}

export interface UserRepository {
  findByName(userName: string): Promise<UserRecord | null>
  findById(id: string): Promise<UserRecord | null>
  /** Whether there is any user. */
  any(): Promise<boolean>
  /** Creates the user if no user exists at all, in one step: of two nodes that start together, one wins. */
  createFirst(user: NewUser): Promise<UserRecord | null>
  /** Null when the name is taken. */
  create(user: NewUser): Promise<UserRecord | null>
  /** Replaces `from` by another hash of the same password. False when another one is stored. */
  replacePasswordHash(id: string, from: string, to: string): Promise<boolean>
  /**
   * Changes what lets the user in and ends all their sessions but `keepSessionId`, all of it or nothing. Answers the
   * ids of the ended ones; null when nothing was changed.
   */
  changeCredentials(id: string, change: CredentialChange): Promise<string[] | null>
}

/** One sign-in on one browser: a family of refresh tokens, of which only hashes are kept. */
export interface SessionRecord {
  /** Also the `sid` of its access tokens. */
  _id: string
  userId: string
  /** Hash of the newest refresh token. */
  currentHash: string
  /** Hash of its predecessor, good until the newest is first used; null before the first rotation. */
  previousHash: string | null
  createdAt: number
  /** Gone at this time; moves on with each rotation. */
  expiresAt: number
  /** The user's, when the session began. */
  credentialVersion: number
}

export interface SessionRepository {
  create(session: SessionRecord): Promise<void>
  /** Null when it never was, was ended or has expired at `now`. */
  find(id: string, now: number): Promise<SessionRecord | null>
  /** A user's sessions that live at `now`, newest first; the newest hundred of them. */
  listOf(userId: string, now: number): Promise<SessionRecord[]>
  /**
   * Makes `toHash` the newest and `fromHash` its predecessor, if `fromHash` is the newest now. False when it is
   * not: someone else rotated first, or the session is gone.
   */
  rotate(id: string, fromHash: string, toHash: string, expiresAt: number): Promise<boolean>
  end(id: string): Promise<void>
  /** Removes what has expired. */
  sweep(now: number): Promise<void>
}

/** A page of a list that is paged by number, from 1. */
export interface PageOfList {
  page: number
  perPage: number
}

/** `count` is of all, on a page beyond the end too. */
export interface Listed<T> {
  items: T[]
  count: number
}

export interface BlogRecord {
  _id: string
  /** Unique. */
  slug: string
  title: string
  summary: string
  img: string
  /** Sanitised HTML. */
  content: string
  createdAt: number
  updatedAt: number
  /** 1 when created, one more with each change. */
  version: number
}
export type BlogSummaryRecord = Omit<BlogRecord, 'content' | 'version'>
export type NewBlog = Omit<BlogRecord, '_id' | 'updatedAt' | 'version'>

/** What of a post shall change; what is undefined stays. */
export interface BlogChange {
  slug?: string | undefined
  title?: string | undefined
  summary?: string | undefined
  img?: string | undefined
  content?: string | undefined
  /** When it happens; `updatedAt` never goes back. */
  at: number
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
   * Makes the change under the next version, all of it or none. With `version` only while that one is stored, judged
   * by the write itself: of two that start from one version, one is stored. A sample that is changed is none any more.
   */
  update(id: string, change: BlogChange, version?: number): Promise<BlogUpdated>
  /** Answers what was removed; null when there was none. */
  remove(id: string): Promise<BlogRecord | null>
  /** Whether the image or the content of any post shows this upload, in whatever width. Costs a look into an index. */
  refersTo(uploadUrl: string): Promise<boolean>
}

export interface ReviewRecord {
  _id: string
  name: string
  time: string
  star: number
  review: string
  createdAt: number
}
export type NewReview = Omit<ReviewRecord, '_id'>

/** What of a review shall change; what is undefined stays. */
export interface ReviewChange {
  name?: string | undefined
  time?: string | undefined
  star?: number | undefined
  review?: string | undefined
}

/** Those that wait for approval are met by `pending`, `approve` and `remove` alone. */
export interface ReviewRepository {
  /** Newest first by createdAt, then by _id. */
  list(page: PageOfList): Promise<Listed<ReviewRecord>>
  findById(id: string): Promise<ReviewRecord | null>
  create(review: NewReview): Promise<ReviewRecord>
  /** Null when there is none. A sample that is changed is none any more. */
  update(id: string, change: ReviewChange): Promise<ReviewRecord | null>
  /** Removes a review, also one that waits. False when there is none. */
  remove(id: string): Promise<boolean>
  /** Stores a review that waits. */
  submit(review: NewReview): Promise<ReviewRecord>
  /** Those that wait, newest first by createdAt, then by _id. */
  pending(page: PageOfList): Promise<Listed<ReviewRecord>>
  /** Moves one that waits among the others, under its id, in one step. Null when none such waits. */
  approve(id: string): Promise<ReviewRecord | null>
}

export interface ContactRecord {
  _id: string
  email: string
  title: string
  message: string
  createdAt: number
}
export type NewContact = Omit<ContactRecord, '_id'>

export interface ContactRepository {
  /** Newest first by createdAt, then by _id. */
  list(page: PageOfList): Promise<Listed<ContactRecord>>
  /** Resolves only once the message is durable. */
  create(contact: NewContact): Promise<ContactRecord>
}

/** Sample posts and reviews, marked as such. */
export interface DemoRepository {
  /**
   * Stores the samples in one step, once in the life of a store: false when that has happened before, also when
   * they were removed since, or when `onlyWhenEmpty` and the store holds anything. A post whose slug is taken is
   * left out.
   */
  seed(
    samples: { blogs: readonly NewBlog[]; reviews: readonly NewReview[] },
    options: { onlyWhenEmpty: boolean },
  ): Promise<boolean>
  /** Removes the samples that are left, in one step, and answers how many there were. */
  remove(): Promise<{ blogs: number; reviews: number }>
}

/** Lets every process that has the store open notice changed posts and reviews. */
export interface ContentRevisionRepository {
  /** A different text after each `advance` of any process. */
  read(): Promise<string>
  advance(): Promise<void>
}
