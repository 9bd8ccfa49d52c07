/**
 * A store as a stream of rows, for copies to another store, to a file and back. The rows are the same for every
 * adapter.
 */

import { commandLine } from '../../installation.ts'
import { type InboxRecord, NEW_INBOX } from '../model/conversation/conversation.ts'
import type {
  CopiedActivity,
  CopiedConversation,
  CopiedMessage,
  CopiedSeenMark,
} from '../model/conversation/rows.ts'
import type { KeyHashes } from '../model/conversation/visitor-keys.ts'
import { copiedVisitor, type VisitorRecord } from '../model/conversation/visitors.ts'
import type { FileStore } from '../model/file-store.ts'
import type { UserRecord } from '../model/users.ts'
import type { CopiedRows, Entry, FileTable, SimpleTable, Table } from './copied-tables.ts'

export type FileStores = Readonly<Record<FileTable, FileStore>>

/** Of a store that is only read. */
export type ReadFileStores = Readonly<Record<FileTable, Pick<FileStore, 'list' | 'open'>>>

export type Counts = Record<Table, number>

export interface CopySource {
  /** Identifies this store, now and later. */
  id(): Promise<string>
  /** The number of rows, for progress: approximate while a server writes. */
  counts(): Promise<Counts>
  /**
   * All rows, table by table, in order of their keys. Exceptions: a conversation follows its messages, which are in order
   * of seq, and its log, which is in order of n; a message follows its attachments, each before its bytes; uploads come
   * first, and those that were added during the copy last. Each adapter documents what holds while a server writes.
   * Reading never writes.
   */
  entries(): AsyncIterable<Entry>
  close(): Promise<void>
}

/** The mark in a store from the start of a copy into it until a server opens it. */
export interface Filling {
  /** No server opens a store in state `filling`. */
  state: 'filling' | 'filled'
  /** The id of the source. */
  source: string
  /** Random. Values that the copy generates are derived from it, so that a second run generates the same. */
  salt: string
}

/** The user with the lowest _id identifies a store: only users who never signed in are removed, and the first one has. */
export function storeId(firstUser: Pick<UserRecord, '_id' | 'createdAt'> | undefined): string {
  return firstUser === undefined ? 'a store without users' : `${firstUser._id} ${firstUser.createdAt}`
}

/** The source in the mark of a store that was just created to be filled: nothing was copied into it yet. */
export const UNKNOWN_SOURCE = ''

export function halfFilled(): Error {
  return new Error(
    `This store is only partly filled. Run the same "${commandLine('migrate')}" or "${commandLine('restore')}" again until it finishes.`,
  )
}

export interface CopiedChat {
  conversation: CopiedConversation
  /** Null when it has none. */
  lastMessage: CopiedMessage | null
  /** The number of the newest entry of its log. */
  activityN: number
}

export interface CopyTarget extends CopySource {
  /** The tables that have rows. */
  holds(): Promise<Table[]>
  filling(): Promise<Filling | null>
  setFilling(filling: Filling): Promise<void>
  clear(table: SimpleTable): Promise<void>
  /** Removes everything, the mark last. */
  empty(): Promise<void>
  insert<T extends SimpleTable>(table: T, rows: CopiedRows[T][]): Promise<void>
  /** The epoch and seq of those of these conversations that the target has. */
  chatsSoFar(clientIds: string[]): Promise<Map<string, { epoch: string; seq: number }>>
  /** Removes these conversations, all their messages and logs. */
  forget(clientIds: string[]): Promise<void>
  /**
   * Adds missing messages, replaces the logs from the first given entry on, then replaces conversations. A process that
   * dies in between has added some messages and entries, and no conversation.
   */
  put(messages: CopiedMessage[], chats: CopiedChat[], activity: CopiedActivity[]): Promise<void>
  readonly files: FileStores
}

/** The first of the given entries of each conversation. */
export function firstEntries(activity: readonly CopiedActivity[]): CopiedActivity[] {
  const first = new Map<string, CopiedActivity>()
  for (const entry of activity) if (!first.has(entry.clientId)) first.set(entry.clientId, entry)
  return [...first.values()]
}

/** The visitor's messages since the last answer, while messages are read in order. */
export class Unanswered {
  #messages: Pick<CopiedMessage, 'seq' | 'createdAt'>[] = []

  add({ senderId, clientId, seq, createdAt }: CopiedMessage): void {
    if (senderId === clientId) this.#messages.push({ seq, createdAt })
    else this.#messages = []
  }

  /** The time of the oldest one that was not settled by resolving; null without one. */
  since(settledSeq: number): number | null {
    return this.#messages.find(({ seq }) => seq > settledSeq)?.createdAt ?? null
  }
}

/**
 * A conversation with the totals of its newest message. A mark beyond that message is moved back to it. A store of an
 * older release has no inbox, and neither has a conversation without messages.
 */
export function conversationOf(
  { clientId, epoch, keyHashes }: { clientId: string; epoch: string; keyHashes: KeyHashes },
  last: CopiedMessage | null,
  unanswered: Unanswered,
  marks: Pick<CopiedConversation, 'visitorRead' | 'adminRead' | 'adminReadCount'> &
    Partial<
      InboxRecord & Pick<CopiedConversation, 'settledSeq' | 'blockedUntil' | 'rated' | 'siteId' | 'siteName'>
    > & {
      visitor?: Partial<VisitorRecord> | null
      seen?: readonly CopiedSeenMark[]
    },
): CopiedConversation {
  const inbox = { ...NEW_INBOX, settledSeq: 0 }
  for (const field of Object.keys(inbox) as (keyof typeof inbox)[]) {
    if (last !== null) Object.assign(inbox, { [field]: marks[field] ?? inbox[field] })
  }
  const { seq, visitorCount } = last ?? { seq: 0, visitorCount: 0 }
  const { adminRead, adminReadCount } =
    marks.adminRead <= seq ? marks : { adminRead: seq, adminReadCount: visitorCount }
  return {
    clientId,
    epoch,
    seq,
    lastAt: last?.createdAt ?? 0,
    visitorCount,
    waitingSince: unanswered.since(inbox.settledSeq),
    visitorRead: Math.min(marks.visitorRead, seq),
    adminRead,
    adminReadCount,
    keyHashes,
    ...inbox,
    blockedUntil: marks.blockedUntil ?? null,
    // Some MongoDB-compatible servers store true as 1 in updates.
    rated: seq > 0 && Boolean(marks.rated),
    // A conversation that a signed visitor has not begun keeps its site.
    siteId: marks.siteId ?? null,
    siteName: marks.siteName ?? null,
    visitor: seq === 0 ? null : copiedVisitor(marks.visitor),
    seen:
      seq === 0
        ? []
        : (marks.seen ?? []).map((mark) => ({
            userId: mark.userId,
            seq: Math.min(mark.seq, seq),
            n: mark.n,
          })),
  }
}
