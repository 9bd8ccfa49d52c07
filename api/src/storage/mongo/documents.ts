import type { Collection, Db } from 'mongodb'
import type { BlogRecord, ContactRecord, ReviewRecord, SessionRecord, UserRecord } from '../storage.ts'

/**
 * What each collection holds. Ids are strings and times are milliseconds since 1970 UTC, as in the port: nothing is
 * translated on its way, and a dump of either store reads the same.
 */
export interface Collections {
  conversations: Collection<ConversationDoc>
  messages: Collection<MessageDoc>
  users: Collection<UserDoc>
  sessions: Collection<SessionRecord>
  blogs: Collection<BlogDoc>
  reviews: Collection<ReviewDoc>
  contacts: Collection<ContactRecord>
  /** What the store as a whole knows of itself, a document per fact. */
  meta: Collection<MetaDoc>
}

/** What the chats list shows of a conversation: a projection of its messages, moved only forwards, and the marks. */
export interface ConversationDoc {
  /** The clientId. */
  _id: string
  /** The same again, for the indexes that end in it: not every server takes `_id` as a part of one. */
  clientId: string
  epoch: string
  /** Of the newest message that is projected; 0 while there is none. */
  seq: number
  lastMessage: MessageDoc | null
  /** The newest message's time; 0 while there is none. */
  lastAt: number
  visitorCount: number
  waitingSince: number | null
  visitorRead: number
  adminRead: number
  /** How many visitor messages stand up to adminRead. */
  adminReadCount: number
  /** visitorCount - adminReadCount, kept for its index. */
  adminUnread: number
}

/** A message and the totals of its conversation up to itself. */
export interface MessageDoc {
  _id: string
  clientId: string
  epoch: string
  seq: number
  senderId: string
  message: string
  createdAt: number
  nonce: string
  /** Visitor messages up to this one. */
  visitorCount: number
  /** The time of the oldest visitor message without an answer, or null. */
  waitingSince: number | null
}

export interface UserDoc extends UserRecord {
  nameKey: string
}

export interface BlogDoc extends BlogRecord {
  demo: boolean
  /** The hashes of the uploads that it shows. */
  uploads: string[]
}

export interface ReviewDoc extends ReviewRecord {
  demo: boolean
  /** Nobody has approved it yet: it is met by `pending`, `approve` and `remove` alone. */
  pending: boolean
}

export interface MetaDoc {
  _id: string
  version?: number
  at?: number
}

export function collectionsOf(db: Db): Collections {
  return {
    conversations: db.collection('conversations'),
    messages: db.collection('messages'),
    users: db.collection('users'),
    sessions: db.collection('sessions'),
    blogs: db.collection('blogs'),
    reviews: db.collection('reviews'),
    contacts: db.collection('contacts'),
    meta: db.collection('meta'),
  }
}
