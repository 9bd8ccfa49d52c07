/**
 * Describes a store as a stream of rows, which can be copied to another store or to a file and back. The rows are the
 * same for every adapter.
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

/** The file stores of a store that is only read. */
export type ReadFileStores = Readonly<Record<FileTable, Pick<FileStore, 'list' | 'open'>>>

export type Counts = Record<Table, number>

export interface CopySource {
  /** Identifies this store. The ID never changes. */
  id(): Promise<string>
  /** Counts the rows by table, to show progress. The counts are approximate while a server writes. */
  counts(): Promise<Counts>
  /**
   * Yields all rows, table by table, in the order of their keys, with these exceptions. A conversation follows its
   * messages, which are in the order of seq, and its log, which is in the order of n. A message follows its
   * attachments, and each attachment comes before its bytes. Uploads come first, and uploads that were added during the
   * copy come last. Each adapter documents what holds while a server writes. Reading never writes to the store.
   */
  entries(): AsyncIterable<Entry>
  close(): Promise<void>
}

/** The mark that a store has from the start of a copy into it until a server opens it. */
export interface Filling {
  /** A server refuses to open a store in state `filling`. */
  state: 'filling' | 'filled'
  /** The source's ID. */
  source: string
  /** A random text from which generated values are derived, so that a second run generates the same values. */
  salt: string
}

/**
 * Returns the ID of a store. The user with the lowest _id identifies it, because only users who never signed in can be
 * removed, and the first user has signed in.
 */
export function storeId(firstUser: Pick<UserRecord, '_id' | 'createdAt'> | undefined): string {
  return firstUser === undefined ? 'a store without users' : `${firstUser._id} ${firstUser.createdAt}`
}

/** The source in the mark of a store that was just created for a copy and has no rows yet. */
export const UNKNOWN_SOURCE = ''

export function halfFilled(): Error {
  return new Error(
    `This store is only partly filled. Run the same "${commandLine('migrate')}" or "${commandLine('restore')}" again until it finishes.`,
  )
}

export interface CopiedChat {
  conversation: CopiedConversation
  /** Null when the conversation has no messages. */
  lastMessage: CopiedMessage | null
  /** The number of the newest entry in its log. */
  activityN: number
}

export interface CopyTarget extends CopySource {
  /** Returns the tables that have rows. */
  holds(): Promise<Table[]>
  filling(): Promise<Filling | null>
  setFilling(filling: Filling): Promise<void>
  clear(table: SimpleTable): Promise<void>
  /** Removes everything. The mark is removed last. */
  empty(): Promise<void>
  insert<T extends SimpleTable>(table: T, rows: CopiedRows[T][]): Promise<void>
  /** Returns the epochs and seqs of the conversations that the target already has. */
  chatsSoFar(clientIds: string[]): Promise<Map<string, { epoch: string; seq: number }>>
  /** Removes these conversations with all their messages and logs. */
  forget(clientIds: string[]): Promise<void>
  /**
   * Adds missing messages and corrections of messages, replaces the logs from the first given entry on, and then replaces conversations. If the
   * process dies in between, some messages and entries are added, but no conversation.
   */
  put(messages: CopiedMessage[], chats: CopiedChat[], activity: CopiedActivity[]): Promise<void>
  readonly files: FileStores
}

/** Returns each conversation's first entry among the given ones. */
export function firstEntries(activity: readonly CopiedActivity[]): CopiedActivity[] {
  const first = new Map<string, CopiedActivity>()
  for (const entry of activity) if (!first.has(entry.clientId)) first.set(entry.clientId, entry)
  return [...first.values()]
}

/** Collects the visitor's messages since the last answer while messages are read in order. */
export class Unanswered {
  #messages: Pick<CopiedMessage, 'seq' | 'createdAt'>[] = []

  add({ senderId, clientId, seq, createdAt }: CopiedMessage): void {
    if (senderId === clientId) this.#messages.push({ seq, createdAt })
    else this.#messages = []
  }

  /** Returns the time of the oldest message that resolving has not settled, or null without one. */
  since(settledSeq: number): number | null {
    return this.#messages.find(({ seq }) => seq > settledSeq)?.createdAt ?? null
  }
}

/**
 * Returns a conversation with its newest message's totals. A mark beyond that message is moved back to it. A conversation
 * without messages, or from an older release's store, gets an empty inbox.
 */
export function conversationOf(
  { clientId, epoch, keyHashes }: { clientId: string; epoch: string; keyHashes: KeyHashes },
  last: CopiedMessage | null,
  unanswered: Unanswered,
  marks: Pick<CopiedConversation, 'visitorRead' | 'adminRead' | 'adminReadCount'> &
    Partial<
      InboxRecord &
        Pick<
          CopiedConversation,
          'settledSeq' | 'spam' | 'scheduled' | 'blockedUntil' | 'edits' | 'rated' | 'siteId' | 'siteName'
        >
    > & {
      visitor?: Partial<VisitorRecord> | null
      seen?: readonly CopiedSeenMark[]
    },
): CopiedConversation {
  const inbox = { ...NEW_INBOX, settledSeq: 0, spam: null, scheduled: null }
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
    waitingSince: inbox.status === 'spam' ? null : unanswered.since(inbox.settledSeq),
    visitorRead: Math.min(marks.visitorRead, seq),
    adminRead,
    adminReadCount,
    keyHashes,
    ...inbox,
    blockedUntil: marks.blockedUntil ?? null,
    // Some MongoDB-compatible servers store true as 1 in updates.
    rated: seq > 0 && Boolean(marks.rated),
    // A message may have been corrected after the conversation was read.
    edits: last === null ? 0 : Math.max(marks.edits ?? 0, last.edited?.edit ?? 0),
    // A conversation in which a signed visitor has not written yet keeps its site.
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
