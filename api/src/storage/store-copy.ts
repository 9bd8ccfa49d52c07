/**
 * A store as a stream of rows, which is how one is copied into another of whichever kind, into a file and back. The
 * rows are the same for every store.
 */

import { buffer } from 'node:stream/consumers'
import type { BlogRecord, ContactRecord, ReviewRecord, SessionRecord, UserRecord } from './records.ts'
import type { UploadFiles } from './upload-files.ts'
import type { KeyHashes } from './visitor-keys.ts'

export interface CopiedMessage {
  _id: string
  clientId: string
  epoch: string
  seq: number
  senderId: string
  message: string
  createdAt: number
  nonce: string
  /** The visitor's messages up to this one. */
  visitorCount: number
  /** The time of the oldest visitor message that has no answer up to this one; null when there is none. */
  waitingSince: number | null
}

/** What the newest message says of its conversation, the marks and the keys. Without messages all numbers are 0. */
export interface CopiedConversation {
  clientId: string
  epoch: string
  seq: number
  lastAt: number
  visitorCount: number
  waitingSince: number | null
  visitorRead: number
  adminRead: number
  /** The visitor's messages up to `adminRead`. */
  adminReadCount: number
  keyHashes: KeyHashes
}

/** By table. What can be made of a row (the key of a name, which post shows which upload) is made where it is stored. */
export interface CopiedRows {
  uploads: { name: string; bytes: Uint8Array }
  users: UserRecord
  sessions: SessionRecord
  blogs: BlogRecord & { demo: boolean }
  reviews: ReviewRecord & { demo: boolean; pending: boolean }
  contacts: ContactRecord
  milestones: { name: string; at: number }
  messages: CopiedMessage
  conversations: CopiedConversation
}
export type Table = keyof CopiedRows
export type Entry = { [N in Table]: { table: N; row: CopiedRows[N] } }[Table]

/** Tables whose rows stand for themselves. */
export type SimpleTable = Exclude<Table, 'uploads' | 'messages' | 'conversations'>

/** Every field of every row, in the order in which rows are compared. The first one is the key. */
export const FIELDS: { readonly [N in Table]: readonly (keyof CopiedRows[N] & string)[] } = {
  uploads: ['name', 'bytes'],
  users: [
    ...(['_id', 'userName', 'passwordHash', 'roles', 'createdAt', 'disabled'] as const),
    ...(['credentialVersion', 'keptSessionId'] as const),
  ],
  sessions: [
    ...(['_id', 'userId', 'currentHash', 'previousHash', 'createdAt', 'expiresAt'] as const),
    'credentialVersion',
  ],
  blogs: ['_id', 'slug', 'title', 'summary', 'img', 'content', 'createdAt', 'updatedAt', 'version', 'demo'],
  reviews: ['_id', 'name', 'time', 'star', 'review', 'createdAt', 'demo', 'pending'],
  contacts: ['_id', 'email', 'title', 'message', 'createdAt'],
  milestones: ['name', 'at'],
  messages: [
    ...(['_id', 'clientId', 'epoch', 'seq', 'senderId', 'message', 'createdAt', 'nonce'] as const),
    ...(['visitorCount', 'waitingSince'] as const),
  ],
  conversations: [
    ...(['clientId', 'epoch', 'seq', 'lastAt', 'visitorCount', 'waitingSince'] as const),
    ...(['visitorRead', 'adminRead', 'adminReadCount', 'keyHashes'] as const),
  ],
}
export const TABLES = Object.keys(FIELDS) as Table[]
export const SIMPLE_TABLES = TABLES.filter(
  (table) => !['uploads', 'messages', 'conversations'].includes(table),
) as SimpleTable[]

export type Counts = Record<Table, number>

export interface CopySource {
  /** Tells this store from others, now and later. */
  id(): Promise<string>
  /** How many rows there are, to measure progress by: not to the last one while a server writes. */
  counts(): Promise<Counts>
  /**
   * All of it, a table after another and in the order of the keys, but: the messages of a conversation stand in order
   * of seq, then it, then the next one's; uploads come first, and those that were added meanwhile last. Each adapter
   * says what it takes care of while a server writes. Nothing is ever written by reading.
   */
  entries(): AsyncIterable<Entry>
  close(): Promise<void>
}

/** What a store says of itself from the beginning of a filling until a server opens it. */
export interface Filling {
  /** No server opens a store before it is filled. */
  state: 'filling' | 'filled'

  /** The id of the source. */
  source: string
  /** Random: what is made anew while this store is filled is made from it, so that a second run makes the same. */
  salt: string
}

/** The first of a store's users by _id tells it from others: users are never removed. */
export function storeId(firstUser: Pick<UserRecord, '_id' | 'createdAt'> | undefined): string {
  return firstUser === undefined ? 'a store without users' : `${firstUser._id} ${firstUser.createdAt}`
}

export function halfFilled(): Error {
  return new Error(
    'This store is being filled, or that was broken off: run the same `npm run migrate` or `npm run restore` again, to its end.',
  )
}

/** A conversation with its newest message; null when it has none. */
export interface CopiedChat {
  conversation: CopiedConversation
  lastMessage: CopiedMessage | null
}

export interface CopyTarget extends CopySource {
  /** The tables of which there are rows. */
  holds(): Promise<Table[]>
  filling(): Promise<Filling | null>
  setFilling(filling: Filling): Promise<void>
  clear(table: SimpleTable): Promise<void>
  /** Removes everything, what it says of its filling last. */
  empty(): Promise<void>
  insert<T extends SimpleTable>(table: T, rows: CopiedRows[T][]): Promise<void>
  /** Of these conversations those that are there, and how far. */
  chatsSoFar(clientIds: string[]): Promise<Map<string, { epoch: string; seq: number }>>
  /** Removes these conversations and all their messages. */
  forget(clientIds: string[]): Promise<void>
  /**
   * Adds messages, and then puts conversations in the place of those that are there. A message that is there already
   * stays. A process that dies in between has added some of the messages and none of the conversations.
   */
  put(messages: CopiedMessage[], chats: CopiedChat[]): Promise<void>
  readonly uploads: UploadFiles
}

/** A conversation as its newest message tells it. A mark beyond that message is moved back to it. */
export function conversationOf(
  { clientId, epoch, keyHashes }: { clientId: string; epoch: string; keyHashes: KeyHashes },
  last: CopiedMessage | null,
  marks: Pick<CopiedConversation, 'visitorRead' | 'adminRead' | 'adminReadCount'>,
): CopiedConversation {
  const { seq, visitorCount, waitingSince } = last ?? { seq: 0, visitorCount: 0, waitingSince: null }
  const { adminRead, adminReadCount } =
    marks.adminRead <= seq ? marks : { adminRead: seq, adminReadCount: visitorCount }
  return {
    clientId,
    epoch,
    seq,
    lastAt: last?.createdAt ?? 0,
    visitorCount,
    waitingSince,
    visitorRead: Math.min(marks.visitorRead, seq),
    adminRead,
    adminReadCount,
    keyHashes,
  }
}

/**
 * The uploads, then the rows, then the uploads that were added meanwhile. A picture is stored before the post that
 * shows it and removed after: so every picture of the posts among the rows is among these, but for one that was
 * both stored and removed in the meantime.
 */
export async function* withUploads(
  uploads: Pick<UploadFiles, 'list' | 'open'>,
  rows: () => AsyncIterable<Entry>,
): AsyncIterable<Entry> {
  const seen = new Set<string>()
  async function* more(): AsyncIterable<Entry> {
    const names = (await uploads.list()).map(({ name }) => name)
    for (const name of names.sort()) {
      const found = seen.has(name) ? null : await uploads.open(name)
      if (found === null) continue
      seen.add(name)
      yield { table: 'uploads', row: { name, bytes: await buffer(found.stream) } }
    }
  }
  yield* more()
  yield* rows()
  yield* more()
}
