import type { Collection, Db, GridFSChunk, GridFSFile } from 'mongodb'
import { firstCharacters, SUMMARY_TEXT_READ } from '../chat-rows.ts'
import { nameKey } from '../ids.ts'
import type { BlogRecord, ContactRecord, ReviewRecord, SessionRecord, UserRecord } from '../records.ts'
import { uploadsIn } from '../upload-references.ts'
import type { KeyHashes } from '../visitor-keys.ts'

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
  contacts: Collection<ContactDoc>
  uploads: Collection<UploadDoc>
  /** The two collections of the GridFS bucket, which holds the bytes of uploads. */
  gridFiles: Collection<GridFSFile>
  gridChunks: Collection<GridFSChunk>
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
  /** Its text is cut to what the list needs; in documents of older releases it is whole. */
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
  /** The hash of the first visitor key; a projection, too: the messages carry it. Missing while there is none. */
  keyHash?: string
  /** Hashes of the further keys, in the order in which they came. Fields, so that two may be added at once. */
  moreKeys?: Readonly<Record<string, true>>
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
  /** The conversation's first key, from the message on that brought it; missing before. */
  keyHash?: string
}

export interface UserDoc extends UserRecord {
  nameKey: string
}

/** What is listed by number of page. */
interface Listed {
  /** `_id` again, for the index of the list. */
  id: string
}

export interface BlogDoc extends BlogRecord, Listed {
  demo: boolean
  /** The hashes of the uploads that it shows. */
  uploads: string[]
}

export interface ReviewDoc extends ReviewRecord, Listed {
  demo: boolean
  /** Nobody has approved it yet: it is met by `pending`, `approve` and `remove` alone. */
  pending: boolean
}

export interface ContactDoc extends ContactRecord, Listed {}

/** A file in GridFS: what it is called, and whether it is whole. */
export interface UploadDoc {
  /** As hex digits what its bytes are kept under. */
  _id: string
  /** Unique. Until it is whole, and once it is removed, its `_id`. */
  name: string
  size: number
  storedAt: number
  state: 'half' | 'whole'
}

export interface MetaDoc {
  _id: string
  version?: number
  at?: number
  /** Of the fact that the store is being filled, or was and no server has opened it since. */
  state?: 'filling' | 'filled'
  source?: string
  salt?: string
  /** Of the content, see content-revision.ts. */
  edition?: string
}

/** The bucket, and the collection that says what is in it. */
export const UPLOADS = 'uploads'

export function collectionsOf(db: Db): Collections {
  return {
    conversations: db.collection('conversations'),
    messages: db.collection('messages'),
    users: db.collection('users'),
    sessions: db.collection('sessions'),
    blogs: db.collection('blogs'),
    reviews: db.collection('reviews'),
    contacts: db.collection('contacts'),
    uploads: db.collection(UPLOADS),
    gridFiles: db.collection(`${UPLOADS}.files`),
    gridChunks: db.collection(`${UPLOADS}.chunks`),
    meta: db.collection('meta'),
  }
}

/** The keys of a conversation. `last`: its newest message, read after it, for a projection without the first key. */
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

export function userDoc(user: UserRecord): UserDoc {
  return { ...user, nameKey: nameKey(user.userName) }
}

/** What the list of conversations needs of a message. */
export function forList<M extends { message: string }>(message: M): M {
  return { ...message, message: firstCharacters(message.message, SUMMARY_TEXT_READ) }
}

export function blogDoc(blog: BlogRecord & { demo: boolean }): BlogDoc {
  return { ...blog, id: blog._id, uploads: uploadsIn(blog.img, blog.content) }
}

export function reviewDoc(review: ReviewRecord & { demo: boolean; pending: boolean }): ReviewDoc {
  return { ...review, id: review._id }
}

export function contactDoc(contact: ContactRecord): ContactDoc {
  return { ...contact, id: contact._id }
}
